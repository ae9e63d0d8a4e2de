import { createHash } from 'node:crypto'
import { isObject, type JsonObject, objectOf, textOf, withProperty } from '../json.ts'

const namespace = Buffer.from('7f1e1965ae734454b088232c90730ce2', 'hex')

/**
 * The key under which the server rebuilds a participant: a version 5 UUID of its calendar address.
 */
export function participantKey(calendarAddress: string): string {
  const bytes = createHash('sha1').update(namespace).update(calendarAddress).digest()
  const hex = (from: number, to: number) => bytes.toString('hex', from, to)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return [hex(0, 4), hex(4, 6), hex(6, 8), hex(8, 10), hex(10, 16)].join('-')
}

/**
 * The participants as a read shows them. The server stores an organizer and attendees; when no
 * attendee owns the event under the organizer's own key, the organizer is listed beside them.
 */
export function shownParticipants(event: JsonObject): JsonObject {
  const participants = objectOf(event, 'participants')
  const organizer = textOf(event, 'organizerCalendarAddress')
  if (organizer === '') return participants
  const key = participantKey(organizer)
  const owner = Object.entries(participants).find(
    ([, one]) => isObject(one) && objectOf(one, 'roles').owner === true,
  )
  if (
    Object.hasOwn(participants, key) ||
    (owner && isObject(owner[1]) && textOf(owner[1], 'calendarAddress') !== organizer)
  )
    return participants
  return withProperty(participants, key, {
    '@type': 'Participant',
    calendarAddress: organizer,
    roles: { owner: true },
  })
}

/**
 * The participant with one of the addresses, which are lower-case; undefined when there is none.
 */
export function participantOf(
  event: JsonObject,
  addresses: ReadonlySet<string>,
): JsonObject | undefined {
  return Object.values(objectOf(event, 'participants'))
    .filter(isObject)
    .find((one) =>
      addresses.has(
        textOf(one, 'calendarAddress')
          .toLowerCase()
          .replace(/^mailto:/, ''),
      ),
    )
}
