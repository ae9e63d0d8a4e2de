import { limits } from '@atrium/core/platform/limits'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, botAddress, createTally, unique } from './abuse.ts'

let bookings: BookingsTestApp
let members: MembersTestApp
beforeAll(async () => {
  const most = limits.visitor_mails_recipient_day.most
  bookings = await startBookingsTestApp({ env: { LIMITS: `visitor_mails_recipient_day=${most}` } })
  members = await startMembersTestApp({ sandbox: { identity: { accessTokenSeconds: 3_600 } } })
}, 120_000)
afterAll(async () => {
  await members[Symbol.asyncDispose]()
  await bookings[Symbol.asyncDispose]()
})

const mailsTo = async ({ database }: BookingsTestApp | MembersTestApp, recipient: string) =>
  (
    await database.db
      .selectFrom('outbox')
      .select('id')
      .where('recipient', 'ilike', recipient)
      .execute()
  ).length

it('a stranger’s mailbox is not flooded by bookings, moves and links from any number of addresses', async () => {
  const victim = `victim-${unique()}@elsewhere.example`
  const guests = Array.from({ length: 10 }, (_, n) => `guest-${n}-${unique()}@elsewhere.example`)
  const hosts = await Promise.all(Array.from({ length: 6 }, () => bookings.newHost()))
  const types = await Promise.all(hosts.map((host) => bookings.newEventType(host)))
  const tally = createTally()
  const made: { id: string; token: string }[] = []
  const tried = await attack(120, async (n) => {
    const address = botAddress()
    const known = made[n % Math.max(1, made.length)]
    if (known && n % 3 === 1) {
      const start = bookings.at(24 + (n % 600)).toISOString()
      tally.add(await bookings.visit('POST', '/reschedule', known.token, { start }, address))
    } else if (known && n % 3 === 2) {
      tally.add(
        await visit(bookings, 'POST', '/manage-links', {
          address,
          body: { bookingId: known.id, email: victim },
        }),
      )
      // An hour later the link may be asked for again.
      if (n % 15 === 2) bookings.time.now = new Date(bookings.time.now.getTime() + 60_000 * 61)
    } else {
      const attendee = {
        name: 'Vera',
        email: n % 2 ? victim : victim.toUpperCase(),
        timeZone: 'UTC',
      }
      const body = wish(types[n % types.length] ?? '', bookings.at(700 + n), { attendee, guests })
      const response = await visit(bookings, 'POST', '/bookings', { address, body })
      tally.add(response)
      if (response.status === 201)
        made.push({ id: response.body.booking.id, token: response.body.manageToken })
    }
  })
  const days = 1 + Math.ceil((bookings.time.now.getTime() - bookings.at(0).getTime()) / 86_400_000)
  const [toVictim, toGuests] = [
    await mailsTo(bookings, victim),
    await Promise.all(guests.map((guest) => mailsTo(bookings, guest))),
  ]
  const most = limits.visitor_mails_recipient_day.most * days
  await recordMeasurement({
    target: 'S23',
    what: 'mail bomb by bookings, moves and links for one address, each request from another network',
    measured: `${tried} requests (${tally.text()}), ${toVictim} mails in ${days} days, at most ${most}; ${toGuests.reduce((sum, one) => sum + one, 0)} to ten guests`,
    reached:
      toVictim <= most && toGuests.every((count) => count === 0) && tally.failed().length === 0,
  })
  expect(made.length).toBeGreaterThan(0)
  expect(toVictim).toBeLessThanOrEqual(most)
  expect(toGuests).toEqual(guests.map(() => 0))
  expect(tally.failed()).toEqual([])
}, 180_000)

it('a stranger’s mailbox is not flooded by invitations of several workplaces', async () => {
  const victim = `victim-${unique()}@elsewhere.example`
  const token = await members.token('newcomer@example.test')
  const tally = createTally()
  const workplaces: string[] = []
  const invited = new Map<string, string>()
  for (let n = 0; n < 3; n++) {
    const response = await members.request('POST', '/tenants', {
      token,
      body: { name: `Bomb ${unique()}`, respondAsync: true },
    })
    if (response.status === 201) workplaces.push(response.body.slug)
  }
  const tried = await attack(30, async (n) => {
    const slug = workplaces[n % workplaces.length] ?? ''
    const id = invited.get(slug)
    const path = id === undefined ? '/invitations' : `/invitations/${id}/resend`
    const response = await members.request('POST', `/tenants/${slug}${path}`, {
      token,
      body: id === undefined ? { invitees: [{ email: victim }] } : {},
    })
    tally.add(response)
    const made = id === undefined ? response.body.items?.[0]?.invitation : undefined
    if (made) invited.set(slug, made.id)
  })
  const most = limits.invitations_recipient_day.most
  const sent = await mailsTo(members, victim)
  await recordMeasurement({
    target: 'S23',
    what: 'mail bomb by invitations of one account’s workplaces, sent again and again',
    measured: `${tried} requests (${tally.text()}), ${sent} mails, at most ${most}`,
    reached: sent <= most && tally.failed().length === 0,
  })
  expect(invited.size).toBeGreaterThan(0)
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThanOrEqual(most)
  expect(tally.failed()).toEqual([])
}, 180_000)
