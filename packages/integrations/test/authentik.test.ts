import { describe, expect, it } from 'vitest'
import { authentik } from '../src/identity/authentik.ts'
import { json, type Received, scriptedServer } from './scripted-server.ts'

const token = 'an-api-token'
const quick = { token, backoffMs: { initial: 1, max: 2 } }

const anna = {
  pk: 7,
  uid: 'a'.repeat(64),
  username: 'anna@acme.test',
  email: 'anna@acme.test',
  name: 'Anna',
  is_active: true,
  groups: ['g1'],
}
const page = (results: unknown[], next = 0) => ({ pagination: { next }, results, autocomplete: {} })

describe('ensureGroup', () => {
  it('asks for the exact name, creates what is absent and sends the attributes along', async () => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET'
        ? json(response, 200, page([]))
        : json(response, 201, { pk: 'uuid-1', name: 'acme' }),
    )
    const identity = authentik({ ...quick, baseUrl: server.url })
    expect(await identity.ensureGroup({ name: 'acme', attributes: { tenant: 'acme' } })).toEqual({
      id: 'uuid-1',
      created: true,
    })
    expect(server.asked()).toEqual([
      'GET /api/v3/core/groups/?name=acme&include_users=false',
      'POST /api/v3/core/groups/',
    ])
    expect(server.received[1]?.body).toEqual({ name: 'acme', attributes: { tenant: 'acme' } })
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${token}`)
  })

  it('takes the group of the faster caller after a write that broke, which is a 405', async () => {
    let writes = 0
    await using server = await scriptedServer(({ method }, response) => {
      if (method === 'GET')
        return json(response, 200, page(writes < 2 ? [] : [{ pk: 'uuid-1', name: 'acme' }]))
      writes += 1
      return writes === 1 ? response.writeHead(405).end() : json(response, 400, { name: ['taken'] })
    })
    const identity = authentik({ ...quick, baseUrl: server.url })
    expect(await identity.ensureGroup({ name: 'acme' })).toEqual({ id: 'uuid-1', created: false })
  })

  it('takes the group of the faster caller when the name is gone between look-up and creation', async () => {
    let lookUps = 0
    await using server = await scriptedServer(({ method }, response) => {
      if (method === 'POST') return json(response, 400, { name: ['Dieser Name ist vergeben.'] })
      lookUps += 1
      json(response, 200, page(lookUps === 1 ? [] : [{ pk: 'theirs', name: 'acme' }]))
    })
    expect(
      await authentik({ ...quick, baseUrl: server.url }).ensureGroup({ name: 'acme' }),
    ).toEqual({ id: 'theirs', created: false })
  })

  it.each([
    ['carries our attributes', { attributes: { tenant: 'acme', more: 1 } }, {}],
    ['is the one we stored', { attributes: {} }, { knownId: 'uuid-1' }],
  ])('adopts a group that %s', async (_, group, known) => {
    await using server = await scriptedServer((_received, response) =>
      json(response, 200, page([{ pk: 'uuid-1', name: 'acme', ...group }])),
    )
    const ensured = authentik({ ...quick, baseUrl: server.url }).ensureGroup({
      name: 'acme',
      attributes: { tenant: 'acme' },
      ...known,
    })
    expect(await ensured).toEqual({ id: 'uuid-1', created: false })
    expect(server.received).toHaveLength(1)
  })

  it.each([{}, { attributes: { tenant: 'globex' } }])(
    'leaves the group of somebody else alone (%j)',
    async (group) => {
      await using server = await scriptedServer((_, response) =>
        json(response, 200, page([{ pk: 'uuid-1', name: 'acme', ...group }])),
      )
      const identity = authentik({ ...quick, baseUrl: server.url })
      const request = { name: 'acme', attributes: { tenant: 'acme' } }
      await expect(identity.ensureGroup(request)).rejects.toMatchObject({
        kind: 'conflict',
        call: 'ensureGroup',
      })
      await expect(identity.ensureGroup({ ...request, knownId: 'another' })).rejects.toMatchObject({
        kind: 'conflict',
      })
      expect(server.asked().every((asked) => asked.startsWith('GET'))).toBe(true)
    },
  )

  it('does not take another group for it when the server ignores the filter', async () => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET'
        ? json(response, 200, page([{ pk: 'other', name: 'Acme' }]))
        : json(response, 400, { name: ['no'] }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).ensureGroup({ name: 'acme' }),
    ).rejects.toMatchObject({
      kind: 'refused',
      status: 400,
      call: 'ensureGroup',
    })
  })
})

describe('users', () => {
  it('are looked up by lower-case username, then e-mail, and compared again', async () => {
    await using server = await scriptedServer(({ target }, response) =>
      json(
        response,
        200,
        page(
          target.includes('?email=')
            ? [{ ...anna, email: 'other@acme.test', pk: 8 }, anna]
            : [{ ...anna, username: 'x' }],
        ),
      ),
    )
    const identity = authentik({ ...quick, baseUrl: server.url })
    expect(await identity.findUserByEmail(' Anna@ACME.test ')).toEqual({
      id: '7',
      subject: 'a'.repeat(64),
      username: 'anna@acme.test',
      email: 'anna@acme.test',
      name: 'Anna',
      active: true,
      groupIds: ['g1'],
    })
    expect(server.asked()[0]).toContain('?username=anna@acme.test&')
  })

  it('are distinguished by subject when several have one address', async () => {
    await using server = await scriptedServer(({ target }, response) =>
      json(
        response,
        200,
        page(
          target.includes('?email=')
            ? [anna, { ...anna, pk: 9, uid: 'b'.repeat(64), username: 'anna2' }]
            : [anna],
        ),
      ),
    )
    const identity = authentik({ ...quick, baseUrl: server.url })
    expect(
      await identity.findUserBySubject({ subject: 'b'.repeat(64), email: 'anna@acme.test' }),
    ).toMatchObject({ id: '9' })
    expect(
      await identity.findUserBySubject({ subject: 'c'.repeat(64), email: 'anna@acme.test' }),
    ).toBeUndefined()
  })

  it('are created with lower-case username and address, without a password', async () => {
    await using server = await scriptedServer((_, response) => json(response, 201, anna))
    await authentik({ ...quick, baseUrl: server.url }).createUser({
      email: 'Anna@Acme.test',
      name: 'Anna',
      groupIds: ['g1'],
      path: 'tenants/acme',
    })
    expect(server.received[0]?.body).toEqual({
      username: 'anna@acme.test',
      email: 'anna@acme.test',
      name: 'Anna',
      type: 'internal',
      path: 'tenants/acme',
      groups: ['g1'],
      attributes: {},
      is_active: true,
    })
  })

  it.each([
    ['conflict', [anna]],
    ['refused', []],
  ] as const)(
    'answer a 400 at creation as %s, told by a second look and not by the message',
    async (kind, found) => {
      await using server = await scriptedServer(({ method }, response) =>
        method === 'POST'
          ? json(response, 400, { username: ['???'] })
          : json(response, 200, page([...found])),
      )
      const creating = authentik({ ...quick, baseUrl: server.url }).createUser({
        email: 'anna@acme.test',
        name: 'Anna',
        groupIds: [],
      })
      await expect(creating).rejects.toMatchObject({ kind, status: 400 })
    },
  )

  it('are never created twice: a failed creation is not repeated', async () => {
    await using server = await scriptedServer((_, response) => json(response, 503, {}))
    const creating = authentik({ ...quick, baseUrl: server.url }).createUser({
      email: 'anna@acme.test',
      name: 'Anna',
      groupIds: [],
    })
    await expect(creating).rejects.toMatchObject({ kind: 'server' })
    expect(server.received).toHaveLength(1)
  })

  it('with an address beyond 150 characters are rejected before anything is sent', async () => {
    await using server = await scriptedServer((_, response) => json(response, 201, anna))
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(40)}.test`
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createUser({ email, name: 'A', groupIds: [] }),
    ).rejects.toMatchObject({
      kind: 'refused',
    })
    expect(server.received).toEqual([])
  })

  it('count as deleted when they are gone, and as removed from a group too', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 404, { detail: 'No User matches the given query.' }),
    )
    const identity = authentik({ ...quick, baseUrl: server.url })
    await identity.deleteUser('7')
    await identity.removeFromGroup({ groupId: 'g1', userId: '7' })
    await expect(identity.addToGroup({ groupId: 'g1', userId: '7' })).rejects.toMatchObject({
      kind: 'not_found',
      status: 404,
    })
    await expect(identity.setActive({ userId: '7', active: false })).rejects.toMatchObject({
      kind: 'not_found',
    })
    await expect(identity.setPassword({ userId: '7', password: 'x' })).rejects.toMatchObject({
      kind: 'not_found',
    })
    expect(server.asked()).toContain('POST /api/v3/core/groups/g1/add_user/')
    expect(server.received.find((one) => one.target.endsWith('add_user/'))?.body).toEqual({ pk: 7 })
  })

  it('with a stored id of a foreign form never become part of a path', async () => {
    await using server = await scriptedServer((_, response) => response.writeHead(204).end())
    const identity = authentik({ ...quick, baseUrl: server.url })
    for (const id of ['../groups/1', '', '7/', '-1', '1e3', '7?x']) {
      await expect(identity.deleteUser(id)).rejects.toMatchObject({
        kind: 'not_found',
        status: undefined,
      })
    }
    expect(server.received).toEqual([])
    await identity.removeFromGroup({ groupId: '../users/7', userId: '1' })
    expect(server.received[0]?.target).toBe('/api/v3/core/groups/../users/7/remove_user/')
  })

  it('are not reported as suspended when the server left them active', async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, anna))
    const identity = authentik({ ...quick, baseUrl: server.url })
    await expect(identity.setActive({ userId: '7', active: false })).rejects.toMatchObject({
      kind: 'refused',
    })
    await identity.setActive({ userId: '7', active: true })
    expect(server.received[1]).toMatchObject({ method: 'PATCH', body: { is_active: true } })
  })

  it('keep their old password when a page answers 200 instead of 204', async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, {}))
    await expect(
      authentik({ ...quick, baseUrl: server.url }).setPassword({
        userId: '7',
        password: 'secret-word',
      }),
    ).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
  })
})

describe('recoveryLink', () => {
  it.each([
    { non_field_errors: 'No recovery flow set.' },
    { non_field_errors: ['Recovery flow not applicable to user'] },
    'text',
  ])('is undefined for every 400 (%j)', async (body) => {
    await using server = await scriptedServer((_, response) => json(response, 400, body))
    expect(
      await authentik({ ...quick, baseUrl: server.url }).recoveryLink({ userId: '7' }),
    ).toBeUndefined()
  })

  it('uses the public origin', async () => {
    const link = 'http://authentik-server:9000/if/flow/recovery/?flow_token=abc%2Fdef'
    await using server = await scriptedServer((_, response) => json(response, 200, { link }))
    const identity = authentik({ ...quick, baseUrl: server.url })
    expect(
      await identity.recoveryLink({ userId: '7', publicOrigin: 'https://id.acme.example/ignored' }),
    ).toBe('https://id.acme.example/if/flow/recovery/?flow_token=abc%2Fdef')
    expect(await identity.recoveryLink({ userId: '7' })).toBe(link)
  })

  it('is never a link of another scheme', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, { link: 'javascript:alert(1)' }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).recoveryLink({ userId: '7' }),
    ).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
  })
})

describe('login sessions', () => {
  const seen = {
    last_ip: '192.0.2.1',
    last_user_agent: 'Firefox',
    last_used: '2026-01-02T03:04:05Z',
    expires: null,
  }
  const rows: Record<string, unknown[][]> = {
    '/api/v3/core/authenticated_sessions/': [
      [
        { uuid: 's1', user: 7, ...seen },
        { uuid: 's2', user: 8, ...seen },
      ],
      [{ uuid: 's3', user: 7, ...seen }],
    ],
  }
  const serve = ({ method, target }: Received, response: Parameters<typeof json>[0]) => {
    if (method === 'DELETE')
      return target.includes('s3')
        ? json(response, 404, { detail: 'gone' })
        : response.writeHead(204).end()
    const url = new URL(target, 'http://x')
    const pages = rows[url.pathname] ?? []
    const number = Number(url.searchParams.get('page'))
    return json(
      response,
      200,
      page(pages[number - 1] ?? [], number < pages.length ? number + 1 : 0),
    )
  }

  it('ends only what belongs to the user, over all pages, whatever the filter lets through', async () => {
    await using server = await scriptedServer(serve)
    const ended = await authentik({ ...quick, baseUrl: server.url }).endSessions({
      userId: '7',
      username: 'anna@acme.test',
    })
    expect(ended).toEqual({ sessions: 1 })
    expect(server.asked().filter((asked) => asked.startsWith('DELETE'))).toEqual([
      'DELETE /api/v3/core/authenticated_sessions/s1/',
      'DELETE /api/v3/core/authenticated_sessions/s3/',
    ])
    expect(server.asked()[0]).toBe(
      'GET /api/v3/core/authenticated_sessions/?user__username=anna@acme.test&page=1&page_size=100',
    )
  })

  it('lists those of the user alone', async () => {
    await using server = await scriptedServer(serve)
    const listed = await authentik({ ...quick, baseUrl: server.url }).listSessions({
      userId: '7',
      username: 'anna@acme.test',
    })
    const facts = {
      userAgent: 'Firefox',
      address: '192.0.2.1',
      lastUsedAt: '2026-01-02T03:04:05Z',
      expiresAt: null,
    }
    expect(listed).toEqual([
      { id: 's1', ...facts },
      { id: 's3', ...facts },
    ])
  })

  it("ends one of the user's and never another user's", async () => {
    await using server = await scriptedServer(serve)
    const identity = authentik({ ...quick, baseUrl: server.url })
    const user = { userId: '7', username: 'anna@acme.test' }
    await identity.endSession({ ...user, sessionId: 's1' })
    for (const sessionId of ['s2', 's9', '../users/7'])
      await expect(identity.endSession({ ...user, sessionId })).rejects.toMatchObject({
        kind: 'not_found',
      })
    expect(server.asked().filter((asked) => asked.startsWith('DELETE'))).toEqual([
      'DELETE /api/v3/core/authenticated_sessions/s1/',
    ])
  })

  it('fails rather than ending some when the list has no end', async () => {
    await using server = await scriptedServer(({ target }, response) => {
      const number = Number(new URL(target, 'http://x').searchParams.get('page'))
      json(response, 200, page([], number + 1))
    })
    await expect(
      authentik({ ...quick, baseUrl: server.url }).endSessions({ userId: '7', username: 'a' }),
    ).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
    expect(server.received).toHaveLength(100)
  })
})

describe('tryRights', () => {
  const answering = (status: number) =>
    scriptedServer(({ target, method }, response) =>
      method === 'GET' && target.endsWith('/me/')
        ? json(response, 200, { user: { pk: 3 } })
        : json(response, status, status === 200 ? { pk: 3, is_active: true } : { detail: 'no' }),
    )

  it('changes nothing of its own user', async () => {
    await using server = await answering(200)
    await authentik({ ...quick, baseUrl: server.url }).tryRights()
    expect(server.asked()).toEqual(['GET /api/v3/core/users/me/', 'PATCH /api/v3/core/users/3/'])
    expect(server.received[1]?.body).toEqual({ is_active: true })
  })

  it.each([403, 404])('says at %i that the token may not change users', async (status) => {
    await using server = await answering(status)
    await expect(authentik({ ...quick, baseUrl: server.url }).tryRights()).rejects.toMatchObject({
      kind: 'unauthorized',
      status,
      message: expect.stringContaining("the token's user may not change users"),
    })
  })
})

describe('check', () => {
  it('proves the token and tells the version when it may', async () => {
    await using server = await scriptedServer(({ target }, response) =>
      target.endsWith('/me/')
        ? json(response, 200, { user: { pk: 1 } })
        : json(response, 200, { version_current: '2026.8.3' }),
    )
    expect(await authentik({ ...quick, baseUrl: `${server.url}/some/path` }).check()).toEqual({
      version: '2026.8.3',
    })
    expect(server.asked()).toEqual([
      'GET /some/path/api/v3/core/users/me/',
      'GET /some/path/api/v3/admin/version/',
    ])
    server.script = ({ target }, response) =>
      target.endsWith('/me/')
        ? json(response, 200, { user: { pk: 1 } })
        : json(response, 403, { detail: 'no' })
    expect(await authentik({ ...quick, baseUrl: server.url }).check()).toEqual({
      version: undefined,
    })
  })

  it('names an expired token as a matter of credentials: authentik says 403', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 403, { detail: 'Token invalid/expired' }),
    )
    await expect(authentik({ ...quick, baseUrl: server.url }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      message:
        'The identity provider did not accept the credentials of this service, or their rights. [identity.check: 403, unauthorized]',
    })
  })

  it('is not even made with a token that no header can carry, and the rejection does not quote it', () => {
    for (const bad of ['', 'two\nlines', 'tab\tinside', 'naïve']) {
      expect(() => authentik({ baseUrl: 'http://x', token: bad })).toThrow(
        'The identity credential holds characters that no header can carry.',
      )
    }
  })
})
