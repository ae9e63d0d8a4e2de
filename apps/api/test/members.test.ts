import { accept, invite } from '@atrium/testing/invitations'
import { addDomain, setTenantStatus } from '@atrium/testing/mailboxes'
import {
  expectNowhere,
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
  await addDomain(testApp, { slug: 'acme', name: 'acme.example.com', verified: true })
  await addDomain(testApp, { slug: 'acme', name: 'unproven.example.com', verified: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const create = (body: object, token?: string) => testApp.call('POST', '/users', body, token)
const rejected = (code: string) => ({ status: 409, body: { code } })
const atField = (path: string, message = expect.any(String)) => ({
  status: 400,
  body: { code: 'invalid_input', issues: [{ path, message }] },
})

describe('a new member', () => {
  it('gets identity, mailbox and file account, and one password for both sign-ins, shown once', async () => {
    const response = await create({
      email: 'Mara',
      firstName: 'Mara',
      lastName: 'Maler',
      phone: '+49 30 1234',
      alternativeEmail: 'mara@private.example',
    })
    expect(response.status).toBe(201)
    const { member, oneTimePassword } = response.body
    expect(member).toMatchObject({
      email: 'mara@acme.tenants.local',
      name: 'Mara Maler',
      role: 'member',
      status: 'active',
      mailboxAddress: 'mara@acme.tenants.local',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
      errors: {},
      bootstrapAdmin: false,
      managed: true,
      needsPassword: false,
    })
    expect(oneTimePassword).toHaveLength(16)
    const user = await identityUser(testApp, member.email)
    expect(user).toMatchObject({ is_active: true, path: 'tenants/acme', name: 'Mara Maler' })
    expect(user?.attributes).toMatchObject({
      firstName: 'Mara',
      lastName: 'Maler',
      phone: '+49 30 1234',
      alternativeEmail: 'mara@private.example',
    })
    expect(user?.groups).toHaveLength(1)
    expect(mailbox(testApp, member.email)).toMatchObject({ description: 'Mara Maler' })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await fileUser(testApp, member.email)).toMatchObject({ displayName: 'Mara Maler' })
    await expectNowhere(testApp, oneTimePassword)
    expect(await testApp.member(member.id)).toEqual(member)
  })

  it('can really sign in, and is a member of the tenant then', async () => {
    const { member } = await testApp.newMember({ role: 'admin' })
    const token = await testApp.token(member.email)
    expect((await testApp.request('GET', '/users/me', { token })).body).toMatchObject({
      id: member.id,
      tenants: [{ slug: 'acme', role: 'admin' }],
    })
  })

  it('takes a whole address on a proven domain, and has the name of the local part when no name is given', async () => {
    const { body } = await create({ email: 'Sven@ACME.example.com' })
    expect(body.member).toMatchObject({
      email: 'sven@acme.example.com',
      mailboxAddress: 'sven@acme.example.com',
      name: 'sven',
    })
  })

  it('from outside is invited, and has no mailbox', async () => {
    const person = { email: 'out@elsewhere.example' }
    expect(await create(person)).toMatchObject(rejected('invitation_required'))
    const asked = () => invite(testApp, 'acme', person, testApp.as.admin)
    expect((await asked()).body).toMatchObject({ code: null, invitation: { state: 'pending' } })
    expect((await asked()).body).toMatchObject({ code: 'email_taken', invitation: null })
    expect((await accept(testApp, person.email)).body.tempPassword).toHaveLength(16)
    expect((await asked()).body).toMatchObject({ code: 'email_taken', invitation: null })
    expect(await testApp.member(await testApp.idOf(person.email))).toMatchObject({
      email: 'out@elsewhere.example',
      mailboxAddress: null,
      status: 'active',
      managed: true,
      needsPassword: false,
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

  it('is rejected under a domain that is not proven, or another tenant has, or that no tenant has yet', async () => {
    expect(await create({ email: 'a@unproven.example.com' })).toMatchObject(
      rejected('domain_not_verified'),
    )
    for (const domain of ['globex.tenants.local', 'nobody.tenants.local'])
      expect(await create({ email: `a@${domain}` }), domain).toMatchObject(
        rejected('invitation_required'),
      )
  })

  it('is rejected under an address that a member, an operator, an alias, a list or the upstream systems have', async () => {
    const { member } = await testApp.newMember()
    await testApp.call('POST', `/users/${member.id}/aliases`, { address: 'taken-alias' })
    await testApp.call('POST', '/lists', {
      address: 'taken-list',
      name: 'List',
      recipients: [member.email],
    })
    for (const email of [member.email, 'member@acme.test', 'taken-alias', 'taken-list']) {
      expect(await create({ email }), email).toMatchObject(rejected('email_taken'))
    }
    // Nothing tells whether somebody outside is known, and who it is.
    for (const email of ['operator@atrium.test', 'newcomer@example.test', 'owner@globex.test']) {
      const { body } = await invite(testApp, 'acme', { email, name: 'Typed' }, testApp.as.admin)
      expect(body, email).toMatchObject({
        code: null,
        invitation: { email, name: 'Typed', state: 'pending', inviter: expect.any(String) },
      })
    }
    expect(await identityUser(testApp, 'taken-alias@acme.tenants.local')).toBeUndefined()
  })

  it('is rejected without a free seat', async () => {
    const { db } = testApp.database
    const { memberCount } = (await testApp.call('GET', '')).body
    await db.updateTable('tenants').set({ seats: memberCount }).where('slug', '=', 'acme').execute()
    try {
      expect(await create({ email: 'too-many' })).toMatchObject(rejected('seats_exhausted'))
    } finally {
      await db.updateTable('tenants').set({ seats: 0 }).where('slug', '=', 'acme').execute()
    }
    await create({ email: 'just-right' })
    expect((await testApp.call('GET', '')).body.memberCount).toBe(memberCount + 1)
  })

  it('is made once under an Idempotency-Key, whose answer is not kept', async () => {
    const request = {
      token: testApp.as.admin,
      body: { email: 'once' },
      headers: { 'idempotency-key': 'member-once' },
    }
    const first = await testApp.request('POST', '/tenants/acme/users', request)
    expect(first.status).toBe(201)
    expect(await testApp.request('POST', '/tenants/acme/users', request)).toMatchObject(
      rejected('idempotency_answer_withheld'),
    )
    await expectNowhere(testApp, first.body.oneTimePassword)
  })
})

describe('a change of the person', () => {
  it('reaches identity, mailbox and file account, each with its outcome', async () => {
    const { member } = await testApp.newMember()
    const response = await testApp.call('PATCH', `/users/${member.id}`, {
      name: 'New Name',
      phone: '+1 555 0100',
      firstName: 'New',
    })
    expect(response).toMatchObject({
      status: 200,
      body: {
        member: { name: 'New Name', phone: '+1 555 0100' },
        mirrors: { identity: { state: 'ok' }, mail: { state: 'ok' }, files: { state: 'ok' } },
      },
    })
    expect(await identityUser(testApp, member.email)).toMatchObject({
      name: 'New Name',
      attributes: { phone: '+1 555 0100', firstName: 'New' },
    })
    expect(mailbox(testApp, member.email)).toMatchObject({ description: 'New Name' })
    expect(await fileUser(testApp, member.email)).toMatchObject({ displayName: 'New Name' })
    const cleared = await testApp.call('PATCH', `/users/${member.id}`, { phone: null })
    expect(cleared.body).toMatchObject({
      member: { phone: null },
      mirrors: {
        identity: { state: 'ok' },
        mail: { state: 'skipped' },
        files: { state: 'skipped' },
      },
    })
    expect((await identityUser(testApp, member.email))?.attributes).not.toHaveProperty('phone')
  })

  it('tells nobody outside about a role, and says so', async () => {
    const { member } = await testApp.newMember()
    expect(
      (await testApp.call('PATCH', `/users/${member.id}`, { role: 'admin' })).body,
    ).toMatchObject({
      member: { role: 'admin' },
      mirrors: {
        identity: { state: 'skipped' },
        mail: { state: 'skipped' },
        files: { state: 'skipped' },
      },
    })
    expect((await testApp.auditActions()).at(-1)).toBe('member.role_changed')
  })

  it('needs a field', async () => {
    expect(
      await testApp.call('PATCH', `/users/${await testApp.idOf('member@acme.test')}`, {}),
    ).toMatchObject(atField(''))
  })

  it('of the role is locked for the owner, the first admin without a mailbox, and oneself', async () => {
    const [owner, admin] = [
      await testApp.idOf('owner@acme.test'),
      await testApp.idOf('admin@acme.test'),
    ]
    const role = { role: 'member' }
    expect(await testApp.call('PATCH', `/users/${owner}`, role)).toMatchObject(
      rejected('role_locked_owner'),
    )
    expect(await testApp.call('PATCH', `/users/${owner}`, role, testApp.as.operator)).toMatchObject(
      rejected('role_locked_owner'),
    )
    expect(await testApp.call('PATCH', `/users/${admin}`, role)).toMatchObject(
      rejected('role_locked_self'),
    )
    expect(await testApp.call('PATCH', `/users/${admin}`, { role: 'admin' })).toMatchObject({
      status: 200,
    })
    expect(
      (await testApp.call('POST', '/transfer-ownership', { userId: admin }, testApp.as.owner))
        .status,
    ).toBe(200)
    expect((await testApp.member(owner)).bootstrapAdmin).toBe(true)
    expect(await testApp.call('PATCH', `/users/${owner}`, role)).toMatchObject(
      rejected('role_locked_bootstrap_admin'),
    )
    expect((await testApp.call('POST', '/transfer-ownership', { userId: owner })).status).toBe(200)
  })

  it('is told to the person and to admins alone where it is contact data', async () => {
    const { member } = await testApp.newMember({
      phone: '+49 30 777',
      alternativeEmail: 'private@home.example',
    })
    expect(
      (await testApp.call('GET', `/users/${member.id}`, undefined, testApp.as.member)).body,
    ).toMatchObject({
      phone: null,
      alternativeEmail: null,
    })
    const own = await testApp.token(member.email)
    expect((await testApp.call('GET', `/users/${member.id}`, undefined, own)).body).toMatchObject({
      phone: '+49 30 777',
    })
    expect((await testApp.call('GET', `/users/${member.id}`)).body).toMatchObject({
      alternativeEmail: 'private@home.example',
    })
  })
})

describe('another address', () => {
  it('renames the mailbox and keeps the old address as an alias; password, identity and files follow', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const response = await testApp.call('PUT', `/users/${member.id}/email`, { email: 'renamed' })
    expect(response).toMatchObject({
      status: 200,
      body: { email: 'renamed@acme.tenants.local', mailboxAddress: 'renamed@acme.tenants.local' },
    })
    expect(await mailboxOpens(testApp, 'renamed@acme.tenants.local', oneTimePassword)).toBe(true)
    expect((await testApp.call('GET', `/users/${member.id}/aliases`)).body).toEqual({
      items: [{ address: member.email }],
      nextCursor: null,
    })
    expect(await identityUser(testApp, 'renamed@acme.tenants.local')).toMatchObject({
      email: 'renamed@acme.tenants.local',
    })
    expect(await identityUser(testApp, member.email)).toBeUndefined()
    expect(await fileUser(testApp, 'renamed@acme.tenants.local')).toBeDefined()
    const back = await testApp.call('PUT', `/users/${member.id}/email`, { email: member.email })
    expect(back).toMatchObject({
      status: 200,
      body: { email: member.email, outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } },
    })
  })

  it('is not undone by a token of before', async () => {
    const { member } = await testApp.newMember()
    const before = await testApp.token(member.email)
    await testApp.call('PUT', `/users/${member.id}/email`, { email: 'after-token' })
    await testApp.request('GET', '/users/me', { token: before })
    expect((await testApp.member(member.id)).email).toBe('after-token@acme.tenants.local')
  })

  it('of somebody without a mailbox changes the identity alone', async () => {
    const { member } = await testApp.newMember({ email: 'plain@elsewhere.example' })
    const response = await testApp.call('PUT', `/users/${member.id}/email`, {
      email: 'other@elsewhere.example',
    })
    expect(response).toMatchObject({
      status: 200,
      body: { email: 'other@elsewhere.example', mailboxAddress: null },
    })
    expect(await identityUser(testApp, 'other@elsewhere.example')).toBeDefined()
  })

  it('is rejected outside the domains of the tenant, and where it is taken', async () => {
    const [{ member }, { member: second }] = [await testApp.newMember(), await testApp.newMember()]
    const to = (email: string) => testApp.call('PUT', `/users/${member.id}/email`, { email })
    expect(await to('me@elsewhere.example')).toMatchObject(atField('email'))
    expect(await to('me@unproven.example.com')).toMatchObject(rejected('domain_not_verified'))
    for (const email of [second.email, 'taken-alias', 'taken-list', 'member@acme.test']) {
      expect((await to(email)).status, email).not.toBe(200)
    }
    expect((await testApp.member(member.id)).email).toBe(member.email)
  })

  it('and password and mailbox of the owner are theirs and operators’ alone', async () => {
    const owner = await testApp.idOf('owner@acme.test')
    expect(
      await testApp.call('PUT', `/users/${owner}/email`, { email: 'x@elsewhere.example' }),
    ).toMatchObject(rejected('owner_locked'))
    expect(await testApp.call('POST', `/users/${owner}/reset-password`)).toMatchObject(
      rejected('owner_locked'),
    )
    expect(await testApp.call('POST', `/users/${owner}/mailbox`, {})).toMatchObject(
      rejected('owner_locked'),
    )
  })
})

describe('further addresses', () => {
  it('are added and removed', async () => {
    const { member } = await testApp.newMember()
    const path = `/users/${member.id}/aliases`
    const added = await testApp.call('POST', path, { address: 'Sales' })
    expect(added).toMatchObject({
      status: 201,
      body: {
        address: 'sales@acme.tenants.local',
        aliases: ['sales@acme.tenants.local'],
        member: { id: member.id },
      },
    })
    await testApp.call('POST', path, { address: 'sales@acme.example.com' })
    expect((await testApp.call('GET', path)).body.items).toHaveLength(2)
    expect((await testApp.call('DELETE', `${path}/sales@acme.tenants.local`)).status).toBe(204)
    expect((await testApp.call('GET', path)).body.items).toEqual([
      { address: 'sales@acme.example.com' },
    ])
    expect(await testApp.call('DELETE', `${path}/sales@acme.tenants.local`)).toMatchObject({
      status: 404,
    })
    expect((await testApp.auditActions()).slice(-3)).toEqual([
      'member.alias_added',
      'member.alias_added',
      'member.alias_removed',
    ])
  })

  it('are rejected when taken, foreign, unproved, or without a mailbox', async () => {
    const { member } = await testApp.newMember()
    const add = (address: string, id = member.id) =>
      testApp.call('POST', `/users/${id}/aliases`, { address })
    expect(await add(member.email)).toMatchObject(rejected('email_taken'))
    expect(await add('taken-alias')).toMatchObject(rejected('email_taken'))
    expect(await add('taken-list')).toMatchObject(rejected('email_taken'))
    expect(await add('a@elsewhere.example')).toMatchObject(atField('address'))
    expect(await add('a@unproven.example.com')).toMatchObject(rejected('domain_not_verified'))
    expect(await add('free', await testApp.idOf('member@acme.test'))).toMatchObject(
      rejected('mailbox_missing'),
    )
  })

  it('are shown to a plain member when they are their own', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    expect(
      (await testApp.call('GET', `/users/${member.id}/aliases`, undefined, token)).status,
    ).toBe(200)
    expect(
      await testApp.call('GET', `/users/${member.id}/aliases`, undefined, testApp.as.member),
    ).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
  })
})

describe('a mailbox made later', () => {
  it('opens with the password that is shown, and the identity keeps its own', async () => {
    const { member } = await testApp.newMember({ email: 'later@elsewhere.example' })
    const response = await testApp.call('POST', `/users/${member.id}/mailbox`, {})
    expect(response).toMatchObject({
      status: 201,
      body: {
        member: { email: 'later@elsewhere.example', mailboxAddress: 'later@acme.tenants.local' },
      },
    })
    expect(
      await mailboxOpens(testApp, 'later@acme.tenants.local', response.body.oneTimePassword),
    ).toBe(true)
    await expectNowhere(testApp, response.body.oneTimePassword)
    expect(await testApp.call('POST', `/users/${member.id}/mailbox`, {})).toMatchObject(
      rejected('mailbox_exists'),
    )
  })

  it('is rejected under an address that is foreign or taken', async () => {
    const { member } = await testApp.newMember({ email: 'never@elsewhere.example' })
    const at = (address: string) => testApp.call('POST', `/users/${member.id}/mailbox`, { address })
    expect(await at('never@elsewhere.example')).toMatchObject(atField('address'))
    expect(await at('taken-alias')).toMatchObject(rejected('email_taken'))
    expect(await at('taken-list')).toMatchObject(rejected('email_taken'))
    expect(await testApp.member(member.id)).toMatchObject({ mailboxAddress: null })
  })
})

describe('a tenant that rests', () => {
  it.each(['suspended', 'deleted'] as const)(
    'takes no change of a member while %s',
    async (status) => {
      const { member } = await testApp.newMember()
      await setTenantStatus(testApp, 'acme', status)
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
          ['POST', `${path}/resume`],
          ['POST', `${path}/retry`],
          // What protects an account stays possible while the tenant is suspended.
          ...(status === 'deleted'
            ? (['suspend', 'force-logout', 'reset-password'] as const)
            : []
          ).map((act): [string, string] => ['POST', `${path}/${act}`]),
          ['POST', '/transfer-ownership', { userId: member.id }],
          ['POST', '/user-imports', { csv: 'email\nlate\n', dryRun: false }],
        ]
        for (const [method, at, body] of calls) {
          expect(
            await testApp.call(method, at, body, testApp.as.operator),
            `${method} ${at}`,
          ).toMatchObject(rejected(`tenant_${status}`))
        }
        if (status === 'deleted')
          expect(await testApp.call('DELETE', path)).toMatchObject(rejected('tenant_deleted'))
        expect((await testApp.call('GET', path, undefined, testApp.as.operator)).status).toBe(200)
      } finally {
        await setTenantStatus(testApp, 'acme', 'active')
      }
    },
  )
})

describe('the list', () => {
  it('finds by text, role and status, and pages', async () => {
    const { member } = await testApp.newMember({ name: 'Zacharias Unique' })
    await testApp.call('POST', `/users/${member.id}/suspend`)
    const ids = async (query: string) =>
      (await testApp.call('GET', `/users?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids('q=zacharias')).toEqual([member.id])
    expect(await ids('status=suspended&q=unique')).toEqual([member.id])
    expect(await ids('status=active&q=unique')).toEqual([])
    expect(await ids('role=owner')).toEqual([await testApp.idOf('owner@acme.test')])
    const first = (await testApp.call('GET', '/users?limit=2')).body
    const second = (await testApp.call('GET', `/users?limit=2&cursor=${first.nextCursor}`)).body
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4)
  })
})
