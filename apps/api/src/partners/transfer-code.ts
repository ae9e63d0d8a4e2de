import { createHash, randomBytes } from 'node:crypto'
import {
  type CreatedTransferCode,
  type TransferCodeView,
  transferCodeDays,
} from '@atrium/core/partners/transfers'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  deleteTransfer,
  findTransfer,
  saveTransfer,
  type TransferRow,
} from '@atrium/db/partners/transfers'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerOwner } from '../rpc/open-tenant.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'

const dayMs = 86_400_000

/** The tenant's valid transfer code, without the code; null when it has none. */
export async function getTransferCode(
  { services }: Context,
  { tenant }: Access,
): Promise<TransferCodeView | null> {
  const row = await findTransfer(services.database.db, tenant.id, services.clock.now())
  return row ? toTransferCodeView(row) : null
}

/**
 * Creates the code with which a partner takes the tenant over: the owner's consent. It works once,
 * for `transferCodeDays` days; an earlier code is void. Throws AppError `tenant_suspended`,
 * `tenant_deleted`, `not_owner`, `limit_reached`.
 */
export async function createTransferCode(
  ctx: Context,
  access: Access,
): Promise<CreatedTransferCode> {
  const { services } = ctx
  const { tenant, caller } = access
  await services.limits.take(ctx.request, [{ limit: 'transfer_codes_day', of: tenant.id }])
  const code = randomBytes(32).toString('base64url')
  const createdAt = services.clock.now()
  const row = await tenantTransaction(services, tenant.id, async (trx) => {
    await lockOpenTenant(trx, tenant.slug)
    await rejectFormerOwner(trx, access)
    await saveTransfer(trx, {
      tenantId: tenant.id,
      codeHash: hashOf(code),
      createdBy: caller.id,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + transferCodeDays * dayMs),
    })
    const saved = await findTransfer(trx, tenant.id, createdAt)
    if (!saved) throw new Error(`the transfer code of tenant ${tenant.id} is gone`)
    await record(ctx, trx, access, 'partner_transfer.code_created')
    return saved
  })
  return { ...toTransferCodeView(row), code }
}

/** Revokes the transfer code. Throws AppError `not_found` when the tenant has none. */
export async function revokeTransferCode(ctx: Context, access: Access): Promise<void> {
  const { services } = ctx
  const { tenant } = access
  await tenantTransaction(services, tenant.id, async (trx) => {
    if (!(await deleteTransfer(trx, tenant.id))) throw noSuchCode()
    await record(ctx, trx, access, 'partner_transfer.code_revoked')
  })
}

/** The stored form of a code. */
export const hashOf = (code: string) => createHash('sha256').update(code).digest()

export const noSuchCode = () => new AppError('not_found', errorText('unknownTransferCode'))

const toTransferCodeView = ({ createdBy, createdAt, expiresAt }: TransferRow) => ({
  createdBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

function record(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  action: 'partner_transfer.code_created' | 'partner_transfer.code_revoked',
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'tenant',
    resourceId: tenant.id,
    resourceName: tenant.slug,
    tenantSlug: tenant.slug,
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
