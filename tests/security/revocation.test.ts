import { randomBytes } from 'node:crypto'
import type { Browser } from '@atrium/testing/bff/browser'
import { overRest, overTrpc } from '@atrium/testing/calls'
import { proveAddress } from '@atrium/testing/invitations'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { identityApi } from '@atrium/testing/outside'
import type { TestResponse } from '@atrium/testing/test-app'
import { afterAll, expect, it } from 'vitest'
import { openFront } from './front.ts'

const front = await openFront({ sandbox: { identity: { accessTokenSeconds: 3_600 } } })
const { testApp } = front
const { db } = testApp.database
afterAll(() => front[Symbol.asyncDispose]())

type App = 'portal' | 'operator'
interface Person {
  id: string
  email: string
  token: string
  app: App
  browser: Browser
}

const password = 'Own-password-of-somebody-1!'
const acme = await db
  .selectFrom('tenants')
  .select('id')
  .where('slug', '=', 'acme')
  .executeTakeFirstOrThrow()
const north = await db
  .selectFrom('partners')
  .select('id')
  .where('slug', '=', 'north')
  .executeTakeFirstOrThrow()

/** A person with their own sign-in, signed in at the app like a browser. */
async function newPerson(app: App): Promise<Person> {
  const email = `person-${randomBytes(6).toString('hex')}@example.test`
  await identityApi(testApp, 'POST', '/core/users/', {
    username: email,
    email,
    name: 'Person',
    type: 'internal',
    path: 'users',
    is_active: true,
  })
  const { results } = await identityApi(testApp, 'GET', `/core/users/?username=${email}`)
  await identityApi(testApp, 'POST', `/core/users/${results[0].pk}/set_password/`, { password })
  const token = await testApp.token(email, app)
  const { body } = await testApp.request('GET', '/users/me', { token })
  const browser = front.browser()
  await browser.signIn(front.urls[app], email, '', { identifier: email, password })
  return { id: body.id, email, token, app, browser }
}

const joins = (role: 'member' | 'admin') => (person: Person) =>
  db
    .insertInto('memberships')
    .values({ tenant_id: acme.id, user_id: person.id, role, status: 'active' })
    .execute()
/**
 * With the identity group that goes with the flag, and a token that names it: it must not bring the
 * flag back afterwards.
 */
async function becomesOperator(person: Person): Promise<void> {
  await proveAddress(testApp, person.id)
  const granted = await chief('PATCH', `/users/${person.id}`, { platformAdmin: true })
  expect(granted.status, JSON.stringify(granted.body)).toBe(200)
  person.token = await testApp.token(person.email, person.app)
  await person.browser.signIn(front.urls[person.app], person.email, '', {
    identifier: person.email,
    password,
  })
}
const joinsPartner = (partnerId: () => string) => (person: Person) =>
  db
    .updateTable('users')
    .set({ partner_id: partnerId(), partner_access: 'owner' })
    .where('id', '=', person.id)
    .execute()

const chief = async (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, path, {
    token: await testApp.token('operator@atrium.test'),
    ...(body && { body }),
  })

interface Case {
  what: string
  app?: App
  arrange: (person: Person) => Promise<unknown>
  /** A call that the right was needed for. */
  call: [name: string, input: () => Record<string, unknown>]
  revoke: (person: Person) => Promise<TestResponse>
  rejection: string
  /** Whether the person may follow Acme until then. */
  follows?: boolean
  /** A page of the app that opens until then. */
  page?: string
}

const member = (person: Person) => `/tenants/acme/users/${person.id}`
let partner = { id: '', slug: '' }
async function ownPartner(person: Person): Promise<void> {
  const slug = `ends-${randomBytes(5).toString('hex')}`
  partner = await db
    .insertInto('partners')
    .values({ slug, name: slug })
    .returning(['id', 'slug'])
    .executeTakeFirstOrThrow()
  await joinsPartner(() => partner.id)(person)
}

const cases: readonly Case[] = [
  {
    what: 'the role of an administrator',
    arrange: joins('admin'),
    call: ['billingInfo.update', () => ({ slug: 'acme', company: 'Acme GmbH' })],
    revoke: (person) => chief('PATCH', member(person), { role: 'member' }),
    rejection: 'not_admin',
  },
  {
    what: 'a membership, by suspending it',
    arrange: joins('admin'),
    call: ['tenants.users', () => ({ slug: 'acme' })],
    revoke: (person) => chief('POST', `${member(person)}/suspend`),
    rejection: 'not_member',
    follows: true,
  },
  {
    what: 'a membership, by removing it',
    arrange: joins('member'),
    call: ['tenants.users', () => ({ slug: 'acme' })],
    revoke: (person) => chief('DELETE', member(person)),
    rejection: 'not_member',
    follows: true,
  },
  {
    what: 'the flag of a platform administrator',
    app: 'operator',
    arrange: becomesOperator,
    call: ['audit.query', () => ({ limit: 1 })],
    revoke: (person) => chief('PATCH', `/users/${person.id}`, { platformAdmin: false }),
    rejection: 'not_platform_admin',
    follows: true,
    page: '/admin',
  },
  {
    what: 'a place on the staff of a partner',
    arrange: joinsPartner(() => north.id),
    call: ['partners.overview', () => ({ slug: 'north' })],
    revoke: (person) => chief('DELETE', `/partners/north/users/${person.id}`),
    rejection: 'operator_required',
    page: '/partner',
  },
  {
    what: 'the access level of partner staff',
    arrange: joinsPartner(() => north.id),
    call: ['partners.updateSettings', () => ({ slug: 'north', supportEmail: 'help@north.test' })],
    revoke: (person) => chief('PATCH', `/partners/north/users/${person.id}`, { access: 'viewer' }),
    rejection: 'access_level',
  },
  {
    what: 'the partner itself',
    arrange: ownPartner,
    call: ['partners.overview', () => ({ slug: partner.slug })],
    revoke: () => chief('DELETE', `/partners/${partner.slug}`),
    rejection: 'operator_required',
    page: '/partner',
  },
  {
    what: 'the account',
    arrange: joins('admin'),
    call: ['tenants.users', () => ({ slug: 'acme' })],
    revoke: (person) => chief('POST', `/users/${person.id}/deactivate`),
    rejection: 'user_deactivated',
    follows: true,
  },
  {
    what: 'the record of a platform administrator',
    app: 'operator',
    arrange: becomesOperator,
    call: ['audit.query', () => ({ limit: 1 })],
    revoke: (person) => chief('DELETE', `/users/${person.id}`),
    rejection: 'user_deactivated',
    follows: true,
  },
]

type Told = { ok: boolean; code: string }
/** The call over every wire that the person has. */
function wires(person: Person, [name, input]: Case['call']): Record<string, () => Promise<Told>> {
  const ofOutcome = ({ status, outcome }: { status: number; outcome: string }) => ({
    ok: status < 300,
    code: outcome,
  })
  return {
    REST: async () => ofOutcome(await overRest(testApp, name, input(), person.token)),
    tRPC: async () => ofOutcome(await overTrpc(testApp, name, input(), person.token)),
    'server of the app': () => throughApp(person, name, input()),
  }
}

async function throughApp({ app, browser }: Person, name: string, input: object): Promise<Told> {
  const url = `${front.urls[app]}/trpc/${name}`
  const json = JSON.stringify({ json: input })
  const writes = /update|create/.test(name)
  const response = writes
    ? await browser.post(url, json)
    : await browser.fetch(`${url}?input=${encodeURIComponent(json)}`)
  const text = await response.text()
  return {
    ok: response.ok,
    code:
      /"code":"(\w+)","httpStatus"/.exec(text)?.[1] ??
      /"code":"(\w+)"/.exec(text)?.[1] ??
      text.slice(0, 80),
  }
}

/**
 * Follows Acme directly and through the app's server; resolves how long after `since` each of them
 * ended.
 */
async function follow({ token, app, browser }: Person): Promise<{ ended: Promise<number>[] }> {
  const input = encodeURIComponent('{"json":{"slug":"acme"}}')
  const direct = await fetch(`${front.apiUrl}/tenants/acme/events`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const through = await browser.fetch(`${front.urls[app]}/trpc/tenants.events?input=${input}`)
  return { ended: [direct, through].map((response) => endOf(response)) }
}

async function endOf(response: Response): Promise<number> {
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  await response.text().catch(() => '')
  return performance.now()
}

const figures = { checks: 0, let: [] as string[], streams: 0, slowestMs: 0 }

it.each(cases)('$what: the next request is rejected over every transport', async (one) => {
  for (let round = 0; round < rounds(1, 20); round++) {
    const person = await newPerson(one.app ?? 'portal')
    await one.arrange(person)
    const calls = wires(person, one.call)
    for (const [wire, call] of Object.entries(calls))
      expect(await call(), `${wire} before`).toMatchObject({ ok: true })
    const page = one.page ? `${front.urls[person.app]}${one.page}` : undefined
    const html = { headers: { accept: 'text/html' } }
    if (page) expect((await person.browser.fetch(page, html)).status).toBe(200)
    const following = one.follows ? await follow(person) : undefined
    const revoked = await one.revoke(person)
    const since = performance.now()
    expect(revoked.status, JSON.stringify(revoked.body)).toBeLessThan(300)
    await Promise.all(
      Object.entries(calls).flatMap(([wire, call]) =>
        Array.from({ length: 4 }, async () => {
          const { ok, code } = await call()
          figures.checks++
          // A deactivated person's tokens are withdrawn as well, whichever is noticed first.
          const expected =
            wire === 'server of the app' && one.rejection === 'user_deactivated'
              ? ['user_deactivated', 'unauthenticated']
              : [one.rejection]
          if (ok || !expected.includes(code)) figures.let.push(`${one.what} over ${wire}: ${code}`)
        }),
      ),
    )
    if (page && (await person.browser.fetch(page, html)).status !== 403)
      figures.let.push(`${one.what}: its page still opens`)
    for (const ended of following?.ended ?? []) {
      figures.slowestMs = Math.max(figures.slowestMs, (await ended) - since)
      figures.streams++
    }
  }
  expect(figures.let).toEqual([])
})

it.each([
  ['signing out', (person: Person) => person.browser.post(`${front.urls.portal}/auth/logout`)],
  [
    'an administrator who ends them',
    (person: Person) => chief('POST', `${member(person)}/force-logout`),
  ],
  [
    'the row taken out of the table',
    (person: Person) => db.deleteFrom('web_sessions').where('email', '=', person.email).execute(),
  ],
])('sessions that end by %s open nothing more, whoever has the cookie', async (what, end) => {
  for (let round = 0; round < rounds(1, 20); round++) {
    const person = await newPerson('portal')
    await joins('admin')(person)
    await db
      .updateTable('users')
      .set({ home_tenant_id: acme.id })
      .where('id', '=', person.id)
      .execute()
    const name = front.cookieNames.portal
    const thief = front.browser()
    thief.setCookie(
      front.urls.portal,
      name,
      person.browser.cookie(front.urls.portal, name)?.value ?? '',
    )
    const asThief = { ...person, browser: thief }
    expect(await throughApp(asThief, 'tenants.users', { slug: 'acme' })).toMatchObject({ ok: true })
    const through = await thief.fetch(
      `${front.urls.portal}/trpc/tenants.events?input=${encodeURIComponent('{"json":{"slug":"acme"}}')}`,
    )
    const ended = endOf(through)
    await end(person)
    await testApp.sandbox.identity.settled()
    const since = performance.now()
    for (const call of ['tenants.users', 'billingInfo.update']) {
      const { ok, code } = await throughApp(asThief, call, { slug: 'acme' })
      figures.checks++
      if (ok || code !== 'unauthenticated') figures.let.push(`${what}: ${call} ${code}`)
    }
    figures.slowestMs = Math.max(figures.slowestMs, (await ended) - since)
    figures.streams++
  }
  expect(figures.let).toEqual([])
})

it('a flag that is switched off is off for the next who asks', async () => {
  const token = await testApp.token('owner@acme.test')
  for (let round = 0; round < rounds(5, 100); round++) {
    const key = `flag_${randomBytes(6).toString('hex')}`
    expect((await chief('POST', '/flags', { key, state: 'on', percentage: 100 })).status).toBe(201)
    const asked = async () => {
      const { body } = await testApp.request('POST', '/flags/evaluate', {
        token,
        body: { tenantSlug: 'acme' },
      })
      return JSON.stringify(body).includes(`"${key}":true`)
    }
    expect(await asked()).toBe(true)
    expect(
      (await chief('PATCH', `/flags/${key}`, { state: 'off', note: 'kill-switch' })).status,
    ).toBe(200)
    figures.checks++
    if (await asked()) figures.let.push('a flag that is off is still on')
  }
  expect(figures.let).toEqual([])
})

afterAll(() =>
  recordMeasurement({
    target: 'S5',
    what: 'rights, sessions and flags taken away: the next request on REST, tRPC and at the servers of the apps; streams',
    measured: `${cases.length + 4} kinds, ${figures.checks} requests right after, ${figures.let.length} let through; ${figures.streams} open streams ended, the slowest after ${(figures.slowestMs / 1000).toFixed(1)} s`,
    reached: figures.checks > 0 && figures.streams > 0 && figures.let.length === 0,
  }),
)
