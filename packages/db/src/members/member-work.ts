import {
  type ProvisioningStep,
  provisioningSteps,
  type StepState,
  type TenantAccess,
  type TenantRole,
} from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { accessOf } from '../tenants/access-conditions.ts'
import { lockTenantById, type TenantTrx } from '../tenants/tenants.ts'
import { type MembershipStatus, managed, ownAddress } from './members.ts'

/** Everything that the steps of one member need, read when the work was claimed. */
export interface MemberWork {
  run: string
  /** For which state of the record this is: a later change has another one. */
  version: number
  tenant: {
    id: string
    slug: string
    access: TenantAccess
    identityGroupId: string | null
    identityGroupName: string
    fileSpaceId: string | null
  }
  user: {
    id: string
    subject: string
    idpUserId: string | null
    email: string
    name: string
    firstName: string | null
    lastName: string | null
    phone: string | null
    alternativeEmail: string | null
    deactivated: boolean
    platformAdmin: boolean
    /** Has not accepted the invitation yet: nothing is made anywhere. */
    invited: boolean
  }
  role: TenantRole
  status: MembershipStatus
  /** The tenant may change this person's sign-in. */
  managed: boolean
  /**
   * The address is on a domain that the tenant verified. Otherwise no one may see a password of the
   * identity.
   */
  ownAddress: boolean
  /** The address got its domain because the tenant gave up the one before. */
  domainReleased: boolean
  /**
   * The person is in another tenant as well, an operator or partner staff: the identity outlives
   * this membership.
   */
  neededElsewhere: boolean
  mailbox: {
    address: string
    /**
     * The mail server's id of the address's domain; null while that domain is not there, or there
     * under another name.
     */
    domainId: string | null
    accountId: string | null
    vacant: boolean
    frozen: boolean
    permissions: unknown
  } | null
  fileAccountId: string | null
  /** The same account, as another tenant's membership has it on record. */
  fileAccountElsewhere: string | null
  steps: Record<ProvisioningStep, { state: StepState }>
  attempt: number
  needsPassword: boolean
  /** Name, address or contact data were changed here and the identity provider has not followed. */
  profileDue: boolean
  /** A program of before has noted that at the membership alone, without saying what it was. */
  profileFlagged: boolean
  /** What an upstream system returned, saved with the outcome of the step. */
  unsaved: MemberFacts
}

/**
 * How long a piece of work holds its member without a sign of life. A killed process's members are
 * free after that.
 */
export const memberLeaseSeconds = 12

/** `member` gives the rows of memberships, as `m`. */
const readWork = (member = sql`memberships m`) => sql`
  select m.run, m.version, json_build_object('id', t.id, 'slug', t.slug, 'access', ${accessOf('t')}, 'identityGroupId', t.identity_group_id,
      'identityGroupName', coalesce(t.identity_group_name, t.slug), 'fileSpaceId', t.file_space_id) as tenant,
    json_build_object('id', u.id, 'subject', u.idp_subject_id, 'idpUserId', u.idp_user_id, 'email', u.email, 'name', u.name,
      'firstName', u.first_name, 'lastName', u.last_name, 'phone', u.phone, 'alternativeEmail', u.alternative_email,
      'deactivated', u.deactivated_at is not null, 'platformAdmin', u.platform_admin, 'invited', u.invited) as user,
    m.role, m.status,
    ${managed} as managed, ${ownAddress} as "ownAddress",
    exists (select from domains d where d.tenant_id = m.tenant_id and d.name = split_part(u.email, '@', 2) and d.released_name is not null)
      as "domainReleased",
    u.platform_admin or u.partner_id is not null
      or exists (select from memberships o where o.user_id = u.id and o.tenant_id <> m.tenant_id) as "neededElsewhere",
    case when m.mailbox_address is not null then json_build_object('address', m.mailbox_address,
      'domainId', (select d.mail_domain_id from domains d
        where d.tenant_id = m.tenant_id and d.name = split_part(m.mailbox_address, '@', 2) and not d.mail_rename_due),
      'accountId', m.mail_account_id, 'vacant', m.mail_vacant, 'frozen', m.mail_frozen, 'permissions', m.mail_permissions) end as mailbox,
    m.file_account_id as "fileAccountId", (select o.file_account_id from memberships o
      where o.user_id = m.user_id and o.tenant_id <> m.tenant_id and o.file_account_id is not null limit 1) as "fileAccountElsewhere",
    json_build_object('identity', json_build_object('state', m.identity_state), 'mail', json_build_object('state', m.mail_state),
      'files', json_build_object('state', m.files_state)) as steps,
    m.attempt, m.needs_password as "needsPassword", m.profile_due as "profileFlagged",
    m.profile_due or exists (select from identity_dues d where d.user_id = m.user_id and (d.profile or d.address)) as "profileDue"
  from ${member} join tenants t on t.id = m.tenant_id join users u on u.id = m.user_id`

/**
 * Takes a member for one piece of work. Undefined when another one holds the member, or there is
 * none. The lease runs by the database's clock.
 */
export async function claimMember(
  db: Db | Trx,
  tenantId: string,
  userId: string,
): Promise<MemberWork | undefined> {
  const claimed = await db
    .updateTable('memberships')
    .set({ run: sql<string>`new_id()`, lease_until: leaseEnd() })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where(sql<boolean>`coalesce(lease_until < now(), true)`)
    .returning('run')
    .executeTakeFirst()
  if (!claimed?.run) return undefined
  return readMemberWork(db, tenantId, userId)
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${memberLeaseSeconds})`
}

/** Keeps these pieces of work alive; returns those that still hold their member. */
export async function extendMembers(db: Db, runs: readonly string[]): Promise<string[]> {
  const rows = await db
    .updateTable('memberships')
    .set({ lease_until: leaseEnd() })
    .where('run', 'in', [...runs])
    .returning('run')
    .execute()
  return rows.flatMap(({ run }) => (run === null ? [] : [run]))
}

export interface NewMembership {
  tenantId: string
  userId: string
  role: 'member' | 'admin'
  mailboxAddress: string | null
  mailVacant: boolean
  /** The person's record is new. */
  fresh: boolean
}

/**
 * Inserts a membership whose steps are all still to do, claimed for the caller's work on it.
 * Returns that work.
 */
export async function insertClaimedMembership(
  trx: Trx,
  member: NewMembership,
): Promise<MemberWork> {
  const inserted = trx
    .insertInto('memberships')
    .values({
      tenant_id: member.tenantId,
      user_id: member.userId,
      role: member.role,
      status: 'provisioning',
      mailbox_address: member.mailboxAddress,
      mail_vacant: member.mailVacant,
      identity_state: 'pending',
      mail_state: 'pending',
      files_state: 'pending',
      identity_changed_at: sql<Date>`now()`,
      run: sql<string>`new_id()`,
      lease_until: leaseEnd(),
    })
    .returningAll()
  const { rows } = await sql<MemberWork>`with m as (${inserted}) ${readWork(sql`m`)}`.execute(trx)
  const [work] = rows
  if (!work) throw new Error('a membership was inserted without its tenant or person')
  if (!member.fresh)
    await trx
      .deleteFrom('membership_revocations')
      .where('tenant_id', '=', member.tenantId)
      .where('user_id', '=', member.userId)
      .execute()
  return { ...work, unsaved: {} }
}

/** The work as it is after the claim. */
export async function readMemberWork(
  db: Db | Trx,
  tenantId: string,
  userId: string,
): Promise<MemberWork | undefined> {
  const { rows } =
    await sql<MemberWork>`${readWork()} where m.tenant_id = ${tenantId} and m.user_id = ${userId}`.execute(
      db,
    )
  return rows[0] && { ...rows[0], unsaved: {} }
}

/** The memberships by which a tenant may change this person's sign-in. */
export async function readManagedWork(db: Db | Trx, userId: string): Promise<MemberWork[]> {
  const { rows } =
    await sql<MemberWork>`${readWork()} where m.user_id = ${userId} and ${managed}`.execute(db)
  return rows
}

/** Whether a living piece of work holds the member. */
export async function isMemberHeld(
  db: Db | Trx,
  tenantId: string,
  userId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('memberships')
    .select('run')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where(sql<boolean>`lease_until >= now()`)
    .executeTakeFirst()
  return row !== undefined
}

/** Frees the member. Does nothing when another piece of work took over meanwhile. */
export async function releaseMember(db: Db, work: MemberWork): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ run: null, lease_until: null })
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .execute()
}

export interface MemberFacts {
  mail_account_id?: string | null
  mail_vacant?: boolean
  mail_frozen?: boolean
  /** JSON text. */
  mail_permissions?: string | null
  file_account_id?: string | null
  needs_password?: boolean
}

/**
 * Saves what an upstream system returned immediately: a process that dies before must not leave it
 * to be guessed.
 */
export async function saveMemberFacts(db: Db, work: MemberWork, facts: MemberFacts): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ ...work.unsaved, ...facts })
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .execute()
  work.unsaved = {}
}

/**
 * Keeps it with the outcome of the step: for what the next try finds again, or does again, when the
 * process dies before.
 */
export function noteMemberFacts(work: MemberWork, facts: MemberFacts): void {
  Object.assign(work.unsaved, facts)
}

/** The person's identity at the provider. */
export async function savePersonIdentity(
  db: Db,
  userId: string,
  identity: { subject?: string; idpUserId: string },
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      idp_user_id: identity.idpUserId,
      ...(identity.subject === undefined ? {} : { idp_subject_id: identity.subject }),
    })
    .where('id', '=', userId)
    .execute()
}

/**
 * Stores the identity created for the member before it is activated, so that no sign-in can create
 * a second record first. Also records that no one knows its password. Returns whether the provider
 * has to follow a profile that changed meanwhile.
 */
export async function saveMadeIdentity(
  db: Db,
  { tenant, user, run }: MemberWork,
  { subject, idpUserId }: { subject: string; idpUserId: string },
): Promise<{ profileDue: boolean }> {
  const { rows } = await sql<{ profileDue: boolean }>`
    with person as (
      update users set idp_user_id = ${idpUserId}, idp_subject_id = ${subject} where id = ${user.id}),
    member as (
      update memberships set needs_password = true where tenant_id = ${tenant.id} and user_id = ${user.id} and run = ${run})
    select exists (select from identity_dues where user_id = ${user.id} and (profile or address)) as "profileDue"`.execute(
    db,
  )
  return { profileDue: rows[0]?.profileDue ?? false }
}

export interface MemberOutcome {
  state: Extract<StepState, 'ok' | 'skipped' | 'error'>
  error?: string
}

/** How a step ended. */
export interface EndedStep {
  step: ProvisioningStep
  outcome: MemberOutcome
}

/** Saves how steps ended, with what was noted. Of what was changed meanwhile the step stays due. */
export async function saveMemberOutcomes(
  db: Db,
  work: MemberWork,
  ended: readonly EndedStep[],
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ ...work.unsaved, ...columnsOf(work, ended) })
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .execute()
  work.unsaved = {}
}

function columnsOf(work: MemberWork, ended: readonly EndedStep[]) {
  return Object.assign({}, ...ended.map((one) => toColumns(work, one))) as Partial<
    ReturnType<typeof toColumns>
  >
}

function toColumns(work: MemberWork, { step, outcome }: EndedStep) {
  const error = outcome.state === 'error' ? (outcome.error ?? 'unknown failure') : null
  const unlessChanged = <T>(column: string, value: T) =>
    sql<T>`case when version = ${work.version} then ${value} else ${sql.ref(column)} end`
  const changedAt = sql<Date>`case when version = ${work.version} then now() else identity_changed_at end`
  return {
    [`${step}_state`]: unlessChanged(`${step}_state`, outcome.state),
    [`${step}_error`]: unlessChanged(`${step}_error`, error),
    ...(step === 'identity' ? { identity_changed_at: changedAt } : {}),
  }
}

/** The state of a step once `ended` is saved. */
function stateAfter(work: MemberWork, step: ProvisioningStep, ended: readonly EndedStep[]) {
  const state = sql.ref(`${step}_state`)
  const one = ended.find((each) => each.step === step)
  return one
    ? sql`case when version = ${work.version} then ${one.outcome.state} else ${state} end`
    : state
}

/**
 * Ends the work: frees the member, makes one with nothing left to do active, and plans the next try
 * of what failed; of what was changed meanwhile at once. `ended`: steps whose outcome is not saved
 * yet. `retryInSeconds` is undefined when nothing is left, or another piece of work took over.
 */
export async function finishMember(
  trx: Trx,
  work: MemberWork,
  retryInSeconds: number,
  ended: readonly EndedStep[] = [],
): Promise<{ settled: boolean; retryInSeconds: number | undefined }> {
  const changed = sql<boolean>`version <> ${work.version}`
  const states = provisioningSteps.map(
    (step) => sql`${stateAfter(work, step, ended)} in ('ok', 'skipped')`,
  )
  const settled = sql<boolean>`(${sql.join(states, sql` and `)})`
  const row = await trx
    .updateTable('memberships')
    .set({
      ...work.unsaved,
      ...columnsOf(work, ended),
      run: null,
      lease_until: null,
      status: sql<MembershipStatus>`case when status = 'provisioning' and ${work.tenant.access === 'open'}::boolean and ${settled} then 'active' else status end`,
      attempt: sql<number>`case when ${settled} or ${changed} then 0 else attempt + 1 end`,
      next_at: sql<Date>`case when ${settled} then null when ${changed} then now() else now() + make_interval(secs => ${retryInSeconds}) end`,
      updated_at: sql<Date>`now()`,
    })
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .returning([nothingLeft.as('settled'), changed.as('changed')])
    .executeTakeFirst()
  if (!row || row.settled) return { settled: row?.settled ?? false, retryInSeconds: undefined }
  return { settled: false, retryInSeconds: row.changed ? 0 : retryInSeconds }
}

const nothingLeft = sql<boolean>`(identity_state in ('ok', 'skipped') and mail_state in ('ok', 'skipped') and files_state in ('ok', 'skipped'))`

/**
 * Removes a member whose steps are all done. `identityDeleted`: the person's record is closed as
 * well, and kept for a while, so that a token of theirs is rejected instead of making a new record.
 */
export async function deleteMembership(
  trx: TenantTrx,
  work: MemberWork,
  identityDeleted: boolean,
): Promise<void> {
  await lockTenantById(trx, work.tenant.id)
  const gone = await trx
    .deleteFrom('memberships')
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .executeTakeFirst()
  if (gone.numDeletedRows === 0n) return
  if (!identityDeleted) {
    await trx
      .updateTable('users')
      .set({ home_tenant_id: null })
      .where('id', '=', work.user.id)
      .where('home_tenant_id', '=', work.tenant.id)
      .execute()
    return
  }
  await trx
    .updateTable('users')
    .set({
      deactivated_at: sql<Date>`coalesce(deactivated_at, now())`,
      removed_at: sql<Date>`now()`,
    })
    .where('id', '=', work.user.id)
    .where(sql<boolean>`not exists (select from memberships o where o.user_id = users.id)`)
    .execute()
}

/**
 * For `tenants t` and `memberships m`: a suspended tenant creates no one new, but still disables,
 * limits and removes its members. An open invitation is no work.
 */
const worked = sql<boolean>`(m.status = 'removing' or not (select u.invited from users u where u.id = m.user_id)
  and (t.status in ('pending', 'active') or ${accessOf('t')} <> 'open' and not (m.identity_state in ('ok', 'skipped')
    and m.mail_state in ('ok', 'skipped') and m.files_state in ('ok', 'skipped'))))`

export interface UnfinishedMember {
  tenantId: string
  userId: string
  /**
   * 0 when the member is not held, else when the holder counts as dead unless it renews its lease.
   */
  heldSeconds: number
}

/** Members with work that is due, by their ids; at most `limit`, and only those behind `after`. */
export async function findUnfinishedMembers(
  db: Db,
  limit: number,
  after?: UnfinishedMember,
): Promise<UnfinishedMember[]> {
  let query = db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select([
      'm.tenant_id as tenantId',
      'm.user_id as userId',
      sql<number>`coalesce(extract(epoch from greatest(m.lease_until - now(), interval '0')), 0)::float8`.as(
        'heldSeconds',
      ),
    ])
    .where(sql<boolean>`(m.identity_state in ('pending', 'error') or m.mail_state in ('pending', 'error')
      or m.files_state in ('pending', 'error') or m.status in ('provisioning', 'removing'))`)
    .where(sql<boolean>`coalesce(m.next_at <= now(), true)`)
    .where(worked)
  if (after)
    query = query.where(
      sql<boolean>`(m.tenant_id, m.user_id) > (${after.tenantId}, ${after.userId})`,
    )
  return query.orderBy('m.tenant_id').orderBy('m.user_id').limit(limit).execute()
}

/**
 * Seconds until the member's unfinished work is due, 0 when overdue; undefined when nothing is left
 * or the tenant rests.
 */
export async function secondsUntilMemberDue(
  db: Db,
  tenantId: string,
  userId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(
      sql<number>`extract(epoch from greatest(m.next_at, m.lease_until, now()) - now())::float8`.as(
        'seconds',
      ),
    )
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '=', userId)
    .where(worked)
    .where(sql<boolean>`(m.status in ('provisioning', 'removing') or not (m.identity_state in ('ok', 'skipped')
      and m.mail_state in ('ok', 'skipped') and m.files_state in ('ok', 'skipped')))`)
    .executeTakeFirst()
  return row?.seconds
}

/**
 * Deletes people who were removed more than 30 days ago and belong to nothing. Those whose identity
 * no tenant created, and so still exists, are deleted after two days: by then every earlier token
 * has expired (docs/reference/contract.md, tokens), and they may return as a new person. Returns
 * the number of rows.
 */
export async function deleteRemovedPeople(db: Db): Promise<number> {
  const result = await sql`
    delete from users u where u.replaced_by is null and (u.removed_at < now() - interval '30 days' or (u.removed_at < now() - interval '2 days'
        and u.home_tenant_id is null and not exists (select from identity_dues d where d.user_id = u.id)))
      and not exists (select from memberships m where m.user_id = u.id)
      and not exists (select from hosts h where h.user_id = u.id)`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
