import { overRest, overTrpc } from '@atrium/testing/calls'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deprecationHeaders } from '../src/http/deprecation.ts'
import { openApiDocument } from '../src/http/openapi.ts'
import type { ApiDocument } from '../src/http/openapi-document.ts'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'
import type { Deprecation, ProcedureMeta } from '../src/rpc/procedure-meta.ts'

const procedures = proceduresOf(appRouter)
const metaOf = (name: string): ProcedureMeta => {
  const meta = procedures[name]?._def.meta
  if (!meta) throw new Error(`${name} has no meta`)
  return meta
}

const old: Deprecation = { since: '2026-12-01', sunset: '2028-02-29', replacement: 'tenants.list' }
const older: Deprecation = { since: '2026-06-30', sunset: '2027-07-01' }
const headers = {
  deprecation: '@1796083200',
  sunset: 'Tue, 29 Feb 2028 00:00:00 GMT',
  link: [
    '</docs/tenants#tenants-get>; rel="deprecation"; type="text/html"',
    '</docs/tenants#tenants-get>; rel="sunset"; type="text/html"',
  ].join(', '),
}
const read = ({ headers: sent }: { headers: Headers }) => ({
  deprecation: sent.get('deprecation'),
  sunset: sent.get('sunset'),
  link: sent.get('link'),
})

describe('a deprecated procedure', () => {
  let testApp: TestApp
  let member: string
  let document: ApiDocument

  beforeAll(async () => {
    // No procedure has to be deprecated for good so that this can be tested.
    metaOf('tenants.get').deprecated = old
    metaOf('users.me').deprecated = older
    testApp = await startTestApp({ provisioned: false })
    member = await testApp.token('member@acme.test')
    document = openApiDocument('0.0.0', '/')
  }, 60_000)
  afterAll(async () => {
    delete metaOf('tenants.get').deprecated
    delete metaOf('users.me').deprecated
    await testApp[Symbol.asyncDispose]()
  })

  it.each([
    ['that succeeds', 'acme', () => member, 200],
    ['that is rejected', 'nowhere', () => member, 404],
    ['without a token', 'acme', () => undefined, 401],
  ])('says so in the response to a call %s', async (_, slug, token, status) => {
    const rest = await overRest(testApp, 'tenants.get', { slug }, token())
    const trpc = await overTrpc(testApp, 'tenants.get', { slug }, token())
    expect([rest.status, read(rest)]).toEqual([status, headers])
    expect([trpc.status, read(trpc)]).toEqual([status, headers])
  })

  it('says it with the earliest dates of a batch, also where the batch is streamed', async () => {
    const input = encodeURIComponent(JSON.stringify({ 0: { json: { slug: 'acme' } } }))
    const address = `http://api.test/trpc/tenants.get,users.me?batch=1&input=${input}`
    for (const accept of ['application/json', 'application/jsonl']) {
      const response = await testApp.app.fetch(
        new Request(address, {
          headers: { authorization: `Bearer ${member}`, 'trpc-accept': accept },
        }),
        {},
      )
      await response.text()
      expect(read(response)).toEqual({
        deprecation: '@1782777600',
        sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
        link: expect.stringMatching(/#tenants-get>.*#users-me>/),
      })
    }
  })

  it('is marked in the log, so that an operator finds who still calls it', async () => {
    const id = { 'x-request-id': 'deprecated-call-1' }
    await testApp.request('GET', '/tenants/acme', { token: member, headers: id })
    const lines = testApp.logLines.map((line) => JSON.parse(line))
    const line = lines.find(({ requestId }) => requestId === 'deprecated-call-1')
    expect(line).toMatchObject({ route: '/tenants/{slug}', deprecated: true })
    expect(line.userId).toEqual(expect.any(String))
  })

  it('is marked in the API description and in the reference', async () => {
    const operation = document.paths['/tenants/{slug}']?.get
    expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2028-02-29' })
    expect(operation?.description).toContain('Use `GET /tenants` instead.')
    expect(document.paths['/tenants']?.get).not.toHaveProperty('deprecated')
    const page = String((await testApp.request('GET', '/docs/tenants')).body)
    expect(page.slice(page.indexOf('id="tenants-get"'))).toMatch(
      /^[^§]*?Deprecated<\/strong>[^§]*?from 2028-02-29 on/,
    )
  })

  it('leaves other responses as they are', async () => {
    const rest = await overRest(testApp, 'tenants.users', { slug: 'acme' }, member)
    const trpc = await overTrpc(testApp, 'tenants.users', { slug: 'acme' }, member)
    for (const response of [rest, trpc])
      expect(read(response)).toEqual({ deprecation: null, sunset: null, link: null })
    expect(deprecationHeaders(['tenants.users', 'no.such'])).toEqual({})
  })
})

/** What is wrong with a deprecation by docs/reference/compatibility.md. */
function faultsOf({ since, sunset, replacement }: Deprecation): string[] {
  const faults: string[] = []
  const isDay = (text: string) =>
    /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toISOString().startsWith(text)
  if (!isDay(since) || !isDay(sunset)) return ['a date is no day']
  const year = 365 * 24 * 60 * 60 * 1000
  if (Date.parse(sunset) - Date.parse(since) < year) faults.push('less than a year')
  if (replacement !== undefined) {
    const meta = procedures[replacement]?._def.meta
    if (!meta?.openapi || meta.deprecated) faults.push('the replacement is none')
  }
  return faults
}

describe('a deprecation', () => {
  it('of this API lasts a year and names a procedure that stays', () => {
    for (const [name, { _def }] of Object.entries(procedures))
      if (_def.meta?.deprecated) expect(faultsOf(_def.meta.deprecated), name).toEqual([])
  })

  it.each<[Deprecation, string[]]>([
    [old, []],
    [{ since: '2026-12-01', sunset: '2027-11-30' }, ['less than a year']],
    [{ since: '2026-12-01', sunset: '2028-02-30' }, ['a date is no day']],
    [{ since: '1 December', sunset: '2028-02-01' }, ['a date is no day']],
    [{ ...older, replacement: 'tenants.nothing' }, ['the replacement is none']],
  ])('is checked: %j', (deprecation, faults) => {
    expect(faultsOf(deprecation)).toEqual(faults)
  })
})
