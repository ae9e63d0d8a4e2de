import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApiDocument } from '@atrium/api/http/openapi'
import { requestSamples } from '@atrium/api/http/reference/samples'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
let project: string
beforeAll(async () => {
  project = await mkdtemp(join(process.env.ATRIUM_PACKED ?? '', 'samples-'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(project, { recursive: true, force: true }))

/** The samples of `/docs` for TypeScript, each in a function of one program. */
function program(): string {
  const document = openApiDocument('0.0.0', '/')
  const functions = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation], at) => {
      const samples = requestSamples(document, { method: method.toUpperCase(), path, operation })
      const { text = '' } = samples.find(({ language }) => language === 'TypeScript') ?? {}
      const [, ...lines] = text.split('\n')
      const name = `${operation.operationId.replaceAll('-', '_')}_${at}`
      const returned = text.includes('const result') ? 'return result' : ''
      return `export async function ${name}() {${lines.join('\n')}\n${returned}}`
    }),
  )
  expect(functions.length).toBeGreaterThan(300)
  return `import { createAtriumClient, dataOf } from '@atrium/client'
declare const process: { env: { ATRIUM_TOKEN: string } }
${functions.join('\n')}
// @ts-expect-error there is no such path
createAtriumClient({ url: 'https://api.example.com' }).GET('/nowhere')
`
}

function compile(file: string): Promise<string> {
  const compiler = createRequire(join(root, 'package.json')).resolve('typescript/package.json')
  return new Promise((done) => {
    execFile(
      process.execPath,
      [
        join(dirname(compiler), 'bin/tsc'),
        ...['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'],
        ...['--moduleResolution', 'nodenext', '--lib', 'esnext,dom', file],
      ],
      { cwd: project },
      (_, out) => done(out),
    )
  })
}

describe('the samples of the API reference', () => {
  it('compile with the packed client', async () => {
    const file = join(project, 'samples.ts')
    await writeFile(file, program())
    expect(await compile(file)).toBe('')
  })
})
