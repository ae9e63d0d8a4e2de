import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRateLimit } from '../src/rate-limit.ts'
import { type BookingsHouse, openBookingsHouse, type TestHost } from './bookings-house.ts'
import { proveDomain } from './house.ts'
import { type MembersHouse, openMembersHouse } from './members-house.ts'
import { visit, wish } from './visitors.ts'

const small = {
  ...{ workplaces_person_day: 4, workplaces_person: 3, invitations_day: 3, invitations_unproven_day: 2, members_day: 6 },
  ...{ password_resets_hour: 2, previews_minute: 2, streams: 2, exports: 1, lists: 1, imports_day: 1 },
}
const LIMITS = Object.entries(small)
  .map(([name, most]) => `${name}=${most}`)
  .join()

let house: MembersHouse
beforeAll(async () => {
  house = await openMembersHouse({ env: { LIMITS }, sandbox: { identity: { accessTokenSeconds: 3_600 } } })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

const unique = () => randomBytes(4).toString('hex')
const refusalOf = ({ status, body }: { status: number; body: { code?: string; limit?: string } }) => [status, body.code, body.limit]
const tenantId = async (slug: string) =>
  (await house.database.db.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id

describe('workplaces of one person', () => {
  it('are limited at one time and a day, also when they are created at once', async () => {
    const token = await house.token('newcomer@example.test')
    const create = () => house.request('POST', '/tenants', { token, body: { name: `Made ${unique()}`, respondAsync: true } })
    const answers = await Promise.all(Array.from({ length: 6 }, create))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(refusalOf(await create())).toEqual([409, 'limit_reached', 'workplaces_person'])
    // One that is deleted makes room, until the day's share is used.
    const [made] = answers.filter(({ status }) => status === 201)
    expect((await house.request('DELETE', `/tenants/${made?.body.slug}`, { token })).status).toBe(204)
    expect((await create()).status).toBe(201)
    expect(refusalOf(await create())).toEqual([429, 'rate_limited', 'workplaces_person_day'])
  })
})

describe('members of one workplace', () => {
  const add = (fields: object = {}) =>
    house.request('POST', '/tenants/acme/users', { token: house.as.admin, body: { email: `${unique()}@acme.tenants.local`, ...fields } })
  const elsewhere = () => ({ alternativeEmail: `${unique()}@elsewhere.example` })

  it('are welcomed elsewhere by few mails until a domain is proven; an operator can raise each limit', async () => {
    for (let n = 0; n < 2; n++) expect((await add(elsewhere())).status).toBe(201)
    const refused = await add(elsewhere())
    expect(refusalOf(refused)).toEqual([429, 'rate_limited', 'invitations_unproven_day'])
    expect(refused.body.detail).toMatch(/^At most 2 welcome mails .* An operator of the platform can raise this limit/)
    await proveDomain(house, 'acme', 'acme.example')
    expect((await add(elsewhere())).status).toBe(201)
    // An address on the own domain counts as a member alone.
    for (let n = 0; n < 3; n++) expect((await add({ alternativeEmail: `${unique()}@acme.example` })).status).toBe(201)
    expect(refusalOf(await add())).toEqual([429, 'rate_limited', 'members_day'])
    await house.database.db
      .insertInto('tenant_limits')
      .values({ tenant_id: await tenantId('acme'), name: 'members_day', most: 7 })
      .execute()
    expect((await add()).status).toBe(201)
    expect(refusalOf(await add())).toEqual([429, 'rate_limited', 'members_day'])
  }, 60_000)

  it('get few new passwords an hour', async () => {
    const id = await house.idOf('member@acme.test')
    const reset = () => house.request('POST', `/tenants/acme/users/${id}/reset-password`, { token: house.as.admin, body: {} })
    expect([(await reset()).status, (await reset()).status]).toEqual([200, 200])
    expect(refusalOf(await reset())).toEqual([429, 'rate_limited', 'password_resets_hour'])
  })

  it('are imported so often a day', async () => {
    const csv = `email\n${unique()}@acme.tenants.local\n`
    const start = () => house.request('POST', '/tenants/acme/user-imports', { token: house.as.admin, body: { csv, dryRun: false } })
    expect((await start()).status).toBeLessThan(300)
    expect(refusalOf(await start())).toEqual([429, 'rate_limited', 'imports_day'])
  })
})

it('lists of one workplace are limited', async () => {
  const create = () =>
    house.request('POST', '/tenants/acme/lists', {
      token: house.as.admin,
      body: { address: `${unique()}@acme.tenants.local`, name: 'All', recipients: ['member@acme.test'] },
    })
  expect((await create()).status).toBe(201)
  expect(refusalOf(await create())).toEqual([409, 'limit_reached', 'lists'])
})

it('previews of one person are limited, and a template that goes round and round is cut off', async () => {
  const loop = `${'{% for a in booking.guests %}'.repeat(9)}.${'{% endfor %}'.repeat(9)}`
  const preview = () =>
    house.request('POST', '/tenants/acme/branding/preview', {
      token: house.as.admin,
      body: { template: 'booking.confirmed', draft: { subject: 'x', html: loop.repeat(50), text: loop.repeat(50) } },
    })
  const first = await preview()
  expect([first.status, first.body.code]).toEqual([400, 'invalid_input'])
  await preview()
  expect(refusalOf(await preview())).toEqual([429, 'rate_limited', 'previews_minute'])
})

it('streams and exports of one person are limited until one ends', async () => {
  const { app } = house
  const open = async (path: string, token: string) => {
    const leaving = new AbortController()
    const request = new Request(`http://api.test${path}`, { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal })
    return { response: await app.fetch(request, {}), leave: () => leaving.abort() }
  }
  const stream = () => open('/tenants/acme/events', house.as.member)
  const [one, two] = [await stream(), await stream()]
  expect([one.response.status, two.response.status]).toEqual([200, 200])
  const third = await stream()
  expect([third.response.status, await third.response.json()]).toMatchObject([429, { limit: 'streams' }])
  expect((await open('/tenants/acme/events', house.as.admin)).response.status).toBe(200)
  one.leave()
  expect((await stream()).response.status).toBe(200)

  const first = await open('/audit/export', house.as.operator)
  expect(first.response.status).toBe(200)
  expect((await open('/audit/export', house.as.operator)).response.status).toBe(429)
  await first.response.text()
  expect((await open('/audit/export', house.as.operator)).response.status).toBe(200)
})

describe('mails that visitors cause', () => {
  let bookings: BookingsHouse
  let host: TestHost
  let eventType: string
  beforeAll(async () => {
    bookings = await openBookingsHouse({ env: { LIMITS: 'visitor_mails_recipient_day=2,visitor_mails_host_day=4' } })
    host = await bookings.newHost({ slug: 'hanna' })
    eventType = await bookings.newEventType(host)
  }, 60_000)
  afterAll(() => bookings[Symbol.asyncDispose]())

  it('are limited per recipient, whoever names the address, and per host', async () => {
    let hour = 4
    const book = (email: string) =>
      visit(bookings, 'POST', '/bookings', {
        body: wish(eventType, bookings.at(++hour), { attendee: { name: 'Vera', email, timeZone: 'UTC' } }),
      })
    expect([(await book('victim@example.org')).status, (await book('Victim@example.org')).status]).toEqual([201, 201])
    const refused = await book('victim@example.org')
    expect(refusalOf(refused)).toEqual([429, 'rate_limited', 'visitor_mails_recipient_day'])
    // Nothing is booked then, and nothing is sent.
    const { rows } = { rows: await bookings.database.db.selectFrom('outbox').select('recipient').execute() }
    expect(rows.filter(({ recipient }) => recipient?.toLowerCase() === 'victim@example.org')).toHaveLength(2)
    for (let n = 0; n < 2; n++) expect((await book(`${unique()}@example.org`)).status).toBe(201)
    expect(refusalOf(await book(`${unique()}@example.org`))).toEqual([429, 'rate_limited', 'visitor_mails_host_day'])
  })
})

it('a limit of one process names itself when it is reached', () => {
  const limit = createRateLimit({ limit: 'flag_evaluations_minute', most: 0, clock: { now: () => new Date('2026-11-23T10:00:00Z') } })
  expect(() => limit.take('anna')).toThrow('An operator of the platform can raise this limit (flag_evaluations_minute).')
})
