import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import type {
  BookingChangeKind,
  BookingParty,
  BookingStatus,
  CalendarState,
} from '@atrium/core/scheduling/scheduling'
import type { StatusMeta } from '@atrium/ui/tones'

const statusMeta: Readonly<Record<BookingStatus, StatusMeta>> = {
  pending: { label: 'Needs confirmation', tone: 'waiting' },
  confirmed: { label: 'Confirmed', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  declined: { label: 'Declined', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
}

/** A booking's state as people read it. */
export function bookingMeta({
  status,
  noShow,
}: Pick<TenantBooking, 'status' | 'noShow'>): StatusMeta {
  return noShow ? { label: 'Did not come', tone: 'warning' } : statusMeta[status]
}

const calendarStateMeta: Readonly<Record<CalendarState, StatusMeta | undefined>> = {
  none: undefined,
  pending: { label: 'Not written yet', tone: 'working' },
  synced: { label: 'In the calendar', tone: 'good' },
  failed: { label: 'Could not be written', tone: 'bad' },
}

type HostCalendar = TenantBooking['hosts'][number]['calendar']

/** How far the host's calendar has got; undefined where there is nothing to write. */
export function hostCalendarMeta({
  state,
  drift,
}: Pick<HostCalendar, 'state' | 'drift'>): StatusMeta | undefined {
  return drift === 'none'
    ? calendarStateMeta[state]
    : { label: 'Calendar differs', tone: 'warning' }
}

/** A word about the calendars that the list should not hide; undefined while all is well. */
export function calendarWarning({
  calendarSync,
  calendarDrift,
}: Pick<TenantBooking, 'calendarSync' | 'calendarDrift'>): StatusMeta | undefined {
  if (calendarDrift !== 'none') return { label: 'Calendar differs', tone: 'warning' }
  return calendarSync === 'pending' || calendarSync === 'failed'
    ? calendarStateMeta[calendarSync]
    : undefined
}

export const changeLabels: Readonly<Record<BookingChangeKind, string>> = {
  requested: 'Requested',
  confirmed: 'Confirmed',
  declined: 'Declined',
  cancelled: 'Cancelled',
  rescheduled: 'Moved',
  expired: 'Expired without an answer',
  no_show: 'Marked as not having come',
  link_renewed: 'New link sent',
}

export const partyNames: Readonly<Record<BookingParty, string>> = {
  visitor: 'the visitor',
  host: 'the host',
  system: 'the platform',
}
