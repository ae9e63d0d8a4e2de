import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import { changeMailList, findMailList, lockMailList } from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { readFailure } from '../../rpc/reader-language.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { mailServerOf } from '../aliases/mail-server.ts'
import { auditedList, noSuchList } from './get.ts'
import { pushList, recoverAfterSeconds } from './push.ts'

/**
 * Removes a list from the mail server, then from here. `check` may reject it under the locks of
 * tenant and list. Throws AppError `upstream_failed` when the mail server fails: the list is then
 * `removing`, takes no change any more, and is retried until it is gone; `not_found` when the
 * tenant has no such list.
 */
export async function removeList(
  ctx: Context,
  access: Access,
  listId: string,
  check?: (trx: Trx) => Promise<void>,
): Promise<void> {
  const { services } = ctx
  mailServerOf(services)
  const { db } = services.database
  const { tenant, prepared } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const list = await lockMailList(trx, open.id, listId)
    if (!list) throw noSuchList()
    await check?.(trx)
    await changeMailList(trx, listId, { removing: true }, recoverAfterSeconds)
    const entry = { action: 'list.removed' as const, ...auditedList(open, list) }
    const prepared = await services.audit.prepare(ctx, access.caller, entry, trx)
    return { tenant: open, prepared }
  })
  await pushList(services, listId)
  const left = await findMailList(db, tenant.id, listId)
  const error = left && (left.error ?? stepFailureText('otherChange'))
  await services.audit.complete(
    prepared,
    error === undefined ? {} : { outcome: 'failure', metadata: { error } },
  )
  if (error !== undefined) {
    throw new AppError(
      'upstream_failed',
      errorText('listRemovalPending', { error: readFailure(error) }),
    )
  }
}
