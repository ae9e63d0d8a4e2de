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
const Kinds = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      calendarIds,
      privacy: z.string().nullish(),
      status: z.string().nullish(),
      freeBusyStatus: z.string().nullish(),
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
      participants: z
        .record(z.string(), z.unknown())
        .transform((all) => Object.values(all))
        .pipe(z.array(z.object({ calendarAddress: z.string().nullish(), participationStatus: z.string().nullish() })))
        .nullish(),
    }),
  ),
  notFound: z.array(z.string()),
})

interface Range {
  from: number
  to: number
}

/** A secret event within the range, with the calendar whose zone and rule hold for it. */
interface SecretEvent {
  id: string
  calendar: ReadableCalendar
}

const utc = (instant: number) => new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z')
const localUtc = (instant: number) => new Date(instant).toISOString().slice(0, 19)

/**
 * What keeps the mailbox's owner from being free. The server's own availability answer leaves confidential events out, which would offer
 * their time; those are read one by one, with the owner's own credential.
 * `address` is the owner's, for calendars that count only where the owner takes part.
 */
export async function busyPeriods(call: MailboxCall, range: Range, address: string): Promise<BusyPeriod[]> {
  try {
    const { periods, secrets } = await readRange(call, range)
    const all = [...periods, ...(await secretPeriods(call, secrets, range, address))]
    if (all.length > mostPeriods) throw call.operation.fail('invalid_answer', { note: `it has more than ${mostPeriods} periods` })
    return all
  } catch (error) {
    // The server expands so many instances of recurring events in one answer and no more.
    const tooMany = error instanceof UpstreamError && (error.note === 'requestTooLarge' || error.note === 'invalidArguments')
    if (!tooMany || range.to - range.from <= 2 * dayMs) throw error
    const middle = range.from + Math.floor((range.to - range.from) / 2 / dayMs) * dayMs
    const first = await busyPeriods(call, { from: range.from, to: middle }, address)
    return [...first, ...(await busyPeriods(call, { from: middle, to: range.to }, address))]
  }
}

async function readRange(call: MailboxCall, range: Range): Promise<{ periods: BusyPeriod[]; secrets: SecretEvent[] }> {
  const { accountId, operation } = call
  const calendarProperties = ['id', 'timeZone', 'includeInAvailability', 'myRights']
  const first = await ask(
    call,
    [
      ['Calendar/get', { accountId, properties: calendarProperties }, 'calendars'],
      [
        'Principal/getAvailability',
        // Named events are not merged. Of an instance the id is made up; the id of the event that was written is the base's.
        { accountId, id: accountId, utcStart: utc(range.from), utcEnd: utc(range.to), eventProperties: ['id', 'baseEventId'] },
        'busy',
      ],
      ...kindCalls(accountId, range, 0),
    ],
    true,
    ([calendars, availability, found, got]) => {
      const { list } = Calendars.parse(calendars)
      const readable = list.filter(({ myRights }) => myRights.mayReadFreeBusy && myRights.mayReadItems)
      // To somebody without the right the server answers an empty list, which would read as free time.
      if (readable.length === 0 || readable.length < list.length)
        throw operation.fail('refused', { status: 200, note: 'the mailbox has a calendar that may not be read' })
      return { readable, periods: periodsOf(call, Availability.parse(availability)), events: eventKinds(call, found, got) }
    },
  )
  const events = [...first.events.list]
  for (let position = objectsInGet, more = first.events.more; more; position += objectsInGet) {
    if (position >= mostPeriods) throw operation.fail('invalid_answer', { note: `it has more than ${mostPeriods} events` })
    const next = await ask(call, kindCalls(accountId, range, position), true, ([found, got]) => eventKinds(call, found, got))
    events.push(...next.list)
    more = next.more
  }
  const secrets = events.flatMap((event): SecretEvent[] => {
    if (event.privacy !== 'secret' || event.status === 'cancelled' || event.freeBusyStatus === 'free') return []
    const calendar = first.readable.find(
      ({ id, includeInAvailability }) => event.calendarIds.includes(id) && includeInAvailability !== 'none',
    )
    return calendar ? [{ id: event.id, calendar }] : []
  })
  return { periods: first.periods, secrets }
}

type Calls = Parameters<typeof ask>[1]

/** Every instance in the range and what kind of event it is. A day more on both ends: floating times move with the zone of the calendar. */
function kindCalls(accountId: string, range: Range, position: number): Calls {
  const conditions = [{ after: localUtc(range.from - dayMs) }, { before: localUtc(range.to + dayMs) }]
  const filter = { operator: 'AND', conditions }
  return [
    ['CalendarEvent/query', { accountId, filter, expandRecurrences: true, position, limit: objectsInGet }, 'found'],
    [
      'CalendarEvent/get',
      {
        accountId,
        '#ids': { resultOf: 'found', name: 'CalendarEvent/query', path: '/ids' },
        properties: ['id', 'calendarIds', 'privacy', 'status', 'freeBusyStatus'],
      },
      'kinds',
    ],
  ]
}

function eventKinds(call: MailboxCall, found: unknown, got: unknown) {
  const { ids } = Ids.parse(found)
  const answer = Kinds.parse(got)
  assertWhole(call, ids, answer)
  return { list: answer.list, more: ids.length >= objectsInGet }
}

/** An event that is neither shown nor said to be gone would count as free time. */
function assertWhole({ operation }: MailboxCall, ids: readonly string[], answer: { list: { id: string }[]; notFound: string[] }): void {
  const answered = new Set([...answer.list.map(({ id }) => id), ...answer.notFound])
  if (ids.some((id) => !answered.has(id))) throw operation.fail('invalid_answer', { note: 'it leaves out some of the events' })
}

function periodsOf({ operation }: MailboxCall, { list }: z.output<typeof Availability>): BusyPeriod[] {
  if (list.length > mostPeriods) throw operation.fail('invalid_answer', { note: `it has more than ${mostPeriods} periods` })
  return list.flatMap(({ utcStart, utcEnd, event }) => {
    const [start, end] = [instantOf(operation, utcStart), instantOf(operation, utcEnd)]
    if (end < start) throw operation.fail('invalid_answer', { note: 'a period ends before it starts' })
    return end === start ? [] : [{ start, end, eventId: event?.baseEventId ?? event?.id ?? null }]
  })
}

/** The times of secret events, floating ones in the zone of their calendar. */
async function secretPeriods(call: MailboxCall, secrets: readonly SecretEvent[], range: Range, address: string): Promise<BusyPeriod[]> {
  const periods: BusyPeriod[] = []
  const calendars = new Set(secrets.map(({ calendar }) => calendar))
  for (const calendar of calendars) {
    const ids = secrets.filter((secret) => secret.calendar === calendar).map(({ id }) => id)
    for (let at = 0; at < ids.length; at += objectsInGet)
      periods.push(...(await readSecrets(call, calendar, ids.slice(at, at + objectsInGet), address)))
  }
  return periods.filter(({ start, end }) => start < range.to && end > range.from)
}

function readSecrets(call: MailboxCall, calendar: ReadableCalendar, ids: readonly string[], address: string): Promise<BusyPeriod[]> {
  const { accountId, operation } = call
  const attending = calendar.includeInAvailability === 'attending'
  const properties = ['id', 'baseEventId', 'utcStart', 'utcEnd', ...(attending ? ['participants'] : [])]
  const timeZone = calendar.timeZone ?? 'Etc/UTC'
  return ask(call, [['CalendarEvent/get', { accountId, ids, timeZone, properties }, 'get']], true, ([result]) => {
    const answer = Details.parse(result)
    assertWhole(call, ids, answer)
    return answer.list.flatMap((event) => {
      const [start, end] = [instantOf(operation, event.utcStart), instantOf(operation, event.utcEnd)]
      if (end < start) throw operation.fail('invalid_answer', { note: 'an event ends before it starts' })
      if (attending && !mayAttend(event.participants ?? [], address)) return []
      return end === start ? [] : [{ start, end, eventId: event.baseEventId ?? event.id }]
    })
  })
}

/** False when nobody is invited, or the owner said no. The owner may be invited by another of the own addresses, which we do not know. */
function mayAttend(
  participants: readonly { calendarAddress?: string | null | undefined; participationStatus?: string | null | undefined }[],
  address: string,
): boolean {
  const own = participants.find(({ calendarAddress }) => calendarAddress?.toLowerCase() === `mailto:${address.toLowerCase()}`)
  return own ? own.participationStatus !== 'declined' : participants.length > 0
}
