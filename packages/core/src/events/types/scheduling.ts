import { z } from 'zod'
import { assignment, credentialSource } from '../../scheduling/scheduling.ts'
import { type EventChanges, type EventType, eventType } from '../event-type.ts'

const by = z.enum(['host', 'visitor', 'system'])
const booking = (details: z.ZodRawShape = {}) =>
  eventType('booking', { hostId: z.uuid(), start: z.iso.datetime(), ...details })
const host = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('host', details, changes)
const bookable = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('event_type', { hostId: z.uuid(), ...details }, changes)
const schedule = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('schedule', { hostId: z.uuid(), ...details }, changes)

/** Bookings, and what can be booked. */
export const schedulingEventTypes = {
  'booking.canceled': booking({ by }),
  'booking.confirmed': booking({ by: by.optional() }),
  'booking.declined': booking(),
  'booking.expired': booking(),
  'booking.guests_invited': booking(),
  'booking.link_renewed': booking(),
  'booking.no_show': booking(),
  'booking.requested': booking({ by }),
  'booking.rescheduled': booking({
    by,
    /** The new start. */
    to: z.iso.datetime(),
    toHostId: z.uuid().optional(),
  }),
  'booking_page.updated': eventType('booking_page', {}, { headline: [null, 'Meet us'] }),
  'event_type.created': bookable({ assignment, hostIds: z.array(z.uuid()) }),
  'event_type.removed': bookable({ keptBookings: z.int().optional() }),
  'event_type.updated': bookable({}, { title: ['Introduction', 'First meeting'] }),
  'host.created': host({ userId: z.uuid(), zone: z.string() }),
  'host.removed': host({ cancelledBookings: z.int() }),
  'host.updated': host({}, { title: [null, 'Adviser'] }),
  'mail_credential.removed': host({ reason: z.string().optional() }),
  'mail_credential.set': host({ source: credentialSource }),
  'schedule.created': schedule({ timeZone: z.string(), standard: z.boolean() }),
  'schedule.removed': schedule(),
  'schedule.updated': schedule({}, { name: ['Mornings', 'Office hours'] }),
} as const satisfies Record<string, EventType>
