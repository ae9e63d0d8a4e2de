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

/** `data.changes` of every type: before and after of each field. */
export const eventChanges = z.record(z.string(), z.array(z.unknown()).length(2)).meta({
  openapi: {
    component: 'EventChanges',
    description: EventView.shape.data.shape.changes.description,
    examples: [{}],
  },
})

/**
 * `data.details` of a type, for the description of the API. Every detail is optional in it, since
 * an event that is too large has none.
 */
export function eventDetails(type: AuditAction) {
  return z.looseObject({ ...eventTypes[type].details.partial().shape, ...sharedDetails })
}

/** The schema of the events of a type for tests: no detail is missing, and none is unknown. */
export function exactEventSchema(type: AuditAction) {
  const { details, resources } = eventTypes[type]
  const { data } = EventView.shape
  return EventView.extend({
    type: z.literal(type),
    data: data.extend({
      resource: data.shape.resource.extend({ type: z.enum(resources) }),
      changes: eventChanges,
      details: z.strictObject({ ...details.shape, ...sharedDetails }),
    }),
  })
}

/** The details that every event of the type has. */
export function neededDetails(type: AuditAction): string[] {
  return Object.entries(eventTypes[type].details.shape).flatMap(([name, field]) =>
    z.safeParse(field, undefined).success ? [] : [name],
  )
}
