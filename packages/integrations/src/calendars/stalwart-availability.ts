import { z } from 'zod'
import { UpstreamError } from '../upstream-error.ts'
import { instantOf } from './instants.ts'
import type { BusyPeriod } from './port.ts'
import { ask, type MailboxCall, objectsInGet } from './stalwart-calls.ts'

const dayMs = 86_400_000
/** The server's own bound, P52W1D. */
export const longestRangeMs = 365 * dayMs
const mostPeriods = 10_000

const Availability = z.object({
  list: z.array(
    z.object({
      utcStart: z.string(),
      utcEnd: z.string(),
      event: z.object({ id: z.string().nullish(), baseEventId: z.string().nullish() }).nullish(),
    }),
  ),
})
const Calendars = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      timeZone: z.string().nullish(),
      includeInAvailability: z.enum(['all', 'attending', 'none']),
      myRights: z.object({ mayReadFreeBusy: z.boolean(), mayReadItems: z.boolean() }),
    }),
  ),
})
type ReadableCalendar = z.output<typeof Calendars>['list'][number]
const Ids = z.object({ ids: z.array(z.string().min(1)) })
const calendarIds = z.record(z.string(), z.unknown()).transform((ids) => Object.keys(ids))
const participants = z
  .record(z.string(), z.unknown())
  .transform((all) => Object.values(all))
  .pipe(
    z.array(
      z.object({
        calendarAddress: z.string().nullish(),
        participationStatus: z.string().nullish(),
      }),
    ),
  )
  .nullish()
const Kinds = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      calendarIds,
      privacy: z.string().nullish(),
      status: z.string().nullish(),
      freeBusyStatus: z.string().nullish(),
      participants,
    }),
  ),
  notFound: z.array(z.string()),
})
const Details = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      baseEventId: z.string().nullish(),
      utcStart: z.string(),
      utcEnd: z.string(),
    }),
  ),
  notFound: z.array(z.string()),
})

interface Range {
  from: number
  to: number
}

/** An event within the range, with the calendar whose zone and rule apply to it. */
interface EventInCalendar {
  id: string
  calendar: ReadableCalendar
}

const utc = (instant: number) => new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z')
const localUtc = (instant: number) => new Date(instant).toISOString().slice(0, 19)

/**
 * The busy periods of the mailbox's owner. The server's own availability response omits
 * confidential events, which would offer their time, and reports events that the owner declined as
 * busy. Both kinds are read one by one with the owner's own credential: the first are added, the
 * second subtracted. `addresses` identify the owner among the participants of an event.
 */
export async function busyPeriods(
  call: MailboxCall,
  range: Range,
  addresses: readonly string[],
): Promise<BusyPeriod[]> {
  try {
    const { periods, secrets, declined } = await readRange(call, range, addresses)
    const free = new Set((await timesOf(call, declined)).map(periodKey))
    const secret = (await timesOf(call, secrets)).filter(
      ({ start, end }) => start < range.to && end > range.from,
    )
    const all = [...periods.filter((period) => !free.has(periodKey(period))), ...secret]
    if (all.length > mostPeriods)
      throw call.operation.fail('invalid_answer', {
        note: `it has more than ${mostPeriods} periods`,
      })
    return all
  } catch (error) {
    // The server expands at most this many instances of recurring events in one response.
    const tooMany =
      error instanceof UpstreamError &&
      (error.note === 'requestTooLarge' || error.note === 'invalidArguments')
    if (!tooMany || range.to - range.from <= 2 * dayMs) throw error
    const middle = range.from + Math.floor((range.to - range.from) / 2 / dayMs) * dayMs
    const first = await busyPeriods(call, { from: range.from, to: middle }, addresses)
    return [...first, ...(await busyPeriods(call, { from: middle, to: range.to }, addresses))]
  }
}

/**
 * Identifies one instance of an event: the availability response names only the event, not the
 * instance.
 */
const periodKey = ({ eventId, start, end }: BusyPeriod) => `${eventId} ${start} ${end}`

interface RangeReading {
  periods: BusyPeriod[]
  /** Confidential events that count as busy. */
  secrets: EventInCalendar[]
  /** Events that the server reports as busy although the owner declined them. */
  declined: EventInCalendar[]
}

async function readRange(
  call: MailboxCall,
  range: Range,
  addresses: readonly string[],
): Promise<RangeReading> {
  const { accountId, operation } = call
  const calendarProperties = ['id', 'timeZone', 'includeInAvailability', 'myRights']
  const first = await ask(
    call,
    [
      ['Calendar/get', { accountId, properties: calendarProperties }, 'calendars'],
      [
        'Principal/getAvailability',
        // Named events are not merged. Of an instance the id is made up; the id of the event that
        // was written is the base's.
        {
          accountId,
          id: accountId,
          utcStart: utc(range.from),
          utcEnd: utc(range.to),
          eventProperties: ['id', 'baseEventId'],
        },
        'busy',
      ],
      ...kindCalls(accountId, range, 0),
    ],
    true,
    ([calendars, availability, found, got]) => {
      const { list } = Calendars.parse(calendars)
      const readable = list.filter(
        ({ myRights }) => myRights.mayReadFreeBusy && myRights.mayReadItems,
      )
      // Without the permission, the server returns an empty list, which would read as free time.
      if (readable.length === 0 || readable.length < list.length)
        throw operation.fail('refused', {
          status: 200,
          note: 'the mailbox has a calendar that may not be read',
        })
      return {
        readable,
        periods: periodsOf(call, Availability.parse(availability)),
        events: eventKinds(call, found, got),
      }
    },
  )
  const events = [...first.events.list]
  for (let position = objectsInGet, more = first.events.more; more; position += objectsInGet) {
    if (position >= mostPeriods)
      throw operation.fail('invalid_answer', { note: `it has more than ${mostPeriods} events` })
    const next = await ask(call, kindCalls(accountId, range, position), true, ([found, got]) =>
      eventKinds(call, found, got),
    )
    events.push(...next.list)
    more = next.more
  }
  const counting = events.flatMap((event) => {
    if (event.status === 'cancelled' || event.freeBusyStatus === 'free') return []
    const calendar = first.readable.find(
      ({ id, includeInAvailability }) =>
        event.calendarIds.includes(id) && includeInAvailability !== 'none',
    )
    if (!calendar) return []
    const reply = replyOf(event.participants ?? [], addresses)
    return [{ id: event.id, calendar, secret: event.privacy === 'secret', reply }]
  })
  return {
    periods: first.periods,
    secrets: counting.filter(({ secret, calendar, reply }) => secret && blocks(reply, calendar)),
    // In a calendar that counts only where the owner attends, the server has left them out itself.
    declined: counting.filter(
      ({ secret, calendar, reply }) =>
        !secret && reply === 'declined' && calendar.includeInAvailability === 'all',
    ),
  }
}

/**
 * The owner's reply to an event: `nobody` without participants, `outsider` when the owner is not
 * one of them.
 */
type Reply = 'declined' | 'attends' | 'stranger' | 'nobody'

function replyOf(
  participants: readonly {
    calendarAddress?: string | null | undefined
    participationStatus?: string | null | undefined
  }[],
  addresses: readonly string[],
): Reply {
  if (participants.length === 0) return 'nobody'
  const own = participants.find(({ calendarAddress }) => {
    const address = calendarAddress?.toLowerCase().replace(/^mailto:/, '')
    return addresses.some((one) => one.toLowerCase() === address)
  })
  if (!own) return 'stranger'
  return own.participationStatus === 'declined' ? 'declined' : 'attends'
}

/** The owner may be invited by an alias that is not known here, so a stranger's event blocks. */
function blocks(reply: Reply, { includeInAvailability }: ReadableCalendar): boolean {
  return reply !== 'declined' && !(reply === 'nobody' && includeInAvailability === 'attending')
}

type Calls = Parameters<typeof ask>[1]

/**
 * Every instance in the range and what kind of event it is. A day more on both ends: floating times
 * move with the zone of the calendar.
 */
function kindCalls(accountId: string, range: Range, position: number): Calls {
  const conditions = [
    { after: localUtc(range.from - dayMs) },
    { before: localUtc(range.to + dayMs) },
  ]
  const filter = { operator: 'AND', conditions }
  return [
    [
      'CalendarEvent/query',
      { accountId, filter, expandRecurrences: true, position, limit: objectsInGet },
      'found',
    ],
    [
      'CalendarEvent/get',
      {
        accountId,
        '#ids': { resultOf: 'found', name: 'CalendarEvent/query', path: '/ids' },
        properties: ['id', 'calendarIds', 'privacy', 'status', 'freeBusyStatus', 'participants'],
      },
      'kinds',
    ],
  ]
}

function eventKinds(call: MailboxCall, found: unknown, got: unknown) {
  const { ids } = Ids.parse(found)
  const response = Kinds.parse(got)
  assertWhole(call, ids, response)
  return { list: response.list, more: ids.length >= objectsInGet }
}

/** An event that is neither shown nor said to be gone would count as free time. */
function assertWhole(
  { operation }: MailboxCall,
  ids: readonly string[],
  response: { list: { id: string }[]; notFound: string[] },
): void {
  const answered = new Set([...response.list.map(({ id }) => id), ...response.notFound])
  if (ids.some((id) => !answered.has(id)))
    throw operation.fail('invalid_answer', { note: 'it leaves out some of the events' })
}

function periodsOf(
  { operation }: MailboxCall,
  { list }: z.output<typeof Availability>,
): BusyPeriod[] {
  if (list.length > mostPeriods)
    throw operation.fail('invalid_answer', { note: `it has more than ${mostPeriods} periods` })
  return list.flatMap(({ utcStart, utcEnd, event }) => {
    const [start, end] = [instantOf(operation, utcStart), instantOf(operation, utcEnd)]
    if (end < start)
      throw operation.fail('invalid_answer', { note: 'a period ends before it starts' })
    return end === start ? [] : [{ start, end, eventId: event?.baseEventId ?? event?.id ?? null }]
  })
}

/** The times of single events, floating ones in the zone of their calendar. */
async function timesOf(
  call: MailboxCall,
  events: readonly EventInCalendar[],
): Promise<BusyPeriod[]> {
  const periods: BusyPeriod[] = []
  for (const [calendar, own] of Map.groupBy(events, (event) => event.calendar)) {
    const ids = own.map(({ id }) => id)
    for (let at = 0; at < ids.length; at += objectsInGet)
      periods.push(...(await readTimes(call, calendar, ids.slice(at, at + objectsInGet))))
  }
  return periods
}

function readTimes(
  call: MailboxCall,
  calendar: ReadableCalendar,
  ids: readonly string[],
): Promise<BusyPeriod[]> {
  const { accountId, operation } = call
  const properties = ['id', 'baseEventId', 'utcStart', 'utcEnd']
  const timeZone = calendar.timeZone ?? 'Etc/UTC'
  return ask(
    call,
    [['CalendarEvent/get', { accountId, ids, timeZone, properties }, 'get']],
    true,
    ([result]) => {
      const response = Details.parse(result)
      assertWhole(call, ids, response)
      return response.list.flatMap((event) => {
        const [start, end] = [
          instantOf(operation, event.utcStart),
          instantOf(operation, event.utcEnd),
        ]
        if (end < start)
          throw operation.fail('invalid_answer', { note: 'an event ends before it starts' })
        return end === start ? [] : [{ start, end, eventId: event.baseEventId ?? event.id }]
      })
    },
  )
}
