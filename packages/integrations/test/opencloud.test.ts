import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import { json, type Received, type Script, scriptedServer } from './scripted-server.ts'

const quick = { user: 'atrium', appToken: 'app-token', backoffMs: { initial: 1, max: 2 } }
const GB = 1_000_000_000

interface DriveOptions {
  id?: string
  name?: string
  alias?: string
  total?: number
  trashed?: boolean
  used?: number
}
const drive = ({
  id = 'st$1',
  name = 'Acme Inc',
  alias = 'project/acme',
  total = GB,
  trashed = false,
  used = 10,
}: DriveOptions = {}) => ({
  id,
  name,
  driveAlias: alias,
  driveType: 'project',
  quota: trashed ? { total } : { total, used, remaining: total - used, state: 'normal' },
  root: { id, webDavUrl: 'x', ...(trashed && { deleted: { state: 'trashed' } }) },
})
const graphError = (response: ServerResponse, status: number, code: string) =>
  json(response, status, {
    error: { code, message: 'secret', innererror: { date: 'x', 'request-id': 'y' } },
  })

/** Serves the listed drives and one by id; everything else as the test says. */
function storageOf(
  drives: ReturnType<typeof drive>[],
  otherwise: Script = (_, response) => graphError(response, 500, 'generalException'),
): Script {
  return (received: Received, response) => {
    const { method, target } = received
    if (method !== 'GET') return otherwise(received, response)
    if (target.startsWith('/graph/v1.0/drives?')) return json(response, 200, { value: drives })
    const one = drives.find(({ id }) => target === `/graph/v1.0/drives/${id}`)
    return one ? json(response, 200, one) : graphError(response, 404, 'itemNotFound')
  }
}

const request = { marker: 'acme', name: 'Acme Inc.', quotaBytes: GB }

describe('ensureSpace', () => {
  it('takes the space of the stored id without a search', async () => {
    await using server = await scriptedServer(storageOf([drive()]))
    expect(
      await opencloud({ ...quick, baseUrl: server.url }).ensureSpace({
        ...request,
        spaceId: 'st$1',
      }),
    ).toEqual({
      id: 'st$1',
      created: false,
    })
    expect(server.asked()).toEqual(['GET /graph/v1.0/drives/st$1'])
    expect(server.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('atrium:app-token').toString('base64')}`,
    )
  })

  it('searches by our mark when the id was lost or its space is gone', async () => {
    const drives = [drive({ id: 'st$9', alias: 'project/other' }), drive({ id: 'st$2' })]
    await using server = await scriptedServer(storageOf(drives))
    const files = opencloud({ ...quick, baseUrl: server.url })
    expect(await files.ensureSpace(request)).toEqual({ id: 'st$2', created: false })
    expect(await files.ensureSpace({ ...request, spaceId: 'st$gone' })).toEqual({
      id: 'st$2',
      created: false,
    })
    expect(server.asked()[0]).toBe("GET /graph/v1.0/drives?$filter=driveType eq 'project'")
  })

  it.each([{ value: [] }, {}, null])('creates the space when the list is %j', async (list) => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET' ? json(response, 200, list) : json(response, 201, drive({ id: 'st$new' })),
    )
    expect(await opencloud({ ...quick, baseUrl: server.url }).ensureSpace(request)).toEqual({
      id: 'st$new',
      created: true,
    })
    expect(server.received[1]).toMatchObject({
      method: 'POST',
      target: '/graph/v1.0/drives',
      body: {
        name: 'Acme Inc',
        driveAlias: 'project/acme',
        driveType: 'project',
        quota: { total: GB },
      },
    })
  })

  it('never creates twice: a failed creation is not repeated', async () => {
    await using server = await scriptedServer(storageOf([], (_, response) => response.destroy()))
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).ensureSpace(request),
    ).rejects.toMatchObject({ kind: 'connection' })
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('of several spaces with our mark takes the same one in every order, a live one before a disabled one', async () => {
    const several = [
      drive({ id: 'st$1', trashed: true }),
      drive({ id: 'st$3' }),
      drive({ id: 'st$2' }),
    ]
    for (const order of [several, [...several].reverse()]) {
      await using server = await scriptedServer(storageOf(order))
      expect(await opencloud({ ...quick, baseUrl: server.url }).ensureSpace(request)).toEqual({
        id: 'st$2',
        created: false,
      })
    }
  })

  it('of several spaces with our mark takes the one that holds content', async () => {
    const several = [
      drive({ id: 'st$1', used: 0 }),
      drive({ id: 'st$2', used: 500 }),
      drive({ id: 'st$3', used: 20 }),
    ]
    await using server = await scriptedServer(storageOf(several))
    expect(await opencloud({ ...quick, baseUrl: server.url }).ensureSpace(request)).toEqual({
      id: 'st$2',
      created: false,
    })
  })

  it('restores a disabled space, then sets the quota that differs', async () => {
    await using server = await scriptedServer(
      storageOf([drive({ trashed: true, total: 5 })], (_, response) =>
        json(response, 200, drive()),
      ),
    )
    expect(
      await opencloud({ ...quick, baseUrl: server.url }).ensureSpace({
        ...request,
        spaceId: 'st$1',
      }),
    ).toEqual({
      id: 'st$1',
      created: false,
    })
    const [, restore, quota] = server.received
    expect(restore).toMatchObject({
      method: 'PATCH',
      target: '/graph/v1.0/drives/st$1',
      body: {},
      headers: { restore: 'true' },
    })
    expect(quota).toMatchObject({ method: 'PATCH', body: { quota: { total: GB } } })
    expect(quota?.headers.restore).toBeUndefined()
  })

  it('gives a space the name of its tenant when it has another one', async () => {
    await using server = await scriptedServer(
      storageOf([drive({ name: 'Before' })], (_, response) => json(response, 200, drive())),
    )
    await opencloud({ ...quick, baseUrl: server.url }).ensureSpace({ ...request, spaceId: 'st$1' })
    expect(server.received.slice(1)).toMatchObject([
      { method: 'PATCH', target: '/graph/v1.0/drives/st$1', body: { name: 'Acme Inc' } },
    ])
  })

  it.each([
    [400, 'refused'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [507, 'server'],
  ] as const)('reports %i at creation as %s', async (status, kind) => {
    await using server = await scriptedServer(
      storageOf([], (_, response) => graphError(response, status, 'x')),
    )
    await expect(
      opencloud({ ...quick, baseUrl: server.url }).ensureSpace(request),
    ).rejects.toMatchObject({ kind, status })
  })
})

describe('storage', () => {
  const storageWith = async (body: string) => {
    await using server = await scriptedServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    return await opencloud({ ...quick, baseUrl: server.url }).storage('st$1')
  }

  it('answers what the server tells', async () => {
    expect(await storageWith(JSON.stringify(drive()))).toEqual({
      total: GB,
      used: 10,
      remaining: GB - 10,
      state: 'normal',
    })
  })

  it('says null for unlimited, whose remainder is 2^63-1', async () => {
    const raw =
      '{"id":"a","driveType":"project","quota":{"total":0,"used":7,"remaining":9223372036854775807,"state":"normal"}}'
    expect(await storageWith(raw)).toEqual({
      total: null,
      used: 7,
      remaining: null,
      state: 'normal',
    })
  })

  it('keeps a full space at zero bytes left', async () => {
    const raw =
      '{"id":"a","driveType":"project","quota":{"total":5,"used":9,"remaining":0,"state":"exceeded"}}'
    expect(await storageWith(raw)).toEqual({ total: 5, used: 9, remaining: 0, state: 'exceeded' })
  })

  it('does not make up the use of a disabled space', async () => {
    expect(await storageWith(JSON.stringify(drive({ trashed: true })))).toEqual({
      total: GB,
      used: null,
      remaining: null,
      state: 'disabled',
    })
  })

  it('says unknown for a state that it does not know', async () => {
    expect(
      await storageWith('{"id":"a","driveType":"project","quota":{"total":5,"state":"melting"}}'),
    ).toMatchObject({
      state: 'unknown',
      used: null,
    })
  })

  it('is undefined for a space that is gone and a failure when the server fails', async () => {
    await using server = await scriptedServer((_, response) =>
      graphError(response, 404, 'itemNotFound'),
    )
    const files = opencloud({ ...quick, baseUrl: server.url })
    expect(await files.storage('st$1')).toBeUndefined()
    server.script = (_, response) => graphError(response, 500, 'generalException')
    await expect(files.storage('st$1')).rejects.toMatchObject({ kind: 'server', status: 500 })
  })
})

describe('check', () => {
  const withRoles = (...roles: string[]) => ({
    id: 'u1',
    appRoleAssignments: roles.map((appRoleId) => ({ appRoleId, id: 'x' })),
  })

  it.each([
    { id: 'u1' },
    withRoles(),
    withRoles('71881883-1768-46bd-a24d-a356a2afdf7f'),
    withRoles('a-role-of-their-own'),
  ])('takes a service user whose roles do not rule it out (%#)', async (me) => {
    await using server = await scriptedServer(({ method }, response) =>
      method === 'GET' ? json(response, 200, me) : graphError(response, 400, 'invalidRequest'),
    )
    expect(await opencloud({ ...quick, baseUrl: server.url }).check()).toEqual({ userId: 'u1' })
  })

  it('names a service user that could never create a space', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, withRoles('d7beeea8-8ff4-406b-8fb6-ab2dd81e6b11')),
    )
    await expect(opencloud({ ...quick, baseUrl: server.url }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('the service user needs the role Admin'),
    })
  })
})

describe('disableSpace', () => {
  it.each([204, 404])('is done when the server answers %i', async (status) => {
    await using server = await scriptedServer((_, response) =>
      status === 204 ? response.writeHead(204).end() : graphError(response, 404, 'itemNotFound'),
    )
    await opencloud({ ...quick, baseUrl: server.url }).disableSpace('st$1')
    expect(server.asked()).toEqual(['DELETE /graph/v1.0/drives/st$1'])
    expect(server.received[0]?.headers.purge).toBeUndefined()
  })

  it('does not take the 404 page of a proxy for a space that is gone', async () => {
    await using server = await scriptedServer((_, response) =>
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
    )
    const files = opencloud({ ...quick, retries: 0, baseUrl: server.url })
    const expected = {
      kind: 'invalid_answer',
      status: 404,
      message: expect.stringContaining('no such API'),
    }
    await expect(files.disableSpace('st$1')).rejects.toMatchObject(expected)
    await expect(files.storage('st$1')).rejects.toMatchObject(expected)
    await expect(files.ensureSpace({ ...request, spaceId: 'st$1' })).rejects.toMatchObject(expected)
  })
})
