import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { describe, expect, it } from 'vitest'
import { basic, type MailServer, openMail, serviceKey, using } from './mail-server.ts'

const echo = { using, methodCalls: [['Core/echo', { hello: true }, '0']] }

function post(
  server: MailServer,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/jmap',
): Promise<Response> {
  return server.fetch(path, {
    method: 'POST',
    headers: { authorization: serviceKey, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function createMailbox(
  server: MailServer,
  name: string,
  secret = 'Qm7-vTz4-Lk9s-Xp',
): Promise<string> {
  const answer = await server.call('x:Account/set', {
    create: {
      m: {
        '@type': 'User',
        name,
        domainId: 'b',
        credentials: { '0': { '@type': 'Password', secret } },
      },
    },
  })
  return answer.created.m.id
}

describe('discovery and session', () => {
  it('points to the session without asking who is there', async () => {
    await using server = await openMail()
    const response = await server.fetch('/.well-known/jmap')
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe('/jmap/session')
    expect(await response.text()).toBe('')
  })

  it('returns an anonymous session, which does not prove credentials', async () => {
    await using server = await openMail()
    const response = await server.fetch('/jmap/session')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ username: '', accounts: {}, primaryAccounts: {} })
  })

  it('names the management capability only in the account', async () => {
    await using server = await openMail()
    const session = (await (
      await server.fetch('/jmap/session', { headers: { authorization: serviceKey } })
    ).json()) as {
      state: string
      capabilities: unknown
    }
    expect(session).toMatchObject({
      username: 'platform@atrium.test',
      primaryAccounts: { 'urn:stalwart:jmap': 'b' },
      accounts: {
        b: {
          name: 'platform@atrium.test',
          isPersonal: true,
          accountCapabilities: { 'urn:stalwart:jmap': {} },
        },
      },
      capabilities: {
        'urn:ietf:params:jmap:core': {
          maxCallsInRequest: 16,
          maxObjectsInGet: 500,
          maxConcurrentRequests: 4,
        },
      },
    })
    expect(session.capabilities).not.toHaveProperty('urn:stalwart:jmap')
    expect(await (await post(server, echo)).json()).toMatchObject({ sessionState: session.state })
  })

  it('builds its addresses from its own host name, not from the one that the client used', async () => {
    await using server = await openMail({ hostname: 'mail.example.org' })
    expect(await (await server.fetch('/jmap/session')).json()).toMatchObject({
      apiUrl: 'https://mail.example.org/jmap/',
    })
  })

  it.each(['/api/principal', '/api/domain', '/jmap', '/', '/jmap/other'])(
    'has nothing at GET %s',
    async (path) => {
      await using server = await openMail()
      const response = await server.fetch(path, { headers: { authorization: serviceKey } })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        type: 'about:blank',
        status: 404,
        title: 'Not Found',
      })
    },
  )

  it.each(['live', 'ready'])('is %s without credentials', async (probe) => {
    await using server = await openMail()
    const response = await server.fetch(`/healthz/${probe}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'OK',
      status: 200,
      detail: 'OK',
    })
  })
})

describe('credentials', () => {
  it.each([
    undefined,
    'Bearer API_wrong',
    basic('platform', 'wrong'),
    basic('nobody@atrium.test', 'x'),
    'Basic nonsense',
    'Digest x',
  ])('refuses %s with both challenges', async (authorization) => {
    await using server = await openMail()
    for (const path of ['/api/account', '/jmap']) {
      const response = await server.fetch(path, {
        method: path === '/jmap' ? 'POST' : 'GET',
        headers: authorization === undefined ? {} : { authorization },
      })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({
        type: 'about:blank',
        status: 401,
        title: 'Unauthorized',
      })
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="Stalwart Server", resource_metadata=.*, Basic realm="Stalwart Server"$/,
      )
    }
  })

  it('shows what the caller may do', async () => {
    await using server = await openMail()
    const account = (await (
      await server.fetch('/api/account', { headers: { authorization: serviceKey } })
    ).json()) as {
      permissions: string[]
    }
    expect(account).toMatchObject({ edition: 'oss', locale: 'en_US' })
    expect(account.permissions).toEqual(
      expect.arrayContaining([
        'authenticate',
        'impersonate',
        'sysDomainCreate',
        'sysAccountDestroy',
        'imapAuthenticate',
      ]),
    )
    expect(account.permissions).toHaveLength(636)
    // Held, and kept back while directory queries are off for people.
    expect(account.permissions).not.toContain('jmapPrincipalQuery')
  })

  it('lets a mailbox in under its address, a bare name, an alias, and a domain alias', async () => {
    await using server = await openMail()
    const id = await createMailbox(server, 'anna')
    await server.call('x:Account/set', {
      update: { [id]: { 'aliases/0': { name: 'sales', domainId: 'b' } } },
    })
    await server.call('x:Domain/set', { update: { b: { 'aliases/other.test': true } } })
    for (const login of [
      'anna@atrium.test',
      ' Anna@Atrium.test ',
      'anna',
      'sales@atrium.test',
      'anna@other.test',
    ]) {
      const response = await server.fetch('/api/account', {
        headers: { authorization: basic(login, 'Qm7-vTz4-Lk9s-Xp') },
      })
      expect([login, response.status]).toEqual([login, 200])
    }
  })

  it('rejects a frozen mailbox at once with 403, and takes its old password again afterwards', async () => {
    await using server = await openMail()
    const id = await createMailbox(server, 'anna')
    const password = basic('anna@atrium.test', 'Qm7-vTz4-Lk9s-Xp')
    const { secret } = (
      await server.call('x:AppPassword/set', {
        accountId: id,
        create: { p: { description: 'phone' } },
      })
    ).created.p
    const { secret: key } = (
      await server.call('x:ApiKey/set', { accountId: id, create: { k: { description: 'key' } } })
    ).created.k
    const all = [
      password,
      basic('anna@atrium.test', secret),
      `Bearer ${key}`,
      basic('anna@atrium.test%platform@atrium.test', 'sandbox-platform'),
    ]
    const statuses = () =>
      Promise.all(
        all.map(
          async (authorization) =>
            (await server.fetch('/api/account', { headers: { authorization } })).status,
        ),
      )
    expect(await statuses()).toEqual([200, 200, 200, 200])

    const permissions = {
      '@type': 'Merge',
      enabledPermissions: {},
      disabledPermissions: { authenticate: true },
    }
    expect(
      (await server.call('x:Account/set', { update: { [id]: { permissions } } })).updated,
    ).toEqual({ [id]: null })
    expect(await statuses()).toEqual([403, 403, 403, 403])
    await server.call('x:Account/set', {
      update: { [id]: { permissions: { '@type': 'Inherit' } } },
    })
    expect(await statuses()).toEqual([200, 200, 200, 200])
  })

  it('opens a mailbox to a master, with the permissions of the mailbox', async () => {
    await using server = await openMail()
    await createMailbox(server, 'anna')
    await createMailbox(server, 'ben')
    const asAnna = basic('anna@atrium.test%platform@atrium.test', 'sandbox-platform')
    expect(await server.callAs(asAnna, 'x:Domain/get', { ids: null })).toMatchObject({
      type: 'forbidden',
    })
    const notMaster = await server.fetch('/api/account', {
      headers: { authorization: basic('anna@atrium.test%ben@atrium.test', 'Qm7-vTz4-Lk9s-Xp') },
    })
    expect(notMaster.status).toBe(403)
  })

  it('holds a key to its addresses and to its end', async () => {
    await using server = await openMail()
    const create = {
      near: { description: 'near', allowedIps: { '127.0.0.0/8': true } },
      far: { description: 'far', allowedIps: { '10.20.0.0/16': true } },
      short: { description: 'short', expiresAt: '2026-08-20T10:00:05Z' },
    }
    const { created } = await server.call('x:ApiKey/set', { create })
    const status = async (name: 'near' | 'far' | 'short') =>
      (
        await server.fetch('/api/account', {
          headers: { authorization: `Bearer ${created[name].secret}` },
        })
      ).status
    expect(await Promise.all([status('near'), status('far'), status('short')])).toEqual([
      200, 403, 200,
    ])
    server.advance(6_000)
    expect(await status('short')).toBe(401)
  })
})

describe('API keys and app passwords', () => {
  it('shows a secret once', async () => {
    await using server = await openMail()
    const { created } = await server.call('x:ApiKey/set', {
      create: { k: { description: 'second' } },
    })
    expect(created.k.secret).toMatch(/^API_[A-Za-z0-9_-]{38}$/)
    const bytes = Buffer.from(created.k.secret.slice(4), 'base64url')
    expect([bytes.readUInt32BE(0), bytes.readUInt32BE(4)]).toEqual([1, 2])
    const { list } = await server.call('x:ApiKey/get', { ids: null })
    expect(list.map((key) => key.secret)).toEqual(['****', '****'])
    expect(JSON.stringify(server.mail.state())).not.toContain(created.k.secret)
    expect(await server.callAs(`Bearer ${created.k.secret}`, 'Core/echo', { a: 1 })).toEqual({
      a: 1,
    })
    expect((await server.call('x:ApiKey/set', { destroy: [created.k.id] })).destroyed).toEqual([
      created.k.id,
    ])
    expect(
      (
        await server.fetch('/api/account', {
          headers: { authorization: `Bearer ${created.k.secret}` },
        })
      ).status,
    ).toBe(401)
  })

  it('gives out five app passwords and rejects a sixth', async () => {
    await using server = await openMail()
    const id = await createMailbox(server, 'anna')
    const create = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { description: name }]),
    )
    const answer = await server.call('x:AppPassword/set', { accountId: id, create })
    expect(Object.keys(answer.created)).toHaveLength(5)
    expect(answer.created.a.secret).toMatch(/^app_[a-z2-7]{36}$/)
    expect(answer.notCreated.f).toEqual({
      type: 'overQuota',
      description: 'You have exceeded your quota of 5 app passwords.',
    })
  })

  it('needs a description, and keeps its hands off the password', async () => {
    await using server = await openMail()
    const id = await createMailbox(server, 'anna')
    const answer = await server.call('x:AppPassword/set', {
      accountId: id,
      create: { p: {} },
      destroy: ['a', 'zz'],
    })
    expect(answer.notCreated.p).toEqual({
      type: 'validationFailed',
      validationErrors: [{ type: 'Required', property: 'description' }],
    })
    expect(answer.notDestroyed).toMatchObject({
      a: { type: 'forbidden' },
      zz: { type: 'notFound' },
    })
    const whole = { '0': { '@type': 'AppPassword', description: 'x' } }
    const direct = await server.call('x:Account/set', { update: { [id]: { credentials: whole } } })
    expect(direct.notUpdated[id]).toEqual({
      type: 'invalidProperties',
      description: 'Secondary credentials cannot be set directly.',
      properties: ['credentials'],
    })
  })

  it('is rejected on another person’s account without impersonation', async () => {
    await using server = await openMail()
    await createMailbox(server, 'anna')
    const anna = basic('anna@atrium.test', 'Qm7-vTz4-Lk9s-Xp')
    expect(
      await server.callAs(anna, 'x:AppPassword/set', {
        accountId: 'b',
        create: { p: { description: 'x' } },
      }),
    ).toEqual({
      type: 'forbidden',
      description: 'You are not an owner of account b',
    })
  })
})

describe('requests that fail as a whole', () => {
  it('takes JSON only', async () => {
    await using server = await openMail()
    const rejected = await post(server, echo, { 'content-type': 'text/plain' })
    expect(rejected.status).toBe(400)
    expect(await rejected.json()).toMatchObject({
      type: 'urn:ietf:params:jmap:error:notJSON',
      status: 400,
    })
    for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
      expect((await post(server, echo, { 'content-type': type })).status).toBe(200)
    expect((await post(server, echo, {}, '/jmap/')).status).toBe(200)
  })

  it.each([
    '{"using":',
    '[]',
    '{"using":["urn:unknown"],"methodCalls":[]}',
    '{"using":[],"methodCalls":[["Core/echo",{}]]}',
    '{"using":[],"methodCalls":[["x:Account/set",{"secret":"hunter2"},"0",1]]}',
    '{"using":{},"methodCalls":[]}',
    '{"using":[],"methodCalls":[["Core/echo",{"\\u0061":1},"0"]]}',
    '{"using":[],"methodCalls":[["Core/echo",{"a":{"x\\"y" : true}},"0"]]}',
  ])('echoes the body of %s', async (body) => {
    await using server = await openMail()
    const response = await post(server, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      type: 'urn:ietf:params:jmap:error:notRequest',
      status: 400,
      detail: body,
    })
  })

  it('takes values with escapes, and keys of every script', async () => {
    await using server = await openMail()
    const echoed = { text: 'a "b": \\ c\n', ü: ['\\', ':'], empty: '' }
    const response = await post(server, { using, methodCalls: [['Core/echo', echoed, '0']] })
    expect(await response.json()).toMatchObject({ methodResponses: [['Core/echo', echoed, '0']] })
  })

  it('limits calls and size', async () => {
    await using server = await openMail()
    const many = await post(server, {
      using,
      methodCalls: Array.from({ length: 17 }, (_, index) => ['Core/echo', {}, String(index)]),
    })
    expect(many.status).toBe(400)
    expect(await many.json()).toMatchObject({
      type: 'urn:ietf:params:jmap:error:limit',
      limit: 'maxCallsInRequest',
    })
    const large = await post(server, {
      using,
      methodCalls: [['Core/echo', { text: 'x'.repeat(10_000_001) }, '0']],
    })
    expect(await large.json()).toMatchObject({ limit: 'maxSizeRequest' })
  })

  it('works on four requests of an account at a time and rejects the rest with 400', async () => {
    await using server = await openMail({ workMs: 300 })
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(server, echo)))
    const rejected = responses.filter((response) => response.status === 400)
    expect(responses.filter((response) => response.status === 200).length).toBeGreaterThanOrEqual(4)
    expect(rejected.length).toBeGreaterThan(0)
    expect(rejected[0]?.headers.get('ratelimit-policy')).toContain('"concurrent-requests";q=4')
    expect(await rejected[0]?.json()).toMatchObject({
      type: 'urn:ietf:params:jmap:error:limit',
      limit: 'maxConcurrentRequests',
    })
    expect((await post(server, echo)).status).toBe(200)
  })

  it('limits the rate when told to', async () => {
    await using server = await openMail({ requestLimit: { requests: 2, windowMs: 60_000 } })
    const { id, secret } = { id: await createMailbox(server, 'anna'), secret: 'Qm7-vTz4-Lk9s-Xp' }
    expect(id).toBe('c')
    const authorization = basic('anna@atrium.test', secret)
    const status = async () => (await post(server, echo, { authorization })).status
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
    const limited = await post(server, echo, { authorization })
    expect(limited.headers.get('retry-after')).toBe('60')
    expect(limited.headers.get('ratelimit')).toBe('"requests";r=0;t=60')
    expect(await limited.json()).toMatchObject({ title: 'Too Many Requests', status: 429 })
    server.advance(60_000)
    expect(await status()).toBe(200)
  })
})

describe('faults', () => {
  it('hit the method that they name, in the words of the server', async () => {
    await using server = await openMail()
    server.faults.add({ system: 'mail', mode: 'error', match: 'x:Domain/set', times: 1 })
    expect((await post(server, echo)).status).toBe(200)
    const hit = await post(server, {
      using,
      methodCalls: [
        ['Core/echo', {}, '0'],
        ['x:Domain/set', { create: { d: { name: 'acme.test' } } }, '1'],
      ],
    })
    expect(hit.status).toBe(503)
    expect(await hit.json()).toMatchObject({ title: 'Temporarily Unavailable' })
    expect((await server.call('x:Domain/query', { filter: { name: 'acme.test' } })).ids).toEqual([])
    expect(server.calls.list().map((call) => call.operations)).toEqual([
      ['Core/echo'],
      ['Core/echo', 'x:Domain/set'],
      ['x:Domain/query'],
    ])
  })

  it('answer 429 with the time to wait', async () => {
    await using server = await openMail()
    server.faults.add({ system: 'mail', mode: 'error', status: 429, times: 1 })
    const hit = await post(server, echo)
    expect([hit.status, hit.headers.get('retry-after')]).toEqual([429, '2'])
  })

  it('drop the connection after the commit', async () => {
    await using server = await openMail()
    server.faults.add({
      system: 'mail',
      mode: 'reset',
      match: 'x:Domain/set',
      times: 1,
      after: true,
    })
    await expect(
      server.call('x:Domain/set', { create: { d: { name: 'acme.test' } } }),
    ).rejects.toThrow()
    expect((await server.call('x:Domain/query', { filter: { name: 'acme.test' } })).ids).toEqual([
      'c',
    ])
  })
})

describe('as a sandbox system', () => {
  it('brings its records back, with working credentials and counters', async () => {
    await using first = await openMail()
    await createMailbox(first, 'anna')
    await first.call('x:Domain/set', { create: { d: { name: 'acme.test' } } })
    first.advance(10_000)
    const keys = (await first.call('x:DkimSignature/query', {})).ids
    await using second = await openMail()
    second.mail.load(JSON.parse(JSON.stringify(first.mail.save())))
    expect(
      (
        await second.fetch('/api/account', {
          headers: { authorization: basic('anna', 'Qm7-vTz4-Lk9s-Xp') },
        })
      ).status,
    ).toBe(200)
    expect((await second.call('x:DkimSignature/query', {})).ids).toEqual(keys)
    expect(
      (await second.call('x:Domain/set', { create: { d: { name: 'next.test' } } })).created.d.id,
    ).toBe('d')
    second.mail.reset()
    expect((await second.call('x:Domain/query', {})).ids).toEqual(['b'])
    expect(demoServiceCredentials.mailApiKey).not.toBe('')
    expect(JSON.stringify(second.mail.state())).not.toContain(demoServiceCredentials.mailApiKey)
  })
})
