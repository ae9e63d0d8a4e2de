import type { RemoveAlias } from '@atrium/core/mail/aliases'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains, membersOfMailAccounts } from '@atrium/db/mail/aliases'
import type { MailServer } from '@atrium/integrations/mail/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { removeFromLists } from '../lists/members.ts'
import { deleteLostAlias } from './delete-lost.ts'
import { holdingMailbox } from './hold-mailbox.ts'
import { mailDeadlineMs, mailFailure, mailServerOf } from './mail-server.ts'
import { recordAlias } from './record.ts'

/**
 * Removes an additional address on one of the tenant's domains, in any mailbox. Mail to it is
 * rejected from then on, and the tenant's distribution lists lose it, including those that an
 * earlier attempt did not reach. Throws AppError `not_found` when there is no such alias,
 * `member_busy`, `integration_off`, `upstream_failed`.
 */
export async function removeAlias(
  ctx: Context,
  access: Access,
  { address }: RemoveAlias,
): Promise<void> {
  const { services } = ctx
  const mail = mailServerOf(services)
  const { db } = services.database
  const { tenant, domainId } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const domain = (await listAddressDomains(trx, open.id)).find(
      ({ name }) => name === splitAddress(address).domain,
    )
    return { tenant: open, domainId: domain?.mailDomainId ?? undefined }
  })
  if (domainId === undefined) throw noSuchAlias()
  const accountId = await holderOf(mail, domainId, address)
  if (accountId === undefined) {
    const lists = await deleteLostAlias(services, mail, { tenantId: tenant.id, domainId, address })
    if (lists.length === 0) throw noSuchAlias()
    return recordAlias(ctx, access, tenant, {
      action: 'alias.removed',
      address,
      userId: null,
      mailbox: null,
      lists,
    })
  }
  const member = (await membersOfMailAccounts(db, tenant.id, [accountId])).get(accountId)
  const about = {
    action: 'alias.removed',
    address,
    userId: member?.id ?? null,
    mailbox: member?.mailboxAddress ?? null,
  } as const
  const take = () => deprovision(mail, { accountId, address, domainId })
  try {
    await (member
      ? holdingMailbox(services, { tenantId: tenant.id, userId: member.id }, take)
      : take())
  } catch (error) {
    if (error instanceof AppError && error.code === 'upstream_failed')
      await recordAlias(ctx, access, tenant, { ...about, error: error.message })
    throw error
  }
  const lists = await removeFromLists(services, tenant.id, [address])
  await recordAlias(ctx, access, tenant, { ...about, lists })
}

const noSuchAlias = () => new AppError('not_found', errorText('unknownAlias'))

/** The account that has the alias. */
async function holderOf(
  mail: MailServer,
  domainId: string,
  address: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(mailDeadlineMs)
  const aliases = await mail.aliasesOn([domainId], { signal }).catch((error: unknown) => {
    throw mailFailure(error, signal)
  })
  return aliases.find((alias) => alias.address === address)?.accountId
}

async function deprovision(
  mail: MailServer,
  alias: { accountId: string; address: string; domainId: string },
): Promise<void> {
  const signal = AbortSignal.timeout(mailDeadlineMs)
  const { accountId, domainId } = alias
  const { localPart } = splitAddress(alias.address)
  await mail.removeAlias({ accountId, localPart, domainId }, { signal }).catch((error: unknown) => {
    throw mailFailure(error, signal)
  })
}
