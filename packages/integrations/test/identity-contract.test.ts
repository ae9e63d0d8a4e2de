import { demoPassword, demoPeople } from '@atrium/core/demo/demo'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { IdentityProvider } from '../src/identity/port.ts'
import { type IdentityTestServer, onStandIn, startIdentityTestServer } from './identity-server.ts'

let testServer: IdentityTestServer
let identity: IdentityProvider

beforeAll(async () => {
  testServer = await startIdentityTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  identity = testServer.client()
}, 60_000)

const owner = demoPeople.find((person) => person.email === 'owner@acme.test')
const api: IdentityTestServer['api'] = (method, path, body) => testServer.api(method, path, body)
const signIn = (email: string) => testServer.signIn(email)

describe('identity contract', () => {
  it('tells good from bad credentials', async () => {
    expect((await identity.check()).version).toMatch(/^202\d\.\d+/)
    await expect(testServer.client({ token: 'wrong' }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 403,
    })
  })

  it('makes one group of twenty callers', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        identity.ensureGroup({ name: 'newco', attributes: { tenant: 'newco' } }),
      ),
    )
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(results.filter(({ created }) => created)).toHaveLength(1)
    expect(await identity.findGroup('newco')).toMatchObject({ id: results[0]?.id })
    expect(await identity.findGroup('NewCo')).toBeUndefined()
  })

  it('finds people by address in any case and by subject', async () => {
    const user = await identity.findUserByEmail('Owner@Acme.TEST')
    expect(user).toMatchObject({
      email: 'owner@acme.test',
      name: owner?.name,
      subject: expect.stringMatching(/^[0-9a-f]{64}$/),
      active: true,
    })
    expect(
      await identity.findUserBySubject({ subject: user?.subject ?? '', email: 'owner@acme.test' }),
    ).toEqual(user)
    expect(
      await identity.findUserBySubject({ subject: 'f'.repeat(64), email: 'owner@acme.test' }),
    ).toBeUndefined()
    expect(await identity.findUserByEmail('nobody@acme.test')).toBeUndefined()
  })

  it('creates a user with a group once, and rejects the second', async () => {
    const { id: group } = await identity.ensureGroup({ name: 'newco' })
    const request = {
      email: 'Nina@NewCo.test',
      name: 'Nina New',
      groupIds: [group],
      path: 'tenants/newco',
      attributes: { tenant: 'newco' },
    }
    const user = await identity.createUser(request)
    expect(user).toMatchObject({
      username: 'nina@newco.test',
      email: 'nina@newco.test',
      groupIds: [group],
      active: true,
    })
    expect(user.subject).toMatch(/^[0-9a-f]{64}$/)
    await expect(identity.createUser(request)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(
      identity.createUser({ ...request, email: 'other@newco.test', path: '/bad/' }),
    ).rejects.toMatchObject({ kind: 'refused' })
    expect(await identity.findUserByEmail('nina@newco.test')).toEqual(user)
  })

  it('creates a member who cannot sign in yet, with folder, group and attributes', async () => {
    const { id: group } = await identity.ensureGroup({ name: 'newco' })
    const attributes = { tenant: 'newco', phone: '+49 30 1' }
    const request = {
      email: 'nina@newco.test',
      name: 'Nina New',
      groupIds: [group],
      path: 'tenants/newco',
      attributes,
      active: false,
    }
    const user = await identity.createUser(request)
    expect(user).toMatchObject({ active: false, groupIds: [group] })
    expect(await api('GET', `/core/users/${user.id}/`)).toMatchObject({
      path: 'tenants/newco',
      attributes,
      is_active: false,
      groups: [group],
    })
    await expect(signIn('nina@newco.test')).rejects.toThrow()
    await identity.setActive({ userId: user.id, active: true })
    await identity.setPassword({ userId: user.id, password: demoPassword })
    await signIn('nina@newco.test')
  })

  it('mirrors contact data and leaves the attributes of others alone', async () => {
    const attributes = { settings: { locale: 'de' }, phone: '1', tenant: 'newco' }
    const { id: userId } = await identity.createUser({
      email: 'nina@newco.test',
      name: 'Nina',
      groupIds: [],
      attributes,
    })
    const read = () => api('GET', `/core/users/${userId}/`)
    const profile = {
      name: 'Nina New',
      email: 'Nina.New@newco.test',
      firstName: 'Nina',
      lastName: 'New',
      phone: null,
    }
    for (let time = 0; time < 2; time += 1) await identity.updateUser({ userId, profile })
    expect(await read()).toMatchObject({
      name: 'Nina New',
      username: 'nina.new@newco.test',
      email: 'nina.new@newco.test',
    })
    expect((await read()) as object).toHaveProperty('attributes', {
      settings: { locale: 'de' },
      tenant: 'newco',
      firstName: 'Nina',
      lastName: 'New',
    })
    await identity.updateUser({ userId, profile: { alternativeEmail: 'nina@home.test' } })
    expect(await read()).toMatchObject({
      name: 'Nina New',
      attributes: { firstName: 'Nina', alternativeEmail: 'nina@home.test' },
    })
  })

  it('never assigns another user’s address, by username or by e-mail', async () => {
    const { id: userId } = await identity.createUser({
      email: 'nina@newco.test',
      name: 'Nina',
      groupIds: [],
    })
    const move = (email: string) => identity.updateUser({ userId, profile: { email } })
    await expect(move('owner@acme.test')).rejects.toMatchObject({
      kind: 'conflict',
      call: 'updateUser',
    })
    await api('POST', '/core/users/', { username: 'olga', name: 'Olga', email: 'olga@acme.test' })
    await expect(move('OLGA@acme.test')).rejects.toMatchObject({ kind: 'conflict' })
    await expect(move('no address')).rejects.toMatchObject({ kind: 'refused', status: 400 })
    await expect(
      identity.updateUser({ userId: '999999', profile: { name: 'X' } }),
    ).rejects.toMatchObject({ kind: 'not_found' })
    expect(await identity.findUserByEmail('nina@newco.test')).toMatchObject({
      id: userId,
      username: 'nina@newco.test',
    })
  })

  onStandIn('counts confirmed authenticators of one person by kind', async () => {
    const idOf = async (email: string) => (await identity.findUserByEmail(email))?.id ?? ''
    expect(await identity.secondFactors(await idOf('owner@acme.test'))).toEqual({
      webauthn: 1,
      static: 1,
    })
    expect(await identity.secondFactors(await idOf('admin@acme.test'))).toEqual({})
    const member = testServer.sandbox.identity.findUser('member@acme.test')
    if (!member) throw new Error('no member')
    for (const kind of ['totp', 'totp', 'sms', 'email', 'duo'] as const) {
      testServer.sandbox.identity.addDevice(member, { kind, name: kind, confirmed: true })
    }
    expect(await identity.secondFactors(String(member.pk))).toEqual({
      totp: 2,
      sms: 1,
      email: 1,
      duo: 1,
    })
    await expect(identity.secondFactors('999999')).rejects.toMatchObject({
      kind: 'not_found',
      status: 400,
    })
  })

  onStandIn('lists and removes the second factors of one person, and of nobody else', async () => {
    const { identity: directory } = testServer.sandbox
    const [owner, member] = ['owner@acme.test', 'member@acme.test'].map((email) => {
      const user = directory.findUser(email)
      if (!user) throw new Error(`no ${email}`)
      return user
    })
    if (!owner || !member) throw new Error('people are missing')
    directory.addDevice(member, { kind: 'totp', name: 'Phone', confirmed: true })
    directory.addDevice(member, { kind: 'sms', name: 'Begun', confirmed: false })
    const [ownerId, memberId] = [String(owner.pk), String(member.pk)]
    const own = await identity.listDevices(ownerId)
    expect(own.map(({ kind }) => kind).sort()).toEqual(['static', 'webauthn'])
    const devices = await identity.listDevices(memberId)
    expect(devices).toMatchObject([
      { kind: 'totp', name: 'Phone', confirmed: true, createdAt: expect.stringMatching(/^20/) },
      { kind: 'sms', name: 'Begun', confirmed: false },
    ])
    const [phone] = devices
    const request = { kind: 'totp', id: phone?.id ?? '' }
    for (const wrong of [
      { userId: ownerId, ...request },
      { userId: memberId, ...request, kind: 'duo' },
      { userId: memberId, kind: 'totp', id: '../../core/users/1' },
    ])
      await expect(identity.removeDevice(wrong)).rejects.toMatchObject({ kind: 'not_found' })
    await identity.removeDevice({ userId: memberId, ...request })
    expect(await identity.removeDevices(memberId)).toEqual({ removed: 1 })
    expect(await identity.removeDevices(memberId)).toEqual({ removed: 0 })
    expect(await identity.listDevices(ownerId)).toEqual(own)
    for (const call of [identity.listDevices('999999'), identity.removeDevices('999999')])
      await expect(call).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('may list, count and remove second factors, with the rights that it has', async () => {
    await testServer.takeRecoveryCodes('member@acme.test')
    const member = (await identity.findUserByEmail('member@acme.test'))?.id ?? ''
    expect(await identity.secondFactors(member)).toEqual({ static: 1 })
    const [codes] = await identity.listDevices(member)
    await identity.removeDevice({ userId: member, kind: 'static', id: codes?.id ?? '' })
    expect(await identity.listDevices(member)).toEqual([])
    await testServer.takeRecoveryCodes('member@acme.test')
    expect(await identity.removeDevices(member)).toEqual({ removed: 1 })
  })

  it('changes, renames and deletes a group, and lists its members', async () => {
    const attributes = { tenant: 'newco', other: 'kept' }
    const { id: groupId } = await identity.ensureGroup({ name: 'newco', attributes })
    const atrium_policy = { networks: ['192.0.2.0/24'], countries: [], mfa_required_from: null }
    await identity.setGroupAttributes({ groupId, attributes: { atrium_policy } })
    expect(await identity.findGroup('newco')).toEqual({
      id: groupId,
      attributes: { ...attributes, atrium_policy },
    })
    const member = await identity.findUserByEmail('member@acme.test')
    await identity.addToGroup({ groupId, userId: member?.id ?? '' })
    expect(await identity.listGroupMembers(groupId)).toEqual([member?.subject])
    await identity.renameGroup({ groupId, name: 'tenant-newco' })
    expect(await identity.findGroup('newco')).toBeUndefined()
    await expect(identity.renameGroup({ groupId, name: 'acme' })).rejects.toMatchObject({
      kind: 'conflict',
    })
    await identity.deleteGroup(groupId)
    await identity.deleteGroup(groupId)
    expect(await identity.findGroup('tenant-newco')).toBeUndefined()
    for (const call of [
      identity.setGroupAttributes({ groupId, attributes: {} }),
      identity.listGroupMembers(groupId),
    ])
      await expect(call).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('may change users', async () => {
    await expect(identity.tryRights()).resolves.toBeUndefined()
  })

  it('moves people in and out of groups, any number of times', async () => {
    const { id: groupId } = await identity.ensureGroup({ name: 'newco' })
    const user = await identity.createUser({ email: 'nina@newco.test', name: 'Nina', groupIds: [] })
    const groups = async () => (await identity.findUserByEmail('nina@newco.test'))?.groupIds
    await identity.addToGroup({ groupId, userId: user.id })
    await identity.addToGroup({ groupId, userId: user.id })
    expect(await groups()).toEqual([groupId])
    await identity.removeFromGroup({ groupId, userId: user.id })
    await identity.removeFromGroup({ groupId, userId: user.id })
    expect(await groups()).toEqual([])
    await expect(identity.addToGroup({ groupId, userId: '999999' })).rejects.toMatchObject({
      kind: 'not_found',
    })
    await identity.removeFromGroup({ groupId, userId: '999999' })
  })

  it('deletes a user once and takes the second time for done', async () => {
    const user = await identity.createUser({ email: 'nina@newco.test', name: 'Nina', groupIds: [] })
    await identity.deleteUser(user.id)
    await identity.deleteUser(user.id)
    expect(await identity.findUserByEmail('nina@newco.test')).toBeUndefined()
  })

  it('has no recovery link until the brand has a recovery flow, then one on our origin', async () => {
    const user = await identity.findUserByEmail('owner@acme.test')
    const request = { userId: user?.id ?? '', publicOrigin: 'https://id.example' }
    expect(await identity.recoveryLink(request)).toBeUndefined()
    const flows = (await api('GET', '/flows/instances/?designation=recovery')) as {
      results: { pk: string }[]
    }
    const brands = (await api('GET', '/core/brands/?default=true')) as {
      results: { brand_uuid: string }[]
    }
    await api('PATCH', `/core/brands/${brands.results[0]?.brand_uuid}/`, {
      flow_recovery: flows.results[0]?.pk,
    })
    expect(await identity.recoveryLink(request)).toMatch(
      /^https:\/\/id\.example\/if\/flow\/[^/]+\/\?flow_token=.+/,
    )
  })

  it('sets a password, but never a blank one', async () => {
    const user = await identity.createUser({ email: 'nina@newco.test', name: 'Nina', groupIds: [] })
    await identity.setPassword({ userId: user.id, password: 'Xk3!vbnmQw7?yUiP' })
    await expect(identity.setPassword({ userId: user.id, password: '' })).rejects.toMatchObject({
      kind: 'refused',
      status: 400,
    })
  })

  it('marks a temporary password, and a lasting one ends it', async () => {
    const { id: userId } = await identity.createUser({
      email: 'nina@newco.test',
      name: 'Nina',
      groupIds: [],
      attributes: { phone: '1' },
    })
    const attributes = async () =>
      ((await api('GET', `/core/users/${userId}/`)) as { attributes: object }).attributes
    const expiresAt = new Date(Date.now() + 72 * 3_600_000)
    await identity.setPassword({ userId, password: 'Xk3!vbnmQw7?yUiP', temporary: { expiresAt } })
    expect(await attributes()).toEqual({
      phone: '1',
      atrium_password_change_required: true,
      atrium_password_expires_at: expiresAt.toISOString(),
    })
    await identity.setPassword({ userId, password: 'Yk4!vbnmQw7?yUiP' })
    expect(await attributes()).toEqual({ phone: '1' })
    await expect(
      identity.setPassword({ userId: '999999', password: 'x', temporary: { expiresAt } }),
    ).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('tells what became of a temporary password', async () => {
    const { id: userId } = await identity.createUser({
      email: 'nina@newco.test',
      name: 'Nina',
      groupIds: [],
    })
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const give = (expiresAt: Date) =>
      identity.setPassword({ userId, password: 'Xk3!vbnmQw7?yUiP', temporary: { expiresAt } })
    const settle = (issued: { at: Date; expiresAt: Date }) =>
      identity.settleTemporaryPassword({ userId, issued })
    const issued = { at: at(0), expiresAt: at(1) }
    expect(await settle(issued)).toBe('changed')
    await give(issued.expiresAt)
    expect(await settle(issued)).toBe('unchanged')
    await give(at(60))
    expect(await settle(issued)).toBe('reissued')
    // Issued an hour ago, as far as the platform knows: the person set another one since, at a
    // provider without our flows.
    await give(issued.expiresAt)
    expect(await settle({ at: at(-60), expiresAt: issued.expiresAt })).toBe('changed')
    expect(await api('GET', `/core/users/${userId}/`)).toMatchObject({ attributes: {} })
    await expect(
      identity.settleTemporaryPassword({ userId: '999999', issued }),
    ).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('suspends and resumes', async () => {
    const user = await identity.findUserByEmail('member@acme.test')
    const userId = user?.id ?? ''
    await identity.setActive({ userId, active: false })
    expect(await identity.findUserByEmail('member@acme.test')).toMatchObject({ active: false })
    await expect(signIn('member@acme.test')).rejects.toThrow()
    await identity.setActive({ userId, active: true })
    await signIn('member@acme.test')
    expect(await identity.readUser(userId)).toMatchObject({
      id: userId,
      email: 'member@acme.test',
      active: true,
    })
    await expect(identity.readUser('999999')).rejects.toMatchObject({ kind: 'not_found' })
    await expect(identity.setActive({ userId: '999999', active: false })).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('ends the sessions of one person and leaves the others signed in', async () => {
    await signIn('owner@acme.test')
    await signIn('member@acme.test')
    const user = await identity.findUserByEmail('owner@acme.test')
    const request = { userId: user?.id ?? '', username: user?.username ?? '' }
    expect(await identity.endSessions(request)).toEqual({ sessions: 1 })
    expect(await identity.endSessions(request)).toEqual({ sessions: 0 })
    expect(await api('GET', '/core/authenticated_sessions/')).toMatchObject({
      results: [{ user: expect.any(Number) }],
    })
  })

  it('lists the sessions of one person and ends a single one of them', async () => {
    await signIn('owner@acme.test')
    await signIn('owner@acme.test')
    await signIn('member@acme.test')
    const user = await identity.findUserByEmail('owner@acme.test')
    const member = await identity.findUserByEmail('member@acme.test')
    const owner = { userId: user?.id ?? '', username: user?.username ?? '' }
    const other = { userId: member?.id ?? '', username: member?.username ?? '' }
    const [first, second] = await identity.listSessions(owner)
    expect(first).toMatchObject({ lastUsedAt: expect.stringMatching(/^20/) })
    const [foreign] = await identity.listSessions(other)
    await expect(
      identity.endSession({ ...owner, sessionId: foreign?.id ?? '' }),
    ).rejects.toMatchObject({ kind: 'not_found' })
    await identity.endSession({ ...owner, sessionId: first?.id ?? '' })
    expect(await identity.listSessions(owner)).toEqual(second ? [second] : [])
    expect(await identity.listSessions(other)).toHaveLength(1)
  })

  it("ends nobody else's sessions when the server ignores every filter", async () => {
    for (const email of ['owner@acme.test', 'admin@acme.test', 'member@acme.test'])
      await signIn(email)
    const unfiltered: string[] = []
    const deaf = testServer.client({
      fetch: (input, init) => {
        const url = new URL(String(input))
        for (const name of ['user', 'user__username']) url.searchParams.delete(name)
        if (init?.method === 'GET') unfiltered.push(url.pathname)
        return fetch(url, init)
      },
    })
    const user = await identity.findUserByEmail('owner@acme.test')
    expect(
      await deaf.endSessions({ userId: user?.id ?? '', username: user?.username ?? '' }),
    ).toMatchObject({ sessions: 1 })
    expect(unfiltered).toEqual(['/api/v3/core/authenticated_sessions/'])
    const left = (await api('GET', '/core/authenticated_sessions/')) as {
      results: { user: number }[]
    }
    expect(left.results.map((row) => String(row.user))).not.toContain(user?.id)
    expect(left.results).toHaveLength(2)
  })

  onStandIn('makes one group when the connection breaks after it was stored', async () => {
    testServer.sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/core/groups/',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const { id } = await identity.ensureGroup({ name: 'newco' })
    expect(await api('GET', '/core/groups/?name=newco')).toMatchObject({
      pagination: { count: 1 },
      results: [{ pk: id }],
    })
  })

  onStandIn.each([
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
  ] as const)('heals from two faults in a row and reports three (%s)', async (mode, kind) => {
    testServer.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/core/groups/',
      mode,
      times: 2,
    })
    expect(await identity.findGroup('acme')).toBeDefined()
    testServer.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/core/groups/',
      mode,
      times: 3,
    })
    await expect(identity.findGroup('acme')).rejects.toMatchObject({ kind, system: 'identity' })
  })
})
