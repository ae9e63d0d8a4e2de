import { z } from 'zod'
import { actorType } from '../audit/audit.ts'
import { says } from '../platform/issue-text.ts'
import { pageLimit } from '../platform/paging.ts'
import { instant } from '../platform/text.ts'

/** After so many days an event is deleted. The entry in the audit log stays. */
export const eventDays = 30

/**
 * What a partner reads of its customers: events about these kinds of records. The people, mail and
 * bookings of a customer need an access grant.
 */
export const partnerResources: readonly string[] = [
  'access_grant',
  'approval',
  'invoice',
  'subscription',
  'tenant',
]

/**
 * A place in the order of events, as `cursor` of an event names it: transaction, sequence, and the
 * second at which it was the place of an event or the end.
 */
export const eventCursor = z.string().regex(/^[0-9]{1,19}-[0-9]{1,18}-[0-9]{1,11}$/, says('cursor'))

/** Where a reader begins: behind an event, or behind the newest one. */
const firstPlace = z.literal('end').or(eventCursor)

/** `record`: with the record that an event is about. */
const include = z.literal('record').optional()

/** Whether events behind a cursor may have been deleted since. */
export function isExpiredCursor(cursor: string, now: Date): boolean {
  const seconds = Number(cursor.split('-')[2])
  return seconds < now.getTime() / 1_000 - eventDays * 86_400
}

const recordId = z
  .string()
  .nullable()
  .meta({
    openapi: { component: 'EventRecordId', examples: ['0197f7a4-2c1e-7000-8000-000000000002'] },
  })
const actor = z.object({ type: actorType, id: recordId, email: z.string().nullable() }).meta({
  openapi: {
    component: 'EventActor',
    description:
      'Who caused it. `id` is that of a person or of a service token; null for visitors and the platform itself.',
  },
})

/** One change, as programs read it and webhooks deliver it. */
export const EventView = z
  .object({
    id: z.uuid().meta({
      openapi: {
        component: 'EventId',
        description: 'The id of the entry in the audit log. Equal in every delivery of the event.',
      },
    }),
    /** An action of the audit log, such as `member.created`. */
    type: z.string(),
    timestamp: instant.meta({ openapi: { component: 'EventTime' } }),
    cursor: z.string().meta({
      openapi: {
        component: 'EventCursor',
        description: 'Pass it as `after` for the events behind this one.',
        examples: ['81250-4711-1769851800'],
      },
    }),
    data: z.object({
      tenant: z
        .string()
        .nullable()
        .meta({
          openapi: {
            component: 'EventTenant',
            description: 'Slug of the tenant; null for what is of no tenant.',
          },
        }),
      partner: z
        .string()
        .nullable()
        .meta({
          openapi: {
            component: 'EventPartner',
            description: 'Slug of the partner; null for what no partner knows of.',
          },
        }),
      actor,
      resource: z.object({
        type: z.string(),
        id: recordId,
        name: z
          .string()
          .nullable()
          .meta({ openapi: { component: 'EventRecordName', examples: ['Example'] } }),
      }),
      changes: z
        .record(z.string(), z.unknown())
        .describe('Before and after of each field that an update changed; empty for other events.'),
      record: z.looseObject({}).nullable().optional(),
      /** Further facts of the audit log. */
      details: z.record(z.string(), z.unknown()),
    }),
  })
  // The description of the API has the schema of each type in its place.
  .meta({ openapi: { component: 'Event' } })
export type EventView = z.infer<typeof EventView>

export const EventPage = z.object({
  items: z.array(EventView),
  /** For `after` of the next call. */
  nextCursor: z.string(),
  /** Whether more events are there already. */
  more: z.boolean(),
})
export type EventPage = z.infer<typeof EventPage>

export const ListEvents = z.strictObject({
  /** Only events behind this one, or `end`; from the oldest that is kept where absent. */
  after: firstPlace.optional(),
  limit: pageLimit,
  include,
})
export type ListEvents = z.infer<typeof ListEvents>

export const StreamEvents = z.strictObject({
  after: firstPlace.optional(),
  /** Whether the stream stays open and sends events as they come. */
  follow: z.enum(['true', 'false']).default('false'),
  include,
})
export type StreamEvents = z.infer<typeof StreamEvents>
