import { z } from 'zod'
import { AuditPage, before } from '../audit/audit.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { type GrantRole, type GrantScope, grantRoles, grantScopes } from './scopes.ts'

export { type GrantRole, type GrantScope, grantRoles, grantScopes }

/** Days that a tenant's owner has to decide about a request. */
export const grantRequestDays = 7
/** The longest that a granted access lasts. */
export const longestGrantDays = 30
/**
 * The longest that an operator has access without the owner's consent: a shift's work on one
 * incident. Who needs more asks the owner, who knows by then.
 */
export const longestBreakGlassHours = 4

export const grantRole = z.enum(grantRoles)
export const grantScope = z.enum(grantScopes)

export const grantKinds = ['requested', 'break_glass'] as const
export const grantKind = z.enum(grantKinds)
export type GrantKind = z.infer<typeof grantKind>

/** `withdrawn`: taken back before the owner decided. `ended`: was active. */
export const grantStatuses = [
  'pending',
  'active',
  'declined',
  'expired',
  'withdrawn',
  'ended',
] as const
export const grantStatus = z.enum(grantStatuses)
export type GrantStatus = z.infer<typeof grantStatus>

/** Why a request or an access is over. */
export const grantEndings = [
  'time',
  'owner',
  'holder',
  'partner',
  'operator',
  'replaced',
  'not_staff',
  'deactivated',
  'partner_closed',
  'partner_changed',
  'tenant_deleted',
] as const
export const grantEnding = z.enum(grantEndings)
export type GrantEnding = z.infer<typeof grantEnding>

const person = z.object({ id: z.uuid(), email: z.string(), name: z.string() })

/** Access of somebody who is not a member, or a request for it. */
export const GrantView = z.object({
  id: z.uuid(),
  tenantSlug: z.string(),
  tenantName: z.string(),
  kind: grantKind,
  status: grantStatus,
  /** Who has it; null once that person was deleted. */
  holder: person.nullable(),
  /** The partner whose staff the holder is; null for operators. */
  partner: z.object({ slug: z.string(), name: z.string() }).nullable(),
  role: grantRole,
  scopes: z.array(grantScope),
  reason: z.string(),
  requestedAt: instant,
  /** Until when a pending one can be approved. */
  expiresAt: instant,
  /** When the access ends at the latest. */
  endsAt: instant,
  decidedAt: instant.nullable(),
  /** Address of the owner who decided. */
  decidedBy: z.string().nullable(),
  /** Why it was declined. */
  declineReason: z.string().nullable(),
  endedAt: instant.nullable(),
  ending: grantEnding.nullable(),
  /** When an owner confirmed to have seen a break-glass access; null until then. */
  acknowledgedAt: instant.nullable(),
  /** Whether it is the caller's own. */
  own: z.boolean(),
})
export type GrantView = z.infer<typeof GrantView>
export const GrantPage = page(GrantView)
export type GrantPage = z.infer<typeof GrantPage>

const slug = z.string().max(200)
const filter = {
  status: grantStatus.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
}
export const ListGrants = z.strictObject({ slug, ...filter })
export type ListGrants = z.infer<typeof ListGrants>

export const GrantPath = z.strictObject({ slug, id: z.uuid() })
export type GrantPath = z.infer<typeof GrantPath>

export const GrantEntries = z.strictObject({
  slug,
  id: z.uuid(),
  before: before.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})
export type GrantEntries = z.infer<typeof GrantEntries>
export const GrantEntriesPage = AuditPage

/** The reason is required: the owner decides by it. */
const reason = line(500)

export const AskForAccess = z.strictObject({
  slug,
  role: grantRole,
  scopes: z
    .array(grantScope)
    .min(1)
    .max(grantScopes.length)
    .transform((scopes) => [...new Set(scopes)]),
  reason,
  endsAt: instant,
})
export type AskForAccess = z.infer<typeof AskForAccess>

export const BreakGlass = z.strictObject({
  slug,
  reason,
  hours: z.number().int().min(1).max(longestBreakGlassHours),
})
export type BreakGlass = z.infer<typeof BreakGlass>

export const DeclineGrant = z.strictObject({ slug, id: z.uuid(), reason: line(500).optional() })
export type DeclineGrant = z.infer<typeof DeclineGrant>

/** What everyone who administers the workplace sees on each of its pages. */
export const GrantNotices = z.object({
  /** Break-glass accesses that are active or that no owner has acknowledged. */
  breakGlass: z.array(GrantView),
  /** Requests that wait for the owner. */
  pending: z.number().int(),
})
export type GrantNotices = z.infer<typeof GrantNotices>

/** The caller's own access to a tenant, as `GET /tenants/{slug}` returns it. */
export const OwnGrant = z.object({
  id: z.uuid(),
  role: grantRole,
  scopes: z.array(grantScope),
  kind: grantKind,
  endsAt: instant,
})
export type OwnGrant = z.infer<typeof OwnGrant>
