import type { AddAlias, AliasView } from '@atrium/core/mail/aliases'
import { ownedAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains } from '@atrium/db/mail/aliases'
import { type MemberWork, releaseMember } from '@atrium/db/members/member-work'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { beginMemberChange, type MemberChange } from '../../members/change-member.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { addressTaken, type FreeAddress, freeAddress } from './addresses.ts'
import { toAliasView } from './list.ts'
import { mailDeadlineMs, mailFailure, mailServerOf } from './mail-server.ts'
import { recordAlias } from './record.ts'

/**
 * Gives a member's mailbox a further address on a verified domain of the tenant. Nothing else
 * happens to the mailbox meanwhile: the mail server numbers aliases again with every change. Throws
 * AppError `not_found` for an unknown member, `invalid_input` for another domain,
 * `domain_not_verified`, `mailbox_missing`, `email_taken` when anything has the address, the
 * mailbox's own primary one included, `already_exists` when this mailbox has it as an alias,
 * `member_busy`, `limit_reached`, `integration_off`, `upstream_failed`.
 */
export async function addAlias(ctx: Context, access: Access, input: AddAlias): Promise<AliasView> {
  const { services } = ctx
  const mail = mailServerOf(services)
  const { tenant, member, work, decided } = await beginMemberChange(
    ctx,
    access,
    input.userId,
    (facts) => requestedAddress(facts, input.address),
  )
  const about = {
    action: 'alias.added',
    address: decided.address,
    userId: member.id,
    mailbox: member.mailboxAddress,
  } as const
  try {
    await addToMailbox(services, mail, { tenantId: tenant.id, work }, decided)
  } catch (error) {
    if (error instanceof AppError && error.code === 'upstream_failed')
      await recordAlias(ctx, access, tenant, { ...about, error: error.message })
    throw error
  } finally {
    await releaseMember(services.database.db, work)
  }
  await recordAlias(ctx, access, tenant, about)
  return toAliasView(decided.address, member)
}

async function requestedAddress(
  { trx, tenant, member }: MemberChange,
  text: string,
): Promise<FreeAddress> {
  if (member.membershipStatus === 'removing')
    throw new AppError('member_not_active', errorText('memberBeingRemoved'))
  if (member.mailboxAddress === null) throw new AppError('mailbox_missing')
  const owned = ownedAddress(text, await listAddressDomains(trx, tenant.id))
  // The mail server would take it in silence and then have it twice.
  if (owned !== 'foreign' && owned.address === member.mailboxAddress) {
    throw new AppError('email_taken', errorText('aliasIsPrimary', { address: owned.address }))
  }
  return freeAddress(trx, tenant.id, { address: text, exceptUserId: member.id })
}

async function addToMailbox(
  services: Services,
  mail: MailServer,
  { tenantId, work: { mailbox } }: { tenantId: string; work: MemberWork },
  { address, localPart, domain }: FreeAddress,
): Promise<void> {
  const domainId = domain.mailDomainId
  if (domainId === null)
    throw new AppError(
      'provisioning_in_progress',
      errorText('domainNotInMailServer', { name: domain.name }),
    )
  const signal = AbortSignal.timeout(mailDeadlineMs)
  try {
    const accountId =
      mailbox?.accountId ?? (mailbox && (await mail.findAccount(mailbox.address, { signal }))?.id)
    const account = accountId ? await mail.readAccount(accountId, { signal }) : undefined
    if (!account) throw new AppError('mailbox_missing', errorText('mailboxGone'))
    if (account.aliases.includes(address))
      throw new AppError('already_exists', errorText('mailboxHasAddress', { address }))
    await services.limits.requireCapacity(
      services.database.db,
      'aliases',
      tenantId,
      account.aliases.length,
    )
    await mail.addAlias({ accountId: account.id, localPart, domainId }, { signal })
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof UpstreamError && error.kind === 'conflict')
      throw addressTaken(address, error)
    throw mailFailure(error, signal)
  }
}
