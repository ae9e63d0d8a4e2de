import { describe, expect, it } from 'vitest'
import {
  createSpace,
  createUser,
  editor,
  expectError,
  invitation,
  manager,
  openFiles,
  projects,
  viewer,
} from './files-server.ts'
import { basic } from './mail-server.ts'

describe('spaces', () => {
  it('creates a space with the caller as manager', async () => {
    await using server = await openFiles()
    const response = await server.graph('POST', '/v1.0/drives', {
      name: 'Acme',
      description: 'tenant',
      driveAlias: 'project/acme',
      quota: { total: 5000 },
    })
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({
      name: 'Acme',
      description: 'tenant',
      driveAlias: 'project/acme',
      driveType: 'project',
      quota: { total: 5000, used: 0, remaining: 5000, state: 'normal' },
      root: {
        permissions: [
          {
            roles: ['manager'],
            grantedToIdentities: [{ user: { displayName: 'Workplace platform' } }],
          },
        ],
      },
    })
    expect(response.body.id).toMatch(/^[0-9a-f-]{36}\$[0-9a-f-]{36}$/)
    expect(response.body.owner.user.id).toBe(response.body.id.split('$')[1])
  })

  it('creates a second space under the same name', async () => {
    await using server = await openFiles()
    const first = await createSpace(server, { driveAlias: 'project/acme' })
    expect(await createSpace(server, { driveAlias: 'project/acme' })).not.toBe(first)
    expect((await server.graph('GET', projects)).body.value).toHaveLength(2)
  })

  it('gives a quota of a billion bytes when none is asked for', async () => {
    await using server = await openFiles()
    expect((await server.graph('POST', '/v1.0/drives', { name: 'Acme' })).body.quota.total).toBe(
      1_000_000_000,
    )
  })

  it.each([0, -1])(
    'writes what is left of an unlimited space (total %d) as a number beyond what JavaScript can hold',
    async (total) => {
      await using server = await openFiles()
      const response = await server.graph('POST', '/v1.0/drives', {
        name: 'Acme',
        quota: { total },
      })
      expect(response.text).toContain('"remaining":9223372036854775807')
      expect(response.body.quota).toMatchObject({ total: 0, used: 0, state: 'normal' })
    },
  )

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

  it.each(
    ['', '   ', 'a'.repeat(256), 'ä'.repeat(128), ...'/\\.:?*"><|'].map((name) =>
      name.length === 1 ? `acme${name}test` : name,
    ),
  )('refuses the name %j', async (name) => {
    await using server = await openFiles()
    expectError(await server.graph('POST', '/v1.0/drives', { name }), 400, 'invalidRequest')
    const id = await createSpace(server)
    expectError(
      await server.graph('PATCH', `/v1.0/drives/${id}`, { name }),
      400,
      'generalException',
    )
  })

  it('rejects unknown fields, other types and bodies that are no JSON', async () => {
    await using server = await openFiles()
    for (const body of [
      { name: 'Acme', colour: 'red' },
      { name: 'Acme', quota: { limit: 1 } },
      '{"name":',
      '[]',
      '',
    ]) {
      const response = await server.graph('POST', '/v1.0/drives', body)
      expectError(response, 400, 'invalidRequest')
      expect(response.body.error.message).toBe('invalid body schema definition')
    }
    expectError(
      await server.graph('POST', '/v1.0/drives', { name: 'Acme', driveType: 'personal' }),
      400,
      'invalidRequest',
    )
    const id = await createSpace(server)
    expect(
      (await server.graph('PATCH', `/v1.0/drives/${id}`, { colour: 'red' })).body.error.message,
    ).toContain('"colour"')
    expect((await server.graph('PATCH', `/v1.0/drives/${id}`, '')).body.error.message).toContain(
      'EOF',
    )
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
    const response = await server.graph('PATCH', `/v1.0/drives/${id}`, {
      name: 'Acme 2',
      description: 'd',
      driveAlias: 'project/x',
      quota: { total: 400 },
    })
    expect(response.body).toMatchObject({
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
      (await server.graph('GET', `${projects}${query}`)).body.value.map(
        (drive: { name: string }) => drive.name,
      )
    const orders = new Set<string>()
    for (let index = 0; index < 8; index += 1) orders.add((await read('')).join(''))
    expect(orders.size).toBeGreaterThan(1)
    expect(await read('&$orderby=name')).toEqual(names)
    expect(await read('&$orderby=name%20desc')).toEqual(names.toReversed())
    expect(await read('&$orderby=lastModifiedDateTime&$top=1')).toHaveLength(8)
    expectError(await server.graph('GET', `${projects}&$orderby=quota`), 400, 'invalidRequest')
  })

  it('filters by type and id, ignores a name and rejects other operators', async () => {
    await using server = await openFiles()
    const id = await createSpace(server, { name: 'one' })
    await createSpace(server, { name: 'two' })
    const list = (filter: string) =>
      server.graph('GET', `/v1.0/drives?$filter=${encodeURIComponent(filter)}`)
    expect((await list(`id eq '${id}'`)).body.value).toHaveLength(1)
    expect((await list("name eq 'one'")).body.value).toHaveLength(3)
    expectError(await list("driveType ne 'project'"), 501, 'notSupported')
    expectError(await list("driveType eq 'project' and id eq 'x'"), 501, 'notSupported')
    expectError(await list('driveType'), 400, 'invalidRequest')
  })

  it('returns null when the storage finds nothing', async () => {
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
    for (let index = 0; index < 2; index += 1)
      expect((await server.graph('DELETE', path)).status).toBe(204)
    const disabled = (await server.graph('GET', path)).body
    expect(disabled.root.deleted).toEqual({ state: 'trashed' })
    expect(disabled.quota).toEqual({ total: 1000 })
    expect((await server.graph('GET', projects)).body.value).toHaveLength(1)
    expect(
      (await server.graph('PATCH', path, {}, { restore: 'true' })).body.root.deleted,
    ).toBeUndefined()
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
      {
        id: `u:${anna}`,
        roles: [editor],
        grantedToV2: { user: { id: anna, displayName: 'Anna Berg' } },
      },
    ])
    expect(invited.body.value[0]?.invitation.invitedBy.user.displayName).toBe('Workplace platform')

    const again = await server.graph('POST', `${root}/invite`, invitation(anna, viewer))
    expectError(again, 409, 'nameAlreadyExists')
    expect(
      (await server.graph('PATCH', `${root}/permissions/u:${anna}`, { roles: [viewer] })).body
        .roles,
    ).toEqual([viewer])

    const listed = (await server.graph('GET', `${root}/permissions`)).body
    expect(listed.value.map((one) => one.roles)).toEqual([[manager], [viewer]])
    expect(
      listed['@libre.graph.permissions.roles.allowedValues'].map((role: { id: string }) => role.id),
    ).toEqual([viewer, editor, manager])
    expect(listed['@libre.graph.permissions.actions.allowedValues']).toContain(
      'libre.graph/driveItem/permissions/create',
    )

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
    const rejected = await server.graph('DELETE', `${root}/permissions/u:${me}`)
    expectError(rejected, 403, 'accessDenied')
    expect(rejected.body.error.message).toBe("can't remove the last manager")
    await server.graph('POST', `${root}/invite`, invitation(await createUser(server), manager))
    expect((await server.graph('DELETE', `${root}/permissions/u:${me}`)).status).toBe(204)
    // An Admin who is no member reads and changes the space, but not its members.
    expectError(await server.graph('GET', `${root}/permissions`), 404, 'itemNotFound')
    expectError(await server.graph('POST', `${root}/invite`, invitation(me)), 404, 'itemNotFound')
    expect(
      (
        await server.graph('PATCH', root.replace('/v1beta1', '/v1.0').replace('/root', ''), {
          description: 'x',
        })
      ).status,
    ).toBe(200)
  })

  it.each([
    [{ recipients: [], roles: [editor] }, "'Recipients' failed on the 'len' tag"],
    [
      { recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: [] },
      "'Roles' failed on the 'len' tag",
    ],
    [{ recipients: [{ objectId: 'x' }], roles: [editor] }, 'LibreGraphRecipientType'],
    [
      {
        recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }],
        roles: ['nothing'],
      },
      'available_role',
    ],
    [
      {
        recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }],
        roles: ['3284f2d5-0070-4ad8-ac40-c247f7c1fb27'],
      },
      'available_role',
    ],
    [
      {
        recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }],
        roles: ['fb6c3e19-e378-47e5-b277-9732f9de6e21'],
      },
      'role not applicable to this resource',
    ],
    [
      { recipients: [{ objectId: 'x', '@libre.graph.recipient.type': 'user' }], roles: [editor] },
      'itemNotFound: not found',
    ],
    [{ people: [] }, '"people"'],
  ])('refuses the invitation %j', async (body, message) => {
    await using server = await openFiles()
    const response = await server.graph(
      'POST',
      `/v1beta1/drives/${await createSpace(server)}/root/invite`,
      body,
    )
    expectError(response, 400, 'invalidRequest')
    expect(response.body.error.message).toContain(message)
  })

  it('has no members on a disabled space and on a personal one', async () => {
    await using server = await openFiles()
    const id = await createSpace(server)
    const anna = await createUser(server)
    await server.graph('DELETE', `/v1.0/drives/${id}`)
    expectError(
      await server.graph('POST', `/v1beta1/drives/${id}/root/invite`, invitation(anna)),
      404,
      'itemNotFound',
    )
    const personal = (await server.graph('GET', '/v1.0/me/drive')).body.id
    const rejected = await server.graph(
      'POST',
      `/v1beta1/drives/${personal}/root/invite`,
      invitation(anna),
    )
    expect(rejected.body.error.message).toBe('unsupported space type')
  })

  it('lets members of a group in', async () => {
    await using server = await openFiles({ passwords: true })
    const id = await createSpace(server)
    const anna = await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const asAnna = (path: string) =>
      server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', path)
    expectError(await asAnna(`/v1.0/drives/${id}`), 404, 'itemNotFound')
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const invited = await server.graph(
      'POST',
      `/v1beta1/drives/${id}/root/invite`,
      invitation(group, viewer, 'group'),
    )
    expect(invited.body.value).toMatchObject([
      { id: `g:${group}`, grantedToV2: { group: { displayName: 'acme' } } },
    ])
    await server.graph('POST', `/v1.0/groups/${group}/members/$ref`, {
      '@odata.id': `${server.url}/graph/v1.0/users/${anna}`,
    })
    expect((await asAnna(`/v1.0/drives/${id}`)).status).toBe(200)
    expect((await asAnna('/v1.0/me/drives')).body.value).toHaveLength(2)
    expect(
      (
        await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'POST', '/v1.0/drives', {
          name: 'x',
        })
      ).body.error,
    ).toMatchObject({
      code: 'notAllowed',
      message: 'insufficient permissions to create a space.',
    })
  })
})
