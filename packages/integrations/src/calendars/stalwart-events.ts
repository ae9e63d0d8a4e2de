import { z } from 'zod'
import { type SetError, setFailure } from '../mail/jmap.ts'
import { isObjectId } from '../mail/stalwart-objects.ts'
import { instantOf } from './instants.ts'
import type { CalendarEvent, HostCalendar } from './port.ts'
import { ask, change, type MailboxCall, objectsInGet } from './stalwart-calls.ts'
import { storedEvent, takenBack } from './stalwart-event.ts'

const dayMs = 86_400_000
// A mailbox with more events than this is searched by the server's index alone.
const mostSearched = 10_000

const Ids = z.object({ ids: z.array(z.string().min(1)) })
const Uids = z.object({
  list: z.array(z.object({ id: z.string().min(1), uid: z.string().nullish() })),
})
const Times = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      utcStart: z.string(),
      utcEnd: z.string(),
      status: z.string().nullish(),
    }),
  ),
})

const localUtc = (instant: number) => new Date(instant).toISOString().slice(0, 19)

const aboutUid = (rejected: SetError) =>
  rejected.type === 'invalidProperties' && rejected.properties?.includes('uid') === true
const aboutCalendar = (rejected: SetError) =>
  rejected.type === 'invalidProperties' && rejected.properties?.includes('calendarIds') === true

/** One page of events that match, with the uid of each. */
function page(call: MailboxCall, filter: object | null, position: number) {
  const { accountId } = call
  return ask(
    call,
    [
      ['CalendarEvent/query', { accountId, filter, position, limit: objectsInGet }, 'query'],
      [
        'CalendarEvent/get',
        {
          accountId,
          '#ids': { resultOf: 'query', name: 'CalendarEvent/query', path: '/ids' },
          properties: ['id', 'uid'],
        },
        'get',
      ],
    ],
    false,
    ([found, got]) => ({ ids: Ids.parse(found).ids, list: Uids.parse(got).list }),
  )
}

/**
 * The id of the event with this uid; undefined when there is none. Searches around `start` first,
 * which the server reads from storage, then by uid, whose index lags behind, then one by one.
 */
async function findByUid(
  call: MailboxCall,
  uid: string,
  start: number,
): Promise<string | undefined> {
  const around = {
    operator: 'AND',
    conditions: [{ after: localUtc(start - dayMs) }, { before: localUtc(start + dayMs) }],
  }
  for (const filter of [around, { uid }, null]) {
    for (let position = 0; position < mostSearched; position += objectsInGet) {
      const { ids, list } = await page(call, filter, position)
      const found = list.find((event) => event.uid === uid)
      if (found) return found.id
      if (ids.length < objectsInGet) break
    }
  }
  return undefined
}

/** True when the event was updated; false when this id is no longer an event of ours. */
async function updated(call: MailboxCall, id: string, event: CalendarEvent): Promise<boolean> {
  // The uid goes with it: an id that names another event by now is rejected instead of overwritten.
  const outcome = await change(
    call,
    'CalendarEvent',
    { id, update: { ...storedEvent(event), ...takenBack } },
    false,
  )
  if ('id' in outcome) return true
  if (outcome.rejected.type === 'notFound' || aboutUid(outcome.rejected)) return false
  throw setFailure(call.operation, outcome.rejected)
}

/**
 * Update, else create, else find and update. To be run inside `repeat`: every step looks at what
 * the one before left.
 */
export async function putEvent(
  call: MailboxCall,
  calendar: HostCalendar,
  event: CalendarEvent,
  eventId: string | null,
): Promise<{ eventId: string }> {
  if (eventId !== null && isObjectId(eventId) && (await updated(call, eventId, event)))
    return { eventId }
  const object = {
    '@type': 'Event',
    ...storedEvent(event),
    calendarIds: { [calendar.calendarId]: true },
  }
  const outcome = await change(call, 'CalendarEvent', { create: object }, false)
  if ('id' in outcome) return { eventId: outcome.id }
  if (aboutCalendar(outcome.rejected))
    throw call.operation.fail('not_found', { status: 200, note: 'the calendar is not there' })
  if (!aboutUid(outcome.rejected)) throw setFailure(call.operation, outcome.rejected)
  const found = await findByUid(call, event.uid, event.start)
  if (found === undefined || !(await updated(call, found, event)))
    throw call.operation.fail('conflict', {
      status: 200,
      note: 'an event with this uid is there and cannot be found',
    })
  return { eventId: found }
}

async function hasUid(call: MailboxCall, eventId: string, uid: string): Promise<boolean> {
  const { accountId } = call
  const got = await ask(
    call,
    [['CalendarEvent/get', { accountId, ids: [eventId], properties: ['id', 'uid'] }, 'get']],
    false,
    ([result]) => Uids.parse(result),
  )
  return got.list.some((event) => event.id === eventId && event.uid === uid)
}

/** To be run inside `repeat`. */
export async function removeEvent(
  call: MailboxCall,
  request: { uid: string; start: number; eventId: string | null },
): Promise<void> {
  const { uid, start, eventId } = request
  const known =
    eventId !== null && isObjectId(eventId) && (await hasUid(call, eventId, uid))
      ? eventId
      : undefined
  const id = known ?? (await findByUid(call, uid, start))
  if (id === undefined) return
  const outcome = await change(call, 'CalendarEvent', { id, destroy: true }, false)
  if ('rejected' in outcome && outcome.rejected.type !== 'notFound')
    throw setFailure(call.operation, outcome.rejected)
}

export async function readEvent(
  call: MailboxCall,
  eventId: string,
): Promise<{ start: number; end: number } | undefined> {
  if (!isObjectId(eventId)) return undefined
  const { accountId, operation } = call
  const properties = ['id', 'utcStart', 'utcEnd', 'status']
  return ask(
    call,
    [['CalendarEvent/get', { accountId, ids: [eventId], properties }, 'get']],
    true,
    ([result]) => {
      const event = Times.parse(result).list.find(({ id }) => id === eventId)
      if (!event || event.status === 'cancelled') return undefined
      return {
        start: instantOf(operation, event.utcStart),
        end: instantOf(operation, event.utcEnd),
      }
    },
  )
}
