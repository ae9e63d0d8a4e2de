import { build, type Plugin } from 'vite'
import { describe, expect, it } from 'vitest'
import { allStylesImported } from '../app-build.ts'

const entry = '\0entry.js'

/** Builds an app of this one module and returns the failure, if any. */
async function faultOf(source: string): Promise<string | undefined> {
  const app: Plugin = {
    name: 'app',
    resolveId: (id, importer) =>
      id === entry ? id : importer === entry ? import.meta.resolve(id).slice(7) : undefined,
    load: (id) => (id === entry ? source : undefined),
  }
  const built = build({
    configFile: false,
    logLevel: 'silent',
    plugins: [app, allStylesImported],
    build: { write: false, minify: false, rolldownOptions: { input: entry } },
  })
  return built.then(
    () => undefined,
    (error: Error) => error.message,
  )
}

const shown = "import { Kbd } from '@mantine/core'\nconsole.log(Kbd)\n"

describe('a build', () => {
  it('fails when the styles of a Mantine component are not imported, and names it', async () => {
    expect(await faultOf(shown)).toMatch(/No styles .*: Kbd/)
  })

  it('is made when they are', async () => {
    expect(await faultOf(`import '@mantine/core/styles/Kbd.layer.css'\n${shown}`)).toBeUndefined()
  })
})
