import { booleanArgument, idsArgument, textsArgument } from '../arguments.ts'
import { MethodError, SetError } from '../errors.ts'
import { isObject, type Json, type JsonObject, own, textOf } from '../json.ts'
import { limits } from '../limits.ts'
import type { MethodCall } from '../method.ts'
import { selected } from '../registry-get.ts'
import { runSet } from '../registry-set.ts'
import { isZone, mailboxOf } from './access.ts'
import { withStates } from './event-set.ts'
import { type CalendarMailbox, newCalendar } from './store.ts'

const shownByDefault = [
  'id',
  'name',
  'description',
  'color',
  'timeZone',
  'sortOrder',
  'isDefault',
  'isSubscribed',
  'myRights',
]
const allRights = Object.fromEntries(
  'mayReadFreeBusy mayReadItems mayWriteAll mayWriteOwn mayUpdatePrivate mayRSVP mayShare mayDelete'
    .split(' ')
    .map((right) => [right, true]),
)

/** `Calendar/get`. What is not asked for by name beyond the usual properties is not told. */
export function calendarGet({ world, accountId, args }: MethodCall): JsonObject {
  const mailbox = mailboxOf(world, accountId)
  const requested = idsArgument(args, 'ids')
  if (requested && requested.length > limits.maxObjectsInGet)
    throw new MethodError('requestTooLarge')
  const properties = new Set(textsArgument(args, 'properties') ?? shownByDefault)
  const ids = requested ?? Object.keys(mailbox.calendars)
  const known = (id: string) => Object.hasOwn(mailbox.calendars, id)
  return {
    accountId,
    state: world.calendars.stateOf(mailbox),
    list: ids.filter(known).map((id) => selected(view(mailbox, id), properties)),
    notFound: ids.filter((id) => !known(id)),
  }
}

function view(mailbox: CalendarMailbox, id: string): JsonObject {
  const isOnly = Object.keys(mailbox.calendars).length === 1
  return {
    ...mailbox.calendars[id],
    id,
    isDefault: mailbox.defaultId === null ? isOnly : mailbox.defaultId === id,
    myRights: allRights,
  }
}

/** `Calendar/set`. */
export function calendarSet(call: MethodCall): JsonObject {
  const { world, accountId, args } = call
  const mailbox = mailboxOf(world, accountId)
  const removesEvents = booleanArgument(args, 'onDestroyRemoveEvents')
  return withStates(call, mailbox, () => {
    const outcome = runSet(call, 'jmapCalendar', {
      create: (value) => ({
        id: world.calendars.addCalendar(mailbox, changedCalendar(newCalendar, value)),
      }),
      update(id, patch) {
        const previous = mailbox.calendars[id]
        if (!previous || !Object.hasOwn(mailbox.calendars, id)) throw new SetError('notFound')
        world.calendars.putCalendar(mailbox, id, changedCalendar(previous, patch))
      },
      destroy(id) {
        if (!Object.hasOwn(mailbox.calendars, id)) throw new SetError('notFound')
        const held = Object.entries(mailbox.events).filter(([, { calendarIds }]) =>
          calendarIds.includes(id),
        )
        if (held.length > 0 && !removesEvents) throw new SetError('calendarHasEvent')
        for (const [eventId, event] of held) {
          const others = event.calendarIds.filter((one) => one !== id)
          if (others.length > 0)
            world.calendars.putEvent(mailbox, eventId, { ...event, calendarIds: others })
          else world.calendars.removeEvent(mailbox, eventId)
        }
        world.calendars.removeCalendar(mailbox, id)
      },
    })
    const requested = own(args, 'onSuccessSetIsDefault')
    if (typeof requested === 'string') setDefault(mailbox, requested, outcome)
    return outcome
  })
}

function setDefault(mailbox: CalendarMailbox, requested: string, outcome: JsonObject): void {
  const created = own(outcome, 'created')
  const fresh =
    requested.startsWith('#') && isObject(created) ? created[requested.slice(1)] : undefined
  const id = isObject(fresh) ? textOf(fresh, 'id') : requested
  const rejected = ['notCreated', 'notUpdated', 'notDestroyed'].some((name) =>
    Object.hasOwn(outcome, name),
  )
  if (!rejected && Object.hasOwn(mailbox.calendars, id)) mailbox.defaultId = id
}

function changedCalendar(previous: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch))
    throw new SetError('invalidProperties', { description: 'Invalid value type for object' })
  const changed = { ...previous, ...patch }
  for (const [property, value] of Object.entries(patch)) {
    if (!isSettable(property, value))
      throw new SetError('invalidProperties', {
        properties: [property],
        description: 'Field could not be set.',
      })
  }
  if (textOf(changed, 'name') === '')
    throw new SetError('invalidProperties', { properties: ['name'], description: 'Missing name.' })
  return changed
}

function isSettable(property: string, value: Json): boolean {
  switch (property) {
    case 'name':
      return typeof value === 'string' && value.length <= 255
    case 'description':
    case 'color':
      return value === null || typeof value === 'string'
    case 'timeZone':
      return value === null || (typeof value === 'string' && isZone(value))
    case 'sortOrder':
      return typeof value === 'number'
    case 'isSubscribed':
    case 'isVisible':
      return typeof value === 'boolean'
    case 'includeInAvailability':
      return value === 'all' || value === 'attending' || value === 'none'
    case 'shareWith':
      return isObject(value)
    default:
      return false
  }
}
