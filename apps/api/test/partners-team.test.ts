import { randomBytes } from 'node:crypto'
import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import { accept, follow, linkToken } from '@atrium/testing/invitations'
import { clientsWithDeadline, identityApi, identityRecords } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

let testApp: PartnersTestApp
beforeAll(async () => {
  testApp = await startPartnersTestApp({ integrations: clientsWithDeadline(800) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const fresh = () => `staff-${randomBytes(4).toString('hex')}@example.test`
const staffOf = async (slug: string) =>
  (await testApp.call('GET', `/partners/${slug}/users`)).body.items
const identityOf = (email: string) =>
  identityRecords(testApp).users.filter((user) => user.email === email)
const groupsOf = (email: string) => {
  const { groups, users } = identityRecords(testApp)
  return users
    .filter((user) => user.email === email)
    .flatMap((user) => user.groups.map((pk) => groups.find((group) => group.pk === pk)?.name))
}
async function partnerWithOwner() {
  const partner = await testApp.newPartner()
  return {
    ...partner,
    path: `/partners/${partner.slug}/users`,
    owner: await testApp.newPerson({ partnerId: partner.id, access: 'owner' }),
  }
}
async function auditOf(slug: string, action: string) {
  const { body } = await testApp.call('GET', `/audit?partnerSlug=${slug}&action=${action}`)
  return body.items.reverse()
}
const teamAudit = (slug: string) => auditOf(slug, 'partner_team.')
const invitationsOf = async (slug: string) =>
  (await testApp.call('GET', `/partners/${slug}/invitations`)).body.items

describe('inviting', () => {
  it('a new person gets nothing before the link is followed, and then an identity in the shared group', async () => {
    const { path, slug, owner } = await partnerWithOwner()
    const email = fresh()
    const response = await testApp.call(
      'POST',
      path,
      { name: 'Nia New', email: email.toUpperCase(), access: 'manager' },
      owner.token,
    )
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    expect(response.body).toEqual({
      invitationId: expect.any(String),
      access: 'manager',
      handoff: 'mail',
    })
    expect(identityOf(email)).toEqual([])
    expect((await staffOf(slug)).map((one: { email: string }) => one.email)).toEqual([owner.email])
    expect(await invitationsOf(slug)).toMatchObject([{ email, access: 'manager', kind: 'staff' }])
    const accepted = await accept(testApp, email)
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword', joined: slug, path: '/partner' })
    const [identity] = identityOf(email)
    expect(identity).toMatchObject({ name: 'Nia New', is_active: true })
    const saved = testApp.sandbox.identity.save() as {
      users: { email: string; password: string | null }[]
    }
    const stored = saved.users.find((user) => user.email === email)
    expect(passwordMatches(stored?.password ?? null, accepted.body.tempPassword)).toBe(true)
    expect(groupsOf(email)).toEqual(['partner-staff'])
    const token = await testApp.tokenOf(identity?.uid ?? '')
    expect((await testApp.call('GET', `/partners/${slug}`, undefined, token)).body).toMatchObject({
      access: 'manager',
    })
    const entries = await auditOf(slug, 'invitation.')
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'invitation.created',
      'invitation.accepted',
    ])
    const [entry] = entries
    expect(entry).toMatchObject({
      action: 'invitation.created',
      actorType: 'partner',
      actorEmail: owner.email,
      resourceName: email,
      metadata: { kind: 'staff', access: 'manager' },
    })
    const { body } = await testApp.call('GET', `/audit?partnerSlug=${slug}&action=user.`)
    expect(body.items).toMatchObject([
      { action: 'user.address_proved', resourceName: email, metadata: { handoff: 'tempPassword' } },
    ])
    expect(JSON.stringify([entry, body])).not.toContain(accepted.body.tempPassword)
    expect(testApp.logLines.join('\n')).not.toContain(accepted.body.tempPassword)
  })

  it('hands over a recovery link where the provider has such a flow', async () => {
    await using other = await startPartnersTestApp({
      sandbox: { identity: { recoveryFlow: true } },
    })
    const email = fresh()
    expect(
      await other.call('POST', '/partners/north/users', { name: 'Lin', email, access: 'viewer' }),
    ).toMatchObject({ status: 201 })
    const { body } = await accept(other, email)
    expect(Object.keys(body).sort()).toEqual(['email', 'handoff', 'joined', 'link', 'path'])
    const secret = new URL(body.link).searchParams.get('flow_token') ?? 'none'
    expect(other.logLines.join('')).not.toContain(secret)
    expect(JSON.stringify((await other.call('GET', '/audit')).body)).not.toContain(secret)
  })

  it('somebody who proved the address joins with the account there is, and changes no password', async () => {
    const { path, slug, owner } = await partnerWithOwner()
    const person = await testApp.newPerson()
    await testApp.database.db
      .updateTable('users')
      .set({ proved_email: person.email, proved_at: new Date() })
      .where('id', '=', person.id)
      .execute()
    await testApp.call(
      'POST',
      path,
      { name: 'Ignored', email: person.email, access: 'support' },
      owner.token,
    )
    expect(await testApp.call('GET', `/partners/${slug}`, undefined, person.token)).toMatchObject({
      status: 403,
    })
    expect((await accept(testApp, person.email)).body).toMatchObject({
      handoff: 'existing',
      joined: slug,
    })
    expect(
      (await testApp.call('GET', `/partners/${slug}`, undefined, person.token)).body,
    ).toMatchObject({ access: 'support' })
    expect((await staffOf(slug)).map((one: { email: string }) => one.email).sort()).toEqual(
      [owner.email, person.email].sort(),
    )
  })

  it('accepts no one managed by a tenant, unless that tenant or an operator asks', async () => {
    const { path, owner } = await partnerWithOwner()
    const globex = await tenantIdOf(testApp.database.db, 'globex')
    const employee = await testApp.newPerson(undefined, { home_tenant_id: globex })
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: globex, user_id: employee.id, role: 'member' })
      .execute()
    const invite = (email: string, token?: string) =>
      testApp.call('POST', path, { name: 'X', email, access: 'viewer' }, token)
    const rejected = { status: 409, body: { code: 'email_exists', issues: [{ path: 'email' }] } }
    // Neither somebody known nor an address that nobody has yet, on a domain that the tenant
    // proved.
    for (const email of [employee.email, 'nobody@globex.tenants.local']) {
      expect(await invite(email, owner.token), email).toMatchObject(rejected)
    }
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: globex, user_id: owner.id, role: 'admin' })
      .execute()
    for (const email of [employee.email, 'nobody@globex.tenants.local'])
      expect((await invite(email, owner.token)).status, email).toBe(201)
    const other = await partnerWithOwner()
    expect(
      (
        await testApp.call('POST', other.path, {
          name: 'X',
          email: employee.email,
          access: 'viewer',
        })
      ).status,
    ).toBe(201)
    // The own company keeps the employee in its hands.
    expect(
      await testApp.call('GET', `/partners/${other.slug}`, undefined, employee.token),
    ).toMatchObject({ status: 403 })
  })

  it('is rejected with a reason at the address', async () => {
    const { path, owner } = await partnerWithOwner()
    const elsewhere = await partnerWithOwner()
    const deactivated = await testApp.newPerson(undefined, { deactivated_at: new Date() })
    const rejections = [
      [elsewhere.owner.email, 'email_exists'],
      [owner.email, 'already_exists'],
      [deactivated.email, 'email_exists'],
    ] as const
    for (const [email, code] of rejections) {
      expect(
        await testApp.call('POST', path, { name: 'X', email, access: 'viewer' }, owner.token),
        email,
      ).toMatchObject({
        status: 409,
        body: { code, issues: [{ path: 'email' }] },
      })
    }
    for (const body of [
      { name: 'X', email: fresh() },
      { name: 'X', email: 'nobody', access: 'viewer' },
      { name: 'X', email: fresh(), access: 'root' },
    ])
      expect(await testApp.call('POST', path, body, owner.token)).toMatchObject({ status: 400 })
  })

  it('takes over who worked for a partner that was terminated', async () => {
    const before = await testApp.newPartner()
    const person = await testApp.newPerson({ partnerId: before.id, access: 'owner' })
    await testApp.call('DELETE', `/partners/${before.slug}`)
    const { path, owner, slug } = await partnerWithOwner()
    await testApp.database.db
      .updateTable('users')
      .set({ proved_email: person.email })
      .where('id', '=', person.id)
      .execute()
    expect(
      await testApp.call(
        'POST',
        path,
        { name: 'X', email: person.email, access: 'viewer' },
        owner.token,
      ),
    ).toMatchObject({
      status: 201,
    })
    expect((await accept(testApp, person.email)).status).toBe(200)
    expect(
      (await testApp.call('GET', '/users/me', undefined, person.token)).body.partner,
    ).toMatchObject({ slug, access: 'viewer' })
  })

  it('leaves another person’s disabled account alone', async () => {
    const { path, owner } = await partnerWithOwner()
    const email = fresh()
    await identityApi(testApp, 'POST', '/core/users/', {
      username: email,
      email,
      name: 'Somebody',
      is_active: false,
      groups: [],
    })
    await testApp.call('POST', path, { name: 'Other', email, access: 'viewer' }, owner.token)
    expect(await accept(testApp, email)).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
    expect(identityOf(email)).toMatchObject([{ is_active: false, groups: [] }])
  })

  it.each([
    'GET /api/v3/core/users/',
    'POST /api/v3/core/users/',
    'GET /api/v3/core/groups/',
    '/add_user/',
    '/recovery/',
    '/set_password/',
    'PATCH /api/v3/core/users/',
  ])(
    'keeps the link when the provider fails at %s, and following it again goes on',
    async (match) => {
      const { path, owner, slug } = await partnerWithOwner()
      const email = fresh()
      expect(
        await testApp.call('POST', path, { name: 'Unlucky', email, access: 'viewer' }, owner.token),
      ).toMatchObject({ status: 201 })
      const token = await linkToken(testApp, email)
      testApp.sandbox.fault({ system: 'identity', match, mode: 'error', status: 503, times: 2 })
      expect(await follow(testApp, token)).toMatchObject({
        status: 502,
        body: { code: 'upstream_failed' },
      })
      testApp.sandbox.clearFaults()
      expect(await follow(testApp, token)).toMatchObject({
        status: 200,
        body: { handoff: 'tempPassword' },
      })
      expect(identityOf(email)).toMatchObject([{ is_active: true }])
      expect(groupsOf(email)).toEqual(['partner-staff'])
      expect(
        (await staffOf(slug)).find((one: { email: string }) => one.email === email),
      ).toMatchObject({ status: 'active' })
      expect(await follow(testApp, token)).toMatchObject({ status: 404 })
    },
  )

  it('twice at once makes one invitation', async () => {
    const { path, owner, slug } = await partnerWithOwner()
    const email = fresh()
    const responses = await Promise.all(
      [1, 2, 3].map(() =>
        testApp.call('POST', path, { name: 'Once', email, access: 'viewer' }, owner.token),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(await invitationsOf(slug)).toHaveLength(1)
  })

  it('is revoked, and an invited owner is no owner', async () => {
    const { path, id, owner, slug } = await partnerWithOwner()
    const email = fresh()
    const { body } = await testApp.call(
      'POST',
      path,
      { name: 'Late', email, access: 'owner' },
      owner.token,
    )
    expect(await testApp.call('DELETE', `${path}/${owner.id}`)).toMatchObject({
      status: 409,
      body: { code: 'last_partner_owner' },
    })
    const invitation = `/partners/${slug}/invitations/${body.invitationId}`
    expect(
      await testApp.call('POST', `${invitation}/revoke`, undefined, owner.token),
    ).toMatchObject({ status: 200, body: { state: 'revoked' } })
    expect(await invitationsOf(slug)).toMatchObject([{ state: 'revoked' }])
    const left = await testApp.database.db
      .selectFrom('users')
      .select('id')
      .where('partner_id', '=', id)
      .execute()
    expect(left).toHaveLength(1)
  })
})

describe('the staff list', () => {
  it('tells level, second factors and when somebody was last there', async () => {
    const north = await testApp.demoToken('partner@north.test')
    await testApp.call('GET', '/users/me', undefined, north)
    const { body } = await testApp.call('GET', '/partners/north/users', undefined, north)
    expect(body).toMatchObject({ nextCursor: null, refreshing: false })
    expect(body.items).toEqual([
      {
        userId: expect.any(String),
        email: 'partner@north.test',
        name: 'Pia Partner',
        access: 'owner',
        status: 'active',
        mfa: {
          state: expect.stringMatching(/enrolled/),
          factors: expect.any(Object),
          checkedAt: expect.any(String),
          reason: null,
        },
        lastSeenAt: expect.any(String),
      },
    ])
  })

  it('says unknown, with the reason, of whom the provider tells nothing', async () => {
    const { slug } = await partnerWithOwner()
    expect(await staffOf(slug)).toMatchObject([
      { mfa: { state: 'unknown', factors: null, reason: expect.any(String) } },
    ])
  })

  it('is read page by page', async () => {
    const { path, id, owner } = await partnerWithOwner()
    for (let n = 0; n < 3; n++) await testApp.newPerson({ partnerId: id, access: 'viewer' })
    const first = (await testApp.call('GET', `${path}?limit=2`, undefined, owner.token)).body
    const second = (
      await testApp.call(
        'GET',
        `${path}?limit=2&cursor=${first.nextCursor}`,
        undefined,
        owner.token,
      )
    ).body
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 2, null])
    expect(
      new Set([...first.items, ...second.items].map((one: { userId: string }) => one.userId)).size,
    ).toBe(4)
  })
})

describe('changing and removing staff', () => {
  it('acts with the next request and is recorded', async () => {
    const { path, id, slug, owner } = await partnerWithOwner()
    const person = await testApp.newPerson({ partnerId: id, access: 'viewer' })
    expect(
      await testApp.call('PATCH', `${path}/${person.id}`, { access: 'manager' }, owner.token),
    ).toMatchObject({
      status: 200,
      body: { userId: person.id, access: 'manager' },
    })
    expect(
      (await testApp.call('GET', `/partners/${slug}`, undefined, person.token)).body,
    ).toMatchObject({ access: 'manager' })
    expect(
      await testApp.call('DELETE', `${path}/${person.id}`, undefined, owner.token),
    ).toMatchObject({ status: 204 })
    expect(await testApp.call('GET', `/partners/${slug}`, undefined, person.token)).toMatchObject({
      status: 403,
    })
    expect(
      await testApp.call('DELETE', `${path}/${person.id}`, undefined, owner.token),
    ).toMatchObject({ status: 404 })
    expect(await teamAudit(slug)).toMatchObject([
      {
        action: 'partner_team.access_changed',
        metadata: { changes: { access: ['viewer', 'manager'] } },
      },
      { action: 'partner_team.removed', metadata: { access: 'manager' } },
    ])
  })

  it('takes the person out of the group at the provider, or says that it could not', async () => {
    const { path, owner, slug } = await partnerWithOwner()
    const invited: string[] = []
    for (const email of [fresh(), fresh()]) {
      await testApp.call('POST', path, { name: 'Leaving', email, access: 'viewer' }, owner.token)
      expect((await accept(testApp, email)).status).toBe(200)
      const { userId } = (await staffOf(slug)).find((one: { email: string }) => one.email === email)
      invited.push(userId)
      if (invited.length === 2)
        testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503 })
      expect(
        await testApp.call('DELETE', `${path}/${userId}`, undefined, owner.token),
      ).toMatchObject({ status: 204 })
      testApp.sandbox.clearFaults()
      expect(groupsOf(email)).toEqual(invited.length === 2 ? ['partner-staff'] : [])
    }
    expect(await staffOf(slug)).toHaveLength(1)
    const removals = (await teamAudit(slug)).filter(
      ({ action }: { action: string }) => action === 'partner_team.removed',
    )
    expect(
      removals.map(({ metadata }: { metadata: object }) => Reflect.get(metadata, 'leftGroup')),
    ).toEqual([undefined, false])
  })

  it('keeps the last owner who is not shut out', async () => {
    const { path, id, owner } = await partnerWithOwner()
    await testApp.newPerson({ partnerId: id, access: 'owner' }, { deactivated_at: new Date() })
    const rejected = { status: 409, body: { code: 'last_partner_owner' } }
    expect(
      await testApp.call('PATCH', `${path}/${owner.id}`, { access: 'manager' }, owner.token),
    ).toMatchObject(rejected)
    expect(await testApp.call('DELETE', `${path}/${owner.id}`)).toMatchObject(rejected)
    expect(await testApp.call('PATCH', `/users/${owner.id}`, { partnerId: null })).toMatchObject(
      rejected,
    )
    expect(
      await testApp.call('PATCH', `/users/${owner.id}`, { partnerAccess: 'viewer' }),
    ).toMatchObject(rejected)
    expect(await testApp.call('DELETE', `/users/${owner.id}`)).toMatchObject(rejected)
    await testApp.newPerson({ partnerId: id, access: 'owner' })
    expect(
      await testApp.call('PATCH', `${path}/${owner.id}`, { access: 'manager' }, owner.token),
    ).toMatchObject({ status: 200 })
  })

  it('leaves one owner when two remove or demote each other at once', async () => {
    for (let round = 0; round < 6; round++) {
      const { path, id, owner } = await partnerWithOwner()
      const other = await testApp.newPerson({ partnerId: id, access: 'owner' })
      const act = (by: typeof owner, of: typeof owner) =>
        round % 2 === 0
          ? testApp.call('DELETE', `${path}/${of.id}`, undefined, by.token)
          : testApp.call('PATCH', `${path}/${of.id}`, { access: 'viewer' }, by.token)
      const responses = await Promise.all([act(owner, other), act(other, owner)])
      expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
      const owners = await testApp.database.db
        .selectFrom('users')
        .select('id')
        .where('partner_id', '=', id)
        .where('partner_access', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
    }
  })

  it('knows no one of another partner', async () => {
    const [here, there] = [await partnerWithOwner(), await partnerWithOwner()]
    expect(
      await testApp.call('DELETE', `${here.path}/${there.owner.id}`, undefined, here.owner.token),
    ).toMatchObject({ status: 404 })
    expect(
      await testApp.call('PATCH', `${here.path}/${there.owner.id}`, { access: 'viewer' }),
    ).toMatchObject({ status: 404 })
  })
})

describe('an operator, by the user’s record', () => {
  it('adds a person to a staff as viewer, changes the level, and removes the person', async () => {
    const { id, slug } = await partnerWithOwner()
    const person = await testApp.newPerson()
    const patch = (body: object) => testApp.call('PATCH', `/users/${person.id}`, body)
    expect(await patch({ partnerAccess: 'owner' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'partnerAccess' }] },
    })
    expect((await patch({ partnerId: id })).body.partner).toEqual({
      id,
      slug,
      name: slug,
      status: 'active',
      access: 'viewer',
    })
    expect((await patch({ partnerAccess: 'owner' })).body.partner).toMatchObject({
      access: 'owner',
    })
    expect((await patch({ partnerId: null })).body.partner).toBeNull()
    expect((await testApp.call('GET', `/users?partnerSlug=${slug}`)).body.items).toHaveLength(1)
  })
})
