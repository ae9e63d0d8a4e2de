import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/listening.ts'
import { startAppServer } from '../src/server.ts'
import { startVitePages } from '../vite-pages.ts'

const root = join(import.meta.dirname, '../../..')
const page = { accept: 'text/html' }

let testBff: TestBff
let sources: string
let server: RunningServer
let at: string
beforeAll(async () => {
  testBff = await startTestBff()
  sources = await copySources()
  server = await startAppServer({
    app: 'portal',
    env: { ...testBff.env, LOG_LEVEL: 'silent' },
    devPages: await startVitePages(join(sources, 'apps/portal')),
  })
  at = `http://localhost:${server.port}`
})
afterAll(async () => {
  await server.close()
  await rm(sources, { recursive: true, force: true })
  await testBff[Symbol.asyncDispose]()
})

/** What Vite reads of the repository: the portal and the packages in its pages. */
async function copySources(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'atrium-sources-'))
  const parts = ['apps/portal', 'packages/ui', 'packages/core', 'packages/messages']
  await Promise.all([
    symlink(join(root, 'node_modules'), join(copy, 'node_modules')),
    cp(join(root, 'pnpm-workspace.yaml'), join(copy, 'pnpm-workspace.yaml')),
    ...parts.map((part) =>
      cp(join(root, part), join(copy, part), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/\/(dist|test|\.vite)$/.test(path),
      }),
    ),
  ])
  return copy
}

/** The updates that Vite announces to a page. */
async function openUpdates(): Promise<{ received: string[]; close: () => void }> {
  const client = await (await fetch(`${at}/@vite/client`)).text()
  const token = /const wsToken = "([^"]+)"/.exec(client)?.[1]
  const socket = new WebSocket(`${at.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  const received: string[] = []
  socket.addEventListener('message', ({ data }) => received.push(String(data)))
  await expect.poll(() => received.join()).toContain('"connected"')
  return { received, close: () => socket.close() }
}

async function edit(path: string, from: string, to: string): Promise<void> {
  const file = join(sources, path)
  const text = await readFile(file, 'utf8')
  expect(text).toContain(from)
  await writeFile(file, text.replace(from, to))
}

describe('the pages in development', () => {
  it('come from the sources, with the headers of production and no inline script', async () => {
    const response = await fetch(`${at}/t/acme/members`, { headers: page })
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1]
    const html = await response.text()
    expect(html).toContain(`<meta name="csp-nonce" content="${nonce}">`)
    expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
    const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
    expect(scripts).toHaveLength(3)
    for (const tag of scripts) {
      const address = /src="([^"]+)"/.exec(tag)?.[1]
      const script = await fetch(at + address)
      expect([script.status, script.headers.get('content-type')], tag).toEqual([
        200,
        'text/javascript',
      ])
    }
  })

  it('are in the chosen language before any script runs', async () => {
    const headers = { ...page, cookie: 'atrium_language=de' }
    const html = await (await fetch(`${at}/`, { headers })).text()
    const [english, german] = [serverPageTexts('en'), serverPageTexts('de')]
    for (const text of ['description', 'loading', 'needsScript'] as const) {
      expect(html).toContain(german(text))
      expect(html).not.toContain(`${english(text)}"`)
    }
  })

  it('keep the routes of the server', async () => {
    expect(await (await fetch(`${at}/api/session`)).json()).toMatchObject({ signedIn: false })
    const login = await fetch(`${at}/auth/login`, { redirect: 'manual' })
    expect(login.status).toBe(302)
    expect((await fetch(`${at}/src/nothing.ts`)).status).toBe(404)
  })

  it('are updated when a component is edited', async () => {
    const component = 'apps/portal/src/mfa/mfa-page.tsx'
    await (await fetch(`${at}/src/mfa/mfa-page.tsx`)).text()
    const updates = await openUpdates()
    await edit(component, 'export function MfaPage', 'const edited = 1\nexport function MfaPage')
    await expect.poll(() => updates.received.join(), { timeout: 10_000 }).toMatch(/js-update/)
    expect(await (await fetch(`${at}/src/mfa/mfa-page.tsx`)).text()).toContain('edited')
    updates.close()
  })

  it('are loaded again when a text of the catalogue is edited, which is compiled', async () => {
    const path = 'packages/messages/src/en/portal/mfa.json'
    const text = async () => await (await fetch(`${at}/@fs${join(sources, path)}?import`)).text()
    for (const loaded of ['/src/main.tsx', `/@fs${sources}/packages/messages/src/portal.ts`])
      await (await fetch(at + loaded)).text()
    expect(await text()).toContain('["Second factors in ",["tenant"]]')
    const updates = await openUpdates()
    await edit(path, 'Second factors in', 'Edited text in')
    await expect.poll(() => updates.received.join(), { timeout: 10_000 }).toMatch(/full-reload/)
    expect(await text()).toContain('["Edited text in ",["tenant"]]')
    updates.close()
  })
})
