import { splitAddress } from '@atrium/core/mail/mail-addresses'
import type { CreatedMember, CreateMailbox } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { changeMembership, listTenantDomains, type MemberRow } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { lockEmail } from '@atrium/db/users/users'
import { mailServerOf } from '../mail/aliases/mail-server.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { rejectClosed } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { orUnseen, type Place, placeOf, rejectTaken, taken } from './addresses.ts'
import {
  beginMemberChange,
  completeness,
  type MemberChange,
  prepareMemberEntry,
  rejectOwnerLocked,
} from './change-member.ts'
import { readMember } from './list.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Gives a mailbox to a member who has none; the password opens the mailbox alone, the identity
 * keeps its own. Throws AppError `mailbox_exists`, `email_taken`, `domain_not_verified`,
 * `owner_locked`, `member_not_active`, `integration_off`, `invalid_input`.
 */
export async function createMailbox(
  ctx: Context,
  access: Access,
  input: CreateMailbox,
): Promise<CreatedMember> {
  const { services } = ctx
  rejectClosed(access.tenant.status)
  const mail = mailServerOf(services)
  const before = await readMember(services, access, input.userId)
  const text = input.address ?? (await defaultAddress(services, access, before))
  const { address } = await ownPlace(services.database.db, access.tenant.id, text)
  const found = await orUnseen((signal) => mail.findAccount(address, { signal }))
  if (before.mailboxAddress === null && typeof found === 'object') throw taken(address)
  const { work, decided } = await beginMemberChange(ctx, access, input.userId, async (facts) => {
    const mailbox = await reserve(facts, text, found === undefined)
    return prepareMemberEntry(ctx, facts, {
      action: 'member.mailbox_created',
      member: facts.member,
      metadata: { mailbox },
    })
  }).catch((error: unknown) => {
    throw violatedConstraint(error) === 'memberships_of_mailbox' ? taken(address, error) : error
  })
  const password = createOneTimePassword()
  await runMember(services, work, { password, silent: found === 'silent' ? ['mail'] : [] })
  const member = await readMember(services, access, input.userId)
  await services.audit.complete(decided, {
    outcome: member.mailState === 'error' ? 'failure' : 'success',
    metadata: completeness(member),
  })
  return { member: toMemberView(member, access), oneTimePassword: password.shown() }
}

/** Returns the address of the mailbox. */
async function reserve(facts: MemberChange, text: string, vacant: boolean): Promise<string> {
  const { trx, tenant, member } = facts
  rejectOwnerLocked(facts)
  if (member.mailboxAddress !== null) throw new AppError('mailbox_exists')
  if (member.membershipStatus !== 'active' && member.membershipStatus !== 'provisioning')
    throw new AppError('member_not_active')
  const place = await ownPlace(trx, tenant.id, text)
  await lockEmail(trx, place.address)
  await rejectTaken(trx, place, member.id)
  await changeMembership(
    trx,
    tenant.id,
    member.id,
    { mailbox_address: place.address, mail_vacant: vacant },
    ['mail'],
  )
  return place.address
}

async function ownPlace(db: Db | Trx, tenantId: string, text: string): Promise<Place> {
  const place = await placeOf(db, tenantId, text, 'address')
  if (place.own) return place
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'address', message: errorText('mailboxOnTenantDomain') }],
  })
}

/**
 * The member's own address when it is on a domain of the tenant, else its local part on the primary
 * one.
 */
async function defaultAddress(
  services: Services,
  { tenant }: Access,
  { email }: MemberRow,
): Promise<string> {
  const { localPart, domain } = splitAddress(email)
  const domains = await listTenantDomains(services.database.db, tenant.id)
  return domains.some(({ name }) => name === domain) ? email : localPart
}
