import type { ListView } from '@atrium/core/mail/lists'
import { findMailList } from '@atrium/db/mail/lists'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { mailServerOf } from '../aliases/mail-server.ts'
import { auditedList, noSuchList, toListView } from './get.ts'
import { pushList } from './push.ts'

/**
 * Syncs the list to the mail server now; also repairs a list that was changed there by hand.
 * Returns the list with its state. Throws AppError `not_found` when there is no such list, also
 * when it was marked for removal and this attempt removed it.
 */
export async function retryList(ctx: Context, access: Access, listId: string): Promise<ListView> {
  const { services } = ctx
  mailServerOf(services)
  const { db } = services.database
  const { tenant, before } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const list = await findMailList(trx, open.id, listId)
    if (!list) throw noSuchList()
    return { tenant: open, before: list }
  })
  await pushList(services, listId)
  const after = await findMailList(db, tenant.id, listId)
  await services.audit.record(ctx, access.caller, {
    action: 'list.retried',
    outcome: after && after.error !== null ? 'failure' : 'success',
    ...auditedList(tenant, before),
    metadata: { state: after?.state ?? 'removed', ...(after?.error ? { error: after.error } : {}) },
  })
  if (!after) throw noSuchList()
  return toListView(after)
}
