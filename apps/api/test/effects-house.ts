import { smtp } from '@atrium/integrations/mailer/smtp'
import ICAL from 'ical.js'
import { drainOutbox } from '../src/outbox/drain.ts'
import { type BookingsHouse, openBookingsHouse, type TestBooking, type TestHost } from './bookings-house.ts'
import { type CaughtMail, calendarFileOf, caughtMails } from './mails.ts'
import { clientsWithDeadline } from './outside.ts'

type Booked = Parameters<BookingsHouse['book']>[0]

/** A house that sends mail and writes calendars, with one host, and eyes for what reaches the outside. */
export interface EffectsHouse extends BookingsHouse {
  host: TestHost
  eventTypeId: string
  /** Empties queue, mails and bookings, and makes a host with an event type. */
  startAnew(): Promise<void>
  /** Moves the clock of the service on. */
  later(minutes: number): void
  /** With the host, half an hour at ten, unless said otherwise. */
  bookOne(fields?: Partial<Booked>): Promise<TestBooking>
  /** As the visitor. */
  move(booking: TestBooking, start: Date): ReturnType<BookingsHouse['visit']>
  cancel(booking: TestBooking): ReturnType<BookingsHouse['visit']>
  /** Sends what is queued; answers what one recipient has got so far, oldest first. */
  mailsTo(address: string): Promise<CaughtMail[]>
  /** Opens the link in the newest mail to the visitor and confirms the address. */
  inviteGuests(manageToken: string, visitor: string): ReturnType<BookingsHouse['visit']>
  /** The calendar file of a mail, as another program reads it. */
  invitationIn(mail: CaughtMail | undefined): ReturnType<typeof readInvitation>
  /** Events in a host's calendar, as the mail server has them. */
  eventsOf(host: TestHost): ReturnType<BookingsHouse['sandbox']['mail']['calendars']['list']>[string]
  /** How far the host's calendar has got with a booking. */
  stored(booking: TestBooking): ReturnType<typeof readStored>
}

const minuteMs = 60_000

export async function openEffectsHouse(): Promise<EffectsHouse> {
  const house = await openBookingsHouse({
    mailer: true,
    env: { PORTAL_URL: 'https://portal.test' },
    integrations: (connected, config) => ({
      ...clientsWithDeadline(1_000)(connected, config),
      mailer: config.smtp && smtp({ url: config.smtp.url, deadlineMs: 15_000, circuit: { failures: 10_000, openMs: 1 } }),
    }),
  })
  const { db } = house.database
  const own: EffectsHouse = {
    ...house,
    host: { id: '', userId: '', tenantId: '', address: '', token: async () => '' },
    eventTypeId: '',
    async startAnew() {
      house.sandbox.clearFaults()
      house.sandbox.smtp.reset()
      await db.deleteFrom('outbox').execute()
      await db.deleteFrom('bookings').execute()
      house.time.now = house.at(0)
      own.host = await house.newHost({ name: 'Anna Owner', zone: 'Europe/Berlin' })
      own.eventTypeId = await house.newEventType(own.host, { title: 'Introduction', reminders: [60] })
    },
    later(minutes) {
      house.time.now = new Date(house.time.now.getTime() + minutes * minuteMs)
    },
    bookOne: (fields = {}) => house.book({ host: own.host, eventTypeId: own.eventTypeId, start: house.at(10), ...fields }),
    move: (booking, start) => house.visit('POST', '/reschedule', booking.token, { start: start.toISOString() }),
    cancel: (booking) => house.visit('POST', '/cancel', booking.token, { reason: 'I am ill.' }),
    async mailsTo(address) {
      await drainOutbox(house.app.house)
      return caughtMails(house).filter((mail) => mail.envelope.to.includes(address))
    },
    async inviteGuests(manageToken, visitor) {
      const proof = /\?proof=([\w-]+)/.exec((await own.mailsTo(visitor)).at(-1)?.text ?? '')?.[1]
      return house.visit('POST', '/guests', manageToken, { proof })
    },
    invitationIn: (mail) => readInvitation(house, mail),
    eventsOf: ({ address }) => house.sandbox.mail.calendars.list()[address] ?? [],
    stored: (booking) => readStored(house, booking.id, own.host.id),
  }
  return own
}

async function readInvitation(house: BookingsHouse, mail: CaughtMail | undefined) {
  const text = mail && (await calendarFileOf(house, mail))
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
    attendees: event.getAllProperties('attendee').map((attendee) => String(attendee.getFirstValue())),
    text,
  }
}

function readStored({ database }: BookingsHouse, bookingId: string, hostId: string) {
  return database.db
    .selectFrom('booking_hosts')
    .selectAll()
    .where('booking_id', '=', bookingId)
    .where('host_id', '=', hostId)
    .executeTakeFirstOrThrow()
}
