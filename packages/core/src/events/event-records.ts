import type { z } from 'zod'
import { GrantView } from '../access-grants/access-grants.ts'
import { ApprovalView } from '../billing/approvals.ts'
import { InvoiceView } from '../billing/billing.ts'
import { PriceView } from '../billing/prices.ts'
import { TenantSubscription } from '../billing/subscriptions.ts'
import { InvitationView } from '../invitations/invitations.ts'
import { DomainView } from '../mail/domains.ts'
import { ListView } from '../mail/lists.ts'
import { MemberView } from '../members/members.ts'
import { TenantBooking } from '../scheduling/bookings.ts'
import { EventTypeView } from '../scheduling/event-types.ts'
import { HostView } from '../scheduling/hosts.ts'
import { ScheduleView } from '../scheduling/schedules.ts'
import { SecurityPolicyView } from '../security-policy/security-policy.ts'
import type { ServiceAccess } from '../service-tokens/scopes.ts'
import { ServiceTokenView } from '../service-tokens/service-tokens.ts'
import { TenantView } from '../tenants/tenants.ts'
import { UserView } from '../users/users.ts'
import type { EventResource } from './event-type.ts'

interface EventRecord {
  /** The record as the operation that reads it returns it. */
  readonly view: z.ZodType
  /** What a service token needs for that operation. */
  readonly scope: ServiceAccess
}

/**
 * The records that events contain, by their kind. Left out is what upstream systems hold (aliases,
 * SSO apps), what the people of one partner see differently (its record, payouts), and what nobody
 * reads one by one.
 */
export const eventRecords = {
  access_grant: { view: GrantView, scope: 'never' },
  approval: { view: ApprovalView, scope: 'billing:read' },
  booking: { view: TenantBooking, scope: 'scheduling:read' },
  domain: { view: DomainView, scope: 'mail:read' },
  event_type: { view: EventTypeView, scope: 'scheduling:read' },
  host: { view: HostView, scope: 'scheduling:read' },
  invitation: { view: InvitationView, scope: 'members:read' },
  invoice: { view: InvoiceView, scope: 'billing:read' },
  list: { view: ListView, scope: 'mail:read' },
  member: { view: MemberView, scope: 'members:read' },
  price: { view: PriceView, scope: 'billing:read' },
  schedule: { view: ScheduleView, scope: 'scheduling:read' },
  security_policy: { view: SecurityPolicyView, scope: 'security:read' },
  service_token: { view: ServiceTokenView, scope: 'never' },
  subscription: { view: TenantSubscription, scope: 'billing:read' },
  tenant: { view: TenantView, scope: 'tenants:read' },
  user: { view: UserView, scope: 'users:read' },
} as const satisfies Partial<Record<EventResource, EventRecord>>
export type RecordKind = keyof typeof eventRecords

export const isRecordKind = (kind: string): kind is RecordKind => Object.hasOwn(eventRecords, kind)

/** What `data.record` of an event is. */
export const recordDescription =
  'The record as it is when the event is delivered or read; null when it is gone, when the reader may not read it, or when it is larger than 64 kB.'
