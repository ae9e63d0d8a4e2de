import type { UpdateMember } from '@atrium/core/members/members'
import { AppError, findAppError } from '@atrium/core/platform/errors'
import { patchScimUser, readPatch } from '@atrium/core/scim/patch'
import type { ChangeScimResource, ScimUser } from '@atrium/core/scim/schemas'
import { displayNameOf, readScimUser, type ScimUserAttributes } from '@atrium/core/scim/user'
import { type ScimIdentifiers, type ScimUserRow, setScimIdentifiers } from '@atrium/db/scim/users'
import { pushTouchedLists, renameInLists } from '../mail/lists/members.ts'
import {
  type DecidedEmail,
  decideEmail,
  prepareEmail,
  rejectTakenOutside,
} from '../members/change-email.ts'
import { beginMemberChange, completeness, type MemberChange } from '../members/change-member.ts'
import { readMember, requireMember } from '../members/list.ts'
import { runMember } from '../members/run.ts'
import {
  decideResumption,
  decideSuspension,
  prepareTurn,
  suspendMember,
} from '../members/suspend.ts'
import { type DecidedUpdate, decideUpdate, followUpdate, recordUpdate } from '../members/update.ts'
import type { PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended, rejectClosed } from '../rpc/open-tenant.ts'
import type { InTransaction, TransactionContext } from '../rpc/services.ts'
import { addressOf, getUser, requireUser } from './users.ts'
import { requireVersion, toAttributes } from './view.ts'

/**
 * Replaces the member with what the client sent: attributes that it left out lose their value,
 * except `active`. Throws AppError as `change`.
 */
export function replaceUser(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimUser> {
  const desired = readScimUser(input.resource)
  return change(ctx, access, input, () => desired)
}

/**
 * Applies the operations of a PATCH, none where one of them is at fault. Throws AppError as
 * `change`.
 */
export function patchUser(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimUser> {
  const operations = readPatch(input.resource)
  return change(ctx, access, input, (row) => patchScimUser(toAttributes(row), operations))
}

/**
 * Changes resumption, address, profile and identifiers together, and with them the suspension
 * unless the address changes too: the mailbox of a suspended member keeps its address, so that this
 * suspension follows as a change of its own. A member that is to be suspended is suspended even
 * when the rest is rejected, except for `precondition_failed`. Throws AppError `not_found`, and as
 * `changeMemberEmail`, `updateMember`, `resumeMember` and `suspendMember`.
 */
async function change(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
  desiredOf: (row: ScimUserRow) => ScimUserAttributes,
): Promise<ScimUser> {
  const { row } = await requireUser(ctx.services.database.db, access, input.id)
  const difference = differenceOf(row, desiredOf(row))
  const { id } = row
  const suspends = difference.turn === 'suspend'
  try {
    if (input.ifMatch !== undefined || !isNone(difference))
      await changeTogether(ctx, access, { ...input, id }, desiredOf, difference)
  } catch (error) {
    if (suspends && findAppError(error)?.code !== 'precondition_failed')
      await suspendMember(ctx, access, id)
    throw error
  }
  if (suspends && difference.address !== undefined) await suspendMember(ctx, access, id)
  return getUser(ctx, access, { ...input, id })
}

async function changeTogether(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
  desiredOf: (row: ScimUserRow) => ScimUserAttributes,
  expected: Difference,
): Promise<void> {
  const { services } = ctx
  const { address } = expected
  if (address !== undefined) await rejectTakenOutside(services, access, input.id, address)
  const decide = async (facts: MemberChange) => {
    const { row, user } = await requireUser(facts.trx, access, input.id)
    requireVersion(user, input.ifMatch)
    const difference = differenceOf(row, desiredOf(row))
    // Upstream systems were asked about another address.
    if (difference.address !== undefined && difference.address !== address)
      throw new AppError('edit_conflict')
    const written = await write(services, facts, row, difference)
    const entries = await prepareEntries(ctx, facts, written)
    await recordUpdate(ctx, facts)
    return { ...written, entries }
  }
  const even = expected.turn === 'suspend' ? evenSuspended : []
  const claimed = await beginMemberChange(ctx, access, input.id, decide, even)
  const { email, update, entries } = claimed.decided
  pushTouchedLists(services, email.lists)
  await runMember(services, claimed.work)
  followUpdate(ctx, claimed, update)
  const after = await readMember(services, access, input.id)
  for (const entry of entries)
    await services.audit.complete(entry, { metadata: completeness(after) })
}

/** Prepares the entries of what upstream systems follow. */
async function prepareEntries(
  ctx: TransactionContext,
  facts: MemberChange,
  { email, turned }: Pick<Written, 'email' | 'turned'>,
): Promise<PreparedEntry[]> {
  const entries = [
    turned === 'resume' && (await prepareTurn(ctx, facts, 'member.resumed')),
    await prepareEmail(ctx, facts, email),
    turned === 'suspend' && (await prepareTurn(ctx, facts, 'member.suspended')),
  ]
  return entries.filter((entry) => typeof entry === 'object')
}

interface Written {
  email: DecidedEmail
  update: DecidedUpdate
  turned: Difference['turn']
}

/** Throws AppError as `change`. */
async function write(
  services: InTransaction,
  facts: MemberChange,
  row: ScimUserRow,
  { address, profile, identifiers, turn }: Difference,
): Promise<Written> {
  const { trx, tenant } = facts
  // Only a suspension is possible while the tenant is suspended itself.
  if (!isNone({ address, profile, identifiers, turn: undefined })) rejectClosed(tenant.status)
  let { member } = facts
  if (turn === 'resume') {
    // An operator may have deactivated the person, which no tenant takes back.
    if (row.membershipStatus !== 'suspended') throw new AppError('member_not_active')
    await decideResumption(facts)
    member = await requireMember(trx, tenant.id, row.id)
  }
  const email =
    address === undefined
      ? { address: member.email, changed: false, lists: [] }
      : await move(services, { ...facts, member }, address)
  const update = await decideUpdate({ ...facts, member }, profile)
  if (identifiers) await setScimIdentifiers(trx, tenant.id, row.id, identifiers)
  const turned = turn === 'suspend' && address !== undefined ? undefined : turn
  if (turned === 'suspend') await decideSuspension({ ...facts, member })
  return { email, update, turned }
}

/**
 * Gives another address. Groups know their members by it, so that it also replaces the old one of a
 * mailbox, which otherwise stays in the lists as an alias. Throws AppError as `decideEmail`.
 */
async function move(
  services: InTransaction,
  facts: MemberChange,
  text: string,
): Promise<DecidedEmail> {
  const { trx, tenant, member } = facts
  const decided = await decideEmail(services, facts, text)
  if (!decided.changed) return decided
  const others = await renameInLists(trx, tenant.id, member.email, decided.address)
  return { ...decided, lists: [...decided.lists, ...others] }
}

/** What a request changes of a member. */
interface Difference {
  address: string | undefined
  profile: Omit<UpdateMember, 'slug' | 'userId'>
  identifiers: ScimIdentifiers | undefined
  turn: 'resume' | 'suspend' | undefined
}

function isNone({ address, profile, identifiers, turn }: Difference): boolean {
  const named = [address, identifiers, turn].some((one) => one !== undefined)
  return !named && Object.keys(profile).length === 0
}

/** Throws AppError `invalid_input` for a user name that is no address. */
function differenceOf(row: ScimUserRow, desired: ScimUserAttributes): Difference {
  const { userName, externalId, active } = desired
  const renamed = externalId !== row.externalId || userName !== row.userName
  const suspends = active === false && row.membershipStatus !== 'suspended'
  return {
    address: isNameOf(row, userName) ? undefined : addressOf(userName),
    profile: profileChanges(row, desired),
    identifiers: renamed ? { externalId, userName } : undefined,
    turn: suspends ? 'suspend' : active === true && !row.active ? 'resume' : undefined,
  }
}

/** Whether a user name is the member's address, or the part of it before the @. */
function isNameOf({ email }: ScimUserRow, userName: string): boolean {
  const name = userName.toLowerCase()
  return name === email || name === email.split('@')[0]
}

function profileChanges(row: ScimUserRow, desired: ScimUserAttributes): Difference['profile'] {
  const { firstName, lastName, phone } = desired
  const name = displayNameOf(desired)
  return {
    ...(name !== row.name && { name }),
    ...(firstName !== row.firstName && { firstName }),
    ...(lastName !== row.lastName && { lastName }),
    ...(phone !== row.phone && { phone }),
  }
}
