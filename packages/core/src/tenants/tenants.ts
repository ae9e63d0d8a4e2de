import { z } from 'zod'
import { OwnGrant } from '../access-grants/access-grants.ts'
import { BillingInfo, BillingInfoView } from '../billing/billing-info.ts'
import { fileQuotaBytes, type Plan, plans } from '../billing/plans.ts'
import { domainName } from '../mail/domains.ts'
import { type TenantRole, tenantRole, tenantRoles } from '../members/memberships.ts'
import { suspensionModes, type TenantStatus, tenantStatuses } from '../platform/choices.ts'
import { editVersion, expectedVersion, namesAField } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { language } from '../platform/language.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { emailAddress, hexColor, instant, line } from '../platform/text.ts'
import {
  awaitsProvisioning,
  isProvisioned,
  type ProvisioningStatus,
  type ProvisioningStep,
  provisioningSteps,
  type StepState,
  stepStates,
} from '../provisioning/provisioning.ts'
import { slugFilter, tenantSlug } from './slugs.ts'

export { suspensionModes, tenantStatuses }

export const tenantStatus = z.enum(tenantStatuses)
export type { TenantStatus }

export const suspensionMode = z.enum(suspensionModes)
export type SuspensionMode = z.infer<typeof suspensionMode>

/** Who ordered a suspension. `billing`: the platform itself, for a bill that is not paid. */
export type SuspendedBy = 'operator' | 'partner' | 'billing'

/** What the people of a tenant may do in the upstream systems. Deleted tenants are shut. */
export const tenantAccesses = ['open', 'read_only', 'shut'] as const
export const tenantAccess = z.enum(tenantAccesses)
export type TenantAccess = z.infer<typeof tenantAccess>

export {
  awaitsProvisioning,
  isProvisioned,
  type ProvisioningStatus,
  type ProvisioningStep,
  provisioningSteps,
  type StepState,
  stepStates,
}
export const stepState = z.enum(stepStates)

export { fileQuotaBytes, type Plan, plans, type TenantRole, tenantRole, tenantRoles }
export const plan = z.enum(plans)

const perStep = <Value extends z.ZodType>(value: Value) =>
  z.object({ identity: value, mail: value, files: value })

export const provisioningStatus = perStep(stepState)

const seats = z.number().int().min(0).max(1_000_000)

/**
 * What happens when a member is added and no seat is free: `fixed` rejects, `auto` adds one
 * (docs/reference/contract.md, members).
 */
export const seatModes = ['fixed', 'auto'] as const
export const seatMode = z.enum(seatModes)
export type SeatMode = z.infer<typeof seatMode>

/** A person as other people of the tenant see them. */
export const PersonView = z.object({ id: z.uuid(), email: z.string(), name: z.string() })

export const HealthFactor = z.object({
  signal: z.string(),
  value: z.number(),
  points: z.number(),
  hint: z.string(),
})
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
  /** For people who have set none themselves. Null: their browser's. */
  language: language.nullable(),
  provisioningStatus,
  provisioningErrors: z.object({
    identity: z.string().optional(),
    mail: z.string().optional(),
    files: z.string().optional(),
  }),
  /**
   * Attempts of each step since its last success, and when a failed one is retried; null when there
   * is no automatic retry.
   */
  provisioningAttempts: perStep(
    z.object({ attempt: z.number().int(), nextAt: instant.nullable() }),
  ),
  /** Handles in the upstream systems, set by provisioning. */
  identityGroupId: z.string().nullable(),
  mailDomainId: z.string().nullable(),
  fileSpaceId: z.string().nullable(),
  owner: PersonView.nullable(),
  /**
   * Has no owner until somebody accepts an invitation as one; until then its partner, else the
   * operators look after it.
   */
  awaitsOwner: z.boolean(),
  memberCount: z.number().int(),
  health: TenantHealth,
  suspendedReason: z.string().nullable(),
  /**
   * Null unless suspended, and for a suspension of before there were modes, which changed nothing
   * in the upstream systems.
   */
  suspensionMode: suspensionMode.nullable(),
  deletedAt: instant.nullable(),
  /**
   * Until when a deleted tenant can be restored; null for one that was deleted before there was a
   * restore.
   */
  restoreUntil: instant.nullable(),
  /** The caller's own role here; null for operators and partner staff who are no members. */
  role: tenantRole.nullable(),
  /** The caller's access without being a member, for `GET /tenants/{slug}`; null in lists. */
  grant: OwnGrant.nullable(),
  /**
   * Whether the caller is staff of the partner that looks after the tenant until its owner accepts,
   * and acts as its admin, for `GET /tenants/{slug}`; false in lists.
   */
  custodian: z.boolean(),
  editVersion,
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
  /**
   * Operators and partner staff only: who is invited as owner. Until then the tenant has none. The
   * own address makes the caller the owner.
   */
  ownerEmail: emailAddress.optional(),
  /** Operators only. */
  partnerId: z.uuid().optional(),
  /**
   * Responds as soon as the record exists and provisions in the background (the idea of RFC 7240
   * `respond-async`).
   */
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

/**
 * Names a tenant by its path. Accepts any text, so that an impossible slug returns 404 like an
 * unknown one.
 */
export const TenantPath = z.strictObject({ slug: z.string().max(200) })
export type TenantPath = z.infer<typeof TenantPath>

export const UpdateTenant = z
  .strictObject({
    slug: z.string().max(200),
    plan: plan.optional(),
    domains: z
      .array(domainName)
      .max(200)
      .meta({ openapi: { minItems: 1 } })
      .optional(),
    partnerId: z.uuid().nullable().optional(),
    name: line(100).optional(),
    industry: line(100).nullable().optional(),
    brandColor: hexColor.nullable().optional(),
    language: language.nullable().optional(),
    seats: seats.optional(),
    seatMode: seatMode.optional(),
    expectedVersion,
  })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdateTenant = z.infer<typeof UpdateTenant>

export const SuspendTenant = z.strictObject({
  slug: z.string().max(200),
  reason: line(500).optional(),
  mode: suspensionMode.default('no_sign_in'),
})
export type SuspendTenant = z.infer<typeof SuspendTenant>

export const ResumeTenant = z.strictObject({
  slug: z.string().max(200),
  reason: line(500).optional(),
})
export type ResumeTenant = z.infer<typeof ResumeTenant>

/** A flag of a query: `true` or `false` as text, or a boolean over tRPC. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

/**
 * `releaseDomains`: others may claim the tenant's domains at once; also for a tenant that is
 * deleted already.
 */
export const DeleteTenant = z.strictObject({
  slug: z.string().max(200),
  releaseDomains: flag.optional(),
})
export type DeleteTenant = z.infer<typeof DeleteTenant>

export const RestoreTenant = z.strictObject({
  slug: z.string().max(200),
  reason: line(500).optional(),
})
export type RestoreTenant = z.infer<typeof RestoreTenant>

/** A restored tenant, and what did not come back with it. */
export const RestoredTenant = z.object({
  tenant: TenantView,
  /** Its deletion ended it, and it stays ended. */
  endedSubscription: z
    .object({ plan, seats: z.number().int(), endedAt: instant.nullable() })
    .nullable(),
  /**
   * Released domains that another tenant has proved. What was on them keeps working under
   * `replacedBy`.
   */
  lostDomains: z.array(
    z.object({
      name: z.string(),
      replacedBy: z.string(),
      mailboxes: z.number().int(),
      lists: z.number().int(),
      signIns: z.number().int(),
    }),
  ),
})
export type RestoredTenant = z.infer<typeof RestoredTenant>

/** What a purge deletes, in order. */
export const purgeParts = ['files', 'members', 'mail', 'identity', 'records'] as const
export type PurgePart = (typeof purgeParts)[number]

/** `confirm` repeats the slug: what is purged does not come back. */
export const PurgeTenant = z.strictObject({
  slug: z.string().max(200),
  confirm: z.string().max(200),
  reason: line(500).optional(),
})
export type PurgeTenant = z.infer<typeof PurgeTenant>

/**
 * How far the purge of a deleted tenant is; both times are null and there are no parts before it
 * has begun.
 */
export const TenantPurge = z.object({
  startedAt: instant.nullable(),
  purgedAt: instant.nullable(),
  parts: z.array(
    z.object({
      part: z.enum(purgeParts),
      state: z.enum(['pending', 'ok', 'error']),
      error: z.string().nullable(),
      nextAt: instant.nullable(),
      finishedAt: instant.nullable(),
    }),
  ),
})
export type TenantPurge = z.infer<typeof TenantPurge>

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

/** What the people of a tenant may do in the upstream systems. */
export function accessIn({
  status,
  suspensionMode: mode,
}: Pick<TenantView, 'status' | 'suspensionMode'>): TenantAccess {
  if (status === 'deleted') return 'shut'
  if (status !== 'suspended' || mode === null) return 'open'
  return mode === 'read_only' ? 'read_only' : 'shut'
}

/**
 * The status a resumed tenant takes (docs/reference/contract.md, tenants): active when every step
 * is done, else pending.
 */
export function statusAfterResume(
  status: ProvisioningStatus,
): Extract<TenantStatus, 'active' | 'pending'> {
  return isProvisioned(status) ? 'active' : 'pending'
}
