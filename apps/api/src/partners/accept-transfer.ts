import type { TransferOffer, TransferRequest } from '@atrium/core/partners/transfers'
import { AppError } from '@atrium/core/platform/errors'
import { findTransferOffer } from '@atrium/db/partners/transfers'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { lockOpenTenant } from '../rpc/open-tenant.ts'
import { holdOwnPartner } from '../rpc/partner-lock.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { moveToPartner } from '../tenants/move-to-partner.ts'
import { hashOf, noSuchCode } from './transfer-code.ts'

/**
 * Whom a transfer code brings, before the partner takes the customer over. Changes nothing. Throws
 * AppError `not_found`, `already_exists` for the partner's own customer, `rate_limited`.
 */
export async function previewTransfer(
  ctx: Context,
  proof: OwnPartner,
  request: TransferRequest,
): Promise<TransferOffer> {
  const { slug, name, partnerId, expiresAt } = await readOffer(ctx, proof, request)
  return {
    tenant: { slug, name },
    managedElsewhere: partnerId !== null,
    expiresAt: expiresAt.toISOString(),
  }
}

/**
 * Takes over the customer of a transfer code. The code works once. A former partner loses its
 * rights at once and gets a mail, and so does the owner. Throws AppError `not_found`,
 * `already_exists`, `tenant_suspended`, `partner_suspended`, `partner_terminated`, `access_level`,
 * `rate_limited`.
 */
export async function acceptTransfer(
  ctx: Context,
  proof: OwnPartner,
  request: TransferRequest,
): Promise<TransferOffer> {
  const { services } = ctx
  const codeHash = hashOf(request.code)
  const found = await readOffer(ctx, proof, request)
  const { tenant, former } = await tenantTransaction(services, found.tenantId, async (trx) => {
    const locked = await lockOpenTenant(trx, found.slug)
    // Another partner may have used the code, or its owner revoked it, since it was read.
    const offer = await findTransferOffer(trx, codeHash, services.clock.now())
    if (!offer || offer.tenantId !== locked.id) throw noSuchCode()
    const partner = await holdOwnPartner(trx, proof, 'manageCustomers')
    if (partner.status !== 'active') throw new AppError('partner_suspended')
    const move = { tenantId: locked.id, from: offer.partnerId, to: partner.id }
    const moved = { tenant: offer, former: await moveToPartner(trx, services, move) }
    for (const entry of entriesOf(proof, moved))
      await services.audit.record(ctx, proof.caller, entry, trx)
    return moved
  })
  return {
    tenant: { slug: tenant.slug, name: tenant.name },
    managedElsewhere: former !== undefined,
    expiresAt: tenant.expiresAt.toISOString(),
  }
}

/** One in the log of the new partner, and one in that of the former. */
function entriesOf({ partner }: OwnPartner, { tenant, former }: Moved): AuditEntry[] {
  const entry = {
    resourceType: 'tenant',
    resourceId: tenant.tenantId,
    resourceName: tenant.name,
    tenantSlug: tenant.slug,
    metadata: { partner: partner.slug, formerPartner: former?.slug ?? null },
  }
  return [
    { ...entry, action: 'partner_transfer.accepted', partnerSlug: partner.slug },
    ...(former
      ? [{ ...entry, action: 'partner_transfer.left' as const, partnerSlug: former.slug }]
      : []),
  ]
}

interface Moved {
  tenant: { tenantId: string; slug: string; name: string }
  former: { slug: string } | undefined
}

async function readOffer(
  { services, request }: Context,
  proof: OwnPartner,
  input: TransferRequest,
) {
  await services.limits.take(request, [
    { limit: 'transfer_attempts_hour', of: proof.caller.subject },
  ])
  const offer = await findTransferOffer(
    services.database.db,
    hashOf(input.code),
    services.clock.now(),
  )
  if (!offer) throw noSuchCode()
  if (offer.partnerId === proof.partner.id) throw new AppError('already_exists')
  return offer
}
