import { setTimeout as wait } from 'node:timers/promises'
import type { AuditAction, AuditOutcome } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import { claimMember, isMemberHeld, type MemberWork } from '@atrium/db/members/member-work'
import { hasOtherAdmin, lockMember, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry, PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { notProved } from '../users/proved-address.ts'
import { noSuchMember } from './list.ts'

/** What a rule about one member decides by, under the locks of tenant and member. */
export interface MemberChange {
  trx: Trx
  access: Access
  tenant: OpenTenant
  member: MemberRow
}

export interface ClaimedMember<Decided> {
  tenant: OpenTenant
  /** The member as before the act. */
  member: MemberRow
  /** The claim on the member; who has it must finish or release it. */
  work: MemberWork
  decided: Decided
}

/** How long an act waits for another one on the same member. */
export const longestWaitMs = 3_000
export const pollIntervalMs = 100

/**
 * Begins an action on one member. In one transaction, under the tenant's lock, it checks the
 * caller's permission again, lets `decide` reject or write the change, and claims the member for
 * the upstream work. Throws AppError `tenant_suspended`, `tenant_deleted`, `not_admin`,
 * `not_found`, `on_behalf_excluded`, and `member_busy` while another action holds the member for
 * longer than a moment. `even` names states of an inactive tenant in which the action is still
 * allowed. With `by` a member acts on their own membership, whatever their role.
 */
export async function beginMemberChange<Decided>(
  { services }: Context,
  access: Access,
  userId: string,
  decide: (change: MemberChange) => Decided | Promise<Decided>,
  even: readonly TenantStatus[] = [],
  by: 'admin' | 'member' = 'admin',
): Promise<ClaimedMember<Decided>> {
  const claimed = await onceFree(() =>
    tenantTransaction(services, access.tenant.id, async (trx) => {
      const tenant = await lockOpenTenant(trx, access.tenant.slug, even)
      if (by === 'admin') await rejectFormerAdmin(trx, access)
      const member = await lockMember(trx, tenant.id, userId)
      if (!member) throw noSuchMember()
      rejectOnBehalf(access, member)
      if (await isMemberHeld(trx, tenant.id, userId)) return undefined
      const decided = await decide({ trx, access, tenant, member })
      const work = await claimMember(trx, tenant.id, userId)
      return work && { tenant, member, work, decided }
    }),
  )
  services.memberLeases.kept(claimed.work)
  return claimed
}

/**
 * Repeats an attempt that returns undefined while another action holds a member. Throws AppError
 * `member_busy` after a moment.
 */
export async function onceFree<Result>(
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  const giveUpAt = performance.now() + longestWaitMs
  for (;;) {
    const result = await attempt()
    if (result !== undefined) return result
    if (performance.now() > giveUpAt) throw new AppError('member_busy')
    await wait(pollIntervalMs)
  }
}

/**
 * Who acts under an access grant changes neither owner nor admins: with their sign-in the grant
 * would outlive its end. Throws AppError `on_behalf_excluded`.
 */
function rejectOnBehalf({ caller }: Access, { role }: Pick<MemberRow, 'role'>): void {
  if (caller.onBehalf && !caller.operator && role !== 'member')
    throw new AppError('on_behalf_excluded', errorText('onBehalfAdmins'))
}

/** The same for whoever would make an admin. Throws AppError `on_behalf_excluded`. */
export function rejectAdminOnBehalf({ caller }: Access): void {
  if (caller.onBehalf && !caller.operator)
    throw new AppError('on_behalf_excluded', errorText('onBehalfAdminRole'))
}

export function isSelf({ access, member }: MemberChange): boolean {
  return access.caller.id === member.id
}

/** What gives control over the owner's sign-in or mail is the owner's own and operators' to do. */
export function rejectOwnerLocked(change: MemberChange): void {
  if (change.member.role === 'owner' && !isSelf(change) && !change.access.caller.operator)
    throw new AppError('owner_locked')
}

/**
 * What belongs to a person who is also somewhere else is not for this tenant's admins to change.
 */
export function rejectUnmanaged(change: MemberChange): void {
  if (!change.member.managed && !isSelf(change) && !change.access.caller.operator)
    throw new AppError('identity_not_managed')
}

/** An unproved identity that another tenant created never gets power over a tenant. */
export function rejectUntrusted({ name, trusted }: Pick<MemberRow, 'name' | 'trusted'>): void {
  if (!trusted) throw notProved(name)
}

/** A tenant must keep someone who can administer it and is not disabled. */
export async function rejectLastAdmin({ trx, tenant, member }: MemberChange): Promise<void> {
  const counts =
    member.role !== 'member' &&
    (member.membershipStatus === 'active' || member.membershipStatus === 'provisioning')
  if (counts && !(await hasOtherAdmin(trx, tenant.id, member.id))) throw new AppError('last_admin')
}

interface MemberEntry {
  action: AuditAction
  member: Pick<MemberRow, 'id' | 'email'>
  outcome?: AuditOutcome
  metadata?: Record<string, unknown>
}

export function recordMember(
  ctx: Context,
  { caller }: Access,
  tenant: Pick<OpenTenant, 'slug' | 'partnerSlug'>,
  entry: MemberEntry,
): Promise<void> {
  return ctx.services.audit.record(ctx, caller, memberEntry(tenant, entry))
}

/** Records an action as failed where an upstream system failed. Other errors changed nothing. */
export async function recordUpstreamFailure(
  ctx: Context,
  access: Access,
  tenant: Pick<OpenTenant, 'slug' | 'partnerSlug'>,
  entry: MemberEntry,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError) || error.code !== 'upstream_failed') return
  const metadata = { ...entry.metadata, error: error.message }
  await recordMember(ctx, access, tenant, { ...entry, outcome: 'failure', metadata })
}

/**
 * Prepares the entry of a change that the upstream systems follow after it; `audit.complete` writes
 * it.
 */
export function prepareMemberEntry(
  { services, request }: TransactionContext,
  { trx, access, tenant }: MemberChange,
  entry: MemberEntry,
): Promise<PreparedEntry> {
  return services.audit.prepare({ request }, access.caller, memberEntry(tenant, entry), trx)
}

/** The audit entry about a member, for `services.audit.record`. */
export function memberEntry(
  tenant: Pick<OpenTenant, 'slug' | 'partnerSlug'>,
  { action, member, outcome = 'success', metadata = {} }: MemberEntry,
): AuditEntry {
  return {
    action,
    outcome,
    resourceType: 'member',
    resourceId: member.id,
    resourceName: member.email,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata,
  }
}

/** What the entry of a change tells of the upstream systems; of a member that is gone, all did. */
export function completeness(after: MemberRow | undefined): { complete: boolean } {
  return { complete: !after || outcomeOf(after) === 'success' }
}

/** `failure` when some upstream system did not do its part. */
export function outcomeOf(
  row: Pick<MemberRow, 'identityState' | 'mailState' | 'filesState'>,
): AuditOutcome {
  return [row.identityState, row.mailState, row.filesState].includes('error')
    ? 'failure'
    : 'success'
}
