import { randomUUID } from 'node:crypto'
import { booleanArgument } from '../arguments.ts'
import { MethodError, SetError } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { type Json, type JsonObject, objectOf, own, textOf } from '../json.ts'
import type { MethodCall } from '../method.ts'
import { runSet } from '../registry-set.ts'
import { mailboxOf } from './access.ts'
import { changedEvent } from './event-object.ts'
import type { CalendarMailbox, StoredEvent } from './store.ts'
import { isSynthetic } from './synthetic-ids.ts'

/** Runs a set with the states before and after it. */
export function withStates(
  call: MethodCall,
  mailbox: CalendarMailbox,
  run: () => JsonObject,
): JsonObject {
  const oldState = call.world.calendars.stateOf(mailbox)
  const expected = own(call.args, 'ifInState') ?? null
  if (expected !== null && expected !== oldState) throw new MethodError('stateMismatch')
  const { accountId, ...outcome } = run()
  return {
    accountId: accountId ?? call.accountId,
    oldState,
    newState: call.world.calendars.stateOf(mailbox),
    ...outcome,
  }
}

/** `CalendarEvent/set`. */
export function eventSet(call: MethodCall): JsonObject {
  const { world, accountId, caller, args } = call
  const mailbox = mailboxOf(world, accountId)
  const sends = booleanArgument(args, 'sendSchedulingMessages')

  const finished = (changed: StoredEvent): StoredEvent => {
    for (const id of changed.calendarIds) {
      if (!Object.hasOwn(mailbox.calendars, id))
        throw new SetError('invalidProperties', {
          properties: ['calendarIds'],
          description: `calendarId ${id} does not exist.`,
        })
    }
    const hasParticipants = Object.keys(objectOf(changed.event, 'participants')).length > 0
    const lacksOrganizer =
      hasParticipants && textOf(changed.event, 'organizerCalendarAddress') === ''
    // The first address of who calls, and not of whose calendar it is.
    const event = lacksOrganizer
      ? { ...changed.event, organizerCalendarAddress: `mailto:${caller.address}` }
      : changed.event
    return { ...changed, event, indexedAt: world.now() + world.settings.searchLagMs }
  }
  const invited = ({ event }: StoredEvent) => {
    if (sends && Object.keys(objectOf(event, 'participants')).length > 0)
      world.calendars.scheduled(accountId, textOf(event, 'uid'))
  }

  return withStates(call, mailbox, () =>
    runSet(call, 'jmapCalendarEvent', {
      create(value: Json) {
        const changed = changedEvent(undefined, undefined, value, world.now())
        const uid = textOf(changed.event, 'uid') || randomUUID()
        const event = finished({ ...changed, event: { ...changed.event, uid } })
        if (Object.values(mailbox.events).some((one) => textOf(one.event, 'uid') === uid))
          throw new SetError('invalidProperties', {
            properties: ['uid'],
            description: `An event with UID ${uid} already exists.`,
          })
        invited(event)
        return { id: world.calendars.addEvent(mailbox, event) }
      },
      update(id, patch) {
        if (isSynthetic(id)) throw synthetic('Updating')
        const previous = eventOf(mailbox, id)
        const event = finished(changedEvent(previous, id, patch, world.now()))
        if (textOf(event.event, 'uid') !== textOf(previous.event, 'uid'))
          throw new SetError('invalidProperties', {
            properties: ['uid'],
            description: 'You cannot change the UID of a calendar event.',
          })
        invited(event)
        world.calendars.putEvent(mailbox, id, event)
      },
      destroy(id) {
        if (isSynthetic(id)) throw synthetic('Deleting')
        invited(eventOf(mailbox, id))
        world.calendars.removeEvent(mailbox, id)
      },
    }),
  )
}

function synthetic(what: string): SetError {
  return new SetError('invalidProperties', {
    properties: ['id'],
    description: `${what} synthetic ids is not yet supported.`,
  })
}

function eventOf(mailbox: CalendarMailbox, id: string): StoredEvent {
  const event =
    decodeId(id) !== undefined && Object.hasOwn(mailbox.events, id) ? mailbox.events[id] : undefined
  if (!event) throw new SetError('notFound')
  return event
}
