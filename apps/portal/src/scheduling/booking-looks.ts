import type { TenantBooking } from '@atrium/core/bookings'
import type { BookingChangeKind, BookingParty, BookingStatus, CalendarState } from '@atrium/core/scheduling'
import type { Look } from '@atrium/ui/tones'

const statusLooks: Readonly<Record<BookingStatus, Look>> = {
  pending: { label: 'Needs confirmation', tone: 'waiting' },
  confirmed: { label: 'Confirmed', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  declined: { label: 'Declined', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
}

/** A booking's state as people read it. */
export function bookingLook({ status, noShow }: Pick<TenantBooking, 'status' | 'noShow'>): Look {
  return noShow ? { label: 'Did not come', tone: 'warning' } : statusLooks[status]
}

const calendarLooks: Readonly<Record<CalendarState, Look | undefined>> = {
  none: undefined,
  pending: { label: 'Not written yet', tone: 'working' },
  synced: { label: 'In the calendar', tone: 'good' },
  failed: { label: 'Could not be written', tone: 'bad' },
}

type HostCalendar = TenantBooking['hosts'][number]['calendar']

/** How far the host's calendar has got; undefined where there is nothing to write. */
export function hostCalendarLook({ state, drift }: Pick<HostCalendar, 'state' | 'drift'>): Look | undefined {
  return drift === 'none' ? calendarLooks[state] : { label: 'Calendar differs', tone: 'warning' }
}

/** A word about the calendars that the list should not hide; undefined while all is well. */
export function calendarWarning({ calendarSync, calendarDrift }: Pick<TenantBooking, 'calendarSync' | 'calendarDrift'>): Look | undefined {
  if (calendarDrift !== 'none') return { label: 'Calendar differs', tone: 'warning' }
  return calendarSync === 'pending' || calendarSync === 'failed' ? calendarLooks[calendarSync] : undefined
}

export const changeWords: Readonly<Record<BookingChangeKind, string>> = {
  requested: 'Requested',
  confirmed: 'Confirmed',
  declined: 'Declined',
  cancelled: 'Cancelled',
  rescheduled: 'Moved',
  expired: 'Expired without an answer',
  no_show: 'Marked as not having come',
  link_renewed: 'New link sent',
}

export const partyNames: Readonly<Record<BookingParty, string>> = { visitor: 'the visitor', host: 'the host', system: 'the platform' }
