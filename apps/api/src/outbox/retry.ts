import type { QueuedMail } from '@atrium/core/outbox/outbox'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findMail, lockMail, requeueMail } from '@atrium/db/outbox/outbox'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { toQueuedMail } from './list.ts'

/**
 * Makes a mail due immediately, with a full number of attempts; it is sent in the background. A
 * mail that is being sent stays as it is. Throws AppError `not_found`, `mail_sent`, `mail_erased`.
 */
export async function retryMail(ctx: Context, caller: Caller, id: string): Promise<QueuedMail> {
  const { services } = ctx
  await services.database.db.transaction().execute(async (trx) => {
    const mail = await lockMail(trx, id)
    if (!mail) throw new AppError('not_found', errorText('unknownMail'))
    if (mail.state === 'sent') throw new AppError('mail_sent')
    if (mail.recipient === null) throw new AppError('mail_erased')
    await requeueMail(trx, id, services.clock.now())
    await services.jobs.enqueueOutbox(id, 0, trx)
    const { template, tenantSlug, state, attempts, error } = mail
    const entry: AuditEntry = {
      action: 'outbox.retried',
      resourceType: 'mail',
      resourceId: id,
      resourceName: template,
      tenantSlug,
      metadata: { state, attempts, error },
    }
    await services.audit.record(ctx, caller, entry, trx)
  })
  const after = await findMail(services.database.db, id)
  if (!after) throw new Error('a mail that was queued again is not there')
  return toQueuedMail(after)
}
