import type { Unsubscribed } from '@atrium/core/account/notifications'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findMailRecipient, setMailMuted } from '@atrium/db/users/muted-mails'
import { readUnsubscribeToken } from '../platform/unsubscribe-link.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { takeAllowance } from '../rpc/visitor-limits.ts'

/**
 * Switches off the group of mails that the link in a mail names, whose token is the bearer token
 * (RFC 8058). It can do nothing else, and may be repeated. Throws AppError `not_found`,
 * `rate_limited`.
 */
export async function unsubscribe(ctx: Context): Promise<Unsubscribed> {
  const { config, database, audit } = ctx.services
  await takeAllowance(ctx, 'unsubscribe_links')
  const found = readUnsubscribeToken(config, ctx.bearerToken() ?? '')
  const person = found && (await findMailRecipient(database.db, found))
  if (!found || !person) throw new AppError('not_found', errorText('invitationLinkInvalid'))
  const { userId, group } = found
  if (!person.muted) {
    const entry: AuditEntry = {
      action: 'user.updated',
      resourceType: 'user',
      resourceId: userId,
      resourceName: person.email,
      metadata: { mails: group, on: false, unsubscribed: true },
    }
    await database.db.transaction().execute(async (trx) => {
      await setMailMuted(trx, { userId, group, muted: true })
      await audit.recordVisitor(ctx, entry, trx)
    })
  }
  return { group }
}
