import { splitAddress } from '@atrium/core/mail/mail-addresses'
import type {
  AddedAlias,
  AddMemberAlias,
  MemberAliases,
  RemoveMemberAlias,
} from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains } from '@atrium/db/mail/aliases'
import { readMemberWork } from '@atrium/db/members/member-work'
import type { MemberRow } from '@atrium/db/members/members'
import type { MailAccount, MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { addressTaken, freeAddress } from '../mail/aliases/addresses.ts'
import { deleteLostAlias } from '../mail/aliases/delete-lost.ts'
import { holdingMailbox } from '../mail/aliases/hold-mailbox.ts'
import { mailDeadlineMs, mailFailure, mailServerOf } from '../mail/aliases/mail-server.ts'
import { listsInAudit, removeFromLists } from '../mail/lists/members.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { recordMember, recordUpstreamFailure } from './change-member.ts'
import { readMember, requireMember } from './list.ts'
import { toMemberView } from './view.ts'

/**
 * Further addresses of a member's mailbox, as the mail server has them. A plain member sees their
 * own. Throws AppError `not_admin`.
 */
export async function listMemberAliases(
  { services }: Context,
  access: Access,
  userId: string,
): Promise<MemberAliases> {
  if (access.tenant.role === 'member' && !access.caller.operator && access.caller.id !== userId)
    throw new AppError('not_admin')
  const member = await readMember(services, access, userId)
  const aliases =
    member.mailboxAddress === null
      ? []
      : await onMailbox(
          services,
          { tenantId: access.tenant.id, userId },
          async ({ account }) => account.aliases,
        )
  return { items: [...aliases].sort().map((address) => ({ address })), nextCursor: null }
}

/**
 * Gives a member's mailbox a further address on a verified domain of the tenant. Throws AppError
 * `email_taken` when anything anywhere has the address, `domain_not_verified`, `mailbox_missing`,
 * `member_not_active` while the member is being removed, `member_busy`, `limit_reached`,
 * `upstream_failed`, `invalid_input`.
 */
export async function addMemberAlias(
  ctx: Context,
  access: Access,
  input: AddMemberAlias,
): Promise<AddedAlias> {
  const { services } = ctx
  const { tenant, member, free } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const found = await requireMember(trx, open.id, input.userId)
      if (found.membershipStatus === 'removing') throw leaving()
      return {
        tenant: open,
        member: found,
        free: await freeAddress(trx, open.id, { address: input.address, exceptUserId: found.id }),
      }
    },
  )
  const { address, localPart, domain } = free
  if (domain.mailDomainId === null)
    throw new AppError(
      'provisioning_in_progress',
      errorText('domainNotInMailServer', { name: domain.name }),
    )
  const place = { localPart, domainId: domain.mailDomainId }
  const add = () =>
    holdingMailbox(services, { tenantId: tenant.id, userId: member.id }, (work) => {
      if (work.status === 'removing') throw leaving()
      return onMailbox(
        services,
        { tenantId: tenant.id, userId: member.id },
        async ({ mail, account, signal }) => {
          if (account.aliases.includes(address)) throw addressTaken(address)
          await services.limits.requireCapacity(
            services.database.db,
            'aliases',
            tenant.id,
            account.aliases.length,
          )
          await mail.addAlias({ accountId: account.id, ...place }, { signal })
          return [...account.aliases, address].sort()
        },
      )
    })
  const aliases = await orRecorded(
    ctx,
    access,
    { tenant, member, address, action: 'member.alias_added' },
    add,
  )
  await recordMember(ctx, access, tenant, {
    action: 'member.alias_added',
    member,
    metadata: { address },
  })
  return {
    member: toMemberView(await readMember(services, access, input.userId), access),
    address,
    aliases,
  }
}

/**
 * Takes a further address away; mail to it is rejected from then on, and the tenant's distribution
 * lists lose it, also those that an earlier try did not come to. Throws AppError `not_found` when
 * the mailbox does not have it.
 */
export async function removeMemberAlias(
  ctx: Context,
  access: Access,
  { userId, address }: RemoveMemberAlias,
): Promise<void> {
  const { services } = ctx
  const { localPart, domain } = splitAddress(address)
  const { tenant, member, domainId } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const named = (await listAddressDomains(trx, open.id)).find(({ name }) => name === domain)
      return {
        tenant: open,
        member: await requireMember(trx, open.id, userId),
        domainId: named?.mailDomainId ?? undefined,
      }
    },
  )
  const take = () =>
    onMailbox(services, { tenantId: tenant.id, userId }, async ({ mail, account, signal }) => {
      if (domainId === undefined) throw noSuchAlias()
      if (!account.aliases.includes(address)) {
        const lost = await deleteLostAlias(services, mail, {
          tenantId: tenant.id,
          domainId,
          address,
        })
        if (lost.length === 0) throw noSuchAlias()
        return lost
      }
      const alias = { accountId: account.id, localPart, domainId }
      await holdingMailbox(services, { tenantId: tenant.id, userId }, () =>
        mail.removeAlias(alias, { signal }),
      )
      return removeFromLists(services, tenant.id, [address])
    })
  const lists = await orRecorded(
    ctx,
    access,
    { tenant, member, address, action: 'member.alias_removed' },
    take,
  )
  await recordMember(ctx, access, tenant, {
    action: 'member.alias_removed',
    member,
    metadata: { address, ...listsInAudit(lists) },
  })
}

const leaving = () => new AppError('member_not_active', errorText('memberBeingRemoved'))

const noSuchAlias = () => new AppError('not_found', errorText('memberAliasUnknown'))

interface Mailbox {
  mail: MailServer
  account: MailAccount
  signal: AbortSignal
}

/**
 * Reads the member's mailbox and works on it. Throws AppError `integration_off`, `mailbox_missing`,
 * `email_taken`, `upstream_failed`.
 */
async function onMailbox<Result>(
  services: Services,
  of: { tenantId: string; userId: string },
  work: (mailbox: Mailbox) => Promise<Result>,
): Promise<Result> {
  const mail = mailServerOf(services)
  const mailbox = (await readMemberWork(services.database.db, of.tenantId, of.userId))?.mailbox
  if (!mailbox) throw new AppError('mailbox_missing')
  const signal = AbortSignal.timeout(mailDeadlineMs)
  try {
    const id =
      mailbox.accountId ??
      (mailbox.vacant ? (await mail.findAccount(mailbox.address, { signal }))?.id : undefined)
    const account = id === undefined ? undefined : await mail.readAccount(id, { signal })
    if (!account) throw new AppError('mailbox_missing', errorText('mailboxGone'))
    return await work({ mail, account, signal })
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof UpstreamError && error.kind === 'conflict')
      throw new AppError('email_taken', undefined, { cause: error })
    throw mailFailure(error, signal)
  }
}

/** Runs the change, and records it as failed when the mail server fails. */
async function orRecorded<Result>(
  ctx: Context,
  access: Access,
  about: {
    tenant: OpenTenant
    member: MemberRow
    address: string
    action: 'member.alias_added' | 'member.alias_removed'
  },
  change: () => Promise<Result>,
): Promise<Result> {
  const { tenant, member, address, action } = about
  try {
    return await change()
  } catch (error) {
    const entry = { action, member, metadata: { address } }
    await recordUpstreamFailure(ctx, access, tenant, entry, error)
    throw error
  }
}
