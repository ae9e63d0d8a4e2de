import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accept } from './invitations.ts'
import { addDomain, setTenantStatus } from './mailboxes.ts'
import { expectNowhere, fileUser, identityUser, type MembersHouse, mailbox, mailboxOpens, openMembersHouse } from './members-house.ts'

let house: MembersHouse
beforeAll(async () => {
  house = await openMembersHouse()
  await addDomain(house, { slug: 'acme', name: 'acme.example.com', verified: true })
  await addDomain(house, { slug: 'acme', name: 'unproven.example.com', verified: false })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const create = (body: object, token?: string) => house.call('POST', '/users', body, token)
const refused = (code: string) => ({ status: 409, body: { code } })
const atField = (path: string, message = expect.any(String)) => ({
  status: 400,
  body: { code: 'invalid_input', issues: [{ path, message }] },
})

describe('a new member', () => {
  it('gets identity, mailbox and file account, and one password for both sign-ins, shown once', async () => {
    const answer = await create({
      ...{ email: 'Mara', firstName: 'Mara', lastName: 'Maler', phone: '+49 30 1234' },
      alternativeEmail: 'mara@private.example',
    })
    expect(answer.status).toBe(201)
    const { member, oneTimePassword } = answer.body
    expect(member).toMatchObject({
      ...{ email: 'mara@acme.tenants.local', name: 'Mara Maler', role: 'member', status: 'active' },
      ...{ mailboxAddress: 'mara@acme.tenants.local', outcomes: { identity: 'ok', mail: 'ok', files: 'ok' }, errors: {} },
      ...{ bootstrapAdmin: false, managed: true, needsPassword: false },
    })
    expect(oneTimePassword).toHaveLength(16)
    const user = await identityUser(house, member.email)
    expect(user).toMatchObject({ is_active: true, path: 'tenants/acme', name: 'Mara Maler' })
    expect(user?.attributes).toMatchObject({
      ...{ firstName: 'Mara', lastName: 'Maler', phone: '+49 30 1234' },
      alternativeEmail: 'mara@private.example',
    })
    expect(user?.groups).toHaveLength(1)
    expect(mailbox(house, member.email)).toMatchObject({ description: 'Mara Maler' })
    expect(await mailboxOpens(house, member.email, oneTimePassword)).toBe(true)
    expect(await fileUser(house, member.email)).toMatchObject({ displayName: 'Mara Maler' })
    await expectNowhere(house, oneTimePassword)
    expect(await house.member(member.id)).toEqual(member)
  })

  it('can really sign in, and is a member of the tenant then', async () => {
    const { member } = await house.newMember({ role: 'admin' })
    const token = await house.token(member.email)
    expect((await house.request('GET', '/users/me', { token })).body).toMatchObject({
      id: member.id,
      tenants: [{ slug: 'acme', role: 'admin' }],
    })
  })

  it('takes a whole address on a proven domain, and has the name of the local part when no name is given', async () => {
    const { body } = await create({ email: 'Sven@ACME.example.com' })
    expect(body.member).toMatchObject({ email: 'sven@acme.example.com', mailboxAddress: 'sven@acme.example.com', name: 'sven' })
  })

  it('from outside is invited, and has no mailbox', async () => {
    const { body } = await create({ email: 'out@elsewhere.example' })
    expect(body).toMatchObject({ oneTimePassword: null, member: { status: 'provisioning', invited: true, mailboxAddress: null } })
    expect(await create({ email: 'out@elsewhere.example' })).toMatchObject(refused('email_taken'))
    expect((await accept(house, 'out@elsewhere.example')).body.tempPassword).toHaveLength(16)
    expect(await house.member(body.member.id)).toMatchObject({
      ...{ email: 'out@elsewhere.example', mailboxAddress: null, status: 'active', invited: false, managed: true, needsPassword: false },
      outcomes: { identity: 'ok', mail: 'skipped', files: 'ok' },
    })
  })

  it.each([
    ['an accent', 'mára', 'email'],
    ['another script', 'а.admin', 'email'],
    ['a quoted local part', '"a b"@acme.tenants.local', 'email'],
    ['dots at the end', 'a.@acme.tenants.local', 'email'],
    ['a tag', 'a+b', 'email'],
    ['a domain that is none', 'a@localhost', 'email'],
    ['the owner role', 'fine', 'role', { role: 'owner' }],
    ['a phone number that is none', 'fine', 'phone', { phone: 'call me' }],
    ['an unknown field', 'fine', 'password', { password: 'x' }],
    ['a name with a control character', 'fine', 'name', { name: 'a\u202eb' }],
  ])('is refused with %s, at the field', async (_, email, path, more?: object) => {
    expect(await create({ email, ...more })).toMatchObject(atField(path))
  })

  it('is refused under a domain that is not proven, or another tenant has, or that no tenant has yet', async () => {
    expect(await create({ email: 'a@unproven.example.com' })).toMatchObject(refused('domain_not_verified'))
    expect(await create({ email: 'a@globex.tenants.local' })).toMatchObject(refused('email_taken'))
    expect(await create({ email: 'a@nobody.tenants.local' })).toMatchObject(atField('email'))
  })

  it('is refused under an address that a member, an operator, an alias, a list or the outside systems have', async () => {
    const { member } = await house.newMember()
    await house.call('POST', `/users/${member.id}/aliases`, { address: 'taken-alias' })
    await house.call('POST', '/lists', { address: 'taken-list', name: 'List', recipients: [member.email] })
    for (const email of [member.email, 'member@acme.test', 'taken-alias', 'taken-list']) {
      expect(await create({ email }), email).toMatchObject(refused('email_taken'))
    }
    // Nothing tells whether somebody outside is known, and who it is.
    for (const email of ['operator@atrium.test', 'newcomer@example.test', 'owner@globex.test']) {
      expect((await create({ email, name: 'Typed' })).body.member, email).toMatchObject({ invited: true, name: 'Typed', phone: null })
    }
    expect(await identityUser(house, 'taken-alias@acme.tenants.local')).toBeUndefined()
  })

  it('is refused without a free seat', async () => {
    const { db } = house.database
    const { memberCount } = (await house.call('GET', '')).body
    await db.updateTable('tenants').set({ seats: memberCount }).where('slug', '=', 'acme').execute()
    try {
      expect(await create({ email: 'too-many' })).toMatchObject(refused('seats_exhausted'))
    } finally {
      await db.updateTable('tenants').set({ seats: 0 }).where('slug', '=', 'acme').execute()
    }
    await create({ email: 'just-right' })
    expect((await house.call('GET', '')).body.memberCount).toBe(memberCount + 1)
  })

  it('is made once under an Idempotency-Key, whose answer is not kept', async () => {
    const request = { token: house.as.admin, body: { email: 'once' }, headers: { 'idempotency-key': 'member-once' } }
    const first = await house.request('POST', '/tenants/acme/users', request)
    expect(first.status).toBe(201)
    expect(await house.request('POST', '/tenants/acme/users', request)).toMatchObject(refused('idempotency_answer_withheld'))
    await expectNowhere(house, first.body.oneTimePassword)
  })
})

describe('a change of the person', () => {
  it('reaches identity, mailbox and file account, each with its outcome', async () => {
    const { member } = await house.newMember()
    const answer = await house.call('PATCH', `/users/${member.id}`, { name: 'New Name', phone: '+1 555 0100', firstName: 'New' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        member: { name: 'New Name', phone: '+1 555 0100' },
        mirrors: { identity: { state: 'ok' }, mail: { state: 'ok' }, files: { state: 'ok' } },
      },
    })
    expect(await identityUser(house, member.email)).toMatchObject({
      name: 'New Name',
      attributes: { phone: '+1 555 0100', firstName: 'New' },
    })
    expect(mailbox(house, member.email)).toMatchObject({ description: 'New Name' })
    expect(await fileUser(house, member.email)).toMatchObject({ displayName: 'New Name' })
    const cleared = await house.call('PATCH', `/users/${member.id}`, { phone: null })
    expect(cleared.body).toMatchObject({
      member: { phone: null },
      mirrors: { identity: { state: 'ok' }, mail: { state: 'skipped' }, files: { state: 'skipped' } },
    })
    expect((await identityUser(house, member.email))?.attributes).not.toHaveProperty('phone')
  })

  it('tells nobody outside about a role, and says so', async () => {
    const { member } = await house.newMember()
    expect((await house.call('PATCH', `/users/${member.id}`, { role: 'admin' })).body).toMatchObject({
      member: { role: 'admin' },
      mirrors: { identity: { state: 'skipped' }, mail: { state: 'skipped' }, files: { state: 'skipped' } },
    })
    expect((await house.auditActions()).at(-1)).toBe('member.role_changed')
  })

  it('needs a field', async () => {
    expect(await house.call('PATCH', `/users/${await house.idOf('member@acme.test')}`, {})).toMatchObject(atField(''))
  })

  it('of the role is locked for the owner, the first admin without a mailbox, and oneself', async () => {
    const [owner, admin] = [await house.idOf('owner@acme.test'), await house.idOf('admin@acme.test')]
    const role = { role: 'member' }
    expect(await house.call('PATCH', `/users/${owner}`, role)).toMatchObject(refused('role_locked_owner'))
    expect(await house.call('PATCH', `/users/${owner}`, role, house.as.operator)).toMatchObject(refused('role_locked_owner'))
    expect(await house.call('PATCH', `/users/${admin}`, role)).toMatchObject(refused('role_locked_self'))
    expect(await house.call('PATCH', `/users/${admin}`, { role: 'admin' })).toMatchObject({ status: 200 })
    expect((await house.call('POST', '/transfer-ownership', { userId: admin }, house.as.owner)).status).toBe(200)
    expect((await house.member(owner)).bootstrapAdmin).toBe(true)
    expect(await house.call('PATCH', `/users/${owner}`, role)).toMatchObject(refused('role_locked_bootstrap_admin'))
    expect((await house.call('POST', '/transfer-ownership', { userId: owner })).status).toBe(200)
  })

  it('is told to the person and to admins alone where it is contact data', async () => {
    const { member } = await house.newMember({ phone: '+49 30 777', alternativeEmail: 'private@home.example' })
    expect((await house.call('GET', `/users/${member.id}`, undefined, house.as.member)).body).toMatchObject({
      phone: null,
      alternativeEmail: null,
    })
    const own = await house.token(member.email)
    expect((await house.call('GET', `/users/${member.id}`, undefined, own)).body).toMatchObject({ phone: '+49 30 777' })
    expect((await house.call('GET', `/users/${member.id}`)).body).toMatchObject({ alternativeEmail: 'private@home.example' })
  })
})

describe('another address', () => {
  it('renames the mailbox and keeps the old address as an alias; password, identity and files follow', async () => {
    const { member, oneTimePassword } = await house.newMember()
    const answer = await house.call('PUT', `/users/${member.id}/email`, { email: 'renamed' })
    expect(answer).toMatchObject({
      status: 200,
      body: { email: 'renamed@acme.tenants.local', mailboxAddress: 'renamed@acme.tenants.local' },
    })
    expect(await mailboxOpens(house, 'renamed@acme.tenants.local', oneTimePassword)).toBe(true)
    expect((await house.call('GET', `/users/${member.id}/aliases`)).body).toEqual({ items: [{ address: member.email }], nextCursor: null })
    expect(await identityUser(house, 'renamed@acme.tenants.local')).toMatchObject({ email: 'renamed@acme.tenants.local' })
    expect(await identityUser(house, member.email)).toBeUndefined()
    expect(await fileUser(house, 'renamed@acme.tenants.local')).toBeDefined()
    const back = await house.call('PUT', `/users/${member.id}/email`, { email: member.email })
    expect(back).toMatchObject({ status: 200, body: { email: member.email, outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } } })
  })

  it('is not undone by a token of before', async () => {
    const { member } = await house.newMember()
    const before = await house.token(member.email)
    await house.call('PUT', `/users/${member.id}/email`, { email: 'after-token' })
    await house.request('GET', '/users/me', { token: before })
    expect((await house.member(member.id)).email).toBe('after-token@acme.tenants.local')
  })

  it('of somebody without a mailbox changes the identity alone', async () => {
    const { member } = await house.newMember({ email: 'plain@elsewhere.example' })
    const answer = await house.call('PUT', `/users/${member.id}/email`, { email: 'other@elsewhere.example' })
    expect(answer).toMatchObject({ status: 200, body: { email: 'other@elsewhere.example', mailboxAddress: null } })
    expect(await identityUser(house, 'other@elsewhere.example')).toBeDefined()
  })

  it('is refused outside the domains of the tenant, and where it is taken', async () => {
    const [{ member }, { member: second }] = [await house.newMember(), await house.newMember()]
    const to = (email: string) => house.call('PUT', `/users/${member.id}/email`, { email })
    expect(await to('me@elsewhere.example')).toMatchObject(atField('email'))
    expect(await to('me@unproven.example.com')).toMatchObject(refused('domain_not_verified'))
    for (const email of [second.email, 'taken-alias', 'taken-list', 'member@acme.test']) {
      expect((await to(email)).status, email).not.toBe(200)
    }
    expect((await house.member(member.id)).email).toBe(member.email)
  })

  it('and password and mailbox of the owner are theirs and operators’ alone', async () => {
    const owner = await house.idOf('owner@acme.test')
    expect(await house.call('PUT', `/users/${owner}/email`, { email: 'x@elsewhere.example' })).toMatchObject(refused('owner_locked'))
    expect(await house.call('POST', `/users/${owner}/reset-password`)).toMatchObject(refused('owner_locked'))
    expect(await house.call('POST', `/users/${owner}/mailbox`, {})).toMatchObject(refused('owner_locked'))
  })
})

describe('further addresses', () => {
  it('are added and removed', async () => {
    const { member } = await house.newMember()
    const path = `/users/${member.id}/aliases`
    const added = await house.call('POST', path, { address: 'Sales' })
    expect(added).toMatchObject({
      status: 201,
      body: { address: 'sales@acme.tenants.local', aliases: ['sales@acme.tenants.local'], member: { id: member.id } },
    })
    await house.call('POST', path, { address: 'sales@acme.example.com' })
    expect((await house.call('GET', path)).body.items).toHaveLength(2)
    expect((await house.call('DELETE', `${path}/sales@acme.tenants.local`)).status).toBe(204)
    expect((await house.call('GET', path)).body.items).toEqual([{ address: 'sales@acme.example.com' }])
    expect(await house.call('DELETE', `${path}/sales@acme.tenants.local`)).toMatchObject({ status: 404 })
    expect((await house.auditActions()).slice(-3)).toEqual(['member.alias_added', 'member.alias_added', 'member.alias_removed'])
  })

  it('are refused where taken, foreign, unproven, and for somebody without a mailbox', async () => {
    const { member } = await house.newMember()
    const add = (address: string, id = member.id) => house.call('POST', `/users/${id}/aliases`, { address })
    expect(await add(member.email)).toMatchObject(refused('email_taken'))
    expect(await add('taken-alias')).toMatchObject(refused('email_taken'))
    expect(await add('taken-list')).toMatchObject(refused('email_taken'))
    expect(await add('a@elsewhere.example')).toMatchObject(atField('address'))
    expect(await add('a@unproven.example.com')).toMatchObject(refused('domain_not_verified'))
    expect(await add('free', await house.idOf('member@acme.test'))).toMatchObject(refused('mailbox_missing'))
  })

  it('are shown to a plain member when they are their own', async () => {
    const { member } = await house.newMember()
    const token = await house.token(member.email)
    expect((await house.call('GET', `/users/${member.id}/aliases`, undefined, token)).status).toBe(200)
    expect(await house.call('GET', `/users/${member.id}/aliases`, undefined, house.as.member)).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
  })
})

describe('a mailbox made later', () => {
  it('opens with the password that is shown, and the identity keeps its own', async () => {
    const { member } = await house.newMember({ email: 'later@elsewhere.example' })
    const answer = await house.call('POST', `/users/${member.id}/mailbox`, {})
    expect(answer).toMatchObject({
      status: 201,
      body: { member: { email: 'later@elsewhere.example', mailboxAddress: 'later@acme.tenants.local' } },
    })
    expect(await mailboxOpens(house, 'later@acme.tenants.local', answer.body.oneTimePassword)).toBe(true)
    await expectNowhere(house, answer.body.oneTimePassword)
    expect(await house.call('POST', `/users/${member.id}/mailbox`, {})).toMatchObject(refused('mailbox_exists'))
  })

  it('is refused under an address that is foreign or taken', async () => {
    const { member } = await house.newMember({ email: 'never@elsewhere.example' })
    const at = (address: string) => house.call('POST', `/users/${member.id}/mailbox`, { address })
    expect(await at('never@elsewhere.example')).toMatchObject(atField('address'))
    expect(await at('taken-alias')).toMatchObject(refused('email_taken'))
    expect(await at('taken-list')).toMatchObject(refused('email_taken'))
    expect(await house.member(member.id)).toMatchObject({ mailboxAddress: null })
  })
})

describe('a tenant that rests', () => {
  it.each(['suspended', 'deleted'] as const)('takes no change of a member while %s', async (status) => {
    const { member } = await house.newMember()
    await setTenantStatus(house, 'acme', status)
    try {
      const path = `/users/${member.id}`
      const calls: [string, string, object?][] = [
        ['POST', '/users', { email: 'late' }],
        // The state of the tenant is told before anything about the domain.
        ['POST', '/users', { email: 'a@unproven.example.com' }],
        ['PUT', `${path}/email`, { email: 'a@unproven.example.com' }],
        ['POST', `${path}/mailbox`, { address: 'a@unproven.example.com' }],
        ['POST', `${path}/aliases`, { address: 'a@unproven.example.com' }],
        ['PATCH', path, { name: 'Late' }],
        ['PUT', `${path}/email`, { email: 'late' }],
        ['POST', `${path}/aliases`, { address: 'late' }],
        ['DELETE', `${path}/aliases/late@acme.tenants.local`],
        ['POST', `${path}/mailbox`, { address: 'late' }],
        ['POST', `${path}/suspend`],
        ['POST', `${path}/resume`],
        ['POST', `${path}/force-logout`],
        ['POST', `${path}/reset-password`],
        ['POST', `${path}/retry`],
        ['DELETE', path],
        ['POST', '/transfer-ownership', { userId: member.id }],
        ['POST', '/user-imports', { csv: 'email\nlate\n', dryRun: false }],
      ]
      for (const [method, at, body] of calls) {
        expect(await house.call(method, at, body, house.as.operator), `${method} ${at}`).toMatchObject(refused(`tenant_${status}`))
      }
      expect((await house.call('GET', path, undefined, house.as.operator)).status).toBe(200)
    } finally {
      await setTenantStatus(house, 'acme', 'active')
    }
  })
})

describe('the list', () => {
  it('finds by text, role and status, and pages', async () => {
    const { member } = await house.newMember({ name: 'Zacharias Unique' })
    await house.call('POST', `/users/${member.id}/suspend`)
    const ids = async (query: string) => (await house.call('GET', `/users?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids('q=zacharias')).toEqual([member.id])
    expect(await ids('status=suspended&q=unique')).toEqual([member.id])
    expect(await ids('status=active&q=unique')).toEqual([])
    expect(await ids('role=owner')).toEqual([await house.idOf('owner@acme.test')])
    const first = (await house.call('GET', '/users?limit=2')).body
    const second = (await house.call('GET', `/users?limit=2&cursor=${first.nextCursor}`)).body
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4)
  })
})
