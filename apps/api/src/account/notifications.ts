import {
  type MailGroup,
  mailGroups,
  type NotificationSettings,
  type UpdateNotification,
} from '@atrium/core/account/notifications'
import { AppError } from '@atrium/core/platform/errors'
import { readMutedMails, setMailMuted } from '@atrium/db/users/muted-mails'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'

/** Which mails the caller gets, of those that can be switched off. Throws AppError `not_found`. */
export async function readNotifications(
  { services }: Context,
  caller: Caller,
): Promise<NotificationSettings> {
  const muted = await readMutedMails(services.database.db, idOf(caller))
  return {
    groups: mailGroups
      .filter((group) => concerns(caller, group))
      .map((group) => ({ group, on: !muted.includes(group) })),
  }
}

/** Switches one group of the caller's mails on or off. Throws AppError `not_found`. */
export async function updateNotification(
  ctx: Context,
  caller: Caller,
  { group, on }: UpdateNotification,
): Promise<NotificationSettings> {
  const userId = idOf(caller)
  const { database, audit } = ctx.services
  const entry: AuditEntry = {
    action: 'user.updated',
    resourceType: 'user',
    resourceId: userId,
    resourceName: caller.email ?? null,
    metadata: { mails: group, on },
  }
  await database.db.transaction().execute(async (trx) => {
    await setMailMuted(trx, { userId, group, muted: !on })
    await audit.record(ctx, caller, entry, trx)
  })
  return readNotifications(ctx, caller)
}

function concerns({ partner, platformAdmin }: Caller, group: MailGroup): boolean {
  if (group === 'approvals') return partner !== undefined
  return group !== 'rollbacks' || platformAdmin
}

function idOf({ id }: Caller): string {
  if (id === undefined) throw new AppError('not_found')
  return id
}
