import { changedFields } from '@atrium/core/audit/audit'
import { personFields, type UpdatedMember, type UpdateMember } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import { changeMembership, type MemberRow, reopenForName } from '@atrium/db/members/members'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { type UserChanges, updateUser } from '@atrium/db/users/users'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { TransactionContext } from '../rpc/services.ts'
import {
  beginMemberChange,
  type ClaimedMember,
  isSelf,
  type MemberChange,
  memberEntry,
  rejectAdminOnBehalf,
  rejectLastAdmin,
  rejectUnmanaged,
  rejectUntrusted,
} from './change-member.ts'
import { syncMemberships } from './jobs.ts'
import { readMember, requireMember } from './list.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Changes role, name or contact data. The record is written first; identity provider, mailbox and
 * file account follow, and `mirrors` has their results. Throws AppError `role_locked_owner`,
 * `role_locked_bootstrap_admin`, `role_locked_self`, `last_admin`, `identity_not_managed`,
 * `member_not_active`, `address_not_proved`.
 */
export async function updateMember(
  ctx: Context,
  access: Access,
  input: UpdateMember,
): Promise<UpdatedMember> {
  const { services } = ctx
  const claimed = await beginMemberChange(ctx, access, input.userId, async (facts) => {
    const decided = await decideUpdate(facts, input)
    await recordUpdate(ctx, facts)
    return decided
  })
  await runMember(services, claimed.work)
  followUpdate(ctx, claimed, claimed.decided)
  const after = await readMember(services, access, input.userId)
  return { member: toMemberView(after, access), mirrors: mirrorsOf(after, claimed.decided.todo) }
}

/** Applies a new name to the person's other memberships, in the background. */
export function followUpdate(
  { services }: Context,
  { tenant, member }: Pick<ClaimedMember<unknown>, 'tenant' | 'member'>,
  { renamed }: DecidedUpdate,
): void {
  if (renamed)
    services.background.run('name of a member', () =>
      syncMemberships(services, member.id, tenant.id),
    )
}

/** Records what changed of role, name and contact data, in the transaction of the change. */
export async function recordUpdate(
  ctx: TransactionContext,
  { trx, access, tenant, member }: MemberChange,
): Promise<void> {
  const after = await requireMember(trx, tenant.id, member.id)
  const { role, ...personal } = changedFields(member, after, ['role', ...personFields])
  const actions = [
    ...(role ? [{ action: 'member.role_changed' as const, changes: { role } }] : []),
    ...(Object.keys(personal).length > 0
      ? [{ action: 'member.updated' as const, changes: personal }]
      : []),
  ]
  for (const { action, changes } of actions) {
    const entry = memberEntry(tenant, { action, member, metadata: { changes } })
    await ctx.services.audit.record(ctx, access.caller, entry, trx)
  }
}

export interface DecidedUpdate {
  renamed: boolean
  /** The upstream systems that follow. */
  todo: ProvisioningStep[]
}

/** Writes role, name and contact data. Throws AppError as `updateMember`. */
export async function decideUpdate(
  facts: MemberChange,
  input: Omit<UpdateMember, 'slug' | 'userId'>,
): Promise<DecidedUpdate> {
  const { trx, tenant, member } = facts
  if (input.role === 'admin') rejectAdminOnBehalf(facts.access)
  if (member.membershipStatus === 'removing')
    throw new AppError('member_not_active', errorText('memberBeingRemoved'))
  const { role } = input
  if (role !== undefined && role !== member.role) {
    await rejectLockedRole(facts)
    if (role === 'admin') rejectUntrusted(member)
    if (role === 'member') await rejectLastAdmin(facts)
    await changeMembership(trx, tenant.id, member.id, { role })
  }
  const profile = Object.fromEntries(
    personFields.flatMap((field) =>
      input[field] === undefined || input[field] === member[field] ? [] : [[field, input[field]]],
    ),
  ) as Partial<Pick<UpdateMember, (typeof personFields)[number]>>
  if (Object.keys(profile).length === 0) return { renamed: false, todo: [] }
  rejectUnmanaged(facts)
  await updateUser(trx, member.id, columnsOf(profile))
  const renamed = profile.name !== undefined
  const todo = reportedOf(member, renamed)
  await changeMembership(trx, tenant.id, member.id, { identity_changed_at: 'now' }, todo)
  if (renamed) await reopenForName(trx, member.id, tenant.id)
  await addIdentitySyncTask(trx, member.id, { profile: true })
  return { renamed, todo }
}

async function rejectLockedRole(facts: MemberChange): Promise<void> {
  if (facts.member.role === 'owner') throw new AppError('role_locked_owner')
  if (facts.member.bootstrapAdmin) throw new AppError('role_locked_bootstrap_admin')
  if (isSelf(facts)) throw new AppError('role_locked_self')
}

function columnsOf(profile: Partial<UpdateMember>): UserChanges {
  return {
    ...(profile.name === undefined ? {} : { name: profile.name }),
    ...(profile.firstName === undefined ? {} : { first_name: profile.firstName }),
    ...(profile.lastName === undefined ? {} : { last_name: profile.lastName }),
    ...(profile.phone === undefined ? {} : { phone: profile.phone }),
    ...(profile.alternativeEmail === undefined
      ? {}
      : { alternative_email: profile.alternativeEmail }),
  }
}

/**
 * Mailbox and file account only have the name; a suspended member's are updated when the suspension
 * ends.
 */
function reportedOf(member: MemberRow, renamed: boolean): ProvisioningStep[] {
  if (!renamed || member.membershipStatus === 'suspended') return ['identity']
  return ['identity', ...(member.mailboxAddress === null ? [] : (['mail'] as const)), 'files']
}

function mirrorsOf(
  row: MemberRow,
  reported: readonly ProvisioningStep[],
): UpdatedMember['mirrors'] {
  const result = (step: ProvisioningStep) => {
    if (!reported.includes(step)) return { state: 'skipped' as const }
    const error = row[`${step}Error`]
    return { state: row[`${step}State`], ...(error === null ? {} : { error }) }
  }
  return { identity: result('identity'), mail: result('mail'), files: result('files') }
}
