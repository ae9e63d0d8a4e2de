import {
  nothingGathered,
  tenantHealth,
  writeHealthFactors,
} from '@atrium/core/health-scores/health'
import type { TenantAccessView } from '@atrium/core/tenants/tenant-detail'
import {
  accessIn,
  type ProvisioningStatus,
  type ProvisioningStep,
  type provisioningSteps,
  type StepResult,
  type TenantEvent,
  type TenantRole,
  type TenantView,
} from '@atrium/core/tenants/tenants'
import type { AccessProgress } from '@atrium/db/tenants/tenant-access'
import type { TenantRow } from '@atrium/db/tenants/tenants'
import type { WatchedTenant } from '@atrium/db/tenants/watched-tenants'
import type { CallerGrantRow } from '@atrium/db/users/callers'
import type { z } from 'zod'
import { readSuspensionReason } from '../billing/invoices/lift-suspension.ts'
import { withEditVersion } from '../rpc/edit-version.ts'
import { readerLanguage, readFailure } from '../rpc/reader-language.ts'

type StepResults = Record<(typeof provisioningSteps)[number], z.infer<typeof StepResult>>

/**
 * The row as a caller sees it. `role` is the caller's own, `grant` the caller's access without a
 * role, `custodian` whether the caller looks after a tenant that awaits its owner. Without `health`
 * the score is unknown and nothing says what it is made of.
 */
export function toTenantView(
  row: TenantRow,
  role: TenantRole | null,
  now: Date,
  {
    health = true,
    grant = null,
    custodian = false,
  }: { health?: boolean; grant?: CallerGrantRow | null; custodian?: boolean } = {},
): TenantView {
  const domains = row.domains ?? []
  const primary = domains.find((domain) => domain.primary) ?? domains[0]
  const status = provisioningStatusOf(row)
  const view: Omit<TenantView, 'editVersion'> = {
    id: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    plan: row.plan,
    domains: domains.map((domain) => domain.name),
    primaryDomain: primary?.name ?? null,
    billingInfo: {
      company: row.billingCompany,
      vatNumber: row.billingVatNumber,
      country: row.billingCountry,
      email: row.billingEmail,
    },
    partnerId: row.partnerId,
    partnerSlug: row.partnerSlug,
    seats: row.seats,
    seatMode: row.seatMode,
    industry: row.industry,
    brandColor: row.brandColor,
    language: row.language,
    provisioningStatus: status,
    provisioningErrors: provisioningErrorsOf(row),
    provisioningAttempts: provisioningAttemptsOf(row),
    identityGroupId: row.identityGroupId,
    mailDomainId: primary?.mailDomainId ?? null,
    fileSpaceId: row.fileSpaceId,
    owner:
      row.ownerId && row.ownerEmail && row.ownerName
        ? { id: row.ownerId, email: row.ownerEmail, name: row.ownerName }
        : null,
    awaitsOwner: row.awaitsOwner,
    memberCount: row.memberCount,
    health: health ? healthOf(row, now) : { score: null, band: 'unknown', factors: [] },
    suspendedReason: row.status === 'suspended' ? readSuspensionReason(row.suspendedReason) : null,
    suspensionMode: row.status === 'suspended' ? row.suspensionMode : null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
    restoreUntil: row.restoreUntil?.toISOString() ?? null,
    role,
    grant: grant && {
      id: grant.id,
      kind: grant.kind,
      role: grant.role,
      scopes: grant.scopes,
      endsAt: new Date(grant.endsAt).toISOString(),
    },
    custodian,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
  return { ...view, editVersion: editableTenant(view).editVersion }
}

function healthOf(row: TenantRow, now: Date): TenantView['health'] {
  const changed = (row.steps ?? []).map((step) => step.changedAt)
  const { factors, ...health } = tenantHealth(
    {
      status: row.status,
      createdAt: row.createdAt,
      provisioningStatus: provisioningStatusOf(row),
      provisioningChangedAt: changed.length > 0 ? new Date(Math.min(...changed)) : row.createdAt,
      seats: row.seats,
      memberCount: row.memberCount,
    },
    row.gatheredHealth ?? nothingGathered,
    now,
  )
  return { ...health, factors: writeHealthFactors(factors, readerLanguage()) }
}

type EditableTenant = Pick<
  TenantView,
  | 'name'
  | 'plan'
  | 'seats'
  | 'seatMode'
  | 'industry'
  | 'brandColor'
  | 'language'
  | 'partnerId'
  | 'domains'
>

/** What an update may change of a tenant, with its version. */
export function editableTenant({
  name,
  plan,
  seats,
  seatMode,
  industry,
  brandColor,
  language,
  partnerId,
  domains,
}: EditableTenant) {
  const fields = { name, plan, seats, seatMode, industry, brandColor, language, partnerId, domains }
  return withEditVersion(fields, Object.values(fields))
}

export function provisioningStatusOf(row: {
  steps: readonly Pick<NonNullable<TenantRow['steps']>[number], 'step' | 'state'>[] | null
}): ProvisioningStatus {
  const status: ProvisioningStatus = { identity: 'pending', mail: 'pending', files: 'pending' }
  for (const { step, state } of row.steps ?? []) status[step] = state
  return status
}

function provisioningErrorsOf(row: Pick<TenantRow, 'steps'>): TenantView['provisioningErrors'] {
  const failures: TenantView['provisioningErrors'] = {}
  for (const { step, error } of row.steps ?? [])
    if (error !== null) failures[step] = readFailure(error)
  return failures
}

function provisioningAttemptsOf(row: Pick<TenantRow, 'steps'>): TenantView['provisioningAttempts'] {
  const none = { attempt: 0, nextAt: null }
  const attempts: TenantView['provisioningAttempts'] = { identity: none, mail: none, files: none }
  for (const { step, attempt, nextAt } of row.steps ?? []) {
    attempts[step] = { attempt, nextAt: nextAt === null ? null : new Date(nextAt).toISOString() }
  }
  return attempts
}

/** State and message of each step, as a reconcile returns them. */
export function toStepResults(view: TenantView): StepResults {
  const result = (step: keyof StepResults) => {
    const error = view.provisioningErrors[step]
    return { state: view.provisioningStatus[step], ...(error === undefined ? {} : { error }) }
  }
  return { identity: result('identity'), mail: result('mail'), files: result('files') }
}

/** What holds for the tenant's people, and how far each upstream system has followed. */
export function toAccessView(
  tenant: TenantView,
  progress: readonly AccessProgress[],
): TenantAccessView {
  const steps = toStepResults(tenant)
  const of = (step: ProvisioningStep) => {
    const {
      system: _,
      error,
      ...members
    } = progress.find(({ system }) => system === step) ?? {
      system: step,
      ...none,
    }
    return { tenant: steps[step], ...members, error: readFailure(error) }
  }
  return {
    wanted: accessIn(tenant),
    identity: of('identity'),
    mail: of('mail'),
    files: of('files'),
  }
}

const none = { done: 0, waiting: 0, failed: 0, error: null }

export function toTenantEvent(row: WatchedTenant, now: Date): TenantEvent {
  return {
    at: now.toISOString(),
    status: row.status,
    provisioningStatus: provisioningStatusOf(row),
    provisioningErrors: provisioningErrorsOf(row),
    provisioningAttempts: provisioningAttemptsOf(row),
    running: row.running,
  }
}
