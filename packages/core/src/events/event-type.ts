import { z } from 'zod'

/**
 * The kinds of records that events are about, each with the operations that read such a record.
 * Empty where nothing is left to read.
 */
export const resourceReads = {
  access_grant: ['/tenants/{slug}/access-grants'],
  address: ['/tenants/{slug}/domains/{domain}/people'],
  alias: ['/tenants/{slug}/aliases'],
  approval: ['/tenants/{slug}/approvals'],
  audit: ['/audit'],
  booking: ['/api/v1/tenants/{slug}/bookings/{bookingId}'],
  booking_page: ['/api/v1/tenants/{slug}/booking-page'],
  domain: ['/tenants/{slug}/domains/{domain}'],
  event_type: ['/api/v1/tenants/{slug}/event-types/{eventTypeId}'],
  flag: ['/flags/{key}'],
  host: ['/api/v1/tenants/{slug}/hosts/{hostId}'],
  invitation: ['/tenants/{slug}/invitations', '/partners/{slug}/invitations', '/invitations'],
  invoice: ['/tenants/{slug}/invoices', '/billing/invoices/{id}'],
  ledger_adjustment: ['/billing/ledger-adjustments'],
  list: ['/tenants/{slug}/lists/{listId}'],
  mail: ['/outbox'],
  member: ['/tenants/{slug}/users/{userId}'],
  member_import: ['/tenants/{slug}/user-imports/{importId}'],
  partner: ['/partners/{slug}'],
  payout: ['/partners/{slug}/payouts/{payoutId}', '/billing/payouts/{id}'],
  platform: [],
  price: ['/prices/{id}'],
  schedule: ['/api/v1/tenants/{slug}/schedules/{scheduleId}'],
  security_policy: ['/tenants/{slug}/security-policy'],
  service_token: [
    '/tenants/{slug}/service-tokens',
    '/partners/{slug}/service-tokens',
    '/service-tokens',
  ],
  sso_app: ['/tenants/{slug}/sso-apps'],
  subscription: ['/tenants/{slug}/subscription', '/subscriptions/{id}'],
  tenant: ['/tenants/{slug}'],
  user: ['/users/{id}'],
  webhook: ['/webhooks/events/{id}'],
  webhook_endpoint: [
    '/tenants/{slug}/webhook-endpoints',
    '/partners/{slug}/webhook-endpoints',
    '/webhook-endpoints',
  ],
} as const satisfies Record<string, readonly `/${string}`[]>
export type EventResource = keyof typeof resourceReads

/** What the events of a type say, beside what all events say. */
export interface EventType {
  /** What `data.resource.type` may be. */
  readonly resources: readonly EventResource[]
  /** `data.details` as they are recorded. */
  readonly details: z.ZodObject
  /** An example of `data.changes`; empty for events that have none. */
  readonly changes: EventChanges
}

/** Before and after of each field that changed. */
export type EventChanges = Readonly<Record<string, readonly [unknown, unknown]>>

export function eventType(
  resource: EventResource | readonly EventResource[],
  details: z.ZodRawShape = {},
  changes: EventChanges = {},
): EventType {
  return {
    resources: typeof resource === 'string' ? [resource] : resource,
    details: z.strictObject(details),
    changes,
  }
}

/** A detail that the description of the API has once, under a name. */
const shared = <Value extends z.ZodType>(value: Value, component: string, description: string) =>
  value.optional().meta({ openapi: { component: `Event${component}`, description } })

/** Details that events of any type may have. */
export const sharedDetails = {
  grantId: shared(z.uuid(), 'GrantId', 'The access grant under which it was done.'),
  onBehalfOf: shared(
    z.string(),
    'OnBehalfOf',
    'Slug of the tenant for which a partner or an operator did it.',
  ),
  service: shared(z.string(), 'Service', 'Name of the service token that did it.'),
  account: shared(z.string(), 'Account', 'The account of a command that an operator ran.'),
  machine: shared(z.string(), 'Machine', 'The machine of a command that an operator ran.'),
  truncated: shared(
    z.literal(true),
    'Truncated',
    'Changes and details were larger than 8 kB together and were left out.',
  ),
  size: shared(z.int(), 'Size', 'How large they were, in characters.'),
}

/** An amount in the smallest unit of its currency. */
export const amountMinor = z.int()
export const currency = z.string()
/** Addresses of distribution lists. */
export const touchedLists = {
  lists: z.array(z.string()).optional(),
  listsLeftEmpty: z.array(z.string()).optional(),
}
