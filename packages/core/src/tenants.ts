import { z } from 'zod'
import { BillingInfo, BillingInfoView } from './billing-info.ts'
import { domainName } from './domains.ts'
import { type TenantRole, tenantRole, tenantRoles } from './memberships.ts'
import { cursor, page, pageLimit } from './paging.ts'
import { slugFilter, tenantSlug } from './slugs.ts'
import { emailAddress, hexColor, instant, line } from './text.ts'

export const tenantStatuses = ['pending', 'active', 'suspended', 'deleted'] as const
export const tenantStatus = z.enum(tenantStatuses)
export type TenantStatus = z.infer<typeof tenantStatus>

export const provisioningSteps = ['identity', 'mail', 'files'] as const
export const provisioningStep = z.enum(provisioningSteps)
export type ProvisioningStep = z.infer<typeof provisioningStep>

export const stepStates = ['pending', 'ok', 'skipped', 'error'] as const
export const stepState = z.enum(stepStates)
export type StepState = z.infer<typeof stepState>

export { type TenantRole, tenantRole, tenantRoles }

export const plans = ['free', 'starter', 'business', 'enterprise'] as const
export const plan = z.enum(plans)
export type Plan = z.infer<typeof plan>

const gibibyte = 1024 ** 3

/** Size in bytes of a tenant's file space, by plan. Counted once per tenant, not per seat. */
export const fileQuotaBytes: Readonly<Record<Plan, number>> = {
  free: 5 * gibibyte,
  starter: 100 * gibibyte,
  business: 1024 * gibibyte,
  enterprise: 10 * 1024 * gibibyte,
}

const perStep = <Value extends z.ZodType>(value: Value) => z.object({ identity: value, mail: value, files: value })

export const provisioningStatus = perStep(stepState)
export type ProvisioningStatus = z.infer<typeof provisioningStatus>

const seats = z.number().int().min(0).max(1_000_000)

/** What happens when a member is added and no seat is free: `fixed` refuses, `auto` adds one (docs/contract.md, members). */
export const seatModes = ['fixed', 'auto'] as const
export const seatMode = z.enum(seatModes, `Known are ${seatModes.join(' and ')}.`)
export type SeatMode = z.infer<typeof seatMode>

/** A person as other people of the tenant see them. */
export const PersonView = z.object({ id: z.uuid(), email: z.string(), name: z.string() })

export const HealthFactor = z.object({ signal: z.string(), value: z.number(), points: z.number(), hint: z.string() })
export type HealthFactor = z.infer<typeof HealthFactor>
export const TenantHealth = z.object({
  score: z.number().int().min(0).max(100).nullable(),
  band: z.enum(['healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown']),
  factors: z.array(HealthFactor),
})
export type TenantHealth = z.infer<typeof TenantHealth>

/** What a caller sees of a tenant. A column that is not named here does not leave the server. */
export const TenantView = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  status: tenantStatus,
  plan,
  domains: z.array(z.string()),
  primaryDomain: z.string().nullable(),
  billingInfo: BillingInfoView,
  partnerId: z.uuid().nullable(),
  partnerSlug: z.string().nullable(),
  seats: z.number().int(),
  seatMode,
  industry: z.string().nullable(),
  brandColor: z.string().nullable(),
  provisioningStatus,
  provisioningErrors: z.object({
    identity: z.string().optional(),
    mail: z.string().optional(),
    files: z.string().optional(),
  }),
  /** Tries of each step since it was done last, and when a failed one is tried again; null when nobody does by itself. */
  provisioningAttempts: perStep(z.object({ attempt: z.number().int(), nextAt: instant.nullable() })),
  /** Handles in the outside systems, set by provisioning. */
  identityGroupId: z.string().nullable(),
  mailDomainId: z.string().nullable(),
  fileSpaceId: z.string().nullable(),
  owner: PersonView.nullable(),
  memberCount: z.number().int(),
  health: TenantHealth,
  suspendedReason: z.string().nullable(),
  /** The caller's own role here; null for operators and partner staff who are no members. */
  role: tenantRole.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type TenantView = z.infer<typeof TenantView>

export const TenantPage = page(TenantView)
export type TenantPage = z.infer<typeof TenantPage>

export const CreateTenant = z.strictObject({
  name: line(100),
  slug: tenantSlug.optional(),
  plan: plan.optional(),
  domains: z.array(domainName).max(20).optional(),
  billingInfo: BillingInfo.optional(),
  seats: seats.optional(),
  industry: line(100).optional(),
  brandColor: hexColor.optional(),
  /** Operators only: the person who becomes owner, by the address of an existing user. */
  ownerEmail: emailAddress.optional(),
  /** Operators only. */
  partnerId: z.uuid().optional(),
  /** Answers as soon as the record stands and provisions in the background (the idea of RFC 7240 `respond-async`). */
  respondAsync: z.boolean().optional(),
})
export type CreateTenant = z.infer<typeof CreateTenant>

export const ListTenants = z.strictObject({
  q: line(200).optional(),
  status: tenantStatus.optional(),
  plan: plan.optional(),
  partnerSlug: slugFilter.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListTenants = z.infer<typeof ListTenants>

/** Names a tenant by its path. Any text is taken, so that a slug which cannot exist answers 404 as an unknown one does. */
export const TenantPath = z.strictObject({ slug: z.string().max(200) })
export type TenantPath = z.infer<typeof TenantPath>

export const UpdateTenant = z
  .strictObject({
    slug: z.string().max(200),
    plan: plan.optional(),
    domains: z.array(domainName).max(20).optional(),
    partnerId: z.uuid().nullable().optional(),
    name: line(100).optional(),
    industry: line(100).nullable().optional(),
    brandColor: hexColor.nullable().optional(),
    seats: seats.optional(),
    seatMode: seatMode.optional(),
  })
  .refine(({ slug: _, ...fields }) => Object.values(fields).some((value) => value !== undefined), 'Name at least one field to change.')
export type UpdateTenant = z.infer<typeof UpdateTenant>

export const SuspendTenant = z.strictObject({ slug: z.string().max(200), reason: line(500).optional() })
export type SuspendTenant = z.infer<typeof SuspendTenant>

export const StepResult = z.object({ state: stepState, error: z.string().optional() })
export type StepResult = z.infer<typeof StepResult>

export const ReconcileResult = z.object({ tenant: TenantView, results: perStep(StepResult) })
export type ReconcileResult = z.infer<typeof ReconcileResult>

/** One saved change of a provisioning step, or of the tenant's status. */
export const TenantEvent = z.object({
  at: instant,
  status: tenantStatus,
  provisioningStatus,
  provisioningErrors: TenantView.shape.provisioningErrors,
  provisioningAttempts: TenantView.shape.provisioningAttempts,
  running: z.boolean(),
})
export type TenantEvent = z.infer<typeof TenantEvent>

/** `active` when no step is left to do; what provisioning and resume decide by. */
export function isProvisioned(status: ProvisioningStatus): boolean {
  return provisioningSteps.every((step) => status[step] === 'ok' || status[step] === 'skipped')
}

/** True while provisioning can still change the tenant: a step is open, or the status has not caught up with the steps. */
export function awaitsProvisioning(tenant: { status: TenantStatus; provisioningStatus: ProvisioningStatus }): boolean {
  return tenant.status !== 'deleted' && (tenant.status === 'pending' || !isProvisioned(tenant.provisioningStatus))
}

/** The status a resumed tenant takes (docs/contract.md, tenants): active when every step is done, else pending. */
export function statusAfterResume(status: ProvisioningStatus): Extract<TenantStatus, 'active' | 'pending'> {
  return isProvisioned(status) ? 'active' : 'pending'
}
