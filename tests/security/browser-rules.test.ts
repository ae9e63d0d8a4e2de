import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createBff } from '@atrium/bff/bff'
import { readAppConfig } from '@atrium/bff/config'
import { createLogger } from '@atrium/bff/log'
import { readStaticFiles } from '@atrium/bff/static-files'
import { openPages } from '@atrium/booking/testing/open-pages'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { recordMeasurement } from '@atrium/testing/measurements'
import type { Hono } from 'hono'
import { afterAll, describe, expect, it } from 'vitest'

const apps = ['portal', 'operator'] as const
type AppName = (typeof apps)[number]
const people = { portal: 'owner@acme.test', operator: 'operator@atrium.test' }
const root = join(import.meta.dirname, '../..')

const open = async (app: AppName) => ({
  plain: await startTestBff({ app, env: { STRIPE_PUBLISHABLE_KEY: 'pk_test_of_these_tests' } }),
  // As in production: an https address, which the browsers of the workplace know the way to.
  secure: await startTestBff({ app, publicUrl: `https://${app}.example.test` }),
})
const testApps = { portal: await open('portal'), operator: await open('operator') }
afterAll(async () => {
  for (const { plain, secure } of Object.values(testApps))
    for (const testBff of [plain, secure]) await testBff[Symbol.asyncDispose]()
})

/**
 * Every path that the router of an app names, filled in, by itself and below a tenant, a partner
 * and the administration.
 */
async function pagesOf(app: AppName): Promise<string[]> {
  const folder = join(root, 'apps', app, 'src')
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path]) =>
      (path ?? '').replace(/\$\w+/g, 'acme'),
    ),
  )
  return [
    ...new Set(
      named.flatMap((path) => [path, `/t/acme${path}`, `/partner${path}`, `/admin${path}`]),
    ),
  ].sort()
}

/** What a policy of ours must never allow, and what it must always say. */
function weaknesses(headers: Headers, secure: boolean): string[] {
  const found: string[] = []
  const policy = headers.get('content-security-policy') ?? ''
  const directives = new Map(
    policy.split('; ').map((one) => [one.split(' ')[0] ?? '', one.split(' ').slice(1)] as const),
  )
  const must = (right: boolean, what: string) => right || found.push(what)
  must(
    !/unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|wasm-unsafe-eval/.test(policy),
    'the policy allows unsafe scripts or styles',
  )
  must(
    !(directives.get('script-src') ?? ['data:']).some((source) =>
      /^(data:|blob:|http:|https:|\*)$/.test(source),
    ),
    'scripts from anywhere',
  )
  must(directives.get('default-src')?.join() === "'none'", 'default-src')
  must(directives.get('base-uri')?.join() === "'none'", 'base-uri')
  must(
    directives.has('frame-ancestors') && directives.has('form-action'),
    'frame-ancestors or form-action',
  )
  must(!directives.get('frame-ancestors')?.includes('*'), 'anybody may frame it')
  must(headers.get('x-content-type-options') === 'nosniff', 'nosniff')
  must(/same-origin|no-referrer/.test(headers.get('referrer-policy') ?? ''), 'referrer-policy')
  must((headers.get('permissions-policy') ?? '') !== '', 'permissions-policy')
  must(headers.get('cross-origin-opener-policy') === 'same-origin', 'opener policy')
  must(!headers.has('access-control-allow-origin'), 'other origins may read it')
  must(!headers.has('x-powered-by') && !headers.has('server'), 'it names its software')
  if (secure) {
    must(
      Number(/max-age=(\d+)/.exec(headers.get('strict-transport-security') ?? '')?.[1] ?? 0) >=
        31_536_000,
      'https may be left',
    )
    must(directives.has('upgrade-insecure-requests'), 'plain http inside the page')
  }
  return found
}

const html = { headers: { accept: 'text/html' } }
const pages = { count: 0, weak: [] as string[] }

describe.each(apps)('the pages of the %s app', (app) => {
  it('have every header for every client, on http and https', async () => {
    const paths = await pagesOf(app)
    expect(paths.length).toBeGreaterThan(40)
    for (const [kind, testBff] of Object.entries(testApps[app])) {
      const browser = testBff.browser()
      await browser.signIn(testBff.publicUrl, people[app])
      const nonces = new Set<string>()
      let withNonce = 0
      for (const path of [
        ...paths,
        '/signed-out?error=x',
        '/api/session',
        '/api/nothing',
        '/auth/login',
        '/auth/callback',
        '/health',
      ]) {
        const response = await browser.fetch(testBff.publicUrl + path, html)
        const text = await response.text()
        pages.count++
        for (const weakness of weaknesses(response.headers, kind === 'secure'))
          pages.weak.push(`${app} ${path}: ${weakness}`)
        const nonce = /'nonce-([^']+)'/.exec(
          response.headers.get('content-security-policy') ?? '',
        )?.[1]
        if (nonce) {
          withNonce++
          nonces.add(nonce)
        }
        if (/<script(?![^>]*\bsrc=)[^>]*>|\son\w+="|href="javascript:/i.test(text))
          pages.weak.push(`${app} ${path}: a script inside the page`)
      }
      expect(nonces.size).toBe(withNonce)
      expect(withNonce).toBeGreaterThan(40)
    }
    expect(pages.weak).toEqual([])
  })

  it('are built from a page without scripts, styles or handlers in it', async () => {
    const source = await readFile(join(root, 'apps', app, 'index.html'), 'utf8')
    expect(source).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i)
  })

  it('set cookies that no script, other host or plain connection gets', async () => {
    const testBff = testApps[app].secure
    const browser = testBff.browser()
    const lines: string[] = []
    const take = async (path: string, init: RequestInit = {}) => {
      const response = await browser.fetch(
        path.startsWith('https:') ? path : testBff.publicUrl + path,
        init,
      )
      lines.push(...response.headers.getSetCookie())
      return response
    }
    await take('/auth/login')
    await take(await browser.signInUpToCallback(testBff.publicUrl, people[app]))
    await take('/api/me')
    await take('/auth/logout', { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } })
    expect(lines.length).toBeGreaterThanOrEqual(4)
    for (const line of lines) {
      expect(line).toMatch(/^__Host-atrium-/)
      expect(line).toMatch(/; Path=\/(;|$)/)
      expect(line).toMatch(/; Secure(;|$)/)
      expect(line).toMatch(/; HttpOnly(;|$)/)
      expect(line).toMatch(/; SameSite=(Lax|Strict)(;|$)/)
      expect(line).not.toMatch(/domain=/i)
    }
    await recordMeasurement({
      target: 'S19',
      what: `cookies of the ${app} app`,
      measured: `${lines.length} set while signing in and out, all __Host-, Secure, HttpOnly, SameSite, without Domain`,
      reached: lines.length >= 4,
    })
  })
})

it('the booking pages have every header and set no cookie', async () => {
  const booking = openPages()
  const manage = `/manage/${'A'.repeat(43)}`
  const event = '/acme/anna/intro'
  const paths = [
    '/',
    '/acme',
    '/acme/anna',
    event,
    `${event}/book`,
    manage,
    `${manage}/cancel`,
    `${manage}/move`,
    `${manage}/move/confirm`,
  ]
  for (const path of [
    ...paths,
    `${manage}/calendar.ics`,
    '/nothing/at/all/here',
    '/robots.txt',
    '/health',
  ]) {
    const { headers, html: text } = await booking.get(path)
    pages.count++
    for (const weakness of weaknesses(headers, true))
      pages.weak.push(`booking ${path}: ${weakness}`)
    if (headers.getSetCookie().length > 0) pages.weak.push(`booking ${path}: a cookie`)
    if (/<script(?![^>]*\bsrc=)[^>]*>|\son\w+="|href="javascript:/i.test(text))
      pages.weak.push(`booking ${path}: a script inside the page`)
    if (path.startsWith('/manage/') && headers.get('referrer-policy') !== 'no-referrer')
      pages.weak.push(`booking ${path}: tells its address`)
  }
  expect(pages.weak).toEqual([])
})

afterAll(() =>
  recordMeasurement({
    target: 'S19',
    what: 'headers of all pages of portal, operator app and booking pages',
    measured: `${pages.count} answers, ${pages.weak.length} weak: no unsafe-inline, no unsafe-eval, no foreign scripts`,
    reached: pages.count > 200 && pages.weak.length === 0,
  }),
)

/** What another site can make a browser send, and what no browser of ours would. */
const elsewhere: Record<string, Record<string, string>> = {
  'neither header': {},
  'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
  'a sibling host': { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.test' },
  'no page': { 'sec-fetch-site': 'none' },
  'Origin of another site': { origin: 'https://evil.test' },
  'Origin null': { origin: 'null' },
  'Origin that begins like ours': { origin: 'SELF.evil.test' },
  'our Origin on another port': { origin: 'SELF1' },
  'our Origin, another site by its own word': { origin: 'SELF', 'sec-fetch-site': 'cross-site' },
  'our word, Origin of another site': {
    origin: 'https://evil.test',
    'sec-fetch-site': 'same-origin',
  },
}
const changing = ['POST', 'PUT', 'PATCH', 'DELETE']
const requests = { paths: 0, sent: 0, let: [] as string[] }

/** Paths of the server's own router, with something in the place of parameters. */
function pathsOf(app: AppName, testBff: TestBff): string[] {
  const bff = createBff({
    config: readAppConfig(app, testBff.env),
    database: testBff.database,
    files: readStaticFiles(testBff.distDir),
    log: createLogger('atrium-test', 'silent'),
    version: '0',
  })
  const routes = (bff.app as unknown as Hono).routes.map(({ path }) =>
    path.replace(/:\w+/g, 'acme').replace('/trpc/*', '/trpc/tenants.create'),
  )
  return [...new Set(routes.filter((path) => !path.includes('*')))]
}

describe.each(apps)('changes at the server of the %s app', (app) => {
  it('are rejected wherever another site sends them from, at every path and method', async () => {
    const testBff = testApps[app].plain
    const browser: Browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, people[app])
    // Two may come from elsewhere, because their token is their proof: that of the provider (S17),
    // and that of a mail program for the link in a mail (RFC 8058).
    const paths = pathsOf(app, testBff).filter(
      (path) => path !== '/auth/backchannel-logout' && !path.startsWith('/unsubscribe/'),
    )
    expect(paths).toEqual(
      expect.arrayContaining([
        '/auth/logout',
        '/api/tenants',
        '/api/flags/evaluate',
        '/trpc/tenants.create',
      ]),
    )
    expect(paths.length).toBeGreaterThan(10)
    testBff.platform.seen.length = 0
    for (const path of paths) {
      requests.paths++
      for (const method of changing) {
        for (const [what, given] of Object.entries(elsewhere)) {
          const headers = Object.fromEntries(
            Object.entries(given).map(([name, value]) => [
              name,
              value.replace('SELF', testBff.publicUrl),
            ]),
          )
          const init = {
            method,
            headers: { 'content-type': 'application/json', ...headers },
            body: '{}',
          }
          const response = await browser.fetch(testBff.publicUrl + path, init)
          const { code } = (await response.json()) as { code?: string }
          requests.sent++
          if (response.status !== 403 || code !== 'cross_origin')
            requests.let.push(`${app} ${method} ${path}, ${what}: ${response.status}`)
        }
      }
      // What a plain form can send does not count as one of ours even from our own pages, except
      // where a page has such a form: signing out, and a mailed link, whose token is in the
      // address.
      for (const type of [
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'text/plain',
      ]) {
        if (path === '/auth/logout' || /^\/(invitation|claim)\//.test(path)) continue
        const response = await browser.post(testBff.publicUrl + path, 'a=b', {
          'content-type': type,
        })
        await response.text()
        requests.sent++
        if (response.status < 400)
          requests.let.push(`${app} ${path} as ${type}: ${response.status}`)
      }
    }
    expect(requests.let).toEqual([])
    expect(testBff.platform.seen).toEqual([])
    // The same paths serve the app itself.
    expect(
      (await browser.post(`${testBff.publicUrl}/trpc/tenants.create`, { json: {} })).status,
    ).toBe(200)
    expect((await browser.post(`${testBff.publicUrl}/auth/logout`)).status).toBe(303)
  })
})

afterAll(() =>
  recordMeasurement({
    target: 'S19',
    what: 'changes from other sites',
    measured: `${requests.paths} paths × ${changing.length} methods × ${Object.keys(elsewhere).length} origins: ${requests.sent} requests, ${requests.let.length} let through`,
    reached: requests.sent > 500 && requests.let.length === 0,
  }),
)
