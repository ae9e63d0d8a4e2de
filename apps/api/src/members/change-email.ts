import type { ChangeMemberEmail, MemberView } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { TouchedList } from '@atrium/db/mail/lists'
import { readMemberWork } from '@atrium/db/members/member-work'
import { changeMembership, findMailboxHolder, setPersonEmail } from '@atrium/db/members/members'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { lockEmail } from '@atrium/db/users/users'
import { listsInAudit, pushTouchedLists, renameInLists } from '../mail/lists/members.ts'
import type { PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { rejectClosed } from '../rpc/open-tenant.ts'
import type { InTransaction, Services, TransactionContext } from '../rpc/services.ts'
import { orUpstreamFailed } from '../users/identity.ts'
import {
  lookupDeadlineMs,
  mailOf,
  placeOf,
  rejectForeign,
  rejectTaken,
  taken,
} from './addresses.ts'
import {
  beginMemberChange,
  completeness,
  type MemberChange,
  prepareMemberEntry,
  rejectOwnerLocked,
  rejectUnmanaged,
} from './change-member.ts'
import { readMember } from './list.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Gives a member another primary address: the mailbox is renamed and keeps the old one as an alias,
 * identity and file account follow. Without a mailbox the identity alone, and the tenant's
 * distribution lists get the new address in the place of the old one. Upstream systems that cannot
 * say whether the address is free reject the act (502), before anything has changed. Throws
 * AppError `email_taken`, `domain_not_verified`, `owner_locked`, `identity_not_managed`,
 * `invalid_input`.
 */
export async function changeMemberEmail(
  ctx: Context,
  access: Access,
  input: ChangeMemberEmail,
): Promise<MemberView> {
  const { services } = ctx
  await rejectTakenOutside(services, access, input.userId, input.email)
  const { work, decided } = await beginMemberChange(ctx, access, input.userId, async (facts) => {
    const email = await decideEmail(services, facts, input.email)
    return { ...email, prepared: await prepareEmail(ctx, facts, email) }
  })
  pushTouchedLists(services, decided.lists)
  await runMember(services, work)
  const after = await readMember(services, access, input.userId)
  if (decided.prepared)
    await services.audit.complete(decided.prepared, { metadata: completeness(after) })
  return toMemberView(after, access)
}

/** Prepares the entry of a new address; undefined where it is the one before. */
export async function prepareEmail(
  ctx: TransactionContext,
  facts: MemberChange,
  { address, changed, lists }: DecidedEmail,
): Promise<PreparedEntry | undefined> {
  if (!changed) return undefined
  const { id, email } = facts.member
  return prepareMemberEntry(ctx, facts, {
    action: 'member.email_changed',
    member: { id, email: address },
    metadata: { changes: { email: [email, address] }, ...listsInAudit(lists) },
  })
}

export interface DecidedEmail {
  address: string
  changed: boolean
  /** The distribution lists that have the new address now. */
  lists: TouchedList[]
}

/** Writes the new address. Throws AppError as `changeMemberEmail`. */
export async function decideEmail(
  services: InTransaction,
  facts: MemberChange,
  text: string,
): Promise<DecidedEmail> {
  const { trx, tenant, member } = facts
  rejectOwnerLocked(facts)
  rejectUnmanaged(facts)
  if (member.membershipStatus === 'removing' || member.membershipStatus === 'suspended')
    throw new AppError('member_not_active')
  // A disabled member's mailbox and file account do not change their address.
  if (member.deactivatedAt !== null) throw new AppError('member_not_active')
  const place = await placeOf(trx, tenant.id, text, 'email')
  const { address, own } = place
  rejectForeign(services.config, place)
  const mailbox = member.mailboxAddress !== null
  if (mailbox && !own) {
    const message = errorText('mailboxOnTenantDomain')
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'email', message }] })
  }
  if (address === member.email && (!mailbox || address === member.mailboxAddress))
    return { address, changed: false, lists: [] }
  await lockEmail(trx, address)
  const holder = await findMailboxHolder(trx, address)
  if (holder ? holder.userId !== member.id || holder.tenantId !== tenant.id : false)
    throw taken(address)
  if (!holder) await rejectTaken(trx, place, member.id)
  await setPersonEmail(trx, member.id, address)
  await changeMembership(
    trx,
    tenant.id,
    member.id,
    {
      ...(mailbox ? { mailbox_address: address } : {}),
      profile_due: true,
      identity_changed_at: 'now',
    },
    ['identity', ...(mailbox ? (['mail'] as const) : []), 'files'],
  )
  await addIdentitySyncTask(trx, member.id, { profile: true, address: true })
  // A mailbox keeps the old address as an alias, so lists go on reaching it.
  const lists = mailbox ? [] : await renameInLists(trx, tenant.id, member.email, address)
  return { address, changed: true, lists }
}

/**
 * Asks the upstream systems whether the address is free. An alias of the member's own mailbox may
 * become its address; anything else that has it is in the way. Throws AppError `email_taken`,
 * `upstream_failed`, and as `placeOf` and `rejectClosed`.
 */
export async function rejectTakenOutside(
  services: Services,
  access: Access,
  userId: string,
  text: string,
): Promise<void> {
  rejectClosed(access.tenant.status)
  const { address, own } = await placeOf(services.database.db, access.tenant.id, text, 'email')
  const work = await readMemberWork(services.database.db, access.tenant.id, userId)
  if (!work || work.user.email === address) return
  const signal = AbortSignal.timeout(lookupDeadlineMs)
  const mail = own && mailOf(services)
  const { identity } = services.systems
  await orUpstreamFailed(async () => {
    const account = mail ? await mail.findAccount(address, { signal }) : undefined
    if (account && account.id !== work.mailbox?.accountId) throw taken(address)
    const user = identity ? await identity.findUserByEmail(address, { signal }) : undefined
    if (user && user.subject !== work.user.subject) throw taken(address)
  }, errorText('nothingChanged'))
}
