import { idsArgument, textsArgument } from '../arguments.ts'
import { MethodError } from '../errors.ts'
import { type JsonObject, own, textOf, withoutProperty } from '../json.ts'
import { limits } from '../limits.ts'
import type { MethodCall } from '../method.ts'
import { addressesOf, mailboxOf, zoneArgument } from './access.ts'
import { type Instance, instancesOf, spanOf } from './instances.ts'
import { shownParticipants } from './participants.ts'
import type { StoredEvent } from './store.ts'
import { partsOf } from './synthetic-ids.ts'

/** `CalendarEvent/get`: events, and occurrences by the ids that an expanding query answered. */
export function eventGet({ world, accountId, args }: MethodCall): JsonObject {
  const mailbox = mailboxOf(world, accountId)
  const requested = idsArgument(args, 'ids')
  if (requested && requested.length > limits.maxObjectsInGet)
    throw new MethodError('requestTooLarge')
  const properties = textsArgument(args, 'properties') ?? []
  const floatingZone = zoneArgument(args)
  const own = addressesOf(world, accountId)
  const list: JsonObject[] = []
  const notFound: string[] = []
  for (const id of requested ?? Object.keys(mailbox.events).slice(0, limits.maxObjectsInGet)) {
    const shown = view(id, floatingZone, own, mailbox.events)
    if (shown) list.push(selected(shown, properties))
    else notFound.push(id)
  }
  return { accountId, state: world.calendars.stateOf(mailbox), list, notFound }
}

function view(
  id: string,
  floatingZone: string,
  ownAddresses: ReadonlySet<string>,
  events: Readonly<Record<string, StoredEvent>>,
): JsonObject | undefined {
  const parts = partsOf(id)
  const stored = parts && Object.hasOwn(events, parts.eventId) ? events[parts.eventId] : undefined
  if (!parts || !stored) return undefined
  const instances = instancesOf(stored.event)
  const instance = instances[parts.number ?? 0]
  if (parts.number !== undefined && !instance) return undefined
  const event =
    parts.number === undefined || !instance ? stored.event : occurrence(instance, floatingZone)
  const organizer = textOf(event, 'organizerCalendarAddress')
    .toLowerCase()
    .replace(/^mailto:/, '')
  const participants = shownParticipants(event)
  return {
    ...event,
    ...(Object.keys(participants).length > 0 && { participants }),
    id,
    baseEventId: parts.eventId,
    calendarIds: Object.fromEntries(stored.calendarIds.map((calendarId) => [calendarId, true])),
    isDraft: stored.isDraft,
    isOrigin: organizer === '' || ownAddresses.has(organizer),
    ...(instance && utcTimes(instance, floatingZone)),
  }
}

/** An occurrence as an event of its own, its times in the zone that holds for it. */
function occurrence(instance: Instance, floatingZone: string): JsonObject {
  let event = instance.event
  for (const name of ['recurrenceRule', 'recurrenceOverrides']) event = withoutProperty(event, name)
  return {
    ...event,
    start: instance.start.toString({ smallestUnit: 'second' }),
    timeZone: instance.zone ?? floatingZone,
    ...(instance.recurrenceId !== undefined && { recurrenceId: instance.recurrenceId }),
  }
}

function utcTimes(instance: Instance, floatingZone: string): JsonObject {
  const { start, end } = spanOf(instance, floatingZone)
  const utc = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
  return { utcStart: utc(start), utcEnd: utc(end) }
}

const onRequestOnly = new Set(['baseEventId', 'utcStart', 'utcEnd'])

function selected(event: JsonObject, properties: readonly string[]): JsonObject {
  const names =
    properties.length === 0
      ? Object.keys(event).filter((name) => !onRequestOnly.has(name))
      : ['id', ...properties]
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(event, name) ? [[name, own(event, name) ?? null]] : [])),
  )
}
