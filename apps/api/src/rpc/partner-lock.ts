import type { AuditAction } from '@atrium/core/audit/audit'
import { hasPartnerRight, type PartnerRight } from '@atrium/core/partners/partner-access'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { holdPartner, lockPartner, type PartnerRow } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from './audit-recorder.ts'
import type { Caller } from './caller.ts'
import { currentAccess } from './current-role.ts'
import type { Access, OwnPartner } from './guards.ts'
import type { TransactionContext } from './services.ts'

/**
 * Locks the partner for a change of its data and checks the caller's permission again: the partner
 * may have been suspended or terminated, or the caller removed from its staff, since the guard ran.
 * Throws AppError `partner_terminated`, `partner_suspended`, `access_level`.
 */
export async function lockOwnPartner(
  trx: Trx,
  proof: OwnPartner,
  right: PartnerRight,
): Promise<PartnerRow> {
  return stillAllowed(trx, proof.caller, await lockPartner(trx, proof.partner.slug), right)
}

/** The same under a lock that others can hold at the same time, for work that takes long. */
export async function holdOwnPartner(
  trx: Trx,
  proof: OwnPartner,
  right: PartnerRight,
): Promise<PartnerRow> {
  return stillAllowed(trx, proof.caller, await holdPartner(trx, proof.partner.id), right)
}

/**
 * For changes of a tenant, in their transaction: who acts as staff of the tenant's partner must
 * still be that, the partner active and the tenant still its own; `owner` is the partner that the
 * tenant has now. Operators act in their own right, and so do admins of the tenant, `evenAdmins`
 * excepted: for what only the partner may do.
 */
export async function rejectFormerStaff(
  trx: Trx,
  { caller, tenant }: Access,
  owner: string | null,
  { evenAdmins = false }: { evenAdmins?: boolean } = {},
): Promise<void> {
  const admin = tenant.role === 'admin' || tenant.role === 'owner'
  if (caller.operator || caller.partner === undefined || (admin && !evenAdmins)) return
  if (caller.partner.id !== owner) throw new AppError('not_found', errorText('unknownTenantSlug'))
  await stillAllowed(trx, caller, await holdPartner(trx, caller.partner.id), 'manageCustomers')
}

async function stillAllowed(
  trx: Trx,
  caller: Caller,
  partner: PartnerRow | undefined,
  right: PartnerRight,
): Promise<PartnerRow> {
  if (!partner) throw new AppError('not_found', errorText('unknownPartnerSlug'))
  if (partner.status === 'terminated') throw new AppError('partner_terminated')
  if (caller.operator) return partner
  if (partner.status === 'suspended') throw new AppError('partner_suspended')
  const access = await currentAccess(trx, caller, partner.id)
  if (access === undefined || !hasPartnerRight(access, right)) throw new AppError('access_level')
  return partner
}

/** Records a change of a partner in its transaction. */
export function recordPartner(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  partner: Pick<PartnerRow, 'id' | 'slug' | 'name'>,
  action: AuditAction,
  metadata: Record<string, unknown>,
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'partner',
    resourceId: partner.id,
    resourceName: partner.name,
    partnerSlug: partner.slug,
    metadata,
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
