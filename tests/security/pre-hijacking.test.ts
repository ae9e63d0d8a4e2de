import { randomBytes } from 'node:crypto'
import type { Browser } from '@atrium/testing/bff/browser'
import {
  type HeldAccount,
  heldAccount,
  opens,
  storedIdentities,
} from '@atrium/testing/held-accounts'
import { follow, invite, mailedToken } from '@atrium/testing/invitations'
import { recordMeasurement } from '@atrium/testing/measurements'
import { identityApi } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { proveDomain, type TestResponse } from '@atrium/testing/test-app'
import { afterAll, expect, it } from 'vitest'
import { openFront } from './front.ts'

/**
 * The attacks of Sudhodanan and Paverd, "Pre-hijacked accounts" (USENIX Security 2022): somebody
 * prepares an account for an address of another person and waits until that person uses it. The
 * attacker owns Globex. The victim is invited by Acme and reads the mail of the address.
 */
const front = await openFront({
  mailer: true,
  // Mails are sent when the test asks for them.
  started: false,
  sandbox: { identity: { accessTokenSeconds: 3_600 } },
})
const { testApp } = front
const { db } = testApp.database
afterAll(() => front[Symbol.asyncDispose]())

const attacker = await testApp.token('owner@globex.test')
const admin = await testApp.token('admin@acme.test')
const operator = await testApp.token('operator@atrium.test')
await db.updateTable('tenants').set({ seats: 0 }).execute()
await db.updateTable('plan_grants').set({ seats: 0 }).execute()
await db.updateTable('subscriptions').set({ seats: 1_000 }).execute()

const fresh = () => `victim-${randomBytes(5).toString('hex')}@elsewhere.example`
const attack = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/globex${path}`, { token: attacker, ...(body && { body }) })
const acme = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/acme${path}`, { token: admin, ...(body && { body }) })

/** The attacker invites somebody to Globex. */
const lure = (person: { email: string; role?: string }) =>
  invite(testApp, 'globex', person, attacker)

const held = (email = fresh()) => heldAccount(testApp, { email, tenantSlug: 'globex' })

/** The password that people choose in place of a temporary one. */
const ownPassword = (temporary: string) => `Own-${temporary}`

/**
 * The sign-in form of the identity provider, up to a session of the portal. A temporary password is
 * replaced on the way.
 */
async function signIn(email: string, password: string): Promise<Browser | undefined> {
  const browser = front.browser()
  const isCallback = (url: string) => url.startsWith(`${front.urls.portal}/auth/callback`)
  const post = (url: string, fields: Record<string, string>) =>
    browser.follow(url, isCallback, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields),
    })
  const start = await browser.follow(`${front.urls.portal}/auth/login`, isCallback)
  let end = await post(start.url, { identifier: email, password })
  const page = isCallback(end.url) ? '' : await end.response.text()
  const [, user] = /name="user" value="([^"]*)"/.exec(page) ?? []
  const [, proof] = /name="proof" value="([^"]*)"/.exec(page) ?? []
  if (user !== undefined && proof !== undefined) {
    const own = ownPassword(password)
    end = await post(end.url, { user, proof, 'new-password': own, 'new-password-repeat': own })
  }
  if (!isCallback(end.url)) return undefined
  return (await browser.fetch(end.url)).status === 303 ? browser : undefined
}

/** What the portal's session reads of its own person. */
async function read(browser: Browser): Promise<number> {
  const response = await browser.fetch(`${front.urls.portal}/trpc/users.me`)
  await response.body?.cancel()
  return response.status
}

/** Acme invites the address as an admin, and the reader of its mail follows the link. */
async function victimJoins(email: string): Promise<{ password: string; token: string }> {
  const invited = await invite(testApp, 'acme', { email, role: 'admin' }, admin)
  expect(invited.body).toMatchObject({ code: null })
  const { status, body } = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
  expect({ status, body }).toMatchObject({ status: 200, body: { joined: 'Acme Engineering' } })
  expect(opens(testApp, email, body.tempPassword)).toBe(true)
  expect(await signIn(email, body.tempPassword)).toBeDefined()
  const password = ownPassword(body.tempPassword)
  expect(opens(testApp, email, password)).toBe(true)
  return { password, token: await testApp.token(email) }
}

/** Ways in that the attacker still has; none, when the attack is repelled. */
async function waysIn(account: Omit<HeldAccount, 'id' | 'pk'>, browser?: Browser) {
  const { email, password, token } = account
  const tries = {
    'the password at the provider': opens(testApp, email, password),
    'the password at the portal': (await signIn(email, password)) !== undefined,
    'the access token': (await testApp.request('GET', '/users/me', { token })).status === 200,
    "the victim's workplace":
      (await testApp.request('GET', '/tenants/acme/users', { token })).status === 200,
    'the session of the portal': browser !== undefined && (await read(browser)) === 200,
  }
  return Object.entries(tries).flatMap(([way, open]) => (open ? [way] : []))
}

async function repelled(what: string, ways: readonly string[]): Promise<void> {
  await recordMeasurement({
    target: 'S25',
    what,
    measured: ways.length === 0 ? 'repelled' : `open: ${ways.join(', ')}`,
    reached: ways.length === 0,
  })
  expect(ways).toEqual([])
}

// An account is made beforehand with a password that the attacker knows; the victim takes it over.
it('classic: an account made beforehand with a known password', async () => {
  const email = fresh()
  const made = await attack('POST', '/users', { email, role: 'admin' })
  expect(made).toMatchObject({ status: 409, body: { code: 'invitation_required' } })
  expect((await lure({ email, role: 'admin' })).body).toMatchObject({ code: null })
  expect(storedIdentities(testApp).filter((user) => user.email === email)).toEqual([])
  const account = await held()
  await victimJoins(account.email)
  await repelled('classic', await waysIn(account))
})

// The attacker makes an account with a password, the victim comes through a directory that names
// the same address: a service that finds people by address would merge the two.
it('classic-federated merge: a sign-in of another origin with the same address', async () => {
  const account = await held()
  const { email } = account
  const username = `directory-${randomBytes(4).toString('hex')}`
  const password = `Directory-${randomBytes(6).toString('hex')}`
  const { uid, pk } = await identityApi(testApp, 'POST', '/core/users/', {
    username,
    email,
    name: 'Victim',
    path: 'goauthentik.io/sources/directory',
    is_active: true,
  })
  await identityApi(testApp, 'POST', `/core/users/${pk}/set_password/`, { password })
  const browser = await signIn(username, password)
  expect(browser && (await read(browser))).toBe(200)
  const record = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('idp_subject_id', '=', uid)
    .executeTakeFirstOrThrow()
  expect(record).toMatchObject({ email, id: expect.not.stringContaining(account.id) })
  const before = await testApp.request('GET', '/users/me', { token: account.token })
  expect(before.body.tenants).toMatchObject([{ slug: 'globex' }])
  const acmeId = await tenantIdOf(db, 'acme')
  await db
    .insertInto('memberships')
    .values({ tenant_id: acmeId, user_id: record.id, role: 'admin' })
    .execute()
  const merged = (await testApp.request('GET', '/tenants/acme/users', { token: account.token }))
    .status
  await repelled('classic-federated merge', merged === 200 ? ['the record of the victim'] : [])
})

// The attacker stays signed in at the account while the victim takes it over with a new password.
it('unexpired session: sessions and tokens of before', async () => {
  const account = await held()
  const browser = await signIn(account.email, account.password)
  expect(browser && (await read(browser))).toBe(200)
  await victimJoins(account.email)
  await repelled('unexpired session', await waysIn(account, browser))
})

it('unexpired session: sessions of before a password that the victim sets by a mailed link', async () => {
  const email = fresh()
  const { password, token } = await victimJoins(email)
  const browser = await signIn(email, password)
  expect(browser && (await read(browser))).toBe(200)
  const { body } = await testApp.request('GET', '/users/me', { token })
  expect(await acme('POST', `/users/${body.id}/reset-password`)).toMatchObject({
    body: { linkSentTo: email, oneTimePassword: null },
  })
  const again = await follow(testApp, (await mailedToken(testApp, email)) ?? '')
  expect(opens(testApp, email, again.body.tempPassword)).toBe(true)
  const ways = [
    ...(opens(testApp, email, password) ? ['the password of before'] : []),
    ...(browser && (await read(browser)) === 200 ? ['the session of before'] : []),
  ]
  await repelled('unexpired session, new password', ways)
})

// The attacker adds a second way into the account, such as another address or an own passkey, that
// stays when the victim takes it over.
it('trojan identifier: another address, a telephone number, a passkey, an app password', async () => {
  const account = await held()
  const own = `mallory-${randomBytes(4).toString('hex')}@attacker.example`
  expect(
    (
      await testApp.request('PATCH', `/users/${account.id}`, {
        token: account.token,
        body: { alternativeEmail: own, phone: '+49 30 1234567' },
      })
    ).status,
  ).toBe(200)
  const identity = testApp.sandbox.identity.findUser(account.email)
  if (!identity) throw new Error('the held account has no identity')
  const trojan = { kind: 'webauthn', name: 'Trojan', confirmed: true } as const
  testApp.sandbox.identity.addDevice(identity, trojan)
  await victimJoins(account.email)
  const record = await db
    .selectFrom('users')
    .select(['id', 'phone', 'alternative_email as alternativeEmail'])
    .where('email', '=', account.email)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  await acme('POST', `/users/${record.id}/reset-password`)
  const identities = JSON.stringify(
    storedIdentities(testApp).filter((user) => user.email === account.email),
  )
  const { devices } = testApp.sandbox.identity.save() as { devices: { name: string }[] }
  const ways = [
    ...(record.alternativeEmail === null ? [] : ['the second address here']),
    ...(record.phone === null ? [] : ['the telephone number here']),
    ...(identities.includes(own) ? ['the second address at the provider'] : []),
    ...(devices.some(({ name }) => name === 'Trojan') ? ['the passkey'] : []),
    ...((await mailedToken(testApp, own)) === undefined ? [] : ['a link to the second address']),
  ]
  await repelled('trojan identifier', [...ways, ...(await waysIn(account))])
})

// The attacker begins to change the address of an account to the victim's, or back from it, and
// finishes when the victim has it.
it('unexpired email change: a link of before another address', async () => {
  const own = `mallory-${randomBytes(4).toString('hex')}@attacker.example`
  const email = fresh()
  await lure({ email: own })
  const first = await follow(testApp, (await mailedToken(testApp, own)) ?? '')
  const password: string = first.body.tempPassword
  const { id } = (await testApp.request('GET', '/users/me', { token: await testApp.token(own) }))
    .body
  await attack('POST', `/users/${id}/reset-password`)
  const pending = (await mailedToken(testApp, own)) ?? ''
  expect((await attack('PUT', `/users/${id}/email`, { email })).status).toBe(200)
  const early = await follow(testApp, pending)
  const token = await testApp.token(email)
  const victim = await victimJoins(email)
  const late = await follow(testApp, pending)
  const ways = [
    ...(early.status === 200 ? ['the link, before the victim came'] : []),
    ...(late.status === 200 ? ['the link, after the victim came'] : []),
    ...(opens(testApp, email, victim.password) ? [] : ['the password of the victim is gone']),
  ]
  await repelled('unexpired email change', [...ways, ...(await waysIn({ email, password, token }))])
})

it('unexpired email change: a link stays void when the address is changed back', async () => {
  const own = `mallory-${randomBytes(4).toString('hex')}@attacker.example`
  await lure({ email: own })
  await follow(testApp, (await mailedToken(testApp, own)) ?? '')
  const { id } = (await testApp.request('GET', '/users/me', { token: await testApp.token(own) }))
    .body
  await attack('POST', `/users/${id}/reset-password`)
  const pending = (await mailedToken(testApp, own)) ?? ''
  await attack('PUT', `/users/${id}/email`, { email: fresh() })
  await attack('PUT', `/users/${id}/email`, { email: own })
  const { status } = await follow(testApp, pending)
  await repelled('unexpired email change, back', status === 404 ? [] : [`the link: ${status}`])
})

/** An identity of the attacker at the provider; its holder may write any address into it. */
async function ownIdentity(email: string): Promise<{ pk: number; password: string }> {
  const password = `Own-${randomBytes(6).toString('hex')}`
  const { pk } = await identityApi(testApp, 'POST', '/core/users/', {
    username: `mallory-${randomBytes(5).toString('hex')}`,
    email,
    name: 'Mallory',
    is_active: true,
  })
  await identityApi(testApp, 'POST', `/core/users/${pk}/set_password/`, { password })
  return { pk, password }
}

// The attacker signs in through an identity provider that does not verify addresses, under the
// address of the victim.
it('non-verifying provider: an address that nobody verified, with a right given to it', async () => {
  const email = fresh()
  const { password } = await ownIdentity(email)
  const token = await testApp.token(email)
  const { id } = (await testApp.request('GET', '/users/me', { token })).body
  const north = await db
    .selectFrom('partners')
    .select('id')
    .where('slug', '=', 'north')
    .executeTakeFirstOrThrow()
  const rights = [
    await testApp.request('PATCH', `/users/${id}`, {
      token: operator,
      body: { platformAdmin: true },
    }),
    await testApp.request('PATCH', `/users/${id}`, {
      token: operator,
      body: { partnerId: north.id },
    }),
  ].map(({ status, body }) => `${status} ${body.code}`)
  expect(rights).toEqual(['409 address_not_proved', '409 address_not_proved'])
  await victimJoins(email)
  await repelled('non-verifying provider', await waysIn({ email, password, token }))
})

it('non-verifying provider: a member takes the address of a colleague by the own token', async () => {
  const domain = `${randomBytes(5).toString('hex')}.example.org`
  await proveDomain(testApp, 'globex', domain)
  const own = `insider@${domain}`
  const email = `chief@${domain}`
  const { body } = await attack('POST', '/users', { email: own })
  const { pk, uid } = storedIdentities(testApp).find((user) => user.email === own) ?? {
    pk: 0,
    uid: '',
  }
  expect(opens(testApp, own, body.oneTimePassword)).toBe(true)
  await testApp.request('GET', '/users/me', { token: await testApp.token(own) })
  await identityApi(testApp, 'PATCH', `/core/users/${pk}/`, { email })
  // A token that is newer than what the service wrote last.
  await db
    .updateTable('memberships')
    .set({ identity_changed_at: null })
    .where('user_id', '=', body.member.id)
    .execute()
  await db
    .updateTable('users')
    .set({ updated_at: new Date(0), created_at: new Date(0) })
    .where('idp_subject_id', '=', uid)
    .execute()
  const token = await testApp.token(email)
  expect((await testApp.request('GET', '/users/me', { token })).body.email).toBe(own)
  await invite(testApp, 'acme', { email, role: 'admin' }, admin)
  await follow(testApp, (await mailedToken(testApp, email)) ?? '')
  const { status } = await testApp.request('GET', '/tenants/acme/users', { token })
  await repelled(
    'non-verifying provider, colleague',
    status === 403 ? [] : [`the invitation of the colleague: ${status}`],
  )
})
