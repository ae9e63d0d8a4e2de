import type { AliasPage, AliasView, ListAliases } from '@atrium/core/mail/aliases'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import {
  listAddressDomains,
  type MailboxMemberRow,
  membersOfMailAccounts,
} from '@atrium/db/mail/aliases'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { mailDeadlineMs, mailFailure, mailServerOf } from './mail-server.ts'

/**
 * Further addresses on the tenant's domains, as the mail server has them, in the order of the
 * addresses. Throws AppError `integration_off` without a mail server and `upstream_failed` when it
 * cannot be read: an empty page always means that there are none.
 */
export async function listAliases(
  { services }: Context,
  { tenant }: Access,
  input: ListAliases,
): Promise<AliasPage> {
  const mail = mailServerOf(services)
  const { db } = services.database
  const domainIds = (await listAddressDomains(db, tenant.id)).flatMap(({ name, mailDomainId }) =>
    mailDomainId !== null && (input.domain === undefined || input.domain.toLowerCase() === name)
      ? [mailDomainId]
      : [],
  )
  const signal = AbortSignal.timeout(mailDeadlineMs)
  const aliases =
    domainIds.length === 0
      ? []
      : await mail.aliasesOn(domainIds, { signal }).catch((error: unknown) => {
          throw mailFailure(error, signal)
        })
  const members = await membersOfMailAccounts(db, tenant.id, [
    ...new Set(aliases.map((alias) => alias.accountId)),
  ])
  const matching = aliases
    .map(({ address, accountId }) => toAliasView(address, members.get(accountId)))
    .filter((view) => matchesFilter(view, input))
    .sort((one, other) => (one.address < other.address ? -1 : 1))
  const items = matching.slice(0, input.limit)
  return {
    items,
    nextCursor: matching.length > input.limit ? (items.at(-1)?.address ?? null) : null,
  }
}

export function toAliasView(address: string, member: MailboxMemberRow | undefined): AliasView {
  return {
    address,
    domain: splitAddress(address).domain,
    member: member ? { id: member.id, name: member.name, email: member.email } : null,
  }
}

function matchesFilter(
  { address, member }: AliasView,
  { q, userId, cursor }: ListAliases,
): boolean {
  if (userId !== undefined && member?.id !== userId) return false
  if (cursor !== undefined && address <= cursor.toLowerCase()) return false
  const text = q?.toLowerCase()
  return (
    text === undefined ||
    [address, member?.name, member?.email].some((field) => field?.toLowerCase().includes(text))
  )
}
