import {
  type AppPasswords,
  type CreateAppPassword,
  type CreatedAppPassword,
  type RemoveAppPassword,
  schedulingPasswordName,
} from '@atrium/core/members/app-passwords'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type MemberWork, readMemberWork } from '@atrium/db/members/member-work'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { holdingMailbox } from '../mail/aliases/hold-mailbox.ts'
import { mailDeadlineMs, mailFailure, mailServerOf } from '../mail/aliases/mail-server.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended, lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { recordMember, recordUpstreamFailure } from './change-member.ts'
import { noSuchMember, readMember, requireMember } from './list.ts'
import { tellOfAppPassword } from './mails.ts'

/**
 * App passwords of a member's mailbox, as the mail server has them. A plain member sees their own.
 * Throws AppError `not_admin`, `mailbox_missing`, `integration_off`, `upstream_failed`.
 */
export async function listAppPasswords(
  { services }: Context,
  access: Access,
  userId: string,
): Promise<AppPasswords> {
  rejectOther(access, userId)
  const { mailboxAddress } = await readMember(services, access, userId)
  if (mailboxAddress === null) return { mailboxAddress, items: [] }
  const work = await readMemberWork(services.database.db, access.tenant.id, userId)
  const items = await onMailbox(services, work, ({ mail, accountId, signal }) =>
    mail.listAppPasswords({ accountId }, { signal }),
  )
  return {
    mailboxAddress,
    items: items.map(({ id, description, createdAt }) => ({
      id,
      name: description,
      scheduling: description.startsWith(schedulingPasswordName),
      createdAt: createdAt === null ? null : new Date(createdAt).toISOString(),
    })),
  }
}

/**
 * Creates an app password for the caller's own mailbox; nobody can create one for somebody else.
 * The secret is returned once and stored nowhere. After a lost response of the mail server a
 * password may exist whose secret nobody has: it is listed under its name, which cannot be used
 * again until it is removed. Throws AppError `not_found` for callers who are no members,
 * `member_not_active`, `mailbox_missing`, `already_exists`, `limit_reached`, `member_busy`,
 * `integration_off`, `upstream_failed`.
 */
export async function createAppPassword(
  ctx: Context,
  access: Access,
  { name }: CreateAppPassword,
): Promise<CreatedAppPassword> {
  const { services } = ctx
  const { tenant, member } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    if (access.caller.id === undefined) throw noSuchMember()
    return { tenant: open, member: await requireMember(trx, open.id, access.caller.id) }
  })
  if (name.startsWith(schedulingPasswordName))
    throw new AppError('already_exists', errorText('appPasswordNameTaken', { name }))
  const entry = { action: 'member.app_password_created', member } as const
  try {
    const made = await holdingMailbox(
      services,
      { tenantId: tenant.id, userId: member.id },
      async (work) => {
        if (work.status !== 'active')
          throw new AppError('member_not_active', errorText('memberNotSetUp'))
        const created = await onMailbox(services, work, async ({ mail, accountId, signal }) => {
          const held = await mail.listAppPasswords({ accountId }, { signal })
          if (held.some(({ description }) => description === name))
            throw new AppError('already_exists', errorText('appPasswordNameTaken', { name }))
          return mail.createAppPassword({ accountId, description: name }, { signal })
        })
        await tellOfAppPassword(services, work, name)
        return { ...created, mailboxAddress: work.mailbox?.address ?? member.email }
      },
    )
    await recordMember(ctx, access, tenant, { ...entry, metadata: { name } })
    return { id: made.id, name, mailboxAddress: made.mailboxAddress, secret: made.secret }
  } catch (error) {
    await recordUpstreamFailure(ctx, access, tenant, { ...entry, metadata: { name } }, error)
    throw error
  }
}

/**
 * Removes an app password, the caller's own or as an admin another member's: mail programs that use
 * it are rejected at their next connection. Throws AppError `not_admin`, `not_found`,
 * `mailbox_missing`, `integration_off`, `upstream_failed`.
 */
export async function removeAppPassword(
  ctx: Context,
  access: Access,
  { userId, appPasswordId }: RemoveAppPassword,
): Promise<void> {
  const { services } = ctx
  rejectOther(access, userId)
  const { tenant, member } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug, evenSuspended)
    if (access.caller.id !== userId) await rejectFormerAdmin(trx, access)
    return { tenant: open, member: await requireMember(trx, open.id, userId) }
  })
  const entry = { action: 'member.app_password_removed', member } as const
  try {
    const work = await readMemberWork(services.database.db, tenant.id, userId)
    const name = await onMailbox(services, work, async ({ mail, accountId, signal }) => {
      const held = await mail.listAppPasswords({ accountId }, { signal })
      const found = held.find(({ id }) => id === appPasswordId)
      if (!found) throw new AppError('not_found', errorText('appPasswordUnknown'))
      await mail.removeAppPassword({ accountId, id: appPasswordId }, { signal })
      return found.description
    })
    await recordMember(ctx, access, tenant, { ...entry, metadata: { name } })
  } catch (error) {
    await recordUpstreamFailure(ctx, access, tenant, entry, error)
    throw error
  }
}

function rejectOther({ caller, tenant }: Access, userId: string): void {
  if (caller.operator || caller.id === userId) return
  if (tenant.role === 'member') throw new AppError('not_admin')
}

/**
 * Works on the mailbox of a member. Throws AppError `integration_off`, `mailbox_missing`,
 * `limit_reached`, `upstream_failed`.
 */
async function onMailbox<Result>(
  services: Services,
  work: MemberWork | undefined,
  use: (mailbox: { mail: MailServer; accountId: string; signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const mail = mailServerOf(services)
  const accountId = work?.mailbox?.accountId
  if (!accountId) throw new AppError('mailbox_missing')
  const signal = AbortSignal.timeout(mailDeadlineMs)
  try {
    return await use({ mail, accountId, signal })
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof UpstreamError && error.kind === 'conflict')
      throw new AppError('limit_reached', errorText('appPasswordLimit'), { cause: error })
    if (error instanceof UpstreamError && error.kind === 'not_found')
      throw new AppError('mailbox_missing', errorText('mailboxGone'), { cause: error })
    throw mailFailure(error, signal)
  }
}
