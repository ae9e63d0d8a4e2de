import { randomBytes } from 'node:crypto'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { giveMailbox } from '@atrium/testing/mailboxes'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { tenantIdOf } from '@atrium/testing/records'
import { proveDomain } from '@atrium/testing/test-app'
import { visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const small = {
  workplaces_person_day: 4,
  workplaces_person: 3,
  invitations_day: 3,
  invitations_unproven_day: 2,
  members_day: 6,
  invitations_recipient_day: 2,
  invitation_repeats_day: 3,
  invitation_links_minute: 2,
  aliases: 1,
  streams: 2,
  exports: 1,
}
const LIMITS = Object.entries(small)
  .map(([name, most]) => `${name}=${most}`)
  .join()

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    env: { LIMITS },
    sandbox: { identity: { accessTokenSeconds: 3_600 } },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const unique = () => randomBytes(4).toString('hex')
const rejectionOf = ({
  status,
  body,
}: {
  status: number
  body: { code?: string; limit?: string }
}) => [status, body.code, body.limit]
const tenantId = (slug: string) => tenantIdOf(testApp.database.db, slug)

describe('workplaces of one person', () => {
  it('are limited at one time and a day, also when they are created at once', async () => {
    const token = await testApp.token('newcomer@example.test')
    const create = () =>
      testApp.request('POST', '/tenants', {
        token,
        body: { name: `Made ${unique()}`, respondAsync: true },
      })
    const responses = await Promise.all(Array.from({ length: 6 }, create))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(rejectionOf(await create())).toEqual([409, 'limit_reached', 'workplaces_person'])
    // One that is deleted makes room, until the day's share is used.
    const [made] = responses.filter(({ status }) => status === 201)
    expect((await testApp.request('DELETE', `/tenants/${made?.body.slug}`, { token })).status).toBe(
      204,
    )
    expect((await create()).status).toBe(201)
    expect(rejectionOf(await create())).toEqual([429, 'rate_limited', 'workplaces_person_day'])
  })
})

describe('members of one workplace', () => {
  const add = (fields: object = {}) =>
    testApp.request('POST', '/tenants/acme/users', {
      token: testApp.as.admin,
      body: { email: `${unique()}@acme.tenants.local`, ...fields },
    })
  const elsewhere = () => ({ alternativeEmail: `${unique()}@elsewhere.example` })

  it('are welcomed elsewhere by few mails until a domain is proven; an operator can raise each limit', async () => {
    for (let n = 0; n < 2; n++) expect((await add(elsewhere())).status).toBe(201)
    const rejected = await add(elsewhere())
    expect(rejectionOf(rejected)).toEqual([429, 'rate_limited', 'invitations_unproven_day'])
    expect(rejected.body.detail).toMatch(
      /^At most 2 welcome mails .* An operator of the platform can raise this limit/,
    )
    await proveDomain(testApp, 'acme', 'acme.example')
    expect((await add(elsewhere())).status).toBe(201)
    // An address on the own domain counts as a member alone.
    for (let n = 0; n < 3; n++)
      expect((await add({ alternativeEmail: `${unique()}@acme.example` })).status).toBe(201)
    expect(rejectionOf(await add())).toEqual([429, 'rate_limited', 'members_day'])
    await testApp.database.db
      .insertInto('tenant_limits')
      .values({ tenant_id: await tenantId('acme'), name: 'members_day', most: 7 })
      .execute()
    expect((await add()).status).toBe(201)
    expect(rejectionOf(await add())).toEqual([429, 'rate_limited', 'members_day'])
  }, 60_000)
})

describe('invitations', () => {
  const invite = async () => {
    const email = `${unique()}@outside.example`
    const answer = await testApp.request('POST', '/tenants/globex/invitations', {
      token: await testApp.token('owner@globex.test'),
      body: { invitees: [{ email }] },
    })
    const [item] = answer.body.items
    expect([answer.status, item?.invitation?.state]).toEqual([200, 'pending'])
    return { id: item.invitation.id as string, email }
  }
  const again = async (id: string) =>
    testApp.request('POST', `/tenants/globex/invitations/${id}/resend`, {
      token: await testApp.token('owner@globex.test'),
      body: {},
    })
  const mailsTo = async (email: string) =>
    (
      await testApp.database.db
        .selectFrom('outbox')
        .select('id')
        .where('recipient', '=', email)
        .execute()
    ).length

  it('are sent again to one address few times, and to all of them together', async () => {
    await testApp.database.db
      .insertInto('tenant_limits')
      .values({ tenant_id: await tenantId('globex'), name: 'invitations_unproven_day', most: 9 })
      .execute()
    const [one, other] = [await invite(), await invite()]
    expect((await again(one.id)).status).toBe(200)
    expect(rejectionOf(await again(one.id))).toEqual([
      429,
      'rate_limited',
      'invitations_recipient_day',
    ])
    expect(await mailsTo(one.email)).toBe(2)
    expect((await again(other.id)).status).toBe(200)
    expect((await again((await invite()).id)).status).toBe(200)
    expect(rejectionOf(await again((await invite()).id))).toEqual([
      429,
      'rate_limited',
      'invitation_repeats_day',
    ])
  })

  it('are followed by one address few times a minute, also with a link that is valid', async () => {
    const headers = {
      'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '',
      'x-forwarded-for': '198.51.100.77',
    }
    const follow = (address = headers['x-forwarded-for']) =>
      testApp.request('POST', '/invitations/accept', {
        token: 'x'.repeat(43),
        body: {},
        headers: { ...headers, 'x-forwarded-for': address },
      })
    expect([(await follow()).status, (await follow()).status]).toEqual([404, 404])
    expect(rejectionOf(await follow())).toEqual([429, 'rate_limited', 'invitation_links_minute'])
    expect((await follow('198.51.100.78')).status).toBe(404)
  })
})

it('aliases of one mailbox are limited, by both ways to add one and when they come at once', async () => {
  const id = await testApp.idOf('member@acme.test')
  await giveMailbox(testApp, { slug: 'acme', userId: id, localPart: 'limited' })
  const token = testApp.as.admin
  const ofTenant = () =>
    testApp.request('POST', '/tenants/acme/aliases', {
      token,
      body: { address: unique(), userId: id },
    })
  const ofMember = () =>
    testApp.request('POST', `/tenants/acme/users/${id}/aliases`, {
      token,
      body: { address: `${unique()}@acme.tenants.local` },
    })
  const responses = await Promise.all([ofTenant(), ofMember(), ofMember()])
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const add of [ofTenant, ofMember])
    expect(rejectionOf(await add())).toEqual([409, 'limit_reached', 'aliases'])
})

it('a template that goes round and round is cut off', async () => {
  const loop = `${'{% for a in booking.guests %}'.repeat(9)}.${'{% endfor %}'.repeat(9)}`
  const preview = () =>
    testApp.request('POST', '/tenants/acme/branding/preview', {
      token: testApp.as.admin,
      body: {
        template: 'booking.confirmed',
        draft: { subject: 'x', html: loop.repeat(50), text: loop.repeat(50) },
      },
    })
  const first = await preview()
  expect([first.status, first.body.code]).toEqual([400, 'invalid_input'])
})

it('streams and exports of one person are limited until one ends', async () => {
  const { app } = testApp
  const open = async (path: string, token: string) => {
    const leaving = new AbortController()
    const request = new Request(`http://api.test${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    return { response: await app.fetch(request, {}), leave: () => leaving.abort() }
  }
  const stream = () => open('/tenants/acme/events', testApp.as.member)
  const [one, two] = [await stream(), await stream()]
  expect([one.response.status, two.response.status]).toEqual([200, 200])
  const third = await stream()
  expect([third.response.status, await third.response.json()]).toMatchObject([
    429,
    { limit: 'streams' },
  ])
  expect((await open('/tenants/acme/events', testApp.as.admin)).response.status).toBe(200)
  one.leave()
  expect((await stream()).response.status).toBe(200)

  const first = await open('/audit/export', testApp.as.operator)
  expect(first.response.status).toBe(200)
  expect((await open('/audit/export', testApp.as.operator)).response.status).toBe(429)
  await first.response.text()
  expect((await open('/audit/export', testApp.as.operator)).response.status).toBe(200)
})

describe('mails that visitors cause', () => {
  let bookings: BookingsTestApp
  let host: TestHost
  let eventType: string
  beforeAll(async () => {
    bookings = await startBookingsTestApp({
      env: { LIMITS: 'visitor_mails_recipient_day=2,visitor_mails_host_day=4' },
    })
    host = await bookings.newHost({ slug: 'hanna' })
    eventType = await bookings.newEventType(host)
  }, 60_000)
  afterAll(() => bookings[Symbol.asyncDispose]())

  it('are limited per recipient, for any sender, and per host', async () => {
    let hour = 4
    const book = (email: string) =>
      visit(bookings, 'POST', '/bookings', {
        body: wish(eventType, bookings.at(++hour), {
          attendee: { name: 'Vera', email, timeZone: 'UTC' },
        }),
      })
    expect([
      (await book('victim@example.org')).status,
      (await book('Victim@example.org')).status,
    ]).toEqual([201, 201])
    const rejected = await book('victim@example.org')
    expect(rejectionOf(rejected)).toEqual([429, 'rate_limited', 'visitor_mails_recipient_day'])
    // The link of a booking may be asked for again an hour later: that is one more mail, and it is
    // not told that there is none.
    const { id } = await bookings.database.db
      .selectFrom('bookings')
      .select('id')
      .limit(1)
      .executeTakeFirstOrThrow()
    const asked = await visit(bookings, 'POST', '/manage-links', {
      body: { bookingId: id, email: 'victim@example.org' },
    })
    expect(asked.status).toBe(204)
    // Nothing is booked then, and nothing is sent.
    const { rows } = {
      rows: await bookings.database.db.selectFrom('outbox').select('recipient').execute(),
    }
    expect(
      rows.filter(({ recipient }) => recipient?.toLowerCase() === 'victim@example.org'),
    ).toHaveLength(2)
    for (let n = 0; n < 2; n++) expect((await book(`${unique()}@example.org`)).status).toBe(201)
    expect(rejectionOf(await book(`${unique()}@example.org`))).toEqual([
      429,
      'rate_limited',
      'visitor_mails_host_day',
    ])
  })
})

describe('mails that visitors cause in a workplace without a verified domain', () => {
  let bookings: BookingsTestApp
  beforeAll(async () => {
    bookings = await startBookingsTestApp({ env: { LIMITS: 'visitor_mails_unproven_day=3' } })
  }, 60_000)
  afterAll(() => bookings[Symbol.asyncDispose]())

  it('are fewer than those of one whose owner is known', async () => {
    const eventType = await bookings.newEventType(await bookings.newHost())
    let hour = 4
    const book = () =>
      visit(bookings, 'POST', '/bookings', { body: wish(eventType, bookings.at(++hour)) })
    expect((await book()).status).toBe(201)
    expect(rejectionOf(await book())).toEqual([429, 'rate_limited', 'visitor_mails_unproven_day'])
    await proveDomain(bookings, 'acme', 'acme-bookings.example')
    expect((await book()).status).toBe(201)
  })
})
