import { demoServiceCredentials } from '@atrium/core/demo'
import { describe, expect, it } from 'vitest'
import { type Answer, type FilesServer, openFiles, serviceBasic } from './files-server.ts'
import { basic } from './mail-server.ts'

const manager = '312c0871-5ef7-4b3a-85b6-0e4074c64049'
const editor = '58c63c02-1d89-4572-916a-870abc5a1b7d'
const viewer = 'a8d5fe5e-96e3-418d-825b-534dbdf22b99'
const projects = "/v1.0/drives?$filter=driveType%20eq%20'project'"

async function createSpace(server: FilesServer, fields: Record<string, unknown> = {}): Promise<string> {
  const created = await server.graph('POST', '/v1.0/drives', { name: 'Acme', quota: { total: 1000 }, ...fields })
  expect(created.status).toBe(201)
  return created.body.id
}

async function createUser(server: FilesServer, fields: Record<string, unknown> = {}): Promise<string> {
  const created = await server.graph('POST', '/v1.0/users', {
    onPremisesSamAccountName: 'anna@acme.test',
    displayName: 'Anna Berg',
    ...fields,
  })
  expect(created.status).toBe(201)
  return created.body.id
}

function invitation(objectId: string, role = editor, type = 'user') {
  return { recipients: [{ objectId, '@libre.graph.recipient.type': type }], roles: [role] }
}

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code })
}

describe('access', () => {
  it.each([undefined, 'Bearer something', basic('atrium', 'wrong'), basic('nobody', demoServiceCredentials.filesAppToken), 'Basic !'])(
    'answers 401 with an empty body and a challenge to %s',
    async (authorization) => {
      await using server = await openFiles()
      const answer = await server.graphAs(authorization, 'GET', '/v1.0/me')
      expect(answer.status).toBe(401)
      expect(answer.text).toBe('')
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="127\.0\.0\.1:\d+"/)
      expect(answer.headers.get('x-request-id')).toBeTruthy()
    },
  )

  it('stops taking an app token when it has expired', async () => {
    await using server = await openFiles()
    expect((await server.graph('GET', '/v1.0/me')).status).toBe(200)
    server.advance(11 * 365 * 86_400_000)
    expect((await server.graph('GET', '/v1.0/me')).status).toBe(401)
  })

  it('takes passwords only where the house allows it, and not of a disabled user', async () => {
    await using closed = await openFiles()
    await using server = await openFiles({ passwords: true })
    for (const one of [closed, server]) await createUser(one, { passwordProfile: { password: 'Secret-77' } })
    expect((await closed.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).status).toBe(401)
    expect((await server.graphAs(basic('anna@acme.test', 'wrong'), 'GET', '/v1.0/me')).status).toBe(401)
    expect((await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).body).toMatchObject({ displayName: 'Anna Berg' })
    await server.graph('PATCH', '/v1.0/users/anna@acme.test', { accountEnabled: false })
    expect((await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).status).toBe(401)
  })

  it('answers unknown paths with plain text', async () => {
    await using server = await openFiles()
    const answer = await server.graph('GET', '/v1.0/nothing')
    expect([answer.status, answer.text]).toEqual([404, '404 page not found\n'])
    expect(answer.headers.get('content-type')).toContain('text/plain')
  })

  it('wraps refusals in the error envelope', async () => {
    await using server = await openFiles()
    const answer = await server.graph('GET', '/v1.0/drives/nothing', undefined, { 'x-request-id': 'r-1' })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      error: {
        code: 'itemNotFound',
        message: 'no drive returned from storage',
        innererror: { date: '2026-08-20T10:00:00Z', 'request-id': 'r-1' },
      },
    })
  })
})

describe('spaces', () => {
  it('creates a space with the caller as manager', async () => {
    await using server = await openFiles()
    const answer = await server.graph('POST', '/v1.0/drives', {
      name: 'Acme',
      description: 'tenant',
      driveAlias: 'project/acme',
      quota: { total: 5000 },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      name: 'Acme',
      description: 'tenant',
      driveAlias: 'project/acme',
      driveType: 'project',
      quota: { total: 5000, used: 0, remaining: 5000, state: 'normal' },
      root: { permissions: [{ roles: ['manager'], grantedToIdentities: [{ user: { displayName: 'Workplace platform' } }] }] },
    })
    expect(answer.body.id).toMatch(/^[0-9a-f-]{36}\$[0-9a-f-]{36}$/)
    expect(answer.body.owner.user.id).toBe(answer.body.id.split('$')[1])
  })

  it('creates a second space under the same name', async () => {
    await using server = await openFiles()
    const first = await createSpace(server, { driveAlias: 'project/acme' })
    expect(await createSpace(server, { driveAlias: 'project/acme' })).not.toBe(first)
    expect((await server.graph('GET', projects)).body.value).toHaveLength(2)
  })

  it('gives a quota of a billion bytes when none is asked for', async () => {
    await using server = await openFiles()
    expect((await server.graph('POST', '/v1.0/drives', { name: 'Acme' })).body.quota.total).toBe(1_000_000_000)
  })

  it.each([0, -1])('writes what is left of an unlimited space (total %d) as a number beyond what JavaScript can hold', async (total) => {
    await using server = await openFiles()
    const answer = await server.graph('POST', '/v1.0/drives', { name: 'Acme', quota: { total } })
    expect(answer.text).toContain('"remaining":9223372036854775807')
    expect(answer.body.quota).toMatchObject({ total: 0, used: 0, state: 'normal' })
  })

  it.each([
    [0, 'normal'],
    [750, 'normal'],
    [751, 'nearing'],
    [900, 'nearing'],
    [901, 'critical'],
    [990, 'critical'],
    [991, 'exceeded'],
    [1500, 'exceeded'],
  ])('calls %d of 1000 bytes %s', async (used, state) => {
    await using server = await openFiles()
    const id = await createSpace(server)
    expect(server.files.setUsed(id, used)).toBe(true)
    expect((await server.graph('GET', `/v1.0/drives/${id}`)).body.quota).toEqual({
      total: 1000,
      used,
      remaining: Math.max(0, 1000 - used),
      state,
    })
  })

  it.each(['', '   ', 'a'.repeat(256), 'ä'.repeat(128), ...'/\\.:?*"><|'].map((name) => (name.length === 1 ? `acme${name}test` : name)))(
    'refuses the name %j',
    async (name) => {
      await using server = await openFiles()
      expectError(await server.graph('POST', '/v1.0/drives', { name }), 400, 'invalidRequest')
      const id = await createSpace(server)
      expectError(await server.graph('PATCH', `/v1.0/drives/${id}`, { name }), 400, 'generalException')
    },
  )

  it('refuses unknown fields, other types and bodies that are no JSON', async () => {
    await using server = await openFiles()
    for (const body of [{ name: 'Acme', colour: 'red' }, { name: 'Acme', quota: { limit: 1 } }, '{"name":', '[]', '']) {
      const answer = await server.graph('POST', '/v1.0/drives', body)
      expectError(answer, 400, 'invalidRequest')
      expect(answer.body.error.message).toBe('invalid body schema definition')
    }
    expectError(await server.graph('POST', '/v1.0/drives', { name: 'Acme', driveType: 'personal' }), 400, 'invalidRequest')
    const id = await createSpace(server)
    expect((await server.graph('PATCH', `/v1.0/drives/${id}`, { colour: 'red' })).body.error.message).toContain('"colour"')
    expect((await server.graph('PATCH', `/v1.0/drives/${id}`, '')).body.error.message).toContain('EOF')
    expect((await server.graph('PATCH', `/v1.0/drives/${id}`, {})).status).toBe(200)
  })

  it('finds a space by its whole id, raw or encoded, and by the part after the dollar sign', async () => {
    await using server = await openFiles()
    const id = await createSpace(server)
    for (const path of [id, encodeURIComponent(id), id.split('$')[1]]) {
      expect((await server.graph('GET', `/v1.0/drives/${path}`)).body.id).toBe(id)
    }
    expectError(await server.graph('PATCH', '/v1.0/drives/unknown', {}), 404, 'itemNotFound')
    expectError(await server.graph('DELETE', '/v1.0/drives/unknown'), 404, 'itemNotFound')
  })

  it('changes name, description, alias and quota, below the use too', async () => {
    await using server = await openFiles()
    const id = await createSpace(server)
    server.files.setUsed(id, 500)
    const answer = await server.graph('PATCH', `/v1.0/drives/${id}`, {
      name: 'Acme 2',
      description: 'd',
      driveAlias: 'project/x',
      quota: { total: 400 },
    })
    expect(answer.body).toMatchObject({
      name: 'Acme 2',
      description: 'd',
      driveAlias: 'project/x',
      quota: { total: 400, remaining: 0, state: 'exceeded' },
    })
  })

  it('lists spaces in an order that means nothing, unless it is asked for one', async () => {
    await using server = await openFiles()
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    for (const name of names) await createSpace(server, { name })
    const read = async (query: string) =>
      (await server.graph('GET', `${projects}${query}`)).body.value.map((drive: { name: string }) => drive.name)
    const orders = new Set<string>()
    for (let index = 0; index < 8; index += 1) orders.add((await read('')).join(''))
    expect(orders.size).toBeGreaterThan(1)
    expect(await read('&$orderby=name')).toEqual(names)
    expect(await read('&$orderby=name%20desc')).toEqual(names.toReversed())
    expect(await read('&$orderby=lastModifiedDateTime&$top=1')).toHaveLength(8)
    expectError(await server.graph('GET', `${projects}&$orderby=quota`), 400, 'invalidRequest')
  })

  it('filters by type and id, ignores a name and refuses other operators', async () => {
    await using server = await openFiles()
    const id = await createSpace(server, { name: 'one' })
    await createSpace(server, { name: 'two' })
    const list = (filter: string) => server.graph('GET', `/v1.0/drives?$filter=${encodeURIComponent(filter)}`)
    expect((await list(`id eq '${id}'`)).body.value).toHaveLength(1)
    expect((await list("name eq 'one'")).body.value).toHaveLength(3)
    expectError(await list("driveType ne 'project'"), 501, 'notSupported')
    expectError(await list("driveType eq 'project' and id eq 'x'"), 501, 'notSupported')
    expectError(await list('driveType'), 400, 'invalidRequest')
  })

  it('answers null when the storage finds nothing', async () => {
    await using server = await openFiles()
    expect((await server.graph('GET', projects)).text).toBe('null\n')
  })

  it('disables again and again, restores by header, and purges only what is disabled', async () => {
    await using server = await openFiles()
    const id = await createSpace(server)
    const path = `/v1.0/drives/${id}`
    const early = await server.graph('DELETE', path, undefined, { Purge: 'T' })
    expectError(early, 400, 'invalidRequest')
    expect(early.body.error.message).toBe("can't purge enabled space")
    for (let index = 0; index < 2; index += 1) expect((await server.graph('DELETE', path)).status).toBe(204)
    const disabled = (await server.graph('GET', path)).body
    expect(disabled.root.deleted).toEqual({ state: 'trashed' })
    expect(disabled.quota).toEqual({ total: 1000 })
    expect((await server.graph('GET', projects)).body.value).toHaveLength(1)
    expect((await server.graph('PATCH', path, {}, { restore: 'true' })).body.root.deleted).toBeUndefined()
    await server.graph('DELETE', path)
    expect((await server.graph('DELETE', path, undefined, { Purge: 'T' })).status).toBe(204)
    expectError(await server.graph('DELETE', path, undefined, { Purge: 'T' }), 404, 'itemNotFound')
    expectError(await server.graph('GET', path), 404, 'itemNotFound')
  })
})

describe('members', () => {
  it('invites, lists, changes and removes a member', async () => {
    await using server = await openFiles()
    const root = `/v1beta1/drives/${await createSpace(server)}/root`
    const anna = await createUser(server)
    const invited = await server.graph('POST', `${root}/invite`, invitation(anna))
    expect(invited.status).toBe(200)
    expect(invited.body.value).toMatchObject([
      { id: `u:${anna}`, roles: [editor], grantedToV2: { user: { id: anna, displayName: 'Anna Berg' } } },
    ])
    expect(invited.body.value[0].invitation.invitedBy.user.displayName).toBe('Workplace platform')

    const again = await server.graph('POST', `${root}/invite`, invitation(anna, viewer))
    expectError(again, 409, 'nameAlreadyExists')
    expect((await server.graph('PATCH', `${root}/permissions/u:${anna}`, { roles: [viewer] })).body.roles).toEqual([viewer])

    const listed = (await server.graph('GET', `${root}/permissions`)).body
    expect(listed.value.map((one: { id: string; roles: string[] }) => one.roles)).toEqual([[manager], [viewer]])
    expect(listed['@libre.graph.permissions.roles.allowedValues'].map((role: { id: string }) => role.id)).toEqual([viewer, editor, manager])
    expect(listed['@libre.graph.permissions.actions.allowedValues']).toContain('libre.graph/driveItem/permissions/create')

    expect((await server.graph('DELETE', `${root}/permissions/u:${anna}`)).status).toBe(204)
    const absent = await server.graph('DELETE', `${root}/permissions/u:${anna}`)
    expectError(absent, 500, 'generalException')
    expect(absent.body.error.message).toContain('error getting grant to remove from storage')
    expectError(await server.graph('DELETE', `${root}/permissions/nonsense`), 400, 'invalidRequest')
  })

  it('keeps the last manager', async () => {
    await using server = await openFiles()
    const root = `/v1beta1/drives/${await createSpace(server)}/root`
    const me = (await server.graph('GET', '/v1.0/me')).body.id
    const refused = await server.graph('DELETE', `${root}/permissions/u:${me}`)
    expectError(refused, 403, 'accessDenied')
    expect(refused.body.error.message).toBe("can't remove the last manager")
    await server.graph('POST', `${root}/invite`, invitation(await createUser(server), manager))
    expect((await server.graph('DELETE', `${root}/permissions/u:${me}`)).status).toBe(204)
    // An Admin who is no member reads and changes the space, but not its members.
    expectError(await server.graph('GET', `${root}/permissions`), 404, 'itemNotFound')
    expectError(await server.graph('POST', `${root}/invite`, invitation(me)), 404, 'itemNotFound')
    expect((await server.graph('PATCH', root.replace('/v1beta1', '/v1.0').replace('/root', ''), { description: 'x' })).status).toBe(200)
  })

  it.each([
    [{ recipients: [], roles: [editor] }, "'Recipients' failed on the 'len' tag"],
    [{ recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: [] }, "'Roles' failed on the 'len' tag"],
    [{ recipients: [{ objectId: 'x' }], roles: [editor] }, 'LibreGraphRecipientType'],
    [{ recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: ['nothing'] }, 'available_role'],
    [
      { recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: ['3284f2d5-0070-4ad8-ac40-c247f7c1fb27'] },
      'available_role',
    ],
    [
      { recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: ['fb6c3e19-e378-47e5-b277-9732f9de6e21'] },
      'role not applicable to this resource',
    ],
    [{ recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: [editor] }, 'itemNotFound: not found'],
    [{ people: [] }, '"people"'],
  ])('refuses the invitation %j', async (body, message) => {
    await using server = await openFiles()
    const answer = await server.graph('POST', `/v1beta1/drives/${await createSpace(server)}/root/invite`, body)
    expectError(answer, 400, 'invalidRequest')
    expect(answer.body.error.message).toContain(message)
  })

  it('has no members on a disabled space and on a personal one', async () => {
    await using server = await openFiles()
    const id = await createSpace(server)
    const anna = await createUser(server)
    await server.graph('DELETE', `/v1.0/drives/${id}`)
    expectError(await server.graph('POST', `/v1beta1/drives/${id}/root/invite`, invitation(anna)), 404, 'itemNotFound')
    const personal = (await server.graph('GET', '/v1.0/me/drive')).body.id
    const refused = await server.graph('POST', `/v1beta1/drives/${personal}/root/invite`, invitation(anna))
    expect(refused.body.error.message).toBe('unsupported space type')
  })

  it('lets members of a group in', async () => {
    await using server = await openFiles({ passwords: true })
    const id = await createSpace(server)
    const anna = await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const asAnna = (path: string) => server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', path)
    expectError(await asAnna(`/v1.0/drives/${id}`), 404, 'itemNotFound')
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const invited = await server.graph('POST', `/v1beta1/drives/${id}/root/invite`, invitation(group, viewer, 'group'))
    expect(invited.body.value).toMatchObject([{ id: `g:${group}`, grantedToV2: { group: { displayName: 'acme' } } }])
    await server.graph('POST', `/v1.0/groups/${group}/members/$ref`, { '@odata.id': `${server.url}/graph/v1.0/users/${anna}` })
    expect((await asAnna(`/v1.0/drives/${id}`)).status).toBe(200)
    expect((await asAnna('/v1.0/me/drives')).body.value).toHaveLength(2)
    expect((await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'POST', '/v1.0/drives', { name: 'x' })).body.error).toMatchObject({
      code: 'notAllowed',
      message: 'insufficient permissions to create a space.',
    })
  })
})

describe('users', () => {
  it('creates an account under an address and finds it by id and by name', async () => {
    await using server = await openFiles()
    const id = await createUser(server, { mail: 'anna@acme.test' })
    const expected = {
      id,
      displayName: 'Anna Berg',
      mail: 'anna@acme.test',
      onPremisesSamAccountName: 'anna@acme.test',
      surname: 'anna@acme.test',
      userType: 'Member',
    }
    expect((await server.graph('GET', `/v1.0/users/${id}`)).body).toEqual(expected)
    expect((await server.graph('GET', '/v1.0/users/anna@acme.test')).body).toEqual(expected)
    expectError(await server.graph('GET', '/v1.0/users/nobody'), 404, 'itemNotFound')
  })

  it('refuses a username that is taken, but not a mail address that is', async () => {
    await using server = await openFiles()
    await createUser(server, { mail: 'anna@acme.test' })
    const taken = await server.graph('POST', '/v1.0/users', { onPremisesSamAccountName: 'Anna@acme.test', displayName: 'x' })
    expectError(taken, 409, 'nameAlreadyExists')
    await createUser(server, { onPremisesSamAccountName: 'other', mail: 'anna@acme.test' })
    expectError(await server.graph('PATCH', '/v1.0/users/other', { onPremisesSamAccountName: 'anna@acme.test' }), 409, 'nameAlreadyExists')
  })

  it.each([
    [{ onPremisesSamAccountName: '1anna', displayName: 'x' }, 'Invalid username'],
    [{ onPremisesSamAccountName: 'an na', displayName: 'x' }, 'Invalid username'],
    [{ onPremisesSamAccountName: 'anna', displayName: '' }, 'Empty displayname'],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', mail: 'no address' }, 'invalid email address'],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', id: '1' }, 'id is a read-only attribute'],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', userType: 'Guest' }, 'userType is a read-only attribute'],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', memberOf: [] }, 'memberOf is a read-only attribute'],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', shoeSize: 43 }, '"shoeSize"'],
    [{ displayName: 'x' }, 'onPremisesSamAccountName'],
  ])('refuses %j', async (body, message) => {
    await using server = await openFiles()
    const answer = await server.graph('POST', '/v1.0/users', body)
    expectError(answer, 400, 'invalidRequest')
    expect(answer.body.error.message).toContain(message)
  })

  it('searches quoted terms and refuses filters on mail and name', async () => {
    await using server = await openFiles()
    const id = await createUser(server, { mail: 'anna-b@acme.test' })
    const find = (query: string) => server.graph('GET', `/v1.0/users?${query}`)
    expect((await find('$search=%22anna-b@acme%22')).body.value.map((user: { id: string }) => user.id)).toEqual([id])
    expect((await find('$search=%22nobody%22')).body.value).toEqual([])
    expectError(await find('$search=anna-b'), 400, 'invalidRequest')
    for (const filter of ["mail eq 'a'", "onPremisesSamAccountName eq 'a'"]) {
      const refused = await find(`$filter=${encodeURIComponent(filter)}`)
      expectError(refused, 501, 'notSupported')
      expect(refused.body.error.message).toBe('unsupported filter')
    }
    const admins = await find(
      `$filter=${encodeURIComponent("appRoleAssignments/any(x:x/appRoleId eq '71881883-1768-46bd-a24d-a356a2afdf7f')")}`,
    )
    expect(admins.body.value).toMatchObject([{ onPremisesSamAccountName: 'atrium' }])
  })

  it('has no personal drive before the first sign-in', async () => {
    await using server = await openFiles()
    const id = await createUser(server)
    expectError(await server.graph('GET', `/v1.0/users/${id}/drive`), 404, 'itemNotFound')
    expect((await server.graph('GET', `/v1.0/users/${id}?$expand=drive`)).body.drive).toEqual({ name: '' })
    expect(server.files.signIn('anna@acme.test')).toBe(true)
    const drive = (await server.graph('GET', `/v1.0/users/${id}/drive`)).body
    expect(drive).toMatchObject({ driveType: 'personal', name: 'Anna Berg', owner: { user: { id } } })
    expect(drive.id.split('$')[1]).toBe(id)
    expect(drive.quota.total).toBe(0)
    expect((await server.graph('PATCH', `/v1.0/drives/${drive.id}`, { quota: { total: 500 } })).body.quota.total).toBe(500)
    expect(server.files.signIn('nobody')).toBe(false)
  })

  it('removes the personal drive with the account and leaves its grants', async () => {
    await using server = await openFiles()
    const space = await createSpace(server)
    const id = await createUser(server)
    server.files.signIn('anna@acme.test')
    await server.graph('POST', `/v1beta1/drives/${space}/root/invite`, invitation(id))
    expect((await server.graph('DELETE', `/v1.0/users/${id}`)).status).toBe(204)
    expectError(await server.graph('DELETE', `/v1.0/users/${id}`), 404, 'itemNotFound')
    expect((await server.graph('GET', '/v1.0/drives')).body.value.map((drive: { name: string }) => drive.name).sort()).toEqual([
      'Acme',
      'Workplace platform',
    ])
    const left = (await server.graph('GET', `/v1beta1/drives/${space}/root/permissions`)).body.value[1]
    expect(left).toMatchObject({ id: `u:${id}`, grantedToV2: { user: { displayName: '' } } })
    expect((await server.graph('DELETE', `/v1beta1/drives/${space}/root/permissions/u:${id}`)).status).toBe(204)
    const me = (await server.graph('GET', '/v1.0/me')).body.id
    expect((await server.graph('DELETE', `/v1.0/users/${me}`)).status).toBe(403)
  })

  it('changes an account, and nothing with an empty object', async () => {
    await using server = await openFiles()
    const id = await createUser(server)
    expect((await server.graph('PATCH', `/v1.0/users/${id}`, {})).status).toBe(204)
    expect((await server.graph('PATCH', `/v1.0/users/${id}`, { displayName: 'Anna Holm', accountEnabled: false })).body).toMatchObject({
      displayName: 'Anna Holm',
      accountEnabled: false,
    })
    expectError(await server.graph('PATCH', '/v1.0/users/nobody', { displayName: 'x' }), 404, 'itemNotFound')
  })

  it('shows users nothing but themselves', async () => {
    await using server = await openFiles({ passwords: true })
    await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const asAnna = (method: string, path: string, body?: unknown) =>
      server.graphAs(basic('anna@acme.test', 'Secret-77'), method, path, body)
    expectError(await asAnna('GET', '/v1.0/users'), 403, 'accessDenied')
    expectError(await asAnna('POST', '/v1.0/users', { onPremisesSamAccountName: 'x', displayName: 'x' }), 403, 'accessDenied')
    expectError(await asAnna('POST', '/v1.0/groups', { displayName: 'x' }), 403, 'accessDenied')
    const exported = await server.graph('POST', '/v1.0/users/anna@acme.test/exportPersonalData', { storageLocation: '/x' })
    expect([exported.status, exported.text]).toEqual([400, 'personal data export for other users are not permitted'])
  })

  it('gives a user one role', async () => {
    await using server = await openFiles()
    const id = await createUser(server)
    const [application] = (await server.graph('GET', '/v1.0/applications')).body.value
    const spaceAdmin = application.appRoles.find((role: { displayName: string }) => role.displayName === 'Space Admin').id
    const path = `/v1.0/users/${id}/appRoleAssignments`
    const assigned = await server.graph('POST', path, { appRoleId: spaceAdmin, principalId: id, resourceId: application.id })
    expect(assigned.status).toBe(201)
    expect((await server.graph('GET', path)).body.value).toEqual([assigned.body])
    expectError(await server.graph('POST', path, { appRoleId: 'x', principalId: id, resourceId: application.id }), 400, 'invalidRequest')
    expectError(
      await server.graph('POST', path, { appRoleId: spaceAdmin, principalId: 'x', resourceId: application.id }),
      400,
      'invalidRequest',
    )
  })
})

describe('groups', () => {
  it('creates, renames and deletes a group', async () => {
    await using server = await openFiles()
    const created = await server.graph('POST', '/v1.0/groups', { displayName: 'acme', description: 'tenant' })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ id: created.body.id, displayName: 'acme', groupTypes: [] })
    expectError(await server.graph('POST', '/v1.0/groups', { displayName: 'acme' }), 409, 'nameAlreadyExists')
    expect((await server.graph('PATCH', `/v1.0/groups/${created.body.id}`, { displayName: 'globex' })).status).toBe(204)
    expect((await server.graph('GET', '/v1.0/groups?$search=%22glob%22')).body.value).toHaveLength(1)
    expectError(await server.graph('GET', '/v1.0/groups?$search=glob-ex'), 400, 'invalidRequest')
    expect((await server.graph('DELETE', `/v1.0/groups/${created.body.id}`)).status).toBe(204)
    expectError(await server.graph('DELETE', `/v1.0/groups/${created.body.id}`), 404, 'itemNotFound')
  })

  it('adds a member once, lists members as a bare array and removes them', async () => {
    await using server = await openFiles()
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const anna = await createUser(server)
    const members = `/v1.0/groups/${group}/members`
    const reference = { '@odata.id': `${server.url}/graph/v1.0/users/${anna}` }
    for (let index = 0; index < 2; index += 1) expect((await server.graph('POST', `${members}/$ref`, reference)).status).toBe(204)
    expect((await server.graph('GET', members)).body).toMatchObject([{ id: anna, displayName: 'Anna Berg' }])
    expect((await server.graph('GET', '/v1.0/groups?$expand=members')).body.value[0].members).toHaveLength(1)
    expect((await server.graph('GET', `/v1.0/users/${anna}?$expand=memberOf`)).body.memberOf).toMatchObject([{ displayName: 'acme' }])
    expectError(await server.graph('POST', `${members}/$ref`, {}), 400, 'invalidRequest')
    expectError(await server.graph('POST', `${members}/$ref`, { '@odata.id': 'https://x/users/nobody' }), 404, 'itemNotFound')
    expect((await server.graph('DELETE', `${members}/${anna}/$ref`)).status).toBe(204)
    expectError(await server.graph('DELETE', `${members}/${anna}/$ref`), 404, 'itemNotFound')
  })

  it('adds up to twenty members at once', async () => {
    await using server = await openFiles()
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const reference = `${server.url}/graph/v1.0/users/${await createUser(server)}`
    expect((await server.graph('PATCH', `/v1.0/groups/${group}`, { 'members@odata.bind': [reference] })).status).toBe(204)
    expect((await server.graph('GET', `/v1.0/groups/${group}/members`)).body).toHaveLength(1)
    expectError(
      await server.graph('PATCH', `/v1.0/groups/${group}`, { 'members@odata.bind': Array(21).fill(reference) }),
      400,
      'invalidRequest',
    )
  })
})

describe('as a sandbox system', () => {
  it('brings its records back, and returns to the seed', async () => {
    await using first = await openFiles()
    const id = await createSpace(first)
    await createUser(first)
    await using second = await openFiles()
    second.files.load(JSON.parse(JSON.stringify(first.files.save())))
    expect((await second.graph('GET', `/v1.0/drives/${id}`)).body.name).toBe('Acme')
    expect((await second.graph('GET', '/v1.0/users/anna@acme.test')).status).toBe(200)
    second.files.reset()
    expect((await second.graph('GET', `/v1.0/drives/${id}`)).status).toBe(404)
  })

  it('shows its records without secrets', async () => {
    await using server = await openFiles()
    await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const state = JSON.stringify(server.files.state())
    expect(state).toContain('anna@acme.test')
    expect(state).not.toMatch(/passwordHash|"hash"|Secret-77/)
  })

  it('answers a fault in its own words', async () => {
    await using server = await openFiles()
    server.faults.add({ system: 'files', mode: 'error', status: 503, match: 'POST /graph/v1.0/drives', times: 1 })
    const answer = await server.graph('POST', '/v1.0/drives', { name: 'Acme' })
    expect(answer.status).toBe(503)
    expect(answer.body.error.innererror.date).toBe('2026-08-20T10:00:00Z')
    expect((await server.graph('POST', '/v1.0/drives', { name: 'Acme' })).status).toBe(201)
    expect(server.calls.list()).toHaveLength(2)
  })

  it('has carried a call out when the fault hits its answer', async () => {
    await using server = await openFiles()
    server.faults.add({ system: 'files', mode: 'reset', times: 1, after: true })
    await expect(server.graphAs(serviceBasic, 'POST', '/v1.0/drives', { name: 'Acme' })).rejects.toThrow()
    expect((await server.graph('GET', projects)).body.value).toHaveLength(1)
  })
})
