import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError, writeText } from '@atrium/core/platform/errors'
import type { EventTypePreview, PreviewEventType } from '@atrium/core/scheduling/event-types'
import type { Slot, Span } from '@atrium/core/scheduling/slots'
import { dateOf, dayOf } from '@atrium/core/scheduling/time-zones'
import { findEventType } from '@atrium/db/scheduling/event-types'
import { findHostsById, type HostRow } from '@atrium/db/scheduling/hosts'
import { scheduleFor } from '@atrium/db/scheduling/schedules'
import type { PageLanguage } from '@atrium/messages/languages'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { ownHost } from '../access.ts'
import { byDate, dater, inIso, rangeOf } from '../slots/range.ts'
import { type Offering, slotsOf } from '../slots/slots.ts'
import { noSuchEventType } from './event-types.ts'
import { hostIdsOf, rejectUnfit } from './fit.ts'

/** Placeholder for an unsaved event type: no booking belongs to it. */
const unsaved = '00000000-0000-0000-0000-000000000000'

/**
 * What unsaved settings would offer, by the same function that offers saved ones. A calendar that
 * cannot be read is said, and offers nothing. Throws AppError `not_found` for host or event type,
 * `not_admin`, and `invalid_input` as saving would.
 */
export async function previewEventType(
  { services, request }: Context,
  access: Access,
  input: PreviewEventType,
): Promise<EventTypePreview> {
  const { db } = services.database
  const host = await ownHost(services, access, input.hostId)
  const stored =
    input.eventTypeId === undefined ? undefined : await findEventType(db, input.eventTypeId)
  if (input.eventTypeId !== undefined && (stored?.hostId !== host.id || stored.removedAt))
    throw noSuchEventType()
  const requested = { ...input, hostIds: hostIdsOf(input, host.id) }
  await rejectUnfit(db, access, host, requested, stored)
  const now = services.clock.now()
  const timeZone = input.timeZone ?? (await scheduleFor(db, requested, host.id))?.zone ?? host.zone
  const span = spanOf(input, timeZone, now.getTime())
  const [first = 0] = input.durations
  const minutes = input.minutes ?? first
  const offering = {
    eventType: toOffered(requested, stored?.id),
    hosts: await takingPart(db, host, requested.hostIds),
  }
  const found = await slotsOf(services, offering, { minutes, now, span, unbounded: true }).catch(
    (error: unknown) => ({
      reason: reasonOf(error, request.language),
    }),
  )
  const slots = 'reason' in found ? [] : found
  return {
    timeZone,
    minutes,
    calendarRead: !('reason' in found),
    reason: 'reason' in found ? found.reason : null,
    days: [...byDate(slots, span, timeZone)].map(([date, ofDate]) => ({
      date,
      slots: ofDate.map(toView),
    })),
  }
}

function spanOf({ from, days }: PreviewEventType, timeZone: string, now: number): Span {
  const first = from ?? dater({ start: now, end: now + 1 }, timeZone)(now)
  return rangeOf({ from: first, to: dateOf(dayOf(first) + days - 1), timeZone }, now)
}

/** The hosts of the ids in their order. Of others than the own one those who can be booked. */
async function takingPart(
  db: Parameters<typeof findHostsById>[0],
  own: HostRow,
  ids: readonly string[],
): Promise<HostRow[]> {
  const found = new Map((await findHostsById(db, ids)).map((host) => [host.id, host]))
  return ids.flatMap((id) => {
    const host = found.get(id)
    return host && (host.active || host.id === own.id) ? [host] : []
  })
}

type Requested = PreviewEventType & { hostIds: string[] }

function toOffered(requested: Requested, id: string | undefined): Offering['eventType'] {
  const {
    scheduleId,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
    limits,
    limitsScope,
    seats,
    assignment,
  } = requested
  return {
    id: id ?? unsaved,
    scheduleId,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
    limitsScope,
    seats,
    assignment,
    limitDay: limits.day,
    limitWeek: limits.week,
    limitMonth: limits.month,
  }
}

/** Why a calendar could not be read, to the people whose it is. Anything else is thrown on. */
function reasonOf(error: unknown, language: PageLanguage): string {
  if (!(error instanceof AppError) || error.code !== 'calendar_unavailable') throw error
  const cause = findAppError(error.cause)
  if (cause?.code === 'host_not_connected')
    return writeText(errorText('calendarNotConnected'), language)
  return (cause ?? error).messageIn(language)
}

function toView(slot: Slot): EventTypePreview['days'][number]['slots'][number] {
  return { ...inIso(slot), seatsLeft: slot.seatsLeft }
}
