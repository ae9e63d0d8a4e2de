import {
  allowedActions,
  cancelUntil,
  manageLinkEnds,
  rescheduleUntil,
} from '@atrium/core/scheduling/booking-state'
import type {
  Booking,
  BookingAnswer,
  ManagedBooking,
  TenantBooking,
  TenantBookingDetail,
} from '@atrium/core/scheduling/bookings'
import type { CalendarDrift, CalendarState } from '@atrium/core/scheduling/scheduling'
import type { BookingChangeRow, BookingHostRow, BookingRow } from '@atrium/db/scheduling/bookings'
import { readFailure } from '../../rpc/reader-language.ts'
import { hostMayChange } from './facts.ts'
import { stateOf } from './state.ts'

const iso = (at: Date | null) => at?.toISOString() ?? null

/** The one that most needs attention, of several hosts. */
const slowest: readonly CalendarState[] = ['failed', 'pending', 'synced', 'none']
const furthest: readonly CalendarDrift[] = ['deleted', 'moved', 'none']

export function calendarSyncOf(hosts: readonly BookingHostRow[]): CalendarState {
  return (
    slowest.find((state) => hosts.some(({ calendarState }) => calendarState === state)) ?? 'none'
  )
}

function answersOf({ answers, fields }: BookingRow): BookingAnswer[] {
  const order = (key: string) =>
    (fields.findIndex((field) => field.key === key) + fields.length + 1) % (fields.length + 1)
  return Object.entries(answers)
    .map(([key, value]) => ({
      key,
      label: fields.find((field) => field.key === key)?.label ?? key,
      value,
    }))
    .sort((a, b) => order(a.key) - order(b.key))
}

function sharedOf(booking: BookingRow) {
  return {
    id: booking.id,
    status: booking.status,
    title: booking.title,
    start: booking.startAt.toISOString(),
    end: booking.endAt.toISOString(),
    location: { kind: booking.locationKind, text: booking.location },
    attendee: {
      name: booking.visitorName,
      email: booking.visitorEmail,
      timeZone: booking.visitorZone,
      locale: booking.visitorLocale,
    },
    guests: booking.guests,
    guestsInvited: booking.visitorConfirmedAt !== null,
    answers: answersOf(booking),
    note: booking.note,
    approvalExpiresAt: booking.status === 'pending' ? iso(booking.approvalExpiresAt) : null,
    endedAt: iso(booking.endedAt),
    endedBy: booking.endedBy,
    reason: booking.reason,
    sequence: booking.sequence,
    calendarSync: calendarSyncOf(booking.hosts),
    createdAt: booking.createdAt.toISOString(),
    updatedAt: booking.updatedAt.toISOString(),
  }
}

/** For the visitor. */
export function toBooking(booking: BookingRow): Booking {
  const { hostSlug, hostName, hostTitle, hostZone } = booking
  return {
    ...sharedOf(booking),
    host: { slug: hostSlug, name: hostName, title: hostTitle, timeZone: hostZone },
  }
}

export function toManagedBooking(
  booking: BookingRow,
  brand: ManagedBooking['tenant']['brand'],
  now: Date,
): ManagedBooking {
  const state = stateOf(booking)
  const at = (instant: number) => new Date(instant).toISOString()
  return {
    booking: toBooking(booking),
    eventType: {
      id: booking.eventTypeId,
      slug: booking.eventTypeSlug,
      title: booking.eventTypeTitle,
      description: booking.eventTypeDescription,
      durations: booking.durations,
      hostSlug: booking.eventTypeHostSlug,
      offered: state.offered,
      hostMayChange: hostMayChange(booking),
    },
    tenant: { slug: booking.tenantSlug, name: booking.tenantName, brand },
    cancelUntil: at(cancelUntil(state)),
    rescheduleUntil: at(rescheduleUntil(state)),
    linkEndsAt: at(manageLinkEnds(state)),
    allowedActions: allowedActions('visitor', state, now.getTime()),
  }
}

function toHost(host: BookingHostRow): TenantBooking['hosts'][number] {
  return {
    id: host.hostId,
    slug: host.slug,
    name: host.name,
    calendar: {
      state: host.calendarState,
      error: readFailure(host.calendarError),
      attempts: host.calendarAttempts,
      nextAt: host.calendarState === 'pending' ? iso(host.calendarNextAt) : null,
      drift: host.calendarDrift,
      checkedAt: iso(host.calendarCheckedAt),
    },
  }
}

/** For the tenant's own people. */
export function toTenantBooking(booking: BookingRow, now: Date): TenantBooking {
  return {
    ...sharedOf(booking),
    source: booking.source,
    uid: booking.uid,
    eventType: {
      id: booking.eventTypeId,
      slug: booking.eventTypeSlug,
      title: booking.eventTypeTitle,
      durations: booking.durations,
      seats: booking.seats,
      hostMayChange: hostMayChange(booking),
    },
    hostTimeZone: booking.hostZone,
    hostWallTime: booking.hostWall,
    calendarSync: calendarSyncOf([...booking.hosts, ...booking.formerHosts]),
    hosts: booking.hosts.map(toHost),
    formerHosts: booking.formerHosts.map(toHost),
    confirmedAt: iso(booking.confirmedAt),
    noShow: booking.noShow,
    calendarDrift:
      furthest.find((drift) =>
        booking.hosts.some(({ calendarDrift }) => calendarDrift === drift),
      ) ?? 'none',
    allowedActions: allowedActions('host', stateOf(booking), now.getTime()),
    version: booking.version,
  }
}

export function toTenantBookingDetail(
  booking: BookingRow,
  changes: readonly BookingChangeRow[],
  now: Date,
): TenantBookingDetail {
  return {
    ...toTenantBooking(booking, now),
    history: changes.map(
      ({ kind, by, actorName, fromStart, toStart, fromHost, toHost, reason, at }) => ({
        kind,
        by,
        actorName,
        from: iso(fromStart),
        to: iso(toStart),
        fromHost,
        toHost,
        reason,
        at: at.toISOString(),
      }),
    ),
  }
}
