import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import { json, scriptedServer } from './scripted-server.ts'

const quick = { user: 'atrium', appToken: 'app-token', backoffMs: { initial: 1, max: 2 } }
const membership = { spaceId: 'st$1', accountId: 'a1' }
const grants = (...ids: string[]) => ({
  value: ids.map((id) => ({ id, roles: ['r'], grantedToV2: {} })),
})
const graphError = (response: ServerResponse, status: number, code: string) =>
  json(response, status, {
    error: { code, message: 'secret', innererror: { date: 'x', 'request-id': 'y' } },
  })
const nothing = (response: ServerResponse) => response.writeHead(204).end()

describe('addToSpace', () => {
  it('invites by account id and role id', async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, grants('u:a1')))
    await opencloud({ ...quick, baseUrl: server.url }).addToSpace(membership)
    expect(server.asked()).toEqual(['POST /graph/v1beta1/drives/st$1/root/invite'])
    expect(server.received[0]?.body).toEqual({
      recipients: [{ objectId: 'a1', '@libre.graph.recipient.type': 'user' }],
      roles: ['58c63c02-1d89-4572-916a-870abc5a1b7d'],
    })
  })

  it('sets the role of an existing member', async () => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'POST'
        ? graphError(response, 409, 'nameAlreadyExists')
        : json(response, 200, { id: 'u:a1' }),
    )
    await opencloud({ ...quick, baseUrl: server.url }).addToSpace(membership)
    expect(server.received[1]).toMatchObject({
      method: 'PATCH',
      target: '/graph/v1beta1/drives/st$1/root/permissions/u:a1',
      body: { roles: ['58c63c02-1d89-4572-916a-870abc5a1b7d'] },
    })
  })

  it.each([
    [404, 'not_found', 'the account is gone'],
    [200, 'refused', 'addToSpace'],
  ] as const)('tells a 400 by whether the account is there (%i)', async (account, kind, words) => {
    await using server = await scriptedServer(({ method }, response) => {
      if (method === 'POST') return graphError(response, 400, 'invalidRequest')
      return account === 200
        ? json(response, 200, { id: 'a1' })
        : graphError(response, 404, 'itemNotFound')
    })
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).addToSpace(membership),
    ).rejects.toMatchObject({
      kind,
      status: 400,
      message: expect.stringContaining(words),
    })
  })
})

/** A space whose members are hidden from us, as the server shows it otherwise. */
const hidden = (space: object | undefined) =>
  scriptedServer(({ target }, response) =>
    target.endsWith('/drives/st$1') && space
      ? json(response, 200, space)
      : graphError(response, 404, 'itemNotFound'),
  )

describe.each(['addToSpace', 'removeFromSpace'] as const)('%s', (call) => {
  it('does not take a space that is not ours to manage for one that is gone', async () => {
    await using server = await hidden({ id: 'st$1', driveType: 'project' })
    await expect(
      opencloud({ ...quick, baseUrl: server.url })[call](membership),
    ).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('the service user is not a manager of the space'),
    })
  })

  it('names a disabled space', async () => {
    await using server = await hidden({
      id: 'st$1',
      driveType: 'project',
      root: { deleted: { state: 'trashed' } },
    })
    await expect(
      opencloud({ ...quick, baseUrl: server.url })[call](membership),
    ).rejects.toMatchObject({ kind: 'refused' })
  })
})

describe('removeFromSpace', () => {
  it('sends nothing when the account is no member, and leaves the others', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, grants('u:service', 'g:a1', 'u:a11')),
    )
    await opencloud({ ...quick, baseUrl: server.url }).removeFromSpace(membership)
    expect(server.asked()).toEqual(['GET /graph/v1beta1/drives/st$1/root/permissions'])
  })

  it('takes the 500 of an absent grant for done when the list shows that it is gone', async () => {
    let removed = false
    await using server = await scriptedServer(({ method }, response) => {
      if (method === 'GET')
        return json(response, 200, removed ? grants('u:service') : grants('u:service', 'u:a1'))
      removed = true
      return graphError(response, 500, 'generalException')
    })
    await opencloud({ ...quick, baseUrl: server.url }).removeFromSpace(membership)
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET'])
  })

  it('fails when the grant is still there after every 500', async () => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET'
        ? json(response, 200, grants('u:a1'))
        : graphError(response, 500, 'generalException'),
    )
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).removeFromSpace(membership),
    ).rejects.toMatchObject({
      kind: 'server',
      status: 500,
    })
    expect(server.received).toHaveLength(6)
  })
})

describe('removeAccount', () => {
  it('asks a second time for good, because some servers keep deleted accounts for a while', async () => {
    await using server = await scriptedServer(({ headers }, response) =>
      headers.prefer ? nothing(response) : graphError(response, 404, 'itemNotFound'),
    )
    await opencloud({ ...quick, baseUrl: server.url }).removeAccount('a1')
    expect(
      server.received.map(({ method, target, headers }) => [method, target, headers.prefer]),
    ).toEqual([
      ['DELETE', '/graph/v1.0/users/a1', undefined],
      ['DELETE', '/graph/v1.0/users/a1', 'purge'],
    ])
  })

  it('is not taken for done when the server rejects', async () => {
    await using server = await scriptedServer((_, response) =>
      graphError(response, 403, 'accessDenied'),
    )
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).removeAccount('a1'),
    ).rejects.toMatchObject({ kind: 'unauthorized' })
  })
})

describe('accounts', () => {
  const nina = { person: { id: 'p1', subject: 's1' }, email: 'n@a.test', displayName: 'Nina' }

  it('are marked beside what a sign-in left there, once', async () => {
    const there = {
      id: 'a1',
      onPremisesSamAccountName: 'n@a.test',
      identities: [{ issuer: 'https://id.test/', issuerAssignedId: 's1' }],
    }
    const marked = {
      ...there,
      identities: [...there.identities, { issuer: 'urn:atrium:person', issuerAssignedId: 'p1' }],
    }
    await using server = await scriptedServer(({ method, body }, response) => {
      if (method === 'POST') return graphError(response, 409, 'nameAlreadyExists')
      return json(response, 200, JSON.stringify(body ?? {}).includes('urn:atrium') ? marked : there)
    })
    const files = opencloud({ ...quick, baseUrl: server.url })
    expect(await files.ensureAccount(nina)).toEqual({ id: 'a1', created: false })
    expect(server.received.at(-1)).toMatchObject({
      method: 'PATCH',
      body: { identities: marked.identities },
    })
    await using other = await scriptedServer((_, response) => json(response, 200, marked))
    await opencloud({ ...quick, baseUrl: other.url }).updateAccount({
      id: 'a1',
      personId: 'p1',
      displayName: 'Nina',
    })
    expect(other.asked()).toEqual(['PATCH /graph/v1.0/users/a1'])
  })

  it('with a digit first are looked for by the check, until the server takes them', async () => {
    let words = 'Invalid username'
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET'
        ? json(response, 200, { id: 'me' })
        : json(response, 400, { error: { code: 'invalidRequest', message: words } }),
    )
    const files = opencloud({ ...quick, baseUrl: server.url })
    await expect(files.check()).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('GRAPH_USERNAME_MATCH=none'),
    })
    words = 'invalid email address'
    for (let times = 0; times < 2; times++) expect(await files.check()).toEqual({ userId: 'me' })
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })

  it('of a token from before a change of the issuer are named as that', async () => {
    await using server = await scriptedServer((_, response) => response.writeHead(401).end())
    const rejected = {
      kind: 'unauthorized',
      status: 401,
      message: expect.stringContaining('OC_OIDC_ISSUER'),
    }
    await expect(opencloud({ ...quick, baseUrl: server.url }).check()).rejects.toMatchObject(
      rejected,
    )
  })

  it('whose address begins with a digit are rejected with the name of the setting', async () => {
    await using server = await scriptedServer((_, response) =>
      graphError(response, 400, 'invalidRequest'),
    )
    const files = opencloud({ ...quick, baseUrl: server.url })
    const rejected = {
      kind: 'refused',
      message: expect.stringContaining('GRAPH_USERNAME_MATCH=none'),
    }
    await expect(files.ensureAccount({ ...nina, email: '24x7@a.test' })).rejects.toMatchObject(
      rejected,
    )
    await expect(files.ensureAccount(nina)).rejects.toMatchObject({
      message: expect.not.stringContaining('GRAPH_USERNAME_MATCH'),
    })
  })

  it('are made with the address as username, and without a password', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 201, { id: 'a1', onPremisesSamAccountName: 'n@a.test' }),
    )
    await opencloud({ ...quick, baseUrl: server.url }).ensureAccount({
      ...nina,
      email: ' N@A.test ',
    })
    expect(server.received[0]?.body).toEqual({
      onPremisesSamAccountName: 'n@a.test',
      displayName: 'Nina',
      mail: 'n@a.test',
      identities: [{ issuer: 'urn:atrium:person', issuerAssignedId: 'p1' }],
    })
  })

  it('of another username are not taken for it', async () => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'POST'
        ? graphError(response, 409, 'x')
        : json(response, 200, { id: 'a1', onPremisesSamAccountName: 'else' }),
    )
    const files = opencloud({ ...quick, baseUrl: server.url })
    await expect(files.ensureAccount(nina)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await files.findAccount('n@a.test')).toBeUndefined()
  })

  it('whose id would climb out of the path are never asked for', async () => {
    await using server = await scriptedServer((_, response) => nothing(response))
    const files = opencloud({ ...quick, baseUrl: server.url })
    for (const id of ['', '.', '..'])
      await expect(files.removeAccount(id)).rejects.toMatchObject({ kind: 'not_found' })
    expect(server.received).toEqual([])
    await files.removeAccount('../groups/1')
    expect(server.received[0]?.target).toBe('/graph/v1.0/users/../groups/1')
  })

  it('are not reported as disabled when the server left them enabled', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, { id: 'a1', onPremisesSamAccountName: 'n', accountEnabled: true }),
    )
    const files = opencloud({ ...quick, baseUrl: server.url })
    await expect(files.setAccountEnabled({ id: 'a1', enabled: false })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  it('whose own space is disabled store an unknown number of bytes, not none', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, { id: 'd', driveType: 'personal', quota: { total: 5 } }),
    )
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).accountUsage('a1'),
    ).rejects.toMatchObject({ kind: 'refused' })
  })
})
