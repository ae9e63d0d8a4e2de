import { randomBytes } from 'node:crypto'
import {
  type HeldAccount,
  heldAccount as makeHeldAccount,
  opens as opensIdentity,
} from '@atrium/testing/held-accounts'
import { follow, invite, mailedToken } from '@atrium/testing/invitations'
import { caughtMails } from '@atrium/testing/mails'
import {
  identityUser,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { identityApi } from '@atrium/testing/outside'
import { partnerIdOf } from '@atrium/testing/records'
import type { TestResponse } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/**
 * The attacker is the owner of Globex, who makes accounts for addresses of other people and waits
 * until somebody trusts them. The victim is whoever reads the mail of the address, or Acme, which
 * proves the domain.
 */
let testApp: MembersTestApp
let north: string
beforeAll(async () => {
  testApp = await startMembersTestApp({
    mailer: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  const id = await partnerIdOf(testApp.database.db, 'north')
  north = id
  // Globex has a subscription, and the attacker more people than it has seats.
  await testApp.database.db.updateTable('subscriptions').set({ seats: 1_000 }).execute()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const fresh = () => `victim-${randomBytes(5).toString('hex')}@elsewhere.example`
const attack = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/globex${path}`, {
    token: testApp.as.outsider,
    ...(body ? { body } : {}),
  })
interface Invitee {
  email: string
  name?: string
  role?: string
}
/** The attacker invites somebody to Globex. */
const lure = (person: Invitee) => invite(testApp, 'globex', person, testApp.as.outsider)
/** Acme invites somebody. */
const welcome = (person: Invitee) => invite(testApp, 'acme', person, testApp.as.admin)
const operate = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, path, { token: testApp.as.operator, ...(body ? { body } : {}) })
const recordOf = (email: string) =>
  testApp.database.db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

/** Whether the identity provider lets somebody in with this password. */
const opens = (email: string, password: string): boolean => opensIdentity(testApp, email, password)

/** The attacker knows its password and is signed in. */
const heldAccount = (email = fresh()): Promise<HeldAccount> =>
  makeHeldAccount(testApp, { email, tenantSlug: 'globex' })

/**
 * What the attacker holds opens nothing any more: neither the password, nor the token of before,
 * nor a sign-in as the old subject.
 */
async function expectUseless({ email, password, token }: HeldAccount): Promise<void> {
  expect(opens(email, password)).toBe(false)
  expect(await testApp.request('GET', '/users/me', { token })).toMatchObject({
    status: 403,
    body: { code: 'user_deactivated' },
  })
  expect((await testApp.request('GET', '/tenants/globex/users', { token })).status).toBe(403)
}

/** Acme proves a domain of its own. */
async function provenDomain(): Promise<string> {
  const domain = `${randomBytes(5).toString('hex')}.example.org`
  const { status, body } = await testApp.request('POST', '/tenants/acme/domains', {
    token: testApp.as.owner,
    body: { domain },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  const records = body.records.filter(
    ({ type }: { type: string }) => type !== 'TLSA' && type !== 'CAA',
  )
  testApp.sandbox.dns.zones.put(
    domain,
    records.map(({ name, type, value }: Record<'name' | 'type' | 'value', string>) => ({
      name,
      type,
      value,
    })),
  )
  await testApp.request('POST', `/tenants/acme/domains/${domain}/recheck`, {
    token: testApp.as.owner,
  })
  const { verified_at } = await testApp.database.db
    .selectFrom('domains')
    .select('verified_at')
    .where('name', '=', domain)
    .executeTakeFirstOrThrow()
  expect(verified_at).not.toBeNull()
  return domain
}

describe('an account for an address outside the proved domains', () => {
  it('is not created before its owner follows the link, and shows no password or link', async () => {
    const email = fresh()
    const direct = { email, name: 'Victim', role: 'admin' }
    expect(await attack('POST', '/users', direct)).toMatchObject({
      status: 409,
      body: { code: 'invitation_required' },
    })
    const response = await lure(direct)
    expect(response).toMatchObject({
      status: 200,
      body: { code: null, invitation: { state: 'pending', role: 'admin', sends: 0 } },
    })
    const path = `/invitations/${response.body.invitation.id}`
    expect(await attack('POST', `${path}/resend`)).toMatchObject({ body: { state: 'pending' } })
    expect(await identityUser(testApp, email)).toBeUndefined()
    expect(await recordOf(email)).toBeUndefined()
    const token = await mailedToken(testApp, email)
    expect(
      JSON.stringify([
        response.body,
        (await attack('GET', '/invitations')).body,
        (await operate('GET', '/outbox')).body,
      ]),
    ).not.toContain(token)
    const rows = await testApp.database.db.selectFrom('outbox').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(testApp.logLines.join('\n')).not.toContain(token)
  })

  it('opens for the reader of the mail alone, once', async () => {
    const email = fresh()
    await lure({ email, name: 'Victim' })
    const token = (await mailedToken(testApp, email)) ?? ''
    const accepted = await follow(testApp, token)
    expect(accepted).toMatchObject({
      status: 200,
      body: { email, joined: 'Globex', path: '/t/globex', handoff: 'tempPassword' },
    })
    expect(opens(email, accepted.body.tempPassword)).toBe(true)
    expect(await follow(testApp, token)).toMatchObject({ status: 404 })
    const me = await testApp.request('GET', '/users/me', { token: await testApp.token(email) })
    expect(me.body).toMatchObject({ email, tenants: [{ slug: 'globex', role: 'member' }] })
    const { id } = me.body
    // The tenant of the first invitation never learns a password of it, whatever it does.
    expect(await attack('POST', `/users/${id}/reset-password`)).toMatchObject({
      body: { oneTimePassword: null, linkSentTo: email },
    })
    expect(opens(email, accepted.body.tempPassword)).toBe(false)
    const again = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    expect(opens(email, again.body.tempPassword)).toBe(true)
  })

  it('has a link to set a password where the identity provider has a recovery flow', async () => {
    await using other = await startMembersTestApp({
      mailer: true,
      sandbox: { identity: { recoveryFlow: true } },
    })
    const email = fresh()
    await invite(other, 'acme', { email }, other.as.admin)
    const { body } = await follow(other, (await mailedToken(other, email)) ?? '')
    expect(body).toMatchObject({ handoff: 'link', link: expect.stringContaining('flow_token=') })
    expect(body).not.toHaveProperty('tempPassword')
    expect(await identityUser(other, email)).toMatchObject({ is_active: true })
  })

  it('imported from a file is invited as well', async () => {
    const email = fresh()
    const { body } = await attack('POST', '/user-imports', {
      csv: `email,role\n${email.toUpperCase()},admin\n`,
      dryRun: false,
    })
    await expect
      .poll(async () => (await attack('GET', `/user-imports/${body.id}`)).body.state, {
        timeout: 20_000,
      })
      .toBe('done')
    expect((await attack('GET', `/user-imports/${body.id}`)).body).toMatchObject({
      counts: { created: 0, invited: 1 },
      rows: [{ state: 'invited', code: null, issues: [], userId: null }],
    })
    expect(await identityUser(testApp, email)).toBeUndefined()
    expect(await follow(testApp, (await mailedToken(testApp, email)) ?? '')).toMatchObject({
      body: { handoff: 'tempPassword' },
    })
    expect(
      (await testApp.request('GET', '/users/me', { token: await testApp.token(email) })).body
        .tenants,
    ).toMatchObject([{ role: 'admin' }])
  })

  it('that two tenants invite at once becomes one person in both', async () => {
    const email = fresh()
    const [one, other] = await Promise.all([
      lure({ email }),
      welcome({ email: email.toUpperCase() }),
    ])
    expect([one.body.code, other.body.code]).toEqual([null, null])
    expect(one.body.invitation.id).not.toBe(other.body.invitation.id)
    await mailedToken(testApp, email)
    const tokens = caughtMails(testApp)
      .filter(({ envelope }) => envelope.to.includes(email))
      .flatMap(({ text }) => /\/invitation\/([\w-]{43})/.exec(text ?? '')?.[1] ?? [])
    expect(tokens).toHaveLength(2)
    const responses = await Promise.all(tokens.map((token) => follow(testApp, token)))
    expect(responses.map(({ body }) => body.handoff).sort()).toEqual(['existing', 'tempPassword'])
    const me = await testApp.request('GET', '/users/me', { token: await testApp.token(email) })
    expect(me.body.tenants.map(({ slug }: { slug: string }) => slug).sort()).toEqual([
      'acme',
      'globex',
    ])
  })

  it('is dropped when the invitation is revoked: the link of the mail opens nothing', async () => {
    const email = fresh()
    const { body } = await lure({ email })
    const token = (await mailedToken(testApp, email)) ?? ''
    const path = `/invitations/${body.invitation.id}`
    expect(await attack('POST', `${path}/revoke`)).toMatchObject({ body: { state: 'revoked' } })
    expect(await follow(testApp, token)).toMatchObject({ status: 404 })
    expect(await attack('POST', `${path}/resend`)).toMatchObject({
      status: 409,
      body: { code: 'invitation_ended' },
    })
  })
})

describe('an account that the attacker holds from before', () => {
  it('is not what a tenant gets that proves the domain: it has to claim the address', async () => {
    const domain = await provenDomain()
    const held = await heldAccount(`victim@${domain}`)
    const person = { email: held.email.toUpperCase(), name: 'Victim', role: 'admin' }
    expect(await testApp.call('POST', '/users', person)).toMatchObject({
      status: 409,
      body: {
        code: 'address_claim_required',
        detail: expect.stringContaining(`the page of the domain ${domain}`),
      },
    })
    expect(opens(held.email, held.password)).toBe(true)
    const claim = await testApp.call('POST', `/domains/${domain}/address-claims`, {
      email: held.email,
    })
    expect(claim.status).toBe(201)
    await mailedToken(testApp, held.email)
    const link = caughtMails(testApp)
      .filter(({ envelope }) => envelope.to.includes(held.email))
      .flatMap(({ text }) => /\/claim\/([\w-]{43})/.exec(text ?? '')?.[1] ?? [])
      .at(-1)
    const moved = await testApp.request('POST', '/address-claims/move', {
      token: link ?? '',
      body: {},
    })
    expect(opens(held.email, moved.body.tempPassword)).toBe(true)
    await expectUseless(held)
    const own = await testApp.request('GET', '/users/me', {
      token: await testApp.token(held.email),
    })
    expect(own.body.tenants).toEqual(
      expect.arrayContaining([expect.objectContaining({ slug: 'acme', role: 'member' })]),
    )
  })

  it('is in the power of the tenant that proved the domain, and no longer of the one that made it', async () => {
    const held = await heldAccount(`victim@${await provenDomain()}`)
    const id = (await recordOf(held.email))?.id ?? ''
    const mine = await attack('POST', `/users/${id}/reset-password`)
    expect(mine).toMatchObject({ status: 409, body: { code: 'identity_not_managed' } })
    // Attached by address before there was a rule against it.
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: testApp.acmeId, user_id: id, role: 'member' })
      .execute()
    await testApp.database.db
      .updateTable('users')
      .set({ partner_id: north, partner_access: 'viewer' })
      .where('id', '=', id)
      .execute()
    expect(await testApp.call('POST', `/users/${id}/force-logout`)).toMatchObject({ status: 200 })
    expect(await testApp.call('POST', `/users/${id}/suspend`)).toMatchObject({ status: 200 })
    expect(opens(held.email, held.password)).toBe(false)
    expect(await testApp.call('POST', `/users/${id}/resume`)).toMatchObject({ status: 200 })
    const reset = await testApp.call('POST', `/users/${id}/reset-password`)
    expect(reset).toMatchObject({
      status: 200,
      body: { outcomes: { identity: { state: 'ok' } }, linkSentTo: null },
    })
    expect(opens(held.email, held.password)).toBe(false)
  })

  it('joins another tenant only when the reader of the mail accepts, who gets another identity', async () => {
    const held = await heldAccount()
    const invited = await welcome({ email: held.email, name: 'As Typed', role: 'admin' })
    expect(invited.body.invitation).toMatchObject({ name: 'As Typed', state: 'pending' })
    expect(JSON.stringify(invited.body)).not.toContain('Held')
    expect(
      (await testApp.request('GET', '/tenants/acme/users', { token: held.token })).status,
    ).toBe(403)
    const accepted = await follow(testApp, (await mailedToken(testApp, held.email)) ?? '')
    expect(accepted).toMatchObject({
      body: { handoff: 'tempPassword', joined: 'Acme Engineering' },
    })
    expect(opens(held.email, accepted.body.tempPassword)).toBe(true)
    await expectUseless(held)
    // Nor does the tenant that made the old identity reach the new one.
    const id = (await recordOf(held.email))?.id ?? ''
    expect(await attack('POST', `/users/${id}/reset-password`)).toMatchObject({
      body: { code: 'identity_not_managed' },
    })
    expect(await attack('PUT', `/users/${id}/email`, { email: fresh() })).toMatchObject({
      body: { code: 'identity_not_managed' },
    })
    const { results } = await identityApi(
      testApp,
      'GET',
      `/core/users/?username=${encodeURIComponent(held.email)}`,
    )
    expect(results).toHaveLength(1)
  })

  it('becomes no admin and no owner where it was attached by address before', async () => {
    const held = await heldAccount()
    const id = (await recordOf(held.email))?.id ?? ''
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: testApp.acmeId, user_id: id, role: 'member' })
      .execute()
    const notProved = { status: 409, body: { code: 'address_not_proved' } }
    expect(await testApp.call('PATCH', `/users/${id}`, { role: 'admin' })).toMatchObject(notProved)
    expect(await testApp.call('POST', '/transfer-ownership', { userId: id })).toMatchObject(
      notProved,
    )
    expect(await operate('PATCH', `/users/${id}`, { platformAdmin: true })).toMatchObject(notProved)
    expect(await operate('PATCH', `/users/${id}`, { partnerId: north })).toMatchObject(notProved)
    expect(
      (await testApp.request('GET', '/tenants/acme/users', { token: held.token })).status,
    ).toBe(200)
  })

  it('joins the staff of a partner only by the mailed link, as another identity', async () => {
    const held = await heldAccount()
    const response = await operate('POST', '/partners/north/users', {
      name: 'Victim',
      email: held.email,
      access: 'owner',
    })
    expect(response).toMatchObject({ status: 201, body: { handoff: 'mail' } })
    expect(Object.keys(response.body).sort()).toEqual(['access', 'handoff', 'invitationId'])
    expect((await testApp.request('GET', '/partners/north', { token: held.token })).status).toBe(
      403,
    )
    const accepted = await follow(testApp, (await mailedToken(testApp, held.email)) ?? '')
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword', path: '/partner' })
    await expectUseless(held)
    const token = await testApp.token(held.email)
    expect((await testApp.request('GET', '/users/me', { token })).body.partner).toMatchObject({
      slug: 'north',
      access: 'owner',
    })
  })

  it('owns no tenant by its address: the owner is invited', async () => {
    const held = await heldAccount()
    const slug = `own-${randomBytes(4).toString('hex')}`
    const { status, body } = await operate('POST', '/tenants', {
      name: slug,
      slug,
      ownerEmail: held.email,
    })
    expect([status, body.owner, body.awaitsOwner]).toEqual([201, null, true])
    expect(
      (await testApp.request('GET', `/tenants/${slug}/users`, { token: held.token })).status,
    ).toBe(403)
    const accepted = await follow(testApp, (await mailedToken(testApp, held.email)) ?? '')
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword', path: `/t/${slug}` })
    await expectUseless(held)
    const users = await testApp.request('GET', `/tenants/${slug}/users`, {
      token: await testApp.token(held.email),
    })
    expect(users.body.items).toMatchObject([{ email: held.email, role: 'owner' }])
  })

  it('and one renamed to another person’s address is rejected too', async () => {
    const { body } = await attack('POST', '/users', {
      email: `mallory-${randomBytes(3).toString('hex')}`,
    })
    const domain = await provenDomain()
    const address = `late@${domain}`
    expect(await attack('PUT', `/users/${body.member.id}/email`, { email: address })).toMatchObject(
      { body: { code: 'email_taken' } },
    )
    const held = await heldAccount()
    const id = (await recordOf(held.email))?.id ?? ''
    const other = fresh()
    expect((await attack('PUT', `/users/${id}/email`, { email: other })).status).toBe(200)
    expect(opens(other, held.password)).toBe(true)
    await welcome({ email: other, role: 'admin' })
    const accepted = await follow(testApp, (await mailedToken(testApp, other)) ?? '')
    expect(opens(other, accepted.body.tempPassword)).toBe(true)
    await expectUseless({ ...held, email: other })
  })

  it('created by another person at the provider under the address is not taken over, and not trusted', async () => {
    const email = fresh()
    await identityApi(testApp, 'POST', '/core/users/', {
      username: email,
      email,
      name: 'Own',
      is_active: true,
    })
    const mine = await testApp.token(email)
    await welcome({ email })
    const token = (await mailedToken(testApp, email)) ?? ''
    expect(await follow(testApp, token)).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
    // After a sign-in it is known; the claim in its token proves nothing.
    expect((await testApp.request('GET', '/users/me', { token: mine })).body.tenants).toEqual([])
    const accepted = await follow(testApp, token)
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword' })
    expect((await testApp.request('GET', '/users/me', { token: mine })).status).toBe(403)
    const { users } = testApp.sandbox.identity.save() as {
      users: { email: string; name: string; is_active: boolean }[]
    }
    const [old, own] = users.filter(({ name }) => name === 'Own')
    expect(old).toMatchObject({
      is_active: false,
      email: expect.stringContaining('@unknown.invalid'),
    })
    expect(own).toMatchObject({ is_active: true, email })
  })
})

describe('a person who proved the address', () => {
  it('joins another tenant by accepting, with identity and password as before', async () => {
    const email = fresh()
    await lure({ email, name: 'Proved' })
    const first = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    await welcome({ email })
    const second = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    expect(second.body).toMatchObject({ handoff: 'existing', joined: 'Acme Engineering' })
    expect(opens(email, first.body.tempPassword)).toBe(true)
    const token = await testApp.token(email)
    expect((await testApp.request('GET', '/users/me', { token })).body.tenants).toHaveLength(2)
    // Neither tenant manages the person now.
    const id = (await recordOf(email))?.id ?? ''
    for (const call of [attack, testApp.call])
      expect(await call('POST', `/users/${id}/reset-password`)).toMatchObject({
        body: { code: 'identity_not_managed' },
      })
  })

  it('keeps nothing proved once the address is another one', async () => {
    const email = fresh()
    await lure({ email })
    await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    const id = (await recordOf(email))?.id ?? ''
    const other = fresh()
    expect((await attack('PUT', `/users/${id}/email`, { email: other })).status).toBe(200)
    expect(await operate('PATCH', `/users/${id}`, { partnerId: north })).toMatchObject({
      body: { code: 'address_not_proved' },
    })
  })

  it('has to prove it again when it is changed and changed back: a password may have been shown meanwhile', async () => {
    const email = fresh()
    await lure({ email })
    await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    const id = (await recordOf(email))?.id ?? ''
    const own = `mallory-${randomBytes(4).toString('hex')}@globex.tenants.local`
    expect((await attack('PUT', `/users/${id}/email`, { email: own })).status).toBe(200)
    const { oneTimePassword } = (await attack('POST', `/users/${id}/reset-password`)).body
    expect((await attack('PUT', `/users/${id}/email`, { email })).status).toBe(200)
    expect(opens(email, oneTimePassword)).toBe(true)
    await welcome({ email, role: 'admin' })
    const accepted = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword', joined: 'Acme Engineering' })
    expect(opens(email, oneTimePassword)).toBe(false)
  })

  it('gets the link again while the identity provider is away, and the link stays', async () => {
    const email = fresh()
    await lure({ email })
    const token = (await mailedToken(testApp, email)) ?? ''
    testApp.sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/core/users/',
      mode: 'error',
      status: 503,
    })
    expect(await follow(testApp, token)).toMatchObject({ status: 502 })
    testApp.sandbox.clearFaults()
    const accepted = await follow(testApp, token)
    expect(accepted.body).toMatchObject({ handoff: 'tempPassword' })
    expect(opens(email, accepted.body.tempPassword)).toBe(true)
  })
})
