import { describe, expect, it } from 'vitest'
import { isRecordKind } from '../../src/events/event-records.ts'
import { eventDetails, exactEventSchema, neededDetails } from '../../src/events/event-types.ts'
import { eventCursor, isExpiredCursor, ListEvents } from '../../src/events/events.ts'

describe('a cursor of events', () => {
  it.each([
    '0-0-0',
    '81250-4711-1769851800',
    `${'9'.repeat(19)}-${'9'.repeat(18)}-${'9'.repeat(11)}`,
  ])('may be %s', (cursor) => {
    expect(eventCursor.safeParse(cursor).success).toBe(true)
    expect(ListEvents.safeParse({ after: cursor }).success).toBe(true)
  })

  it.each([
    '',
    'end',
    '1-2',
    '1-2-3-4',
    'a-2-3',
    '1-b-3',
    '1-2-c',
    '-1-2-3',
    '1--3',
    '1-2-',
    ' 1-2-3',
    '1-2-3\n',
    `${'9'.repeat(20)}-2-3`,
    `1-${'9'.repeat(19)}-3`,
    `1-2-${'9'.repeat(12)}`,
  ])('may not be %j', (cursor) => {
    expect(eventCursor.safeParse(cursor).success).toBe(false)
  })

  it('is expired once it is more than 30 days old', () => {
    const at = Date.UTC(2026, 2, 1) / 1_000
    const now = new Date((at + 30 * 86_400) * 1_000)
    expect(isExpiredCursor(`1-2-${at}`, now)).toBe(false)
    expect(isExpiredCursor(`1-2-${at - 1}`, now)).toBe(true)
    expect(isExpiredCursor(`1-2-${at + 40 * 86_400}`, now)).toBe(false)
  })
})

it('contains records of some kinds alone', () => {
  expect(isRecordKind('tenant')).toBe(true)
  for (const kind of ['alias', 'payout', 'constructor', ''])
    expect(isRecordKind(kind), kind).toBe(false)
})

describe('the details of an event', () => {
  const hostId = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
  const start = '2026-03-01T09:00:00Z'
  const to = '2026-03-02T09:00:00Z'

  it('are those of its type; the optional ones may be missing', () => {
    expect(neededDetails('booking.rescheduled')).toEqual(['hostId', 'start', 'by', 'to'])
    expect(neededDetails('booking.confirmed')).toEqual(['hostId', 'start'])
    expect(neededDetails('booking_page.updated')).toEqual([])
  })

  it('are described with all of them optional, and others allowed', () => {
    const described = eventDetails('booking.rescheduled')
    expect(described.parse({})).toEqual({})
    expect(described.parse({ by: 'host', more: 1 })).toEqual({ by: 'host', more: 1 })
    expect(described.parse({ truncated: true, size: 9_000 })).toMatchObject({ truncated: true })
    for (const wrong of [{ by: 'nobody' }, { hostId: 7 }, { truncated: false }, { size: 'large' }])
      expect(described.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false)
  })

  const event = {
    id: hostId,
    type: 'booking.rescheduled',
    timestamp: start,
    cursor: '1-2-3',
    data: {
      tenant: 'acme',
      partner: null,
      actor: { type: 'user', id: hostId, email: 'mira@acme.example' },
      resource: { type: 'booking', id: hostId, name: null },
      changes: {},
      details: { hostId, start, by: 'host', to },
    },
  }
  const faults = (data: object) =>
    (
      exactEventSchema('booking.rescheduled').safeParse({
        ...event,
        data: { ...event.data, ...data },
      }).error?.issues ?? []
    ).map(({ path }) => path.join('.'))

  it('are exact where all are there and none is unknown', () => {
    expect(faults({})).toEqual([])
    const { details } = event.data
    expect(faults({ details: { ...details, grantId: hostId, service: 'Backup' } })).toEqual([])
    expect(faults({ details: { hostId, start, by: 'host' } })).toEqual(['data.details.to'])
    expect(faults({ details: { ...details, more: 1 } })).toEqual(['data.details'])
  })

  it('are of a kind of record that the type has, with changes from what to what', () => {
    expect(faults({ resource: { type: 'tenant', id: null, name: null } })).toEqual([
      'data.resource.type',
    ])
    expect(faults({ changes: { title: [null, 'Adviser'] } })).toEqual([])
    expect(faults({ changes: { title: ['Adviser'] } })).toEqual(['data.changes.title'])
    const expired = exactEventSchema('member.password_expired').shape.data.shape.resource
    for (const type of ['member', 'user'])
      expect(expired.safeParse({ type, id: null, name: null }).success).toBe(true)
    expect(expired.safeParse({ type: 'tenant', id: null, name: null }).success).toBe(false)
  })

  it('are of one type of event', () => {
    const other = { ...event, type: 'booking.confirmed' }
    expect(exactEventSchema('booking.rescheduled').safeParse(other).success).toBe(false)
  })
})
