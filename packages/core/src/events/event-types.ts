import { z } from 'zod'
import type { AuditAction } from '../audit/audit.ts'
import { type EventType, sharedDetails } from './event-type.ts'
import { EventView } from './events.ts'
import { billingEventTypes } from './types/billing.ts'
import { memberEventTypes } from './types/members.ts'
import { platformEventTypes } from './types/platform.ts'
import { schedulingEventTypes } from './types/scheduling.ts'
import { tenantEventTypes } from './types/tenants.ts'

/** Every type of event: one for each action of the audit log. */
export const eventTypes: Readonly<Record<AuditAction, EventType>> = {
  ...billingEventTypes,
  ...memberEventTypes,
  ...platformEventTypes,
  ...schedulingEventTypes,
  ...tenantEventTypes,
}

/** `[before, after]` */
const change = z.array(z.unknown()).length(2)

/**
 * The schema of the events of a type, for the description of the API. Every detail is optional in
 * it, since an event that is too large has none.
 */
export function eventSchema(type: AuditAction) {
  const { details } = eventTypes[type]
  return schemaOf(type, z.looseObject({ ...details.partial().shape, ...sharedDetails }))
}

/** The same for tests: no detail is missing, and none is unknown. */
export function exactEventSchema(type: AuditAction) {
  const { details } = eventTypes[type]
  return schemaOf(type, z.strictObject({ ...details.shape, ...sharedDetails }))
}

/** The details that every event of the type has. */
export function neededDetails(type: AuditAction): string[] {
  return Object.entries(eventTypes[type].details.shape).flatMap(([name, field]) =>
    z.safeParse(field, undefined).success ? [] : [name],
  )
}

function schemaOf(type: AuditAction, details: z.ZodObject) {
  const { data } = EventView.shape
  const { resource, changes } = data.shape
  return EventView.extend({
    type: z.literal(type),
    data: data.extend({
      resource: resource.extend({ type: z.enum(eventTypes[type].resources) }),
      changes: z
        .record(z.string(), change)
        .meta({ description: changes.description, examples: [eventTypes[type].changes] }),
      details,
    }),
  })
}
