import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { everythingWritten } from '@atrium/testing/written'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyLimitBytes } from '../src/app.ts'

let testApp: TestApp
let token: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const create = (body: unknown, headers: Record<string, string> = {}) =>
  testApp.request('POST', '/tenants', { token, body, headers })

/** Runs it and shows that it wrote nothing and called nobody. */
async function withoutEffect<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = await everythingWritten(testApp)
  const result = await work()
  expect(await everythingWritten(testApp)).toEqual(before)
  return result
}

describe('a body', () => {
  const sized = (bytes: number) => {
    const frame = JSON.stringify({ name: 'x', surprise: '' })
    return `${frame.slice(0, -2)}${'a'.repeat(bytes - frame.length)}"}`
  }

  it.each([-1, 0])('of the limit and %i byte is read', async (difference) => {
    const answer = await withoutEffect(() => create(sized(bodyLimitBytes + difference)))
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'surprise' }] },
    })
  })

  it('one byte over the limit returns 413, over REST and tRPC', async () => {
    const body = sized(bodyLimitBytes + 1)
    expect(await withoutEffect(() => create(body))).toMatchObject({
      status: 413,
      body: { code: 'too_large', status: 413 },
    })
    const answer = await withoutEffect(() =>
      testApp.request('POST', '/trpc/tenants.create', { token, body }),
    )
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } })
  })

  it('over the limit without a length returns 413', async () => {
    const chunk = new TextEncoder().encode('a'.repeat(64 * 1024))
    let sent = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        if (sent > 20) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = new Request('http://api.test/tenants', {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    } as RequestInit)
    const response = await withoutEffect(async () => testApp.app.fetch(request, {}))
    expect(response.status).toBe(413)
  })

  it.each([
    '{',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x"',
    'name=x',
    '\u0000',
    '{"name":"x"}{"name":"y"}',
    'NaN',
  ])('that is not JSON answers 400: %j', async (body) => {
    expect(await withoutEffect(() => create(body))).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    })
  })

  it.each(['[]', '"x"', '7', 'true', 'null', '[{"name":"x"}]'])(
    'that is no object answers 400: %s',
    async (body) => {
      expect(await withoutEffect(() => create(body))).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues: [{ path: '' }] },
      })
    },
  )

  it('nested a hundred thousand levels deep returns 400', async () => {
    const deep = `{"name":"x","billingInfo":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
    expect((await withoutEffect(() => create(deep))).status).toBe(400)
    expect(
      (
        await withoutEffect(() =>
          create(`{"name":"x","domains":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
        )
      ).status,
    ).toBe(400)
  })

  it('with sixty thousand unknown keys returns 400 and names a hundred', async () => {
    const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]))
    const answer = await withoutEffect(() => create({ name: 'x', ...keys }))
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(answer.body.issues).toHaveLength(100)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    '',
  ])('of the media type %j answers 415', async (type) => {
    const answer = await withoutEffect(() => create('{"name":"x"}', { 'content-type': type }))
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  })

  it('may name its character set', async () => {
    const answer = await create('{"name":"x","surprise":1}', {
      'content-type': 'Application/JSON; charset=utf-8',
    })
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'surprise' }] } })
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'with the key %s is refused like any other that is unknown',
    async (key) => {
      const answer = await withoutEffect(() =>
        create(`{"name":"Proto","${key}":{"plan":"enterprise"}}`),
      )
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: key }] } })
      const nested = await withoutEffect(() =>
        create(`{"name":"Proto","billingInfo":{"${key}":{"plan":"enterprise"}}}`),
      )
      expect(nested).toMatchObject({
        status: 400,
        body: { issues: [{ path: `billingInfo.${key}` }] },
      })
      expect(({} as { plan?: unknown }).plan).toBeUndefined()
    },
  )
})

describe('a query', () => {
  it.each(['__proto__', 'constructor', 'toString', 'surprise'])(
    'with the name %s is refused like any other that is unknown',
    async (name) => {
      for (const method of ['GET', 'DELETE']) {
        const answer = await withoutEffect(() =>
          testApp.request(method, `/tenants/acme?${name}=x`, { token }),
        )
        expect(answer).toMatchObject({
          status: 400,
          body: { code: 'invalid_input', issues: [{ path: name }] },
        })
      }
    },
  )

  it('with a name twice is rejected', async () => {
    const answer = await testApp.request('GET', '/tenants?q=a&q=b', { token })
    expect(answer).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'q', message: 'This parameter is given more than once.' }] },
    })
  })
})

describe('a slug that is asked for', () => {
  it.each([
    'a',
    '-ab',
    'ab-',
    'Ab',
    'a_b',
    'a.b',
    'a b',
    'ä-b',
    'аcme',
    'a'.repeat(64),
    'xn--acme',
    'ab\u200b',
    'ab\n',
    '',
    '٣٤',
    'ａcme',
  ])('is refused: %j', async (slug) => {
    const answer = await withoutEffect(() => create({ name: 'Shape', slug }))
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'slug' }] } })
  })

  it.each([
    'admin',
    'api',
    'www',
    'platform-admins',
    'authentik-admins',
    'partner-staff',
    'trpc',
    'health',
    'me',
  ])('is refused as reserved: %s', async (slug) => {
    const answer = await withoutEffect(() => create({ name: 'Reserved', slug }))
    expect(answer).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'slug', message: 'This name is reserved.' }] },
    })
  })

  it('is rejected when this installation uses it as an identity group', async () => {
    await using other = await startTestApp({
      provisioned: false,
      env: { IDP_PLATFORM_ADMIN_GROUP: 'house-masters' },
    })
    const answer = await other.request('POST', '/tenants', {
      token: await other.token('newcomer@example.test'),
      body: { name: 'x', slug: 'house-masters' },
    })
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'slug' }] } })
    const derived = await other.request('POST', '/tenants', {
      token: await other.token('newcomer@example.test'),
      body: { name: 'House Masters' },
    })
    expect(derived).toMatchObject({ status: 201, body: { slug: 'house-masters-2' } })
  })

  it('returns 409 when a tenant has it, even a deleted one', async () => {
    expect(await withoutEffect(() => create({ name: 'Again', slug: 'acme' }))).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    await testApp.request('DELETE', '/tenants/globex', { token })
    expect(await create({ name: 'Again', slug: 'globex' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
  })

  it.each([
    ['ab', 'ab'],
    [`${'a'.repeat(62)}1`, `${'a'.repeat(62)}1`],
    ['7-7', '7-7'],
  ])('is taken: %s', async (slug, taken) => {
    expect(await create({ name: 'Fine', slug })).toMatchObject({
      status: 201,
      body: { slug: taken },
    })
  })

  it.each([
    ['Ünïcode & Söhne GmbH', 'unicode-sohne-gmbh'],
    ['  Straße 7  ', 'strasse-7'],
    ['Łódź', 'lodz'],
    ['Admin', 'admin-2'],
    ['日本', 'tenant-2'],
    ['!', 'tenant-3'],
  ])('is derived from the name %j', async (name, slug) => {
    expect(await create({ name })).toMatchObject({ status: 201, body: { slug } })
  })
})

describe('a domain', () => {
  const withDomain = (domain: string) => create({ name: 'Domains', domains: [domain] })

  it.each([
    'com',
    'co.uk',
    'localhost',
    'example',
    '127.0.0.1',
    '[::1]',
    '0x7f.1',
    '2130706433',
    'a..example.com',
    '-a.example.com',
    'a_b.example.com',
    'user@example.com',
    'example.com/path',
    'example.com:25',
    'http://example.com',
    '*.example.com',
    'exa mple.com',
    'example.notatld',
    '',
    '.',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}example.com`,
    'exa\u0000mple.com',
    'example.com\r\nx',
    'xn--a.example.com',
    'example.com#x',
    'example%2ecom',
  ])('that nobody can own is refused: %j', async (domain) => {
    const answer = await withoutEffect(() => withDomain(domain))
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'domains.0' }] } })
  })

  it.each([
    ['Bücher.example.com', 'xn--bcher-kva.example.com'],
    ['EXAMPLE.ORG.', 'example.org'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['www.gov.uk', 'www.gov.uk'],
    ['mail.firm.test', 'mail.firm.test'],
  ])('is stored in its canonical form: %s', async (given, stored) => {
    expect(await withDomain(given)).toMatchObject({
      status: 201,
      body: { domains: [expect.stringMatching(/^domains/), stored] },
    })
  })

  it('that another tenant proved is a 409, however it is written, and leaves no tenant behind', async () => {
    await create({ name: 'First', domains: ['münchen.example.com'] })
    await testApp.database.db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('name', '=', 'xn--mnchen-3ya.example.com')
      .execute()
    for (const written of [
      'münchen.example.com',
      'MÜNCHEN.example.com.',
      'xn--mnchen-3ya.example.com',
    ]) {
      const answer = await withoutEffect(() => create({ name: 'Second', domains: [written] }))
      expect(answer).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    }
    const added = await testApp.request('PATCH', '/tenants/acme', {
      token,
      body: { domains: ['acme.tenants.local', 'münchen.example.com'] },
    })
    expect(added).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  })

  it('that comes twice counts once', async () => {
    expect(
      await create({ name: 'Twice', domains: ['twice.example.com', 'TWICE.example.com.'] }),
    ).toMatchObject({
      status: 201,
      body: { domains: ['twice.tenants.local', 'twice.example.com'] },
    })
  })

  it('is kept: a tenant cannot be left without', async () => {
    const answer = await withoutEffect(() =>
      testApp.request('PATCH', '/tenants/acme', { token, body: { domains: [] } }),
    )
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'domains' }] } })
  })
})

describe('text that people typed', () => {
  it('is stored in NFC without outer blanks, and read back as it was', async () => {
    const answer = await create({
      name: '  Cafe\u0301 👩‍🚀 "Ω" <b>&amp; \'; drop table tenants; --  ',
    })
    expect(answer).toMatchObject({
      status: 201,
      body: { name: 'Café 👩‍🚀 "Ω" <b>&amp; \'; drop table tenants; --' },
    })
  })

  it('is searched literally: % and _ are no wildcards', async () => {
    await create({ name: 'Hundred % pure_x' })
    const found = async (q: string) =>
      (
        await testApp.request('GET', `/tenants?q=${encodeURIComponent(q)}`, { token })
      ).body.items.map((one: { name: string }) => one.name)
    expect(await found('%')).toEqual(['Hundred % pure_x'])
    expect(await found('pure_x')).toEqual(['Hundred % pure_x'])
    expect(await found('pur__x')).toEqual([])
    expect(await found('\\')).toEqual([])
    expect(await found('HUNDRED')).toEqual(['Hundred % pure_x'])
  })
})

describe('a connection', () => {
  it('is told to be over when a body was neither read nor sent, and is kept otherwise', async () => {
    const server = createServer(testApp.app.listener)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { port } = server.address() as AddressInfo
    const ask = (method: string, length: number, sent: string) =>
      new Promise<[number | undefined, string | undefined]>((done, failed) => {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': length,
        }
        const asking = httpRequest(
          { port, method, path: '/tenants', agent, headers },
          (response) => {
            response
              .resume()
              .on('end', () => done([response.statusCode, response.headers.connection]))
            if (sent.length < length) asking.destroy()
          },
        )
        asking.on('error', failed).write(sent)
        if (sent.length === length) asking.end()
      })
    try {
      expect(await ask('POST', 2, '{}')).toEqual([400, 'keep-alive'])
      expect(await ask('POST', bodyLimitBytes + 1, '{')).toEqual([413, 'close'])
      expect(await ask('PUT', 1000, '{')).toEqual([405, 'close'])
      // Nobody reads it, but it is taken in, so that the answer is not lost.
      expect(await ask('POST', bodyLimitBytes + 1, 'a'.repeat(bodyLimitBytes + 1))).toEqual([
        413,
        'keep-alive',
      ])
      expect(await ask('PUT', 1000, 'a'.repeat(1000))).toEqual([405, 'keep-alive'])
      const tooMuch = 'a'.repeat(8 * bodyLimitBytes)
      expect(await ask('POST', tooMuch.length, tooMuch).catch(() => [413, 'close'])).toEqual([
        413,
        'close',
      ])
      expect(await ask('POST', 2, '{}')).toEqual([400, 'keep-alive'])
    } finally {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  })

  it.each(['/tenants', '/trpc/tenants.create'])(
    'that its client closes midway is no error of ours: POST %s',
    async (path) => {
      const { promise: arrived, resolve } = Promise.withResolvers<void>()
      const server = createServer((incoming, outgoing) => {
        incoming.once('data', () => resolve())
        testApp.app.listener(incoming, outgoing)
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const { port } = server.address() as AddressInfo
      const before = testApp.logLines.length
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': 1000,
      }
      const asking = httpRequest({ port, method: 'POST', path, agent: false, headers }).on(
        'error',
        () => {},
      )
      try {
        asking.write('{"name":"Half')
        await arrived
        asking.destroy()
        const told = () =>
          testApp.logLines
            .slice(before)
            .map((line): { level: string; msg: string } => JSON.parse(line))
        await expect
          .poll(() => told().map(({ msg }) => msg))
          .toContain('client closed the connection before the response')
        expect(told().filter(({ level }) => level === 'error')).toEqual([])
      } finally {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
    },
  )
})
