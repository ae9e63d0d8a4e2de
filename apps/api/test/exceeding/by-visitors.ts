import type { BookingsTestApp } from '@atrium/testing/bookings-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { newAddress, visit, wish } from '@atrium/testing/visitors'
import { amongVisitors } from './reach.ts'

const address = '198.51.100.7'
/** Addresses of one IPv6 /48, each in a /64 of its own. */
const inNetwork = (n: number) => `2001:db8:7:${(n + 1).toString(16)}::1`

const slots = (testApp: BookingsTestApp, eventType: string) =>
  `/event-types/${eventType}/slots?from=${testApp.at(24).toISOString()}&to=${testApp.at(25).toISOString()}&timeZone=UTC`

type From = (n: number) => string
const always: From = () => address

/** Each call searches, holds or books at another hour, from the address that `from` gives. */
const searches = (from: From) => async (testApp: BookingsTestApp) => {
  const eventType = await testApp.newEventType(await testApp.newHost())
  return (n: number) => visit(testApp, 'GET', slots(testApp, eventType), { address: from(n) })
}
const holds = (from: From) => async (testApp: BookingsTestApp) => {
  const eventType = await testApp.newEventType(await testApp.newHost())
  return (n: number) =>
    visit(testApp, 'POST', '/slot-locks', {
      address: from(n),
      body: { eventTypeId: eventType, start: testApp.at(24 + n).toISOString() },
    })
}
const books = (from: From, fields: Record<string, unknown> = {}) => {
  return async (testApp: BookingsTestApp) => {
    const eventType = await testApp.newEventType(await testApp.newHost())
    return (n: number) =>
      visit(testApp, 'POST', '/bookings', {
        address: from(n),
        body: wish(eventType, testApp.at(24 + n), fields),
      })
  }
}
/** Follows mailed links that there are not. */
const follows = (from: From) => (testApp: BookingsTestApp) => (n: number) =>
  testApp.request('POST', '/invitations/accept', {
    token: 'x'.repeat(43),
    body: {},
    headers: {
      'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '',
      'x-forwarded-for': from(n),
    },
  })

const newBooking = async (testApp: BookingsTestApp) => {
  const host = await testApp.newHost()
  return testApp.book({
    host,
    eventTypeId: await testApp.newEventType(host),
    start: testApp.at(72),
  })
}

// A booking mails the visitor and the host.
const mails = { status: 201, headers: false } as const
const victim = { attendee: { name: 'Vera', email: 'victim@example.org', timeZone: 'UTC' } }

/** Limits of what visitors may do, each with the call that reaches it. */
export const byVisitors = {
  invitation_links_minute: amongVisitors(follows(always), { status: 404 }),
  invitation_links_network_minute: amongVisitors(follows(inNetwork), { status: 404 }),
  visitor_mails_recipient_day: amongVisitors(books(newAddress, victim), mails),
  visitor_mails_host_day: amongVisitors(books(newAddress), mails),
  visitor_mails_unproven_day: amongVisitors(books(newAddress), { ...mails, most: 4, lets: 2 }),
  visitor_mails_day: amongVisitors(
    async (testApp) => {
      await proveDomain(testApp, 'acme', 'acme-bookings.example')
      return books(newAddress)(testApp)
    },
    { ...mails, most: 4, lets: 2 },
  ),
  visitor_pages_minute: amongVisitors(
    (testApp) => () => visit(testApp, 'GET', '/pages/acme', { address }),
  ),
  visitor_slots_minute: amongVisitors(searches(always)),
  visitor_slots_network_minute: amongVisitors(searches(inNetwork)),
  visitor_holds_minute: amongVisitors(holds(always), { status: 201 }),
  visitor_holds_network_minute: amongVisitors(holds(inNetwork), { status: 201 }),
  visitor_bookings_minute: amongVisitors(books(always), { status: 201 }),
  visitor_bookings_day: amongVisitors(books(always), { status: 201 }),
  visitor_bookings_network_minute: amongVisitors(books(inNetwork), { status: 201 }),
  visitor_bookings_network_day: amongVisitors(books(inNetwork), { status: 201 }),
  visitor_manage_reads_minute: amongVisitors(async (testApp) => {
    const { token } = await newBooking(testApp)
    return () => testApp.visit('GET', '', token, undefined, address)
  }),
  visitor_manage_changes_minute: amongVisitors(async (testApp) => {
    const { token } = await newBooking(testApp)
    return (n) =>
      testApp.visit(
        'POST',
        '/reschedule',
        token,
        { start: testApp.at(96 + n).toISOString() },
        address,
      )
  }),
  visitor_manage_failures: amongVisitors(
    (testApp) => () => testApp.visit('GET', '', 'x'.repeat(43), undefined, address),
    {
      status: 404,
    },
  ),
}
