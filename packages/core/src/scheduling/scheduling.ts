import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { currentZoneName, isTimeZone } from './time-zones.ts'

/**
 * A name of the IANA time zone database. A former name becomes the present one; offsets such as
 * `+02:00` are rejected.
 */
export const timeZoneName = z
  .string()
  .max(64, says('timeZone'))
  .refine(isTimeZone, { ...says('timeZone'), abort: true })
  .transform(currentZoneName)
  .meta({
    openapi: { component: 'TimeZone', description: 'A name of the IANA time zone database' },
  })

/**
 * States of a booking. `pending` and `confirmed` hold the time; the others have given it back for
 * good.
 */
export const bookingStatuses = ['pending', 'confirmed', 'cancelled', 'declined', 'expired'] as const
export const bookingStatus = z.enum(bookingStatuses)
export type BookingStatus = z.infer<typeof bookingStatus>

/** Who changed a booking. `host` represents everyone who acts for the tenant. */
export const bookingParties = ['visitor', 'host', 'system'] as const
export const bookingParty = z.enum(bookingParties)
export type BookingParty = z.infer<typeof bookingParty>

/** Where a booking was made: on the public page or by the tenant's own people. */
export const bookingSources = ['public', 'host'] as const
export const bookingSource = z.enum(bookingSources)
export type BookingSource = z.infer<typeof bookingSource>

export const bookingChangeKinds = [
  'requested',
  'confirmed',
  'declined',
  'cancelled',
  'rescheduled',
  'expired',
  'no_show',
  'link_renewed',
] as const
export const bookingChangeKind = z.enum(bookingChangeKinds)
export type BookingChangeKind = z.infer<typeof bookingChangeKind>

/**
 * Who takes a booking of an event type: its host alone, the one of its hosts whose turn it is, or
 * all of them together.
 */
export const assignments = ['host', 'round_robin', 'collective'] as const
export const assignment = z.enum(assignments)
export type Assignment = z.infer<typeof assignment>

/**
 * For whom the limits of a round robin hold: each of its hosts by itself, or all of them together.
 */
export const limitsScopes = ['host', 'event_type'] as const
export const limitsScope = z.enum(limitsScopes)
export type LimitsScope = z.infer<typeof limitsScope>

/**
 * Who has a booking of a round robin after a move: the same host, or any of its hosts who is free
 * then.
 */
export const rescheduleHosts = ['same', 'any'] as const
export const rescheduleHost = z.enum(rescheduleHosts)
export type RescheduleHost = z.infer<typeof rescheduleHost>

/** How people meet. `visitor_phone`: the host calls the number that the visitor gives. */
export const locationKinds = ['video', 'phone', 'in_person', 'visitor_phone'] as const
export const locationKind = z.enum(locationKinds)
export type LocationKind = z.infer<typeof locationKind>

/**
 * How far a host's calendar has got with a booking: `pending` is due or being tried, `failed` was
 * given up and waits for a person, `none` has nothing to write (a booking that is not confirmed).
 */
export const calendarStates = ['none', 'pending', 'synced', 'failed'] as const
export const calendarState = z.enum(calendarStates)
export type CalendarState = z.infer<typeof calendarState>

/**
 * Seconds until a calendar is written again after the first, second … failure; after the last of
 * them it is given up.
 */
const calendarRetrySeconds = [15, 60, 300, 1_800, 7_200, 43_200] as const

/**
 * Seconds until a calendar is written again after so many failures; undefined when it is given up.
 */
export function calendarRetryDelay(failures: number): number | undefined {
  return calendarRetrySeconds[failures - 1]
}

/** What a look at the host's calendar found of an event that we wrote. */
export const calendarDrifts = ['none', 'moved', 'deleted'] as const
export const calendarDrift = z.enum(calendarDrifts)
export type CalendarDrift = z.infer<typeof calendarDrift>

/**
 * How a credential came to us: minted through the mail server's management, or typed in by a
 * person.
 */
export const credentialSources = ['minted', 'entered'] as const
export const credentialSource = z.enum(credentialSources)
export type CredentialSource = z.infer<typeof credentialSource>

/**
 * Bounds and defaults of settings, in minutes where nothing else is said.
 * docs/reference/contract.md, scheduling, has them in words.
 */
export const schedulingLimits = {
  durationMinutes: { least: 5, most: 1_440 },
  durations: 10,
  stepMinutes: { least: 5, most: 1_440 },
  bufferMinutes: 480,
  noticeMinutes: { most: 525_600, standard: 120 },
  rollingDays: { most: 730, standard: 60 },
  bookingsPerPeriod: 1_000,
  seats: 1_000,
  windowsPerDay: 20,
  overrides: 1_000,
  schedulesPerHost: 50,
  eventTypesPerHost: 200,
  hostsPerEventType: 20,
  /** Days that one question for slots may span. */
  rangeDays: 62,
  /**
   * Maximum number of starts per response; it ends with a whole date. A week with a start every
   * five minutes fits.
   */
  startsPerResponse: 2_500,
  /** A zone's clocks are known so far ahead; nothing is offered or booked beyond. */
  lastYear: 2_200,
  guests: 10,
  /** Moves of a booking by its visitor. */
  movesPerBooking: 5,
  formFields: 20,
  noteCharacters: 2_000,
  reasonCharacters: 1_000,
  approvalHours: { most: 720, standard: 72 },
  reminders: 5,
  lockSeconds: 300,
  lockRenewals: 3,
  locksPerAddressAndHost: 3,
  locksPerAddress: 10,
  /** The same of an IPv6 /48. */
  locksPerNetworkAndHost: 6,
  locksPerNetwork: 20,
  /** Upcoming bookings of one visitor's address with one host. */
  bookingsPerVisitor: { most: 100, standard: 5 },
} as const
