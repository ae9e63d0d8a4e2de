import { drainOutbox } from '@atrium/api/outbox/drain'
import { smtp } from '@atrium/integrations/mailer/smtp'
import ICAL from 'ical.js'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
  type TestHost,
} from './bookings-test-app.ts'
import { type CaughtMail, calendarFileOf, caughtMails } from './mails.ts'
import { clientsWithDeadline } from './outside.ts'

type Booked = Parameters<BookingsTestApp['book']>[0]

/**
 * A test app that sends mail and writes calendars, with one host, and eyes for what reaches the
 * outside.
 */
export interface EffectsTestApp extends BookingsTestApp {
  host: TestHost
  eventTypeId: string
  /** Empties queue, mails and bookings, and makes a host with an event type. */
  startAnew(): Promise<void>
  /** Moves the clock of the service on. */
  later(minutes: number): void
  /** With the host, half an hour at ten, unless said otherwise. */
  bookOne(fields?: Partial<Booked>): Promise<TestBooking>
  /** As the visitor. */
  move(booking: TestBooking, start: Date): ReturnType<BookingsTestApp['visit']>
  cancel(booking: TestBooking): ReturnType<BookingsTestApp['visit']>
  /** Sends what is queued; returns what one recipient has got so far, oldest first. */
  mailsTo(address: string): Promise<CaughtMail[]>
  /** Opens the link in the newest mail to the visitor and confirms the address. */
  inviteGuests(manageToken: string, visitor: string): ReturnType<BookingsTestApp['visit']>
  /** The calendar file of a mail, as another program reads it. */
  invitationIn(mail: CaughtMail | undefined): ReturnType<typeof readInvitation>
  /** Events in a host's calendar, as the mail server has them. */
  eventsOf(
    host: TestHost,
  ): ReturnType<BookingsTestApp['sandbox']['mail']['calendars']['list']>[string]
  /** How far the host's calendar has got with a booking. */
  stored(booking: TestBooking): ReturnType<typeof readStored>
}

const minuteMs = 60_000

export async function startEffectsTestApp(): Promise<EffectsTestApp> {
  const testApp = await startBookingsTestApp({
    mailer: true,
    env: { PORTAL_URL: 'https://portal.test' },
    integrations: (connected, config) => ({
      ...clientsWithDeadline(1_000)(connected, config),
      mailer:
        config.smtp &&
        smtp({
          url: config.smtp.url,
          deadlineMs: 15_000,
          circuit: { failures: 10_000, openMs: 1 },
        }),
    }),
  })
  const { db } = testApp.database
  const own: EffectsTestApp = {
    ...testApp,
    host: { id: '', userId: '', tenantId: '', address: '', token: async () => '' },
    eventTypeId: '',
    async startAnew() {
      testApp.sandbox.clearFaults()
      testApp.sandbox.smtp.reset()
      await db.deleteFrom('outbox').execute()
      await db.deleteFrom('bookings').execute()
      testApp.time.now = testApp.at(0)
      own.host = await testApp.newHost({ name: 'Anna Owner', zone: 'Europe/Berlin' })
      own.eventTypeId = await testApp.newEventType(own.host, {
        title: 'Introduction',
        reminders: [60],
      })
    },
    later(minutes) {
      testApp.time.now = new Date(testApp.time.now.getTime() + minutes * minuteMs)
    },
    bookOne: (fields = {}) =>
      testApp.book({
        host: own.host,
        eventTypeId: own.eventTypeId,
        start: testApp.at(10),
        ...fields,
      }),
    move: (booking, start) =>
      testApp.visit('POST', '/reschedule', booking.token, { start: start.toISOString() }),
    cancel: (booking) => testApp.visit('POST', '/cancel', booking.token, { reason: 'I am ill.' }),
    async mailsTo(address) {
      await drainOutbox(testApp.app.services)
      return caughtMails(testApp).filter((mail) => mail.envelope.to.includes(address))
    },
    async inviteGuests(manageToken, visitor) {
      const proof = /\?proof=([\w-]+)/.exec((await own.mailsTo(visitor)).at(-1)?.text ?? '')?.[1]
      return testApp.visit('POST', '/guests', manageToken, { proof })
    },
    invitationIn: (mail) => readInvitation(testApp, mail),
    eventsOf: ({ address }) => testApp.sandbox.mail.calendars.list()[address] ?? [],
    stored: (booking) => readStored(testApp, booking.id, own.host.id),
  }
  return own
}

async function readInvitation(testApp: BookingsTestApp, mail: CaughtMail | undefined) {
  const text = mail && (await calendarFileOf(testApp, mail))
  if (text === undefined) return undefined
  const calendar = new ICAL.Component(ICAL.parse(text))
  const event = calendar.getFirstSubcomponent('vevent')
  if (!event) throw new Error('there is no event in the calendar file')
  const value = (name: string) => String(event.getFirstPropertyValue(name))
  return {
    method: calendar.getFirstPropertyValue('method'),
    uid: value('uid'),
    sequence: event.getFirstPropertyValue('sequence'),
    status: value('status'),
    start: value('dtstart'),
    organizer: value('organizer'),
    attendees: event
      .getAllProperties('attendee')
      .map((attendee) => String(attendee.getFirstValue())),
    text,
  }
}

function readStored({ database }: BookingsTestApp, bookingId: string, hostId: string) {
  return database.db
    .selectFrom('booking_hosts')
    .selectAll()
    .where('booking_id', '=', bookingId)
    .where('host_id', '=', hostId)
    .executeTakeFirstOrThrow()
}
