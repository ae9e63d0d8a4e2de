import type { AuditAction } from '@atrium/core/audit/audit'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import { lockPlatform, type TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { lockOwnPartner } from '../rpc/partner-lock.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'

/**
 * Whose tokens or webhook endpoints a call is about, and how they are changed. Made for each call
 * by its guard.
 */
export interface Holder {
  caller: Caller
  owner: TokenOwner
  /**
   * Runs a change in a transaction in which the caller still has the right to it. Under the lock of
   * the tenant, the partner or the platform, so that the limits of their number hold. Of a closed
   * tenant, only in a state that `even` names.
   */
  change<Result>(
    run: (trx: Trx) => Promise<Result>,
    even?: readonly TenantStatus[],
  ): Promise<Result>
  /** In whose audit log a change belongs. */
  place: { tenantSlug?: string; partnerSlug?: string | null }
}

/** What a tenant owns. `change` throws what `lockOpenTenant` and `rejectFormerAdmin` throw. */
export function ofTenant({ services }: Context, access: Access): Holder {
  const { caller, tenant } = access
  return {
    caller,
    owner: { kind: 'tenant', tenantId: tenant.id },
    change: (run, even = []) =>
      tenantTransaction(services, tenant.id, async (trx) => {
        await lockOpenTenant(trx, tenant.slug, even)
        await rejectFormerAdmin(trx, access)
        return run(trx)
      }),
    place: { tenantSlug: tenant.slug, partnerSlug: tenant.partnerSlug },
  }
}

/** What a partner owns. `change` throws what `lockOwnPartner` throws. */
export function ofPartner({ services }: Context, proof: OwnPartner): Holder {
  return {
    caller: proof.caller,
    owner: { kind: 'partner', partnerId: proof.partner.id },
    change: (run) =>
      services.database.db.transaction().execute(async (trx) => {
        await lockOwnPartner(trx, proof, 'manageStaff')
        return run(trx)
      }),
    place: { partnerSlug: proof.partner.slug },
  }
}

/** What the platform owns. */
export function ofPlatform({ services }: Context, caller: Caller): Holder {
  return {
    caller,
    owner: { kind: 'platform' },
    change: (run) =>
      services.database.db.transaction().execute(async (trx) => {
        await lockPlatform(trx)
        return run(trx)
      }),
    place: {},
  }
}

/** Records a change of a token in its transaction. */
export function recordToken(
  ctx: TransactionContext,
  trx: Trx,
  { caller, place }: Holder,
  token: { id: string; name: string },
  action: Extract<AuditAction, `service_token.${string}`>,
  metadata: Record<string, unknown> = {},
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'service_token',
    resourceId: token.id,
    resourceName: token.name,
    ...place,
    metadata,
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
