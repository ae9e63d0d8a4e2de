import { describe, expect, it } from 'vitest'
import { createSpace, createUser, expectError, invitation, openFiles } from './files-server.ts'
import { basic } from './mail-server.ts'

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

  it('rejects a username that is taken, but not a mail address that is', async () => {
    await using server = await openFiles()
    await createUser(server, { mail: 'anna@acme.test' })
    const taken = await server.graph('POST', '/v1.0/users', {
      onPremisesSamAccountName: 'Anna@acme.test',
      displayName: 'x',
    })
    expectError(taken, 409, 'nameAlreadyExists')
    await createUser(server, { onPremisesSamAccountName: 'other', mail: 'anna@acme.test' })
    expectError(
      await server.graph('PATCH', '/v1.0/users/other', {
        onPremisesSamAccountName: 'anna@acme.test',
      }),
      409,
      'nameAlreadyExists',
    )
  })

  it('takes a username that begins with a digit unless it has the default pattern', async () => {
    await using server = await openFiles()
    await using strict = await openFiles({ usernames: 'default' })
    for (const name of ['24x7@acme.test', 'an na']) {
      const body = { onPremisesSamAccountName: name, displayName: 'x' }
      expect((await server.graph('POST', '/v1.0/users', body)).status).toBe(201)
      const rejected = await strict.graph('POST', '/v1.0/users', body)
      expectError(rejected, 400, 'invalidRequest')
      expect(rejected.body.error.message).toBe('Invalid username')
    }
  })

  it('keeps identities and shows them, and rejects half ones', async () => {
    await using server = await openFiles()
    const identities = [{ issuer: 'urn:atrium', issuerAssignedId: 'p1' }]
    const id = await createUser(server, { identities })
    await server.graph('PATCH', `/v1.0/users/${id}`, {
      displayName: 'Anna Holm',
      onPremisesSamAccountName: 'holm@acme.test',
    })
    expect((await server.graph('GET', `/v1.0/users/${id}`)).body).toMatchObject({
      displayName: 'Anna Holm',
      identities,
    })
    expectError(
      await server.graph('PATCH', `/v1.0/users/${id}`, { identities: [{ issuer: 'x' }] }),
      500,
      'generalException',
    )
  })

  it('provisions an account at a sign-in by token, once, with issuer and subject', async () => {
    await using server = await openFiles()
    const claims = {
      issuer: 'https://id.test/',
      subject: 's1',
      username: 'anna@acme.test',
      displayName: 'Anna',
    }
    const id = server.files.signInByToken(claims)
    expect(server.files.signInByToken({ ...claims, displayName: 'Anna Holm' })).toBe(id)
    expect((await server.graph('GET', '/v1.0/users/anna@acme.test')).body).toMatchObject({
      id,
      displayName: 'Anna Holm',
      identities: [{ issuer: 'https://id.test/', issuerAssignedId: 's1' }],
    })
    expect((await server.graph('GET', `/v1.0/users/${id}/drive`)).status).toBe(200)
    await server.graph('PATCH', `/v1.0/users/${id}`, { accountEnabled: false })
    expect(server.files.signInByToken(claims)).toBeUndefined()
  })

  it.each([
    [{ onPremisesSamAccountName: 'anna', displayName: '' }, 'Empty displayname'],
    [
      { onPremisesSamAccountName: 'anna', displayName: 'x', mail: 'no address' },
      'invalid email address',
    ],
    [
      { onPremisesSamAccountName: 'anna', displayName: 'x', id: '1' },
      'id is a read-only attribute',
    ],
    [
      { onPremisesSamAccountName: 'anna', displayName: 'x', userType: 'Guest' },
      'userType is a read-only attribute',
    ],
    [
      { onPremisesSamAccountName: 'anna', displayName: 'x', memberOf: [] },
      'memberOf is a read-only attribute',
    ],
    [{ onPremisesSamAccountName: 'anna', displayName: 'x', shoeSize: 43 }, '"shoeSize"'],
    [{ displayName: 'x' }, 'onPremisesSamAccountName'],
  ])('refuses %j', async (body, message) => {
    await using server = await openFiles()
    const response = await server.graph('POST', '/v1.0/users', body)
    expectError(response, 400, 'invalidRequest')
    expect(response.body.error.message).toContain(message)
  })

  it('searches quoted terms and rejects filters on mail and name', async () => {
    await using server = await openFiles()
    const id = await createUser(server, { mail: 'anna-b@acme.test' })
    const find = (query: string) => server.graph('GET', `/v1.0/users?${query}`)
    expect(
      (await find('$search=%22anna-b@acme%22')).body.value.map((user: { id: string }) => user.id),
    ).toEqual([id])
    expect((await find('$search=%22nobody%22')).body.value).toEqual([])
    expectError(await find('$search=anna-b'), 400, 'invalidRequest')
    for (const filter of ["mail eq 'a'", "onPremisesSamAccountName eq 'a'"]) {
      const rejected = await find(`$filter=${encodeURIComponent(filter)}`)
      expectError(rejected, 501, 'notSupported')
      expect(rejected.body.error.message).toBe('unsupported filter')
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
    expect((await server.graph('GET', `/v1.0/users/${id}?$expand=drive`)).body.drive).toEqual({
      name: '',
    })
    expect(server.files.signIn('anna@acme.test')).toBe(true)
    const drive = (await server.graph('GET', `/v1.0/users/${id}/drive`)).body
    expect(drive).toMatchObject({
      driveType: 'personal',
      name: 'Anna Berg',
      owner: { user: { id } },
    })
    expect(drive.id.split('$')[1]).toBe(id)
    expectError(await server.graph('GET', '/v1.0/users/anna@acme.test/drive'), 404, 'itemNotFound')
    expect(drive.quota.total).toBe(0)
    expect(
      (await server.graph('PATCH', `/v1.0/drives/${drive.id}`, { quota: { total: 500 } })).body
        .quota.total,
    ).toBe(500)
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
    expect(
      (await server.graph('GET', '/v1.0/drives')).body.value
        .map((drive: { name: string }) => drive.name)
        .sort(),
    ).toEqual(['Acme', 'Workplace platform'])
    // The name is remembered for a minute, and so is that the account may be invited.
    const left = async () =>
      (await server.graph('GET', `/v1beta1/drives/${space}/root/permissions`)).body.value[1]
    expect(await left()).toMatchObject({
      id: `u:${id}`,
      grantedToV2: { user: { displayName: 'Anna Berg' } },
    })
    const other = await createSpace(server)
    expect(
      (await server.graph('POST', `/v1beta1/drives/${other}/root/invite`, invitation(id))).status,
    ).toBe(200)
    server.advance(60_000)
    expect(await left()).toMatchObject({
      id: `u:${id}`,
      grantedToV2: { user: { displayName: '' } },
    })
    const third = await createSpace(server)
    expectError(
      await server.graph('POST', `/v1beta1/drives/${third}/root/invite`, invitation(id)),
      400,
      'invalidRequest',
    )
    expect(
      (await server.graph('DELETE', `/v1beta1/drives/${space}/root/permissions/u:${id}`)).status,
    ).toBe(204)
    const me = (await server.graph('GET', '/v1.0/me')).body.id
    expect((await server.graph('DELETE', `/v1.0/users/${me}`)).status).toBe(403)
  })

  it('changes an account, and nothing with an empty object', async () => {
    await using server = await openFiles()
    const id = await createUser(server)
    expect((await server.graph('PATCH', `/v1.0/users/${id}`, {})).status).toBe(204)
    expect(
      (
        await server.graph('PATCH', `/v1.0/users/${id}`, {
          displayName: 'Anna Holm',
          accountEnabled: false,
        })
      ).body,
    ).toMatchObject({
      displayName: 'Anna Holm',
      accountEnabled: false,
    })
    expectError(
      await server.graph('PATCH', '/v1.0/users/nobody', { displayName: 'x' }),
      404,
      'itemNotFound',
    )
  })

  it('shows users nothing but themselves', async () => {
    await using server = await openFiles({ passwords: true })
    await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const asAnna = (method: string, path: string, body?: unknown) =>
      server.graphAs(basic('anna@acme.test', 'Secret-77'), method, path, body)
    expectError(await asAnna('GET', '/v1.0/users'), 403, 'accessDenied')
    expectError(
      await asAnna('POST', '/v1.0/users', { onPremisesSamAccountName: 'x', displayName: 'x' }),
      403,
      'accessDenied',
    )
    expectError(await asAnna('POST', '/v1.0/groups', { displayName: 'x' }), 403, 'accessDenied')
    const exported = await server.graph('POST', '/v1.0/users/anna@acme.test/exportPersonalData', {
      storageLocation: '/x',
    })
    expect([exported.status, exported.text]).toEqual([
      400,
      'personal data export for other users are not permitted',
    ])
  })

  it('gives a user one role', async () => {
    await using server = await openFiles()
    const id = await createUser(server)
    const application = (await server.graph('GET', '/v1.0/applications')).body.value[0]
    const spaceAdmin = application?.appRoles.find((role) => role.displayName === 'Space Admin')?.id
    const path = `/v1.0/users/${id}/appRoleAssignments`
    const assigned = await server.graph('POST', path, {
      appRoleId: spaceAdmin,
      principalId: id,
      resourceId: application?.id,
    })
    expect(assigned.status).toBe(201)
    expect((await server.graph('GET', path)).body.value).toEqual([assigned.body])
    expectError(
      await server.graph('POST', path, {
        appRoleId: 'x',
        principalId: id,
        resourceId: application?.id,
      }),
      400,
      'invalidRequest',
    )
    expectError(
      await server.graph('POST', path, {
        appRoleId: spaceAdmin,
        principalId: 'x',
        resourceId: application?.id,
      }),
      400,
      'invalidRequest',
    )
  })
})

describe('groups', () => {
  it('creates, renames and deletes a group', async () => {
    await using server = await openFiles()
    const created = await server.graph('POST', '/v1.0/groups', {
      displayName: 'acme',
      description: 'tenant',
    })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ id: created.body.id, displayName: 'acme', groupTypes: [] })
    expectError(
      await server.graph('POST', '/v1.0/groups', { displayName: 'acme' }),
      409,
      'nameAlreadyExists',
    )
    expect(
      (await server.graph('PATCH', `/v1.0/groups/${created.body.id}`, { displayName: 'globex' }))
        .status,
    ).toBe(204)
    expect((await server.graph('GET', '/v1.0/groups?$search=%22glob%22')).body.value).toHaveLength(
      1,
    )
    expectError(await server.graph('GET', '/v1.0/groups?$search=glob-ex'), 400, 'invalidRequest')
    expect((await server.graph('DELETE', `/v1.0/groups/${created.body.id}`)).status).toBe(204)
    expectError(
      await server.graph('DELETE', `/v1.0/groups/${created.body.id}`),
      404,
      'itemNotFound',
    )
  })

  it('adds a member once, lists members as a bare array and removes them', async () => {
    await using server = await openFiles()
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const anna = await createUser(server)
    const members = `/v1.0/groups/${group}/members`
    const reference = { '@odata.id': `${server.url}/graph/v1.0/users/${anna}` }
    for (let index = 0; index < 2; index += 1)
      expect((await server.graph('POST', `${members}/$ref`, reference)).status).toBe(204)
    expect((await server.graph('GET', members)).body).toMatchObject([
      { id: anna, displayName: 'Anna Berg' },
    ])
    expect(
      (await server.graph('GET', '/v1.0/groups?$expand=members')).body.value[0]?.members,
    ).toHaveLength(1)
    expect(
      (await server.graph('GET', `/v1.0/users/${anna}?$expand=memberOf`)).body.memberOf,
    ).toMatchObject([{ displayName: 'acme' }])
    expectError(await server.graph('POST', `${members}/$ref`, {}), 400, 'invalidRequest')
    expectError(
      await server.graph('POST', `${members}/$ref`, { '@odata.id': 'https://x/users/nobody' }),
      404,
      'itemNotFound',
    )
    expect((await server.graph('DELETE', `${members}/${anna}/$ref`)).status).toBe(204)
    expectError(await server.graph('DELETE', `${members}/${anna}/$ref`), 404, 'itemNotFound')
  })

  it('adds up to twenty members at once', async () => {
    await using server = await openFiles()
    const group = (await server.graph('POST', '/v1.0/groups', { displayName: 'acme' })).body.id
    const reference = `${server.url}/graph/v1.0/users/${await createUser(server)}`
    expect(
      (await server.graph('PATCH', `/v1.0/groups/${group}`, { 'members@odata.bind': [reference] }))
        .status,
    ).toBe(204)
    expect((await server.graph('GET', `/v1.0/groups/${group}/members`)).body).toHaveLength(1)
    expectError(
      await server.graph('PATCH', `/v1.0/groups/${group}`, {
        'members@odata.bind': Array(21).fill(reference),
      }),
      400,
      'invalidRequest',
    )
  })
})
