import { z } from 'zod'
import { bookingPeriods } from '../platform/choices.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { page, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, instantPattern, line, lines, paragraphs } from '../platform/text.ts'
import { bookingActions } from './booking-state.ts'
import { visitorName } from './person-names.ts'
import {
  bookingChangeKind,
  bookingParty,
  bookingSource,
  bookingStatus,
  calendarDrift,
  calendarState,
  locationKind,
  schedulingLimits,
  timeZoneName,
} from './scheduling.ts'

export { bookingPeriods }

const bookingAction = z.enum(bookingActions)

export const BookingAttendee = z.object({
  name: z.string(),
  email: z.string(),
  timeZone: z.string(),
  locale: z.string(),
})
export type BookingAttendee = z.infer<typeof BookingAttendee>

/**
 * What the visitor wrote into a field of the form, with the field's label as it is now; a field
 * that is gone shows its key.
 */
export const BookingAnswer = z.object({ key: z.string(), label: z.string(), value: z.string() })
export type BookingAnswer = z.infer<typeof BookingAnswer>

/** Who ended a booking that no longer holds its time, when and why. */
const ended = {
  endedAt: instant.nullable(),
  endedBy: bookingParty.nullable(),
  reason: z.string().nullable(),
}

/** A booking as its visitor sees it. */
export const Booking = z.object({
  id: z.uuid(),
  status: bookingStatus,
  title: z.string(),
  /** In UTC. */
  start: instant,
  end: instant,
  location: z.object({ kind: locationKind, text: z.string().nullable() }),
  host: z.object({
    slug: z.string(),
    name: z.string(),
    title: z.string().nullable(),
    timeZone: z.string(),
  }),
  attendee: BookingAttendee,
  guests: z.array(z.string()),
  /** False until the visitor has confirmed their address: until then guests get no mail. */
  guestsInvited: z.boolean(),
  answers: z.array(BookingAnswer),
  note: z.string().nullable(),
  /** The host's deadline for a decision on a pending booking. */
  approvalExpiresAt: instant.nullable(),
  ...ended,
  /** SEQUENCE of the calendar object, RFC 5545 section 3.8.7.4. */
  sequence: z.number().int(),
  /** How far the calendars have got; the slowest of its hosts' ones counts. */
  calendarSync: calendarState,
  createdAt: instant,
  updatedAt: instant,
})
export type Booking = z.infer<typeof Booking>

/** What a manage link opens. */
export const ManagedBooking = z.object({
  booking: Booking,
  eventType: z.object({
    id: z.uuid(),
    slug: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    durations: z.array(z.number().int()),
    /**
     * Of the host at whose address it is booked; in a round robin another one may have this
     * booking.
     */
    hostSlug: z.string(),
    /** Whether it can be booked again. */
    offered: z.boolean(),
    /** Whether a move may give the booking to another host of the round robin. */
    hostMayChange: z.boolean(),
  }),
  tenant: z.object({
    slug: z.string(),
    name: z.string(),
    brand: z.object({ productName: z.string(), accentColor: z.string(), textColor: z.string() }),
  }),
  /** The last moments at which the visitor may act, both included. */
  cancelUntil: instant,
  rescheduleUntil: instant,
  /** From then on the link opens nothing. */
  linkEndsAt: instant,
  allowedActions: z.array(bookingAction),
})
export type ManagedBooking = z.infer<typeof ManagedBooking>

/** The iCalendar object (RFC 5545) of a booking. */
export const BookingCalendarFile = z.object({
  fileName: z.string(),
  contentType: z.string(),
  text: z.string(),
})
export type BookingCalendarFile = z.infer<typeof BookingCalendarFile>

const hostInBooking = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  calendar: z.object({
    state: calendarState,
    /** What went wrong at the last try. */
    error: z.string().nullable(),
    attempts: z.number().int(),
    /** When it is retried; null when there is no automatic retry. */
    nextAt: instant.nullable(),
    /** What the calendar was found to say of the event instead of what we wrote. */
    drift: calendarDrift,
    checkedAt: instant.nullable(),
  }),
})

/** A booking as the tenant's own people see it. */
export const TenantBooking = z.object({
  id: z.uuid(),
  status: bookingStatus,
  source: bookingSource,
  uid: z.string(),
  sequence: z.number().int(),
  title: z.string(),
  eventType: z.object({
    id: z.uuid(),
    slug: z.string(),
    title: z.string(),
    durations: z.array(z.number().int()),
    seats: z.number().int(),
    /** Whether a move may give the booking to another host of the round robin. */
    hostMayChange: z.boolean(),
  }),
  start: instant,
  end: instant,
  location: z.object({ kind: locationKind, text: z.string().nullable() }),
  /** Zone and wall time that were promised: `2027-06-04T14:00` in the host's clock. */
  hostTimeZone: z.string(),
  hostWallTime: z.string(),
  /** The organizer first. */
  hosts: z.array(hostInBooking),
  /** Hosts who lost it to another one by a move and whose calendars still have its entry. */
  formerHosts: z.array(hostInBooking),
  attendee: BookingAttendee,
  guests: z.array(z.string()),
  /** As for visitors. */
  guestsInvited: z.boolean(),
  answers: z.array(BookingAnswer),
  note: z.string().nullable(),
  approvalExpiresAt: instant.nullable(),
  confirmedAt: instant.nullable(),
  ...ended,
  noShow: z.boolean(),
  /** The worst of its hosts' ones, former hosts included. */
  calendarSync: calendarState,
  calendarDrift,
  allowedActions: z.array(bookingAction),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type TenantBooking = z.infer<typeof TenantBooking>

/** The same with everything that happened to it, oldest first. */
export const TenantBookingDetail = TenantBooking.extend({
  history: z.array(
    z.object({
      kind: bookingChangeKind,
      by: bookingParty,
      /**
       * Who of the tenant's people or the platform's; null for visitors and for what happened by
       * itself.
       */
      actorName: z.string().nullable(),
      from: instant.nullable(),
      to: instant.nullable(),
      /**
       * Names of the hosts before and after a move that gave it to another one; null where the host
       * stayed.
       */
      fromHost: z.string().nullable(),
      toHost: z.string().nullable(),
      reason: z.string().nullable(),
      at: instant,
    }),
  ),
})
export type TenantBookingDetail = z.infer<typeof TenantBookingDetail>

export const TenantBookingPage = page(TenantBooking)
export type TenantBookingPage = z.infer<typeof TenantBookingPage>

/**
 * The old link is dead. The address is null where the installation has no booking pages; the mail
 * with it is on its way.
 */
export const RenewedManageLink = z.object({
  booking: TenantBooking,
  manageToken: z.string(),
  manageUrl: z.string().nullable(),
})
export type RenewedManageLink = z.infer<typeof RenewedManageLink>

/** Why something is done, for the other side to read. */
const reason = lines(schedulingLimits.reasonCharacters)
const [firstStart, pastLastStart] = [0, Date.UTC(schedulingLimits.lastYear + 1, 0, 1)]
/** For the API description: whole minutes from 1970 to 2200. */
export const bookingStartPattern = `^(?=19[7-9]|2[01]|2200)${instantPattern('00(?:\\.0+)?')}$`

/**
 * A start is a whole minute; calendars know nothing finer. Neither before 1970 nor further ahead
 * than times are offered.
 */
export const bookingStart = instant
  .refine((value) => Date.parse(value) % 60_000 === 0, says('startOfMinute'))
  .refine(
    (value) => Date.parse(value) >= firstStart && Date.parse(value) < pastLastStart,
    says('tooFarFromNow'),
  )
  .meta({ openapi: { pattern: bookingStartPattern } })
/** In minutes. */
export const bookingDuration = z.coerce
  .number()
  .int()
  .min(schedulingLimits.durationMinutes.least)
  .max(schedulingLimits.durationMinutes.most)

/** As returned when the time was held. */
const lockToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, says('lockToken'))

export const GetManagedBooking = z.strictObject({})
export const CancelManagedBooking = z.strictObject({ reason: reason.optional() })
export type CancelManagedBooking = z.infer<typeof CancelManagedBooking>

/** `proof` is only in the visitor's mail: its holder reads the mail of the given address. */
export const InviteGuests = z.strictObject({
  proof: z.string().max(200, says('proof')),
})
export type InviteGuests = z.infer<typeof InviteGuests>

/** Of the visitor who has lost the manage link. */
export const SendManageLink = z.strictObject({
  bookingId: z.uuid(),
  email: emailAddress,
})
export type SendManageLink = z.infer<typeof SendManageLink>

/** Without `duration` it stays unchanged. `lockToken` was returned when the new time was held. */
export const RescheduleManagedBooking = z.strictObject({
  start: bookingStart,
  duration: bookingDuration.optional(),
  lockToken: lockToken.optional(),
  reason: reason.optional(),
})
export type RescheduleManagedBooking = z.infer<typeof RescheduleManagedBooking>

const slug = z.string().max(200)
const bookingId = z.uuid()

export const BookingPath = z.strictObject({ slug, bookingId })
export type BookingPath = z.infer<typeof BookingPath>

/** Start in milliseconds since 1970 and id of the last row shown. */
const bookingCursor = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, says('cursor'))

/** Without `when` all of them, the latest start first. */
export const ListBookings = z.strictObject({
  slug,
  when: z.enum(bookingPeriods).optional(),
  status: bookingStatus.optional(),
  hostId: z.uuid().optional(),
  /** Starts in `[from, to)`. */
  from: instant.optional(),
  to: instant.optional(),
  /** Part of the visitor's name or address. */
  q: line(200).optional(),
  cursor: bookingCursor.optional(),
  limit: pageLimit,
})
export type ListBookings = z.infer<typeof ListBookings>

export const DeclineBooking = z.strictObject({ slug, bookingId, reason: reason.optional() })
export type DeclineBooking = z.infer<typeof DeclineBooking>

/** Hosts say why: the visitor reads it. */
export const CancelBooking = z.strictObject({ slug, bookingId, reason })
export type CancelBooking = z.infer<typeof CancelBooking>

const flag = z.boolean().default(false)

/** No cut-off holds for hosts. Busy time and other bookings cannot be ignored. */
export const RescheduleBooking = z.strictObject({
  slug,
  bookingId,
  start: bookingStart,
  duration: bookingDuration.optional(),
  reason: reason.optional(),
  ignoreNotice: flag,
  ignoreWindow: flag,
})
export type RescheduleBooking = z.infer<typeof RescheduleBooking>

/**
 * What visitors say of themselves. `locale` is a BCP 47 tag: mails show dates and times as its
 * people write them.
 */
const attendee = z.strictObject({
  /** Goes into mails, and so holds no link. */
  name: visitorName(200),
  email: emailAddress,
  timeZone: timeZoneName,
  locale: z
    .string()
    .max(35)
    .refine(isLocale, says('locale'))
    .meta({
      openapi: { pattern: '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?$' },
    })
    .default('en'),
})

const guests = z
  .array(emailAddress)
  .max(schedulingLimits.guests)
  .default([])
  .superRefine((addresses, context) => {
    for (const [index, address] of addresses.entries()) {
      if (addresses.indexOf(address) < index)
        context.addIssue({
          code: 'custom',
          path: [index],
          message: issueText('namedTwice', { value: address }),
        })
    }
  })

/** By the keys of the event type's form fields, which say what each may hold. */
const answers = z
  .record(z.string().max(100), z.string().max(schedulingLimits.noteCharacters * 4))
  .default({})

const requested = {
  eventTypeId: z.uuid(),
  start: bookingStart,
  /** One of the event type's; its first without. */
  duration: bookingDuration.optional(),
  attendee,
  /**
   * They get the visitor's mails without the link and without what the visitor wrote, from the
   * moment on that the visitor has confirmed the own address.
   */
  guests,
  answers,
  note: paragraphs(schedulingLimits.noteCharacters).optional(),
}

/** A visitor's booking. `lockToken` was returned when the time was held. */
export const CreateBooking = z.strictObject({ ...requested, lockToken: lockToken.optional() })
export type CreateBooking = z.infer<typeof CreateBooking>

/**
 * A booking that the tenant's own people make for a visitor. Busy time and other bookings cannot be
 * ignored.
 */
export const CreateTenantBooking = z.strictObject({
  slug,
  ...requested,
  ignoreNotice: flag,
  ignoreWindow: flag,
})
export type CreateTenantBooking = z.infer<typeof CreateTenantBooking>

/** `manageToken` is only returned here and sent in the visitor's mail. */
export const CreatedBooking = z.object({ booking: Booking, manageToken: z.string() })
export type CreatedBooking = z.infer<typeof CreatedBooking>

/**
 * The same for the tenant's own people. `hostConflict`: the calendar got an entry at this time in
 * the same moment; nothing was cancelled.
 */
export const CreatedTenantBooking = z.object({
  booking: TenantBooking,
  manageToken: z.string(),
  hostConflict: z.boolean(),
})
export type CreatedTenantBooking = z.infer<typeof CreatedTenantBooking>

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
