import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import type {
  BookingChangeKind,
  BookingParty,
  BookingStatus,
  CalendarState,
} from '@atrium/core/scheduling/scheduling'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.scheduling-bookings')

const tones: Readonly<Record<BookingStatus, Tone>> = {
  pending: 'waiting',
  confirmed: 'good',
  cancelled: 'neutral',
  declined: 'neutral',
  expired: 'neutral',
}

/** A booking's state as people read it. */
export function bookingMeta({
  status,
  noShow,
}: Pick<TenantBooking, 'status' | 'noShow'>): StatusMeta {
  return noShow
    ? { label: t('statuses.noShow'), tone: 'warning' }
    : { label: t(`statuses.${status}`), tone: tones[status] }
}

const calendarTones: Readonly<Record<Exclude<CalendarState, 'none'>, Tone>> = {
  pending: 'working',
  synced: 'good',
  failed: 'bad',
}

function calendarStateMeta(state: CalendarState): StatusMeta | undefined {
  return state === 'none'
    ? undefined
    : { label: t(`calendarStates.${state}`), tone: calendarTones[state] }
}

const differs = (): StatusMeta => ({ label: t('calendarStates.differs'), tone: 'warning' })

type HostCalendar = TenantBooking['hosts'][number]['calendar']

/** How far the host's calendar has got; undefined where there is nothing to write. */
export function hostCalendarMeta({
  state,
  drift,
}: Pick<HostCalendar, 'state' | 'drift'>): StatusMeta | undefined {
  return drift === 'none' ? calendarStateMeta(state) : differs()
}

/** A word about the calendars that the list should not hide; undefined while all is well. */
export function calendarWarning({
  calendarSync,
  calendarDrift,
}: Pick<TenantBooking, 'calendarSync' | 'calendarDrift'>): StatusMeta | undefined {
  if (calendarDrift !== 'none') return differs()
  return calendarSync === 'pending' || calendarSync === 'failed'
    ? calendarStateMeta(calendarSync)
    : undefined
}

export const changeLabel = (kind: BookingChangeKind): string => t(`changes.${kind}`)

export const partyName = (party: BookingParty): string => t(`parties.${party}`)
