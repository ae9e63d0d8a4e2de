import { randomUUID } from 'node:crypto'
import {
  type ProvisioningStep,
  provisioningSteps,
  type StepState,
  type TenantAccess,
  type TenantRole,
} from '@atrium/core/tenants/tenants'
import type { PersonDetails } from '@atrium/core/users/users'
import {
  type AliasedExpression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryCreator,
  type Selectable,
  sql,
} from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { clock, clockAt, isDue, leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { MembershipsTable } from '../schema/members.ts'
import type { Tables } from '../schema/tables.ts'
import type { TenantsTable } from '../schema/tenants.ts'
import { accessOf } from '../tenants/access-conditions.ts'
import { groupNameOf } from '../tenants/tenant-groups.ts'
import { lockTenantById, type TenantTrx } from '../tenants/tenants.ts'
import { type MembershipStatus, managed, memberKey, memberRowKey, ownAddress } from './members.ts'

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
  user: PersonDetails & {
    id: string
    subject: string
    idpUserId: string | null
    deactivated: boolean
    platformAdmin: boolean
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
  /** An earlier version recorded it on the membership only, without saying what it was. */
  profileFlagged: boolean
  /** What an upstream system returned, saved with the outcome of the step. */
  unsaved: MemberFacts
}

/**
 * How long a piece of work holds its member without a sign of life. A killed process's members are
 * free after that.
 */
export const memberLeaseSeconds = 12

/** The work on `memberships`, which are all of them or a part, before anything was noted. */
function selectWork(
  db: QueryCreator<Tables>,
  memberships: AliasedExpression<Selectable<MembershipsTable>, 'm'>,
  key = memberRowKey,
) {
  return db
    .selectFrom(memberships)
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      // Only work that holds the member is written with it.
      sql.ref<string>('m.run').as('run'),
      'm.version',
      'm.role',
      'm.status',
      managed(key).as('managed'),
      ownAddress(key).as('ownAddress'),
      'm.file_account_id as fileAccountId',
      'm.attempt',
      'm.needs_password as needsPassword',
      'm.profile_due as profileFlagged',
    ])
    .select(({ eb, ref, fn, or, exists, selectFrom, lit, val }) => {
      const domainOf = (address: 'u.email' | 'm.mailbox_address') =>
        selectFrom('domains as d')
          .where(sql<boolean>`d.tenant_id = ${key.tenantId}`)
          .where('d.name', '=', fn<string>('split_part', [address, val('@'), lit(2)]))
      const elsewhere = selectFrom('memberships as o').where(
        sql<boolean>`o.user_id = ${key.userId} and o.tenant_id <> ${key.tenantId}`,
      )
      return [
        jsonBuildObject({
          id: ref('t.id'),
          slug: ref('t.slug'),
          access: accessOf('t'),
          identityGroupId: ref('t.identity_group_id'),
          identityGroupName: groupNameOf,
          fileSpaceId: ref('t.file_space_id'),
        }).as('tenant'),
        jsonBuildObject({
          id: ref('u.id'),
          subject: ref('u.idp_subject_id'),
          idpUserId: ref('u.idp_user_id'),
          email: ref('u.email'),
          name: ref('u.name'),
          firstName: ref('u.first_name'),
          lastName: ref('u.last_name'),
          phone: ref('u.phone'),
          alternativeEmail: ref('u.alternative_email'),
          deactivated: eb('u.deactivated_at', 'is not', null).$castTo<boolean>(),
          platformAdmin: ref('u.platform_admin'),
        }).as('user'),
        exists(domainOf('u.email').select('d.id').where('d.released_name', 'is not', null))
          .$castTo<boolean>()
          .as('domainReleased'),
        or([
          ref('u.platform_admin'),
          eb('u.partner_id', 'is not', null),
          // Not `exists`, which a database that is distributed by tenant does not plan here.
          fn.coalesce(elsewhere.select(lit(true).as('is')).limit(1), lit(false)),
        ])
          .$castTo<boolean>()
          .as('neededElsewhere'),
        eb
          .case()
          .when('m.mailbox_address', 'is not', null)
          .then(
            jsonBuildObject({
              address: ref('m.mailbox_address').$notNull(),
              domainId: domainOf('m.mailbox_address')
                .select('d.mail_domain_id')
                .where('d.mail_rename_due', '=', false)
                .$asScalar(),
              accountId: ref('m.mail_account_id'),
              vacant: ref('m.mail_vacant'),
              frozen: ref('m.mail_frozen'),
              permissions: ref('m.mail_permissions'),
            }),
          )
          .end()
          .as('mailbox'),
        elsewhere
          .select('o.file_account_id')
          .where('o.file_account_id', 'is not', null)
          .limit(1)
          .as('fileAccountElsewhere'),
        jsonBuildObject({
          identity: jsonBuildObject({ state: ref('m.identity_state') }),
          mail: jsonBuildObject({ state: ref('m.mail_state') }),
          files: jsonBuildObject({ state: ref('m.files_state') }),
        }).as('steps'),
        or([
          ref('m.profile_due'),
          exists(
            selectFrom('identity_dues as s')
              .select('s.user_id')
              .whereRef('s.user_id', '=', 'm.user_id')
              .where((s) => s.or([s.ref('s.profile'), s.ref('s.address')])),
          ),
        ])
          .$castTo<boolean>()
          .as('profileDue'),
      ]
    })
}

const allMemberships = sql<Selectable<MembershipsTable>>`memberships`.as('m')

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
    .set({ run: randomUUID(), lease_until: secondsFromNow(memberLeaseSeconds) })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where(leaseExpired('lease_until'))
    .returning('run')
    .executeTakeFirst()
  if (!claimed?.run) return undefined
  return readMemberWork(db, tenantId, userId)
}

/** Keeps these pieces of work alive; returns those that still hold their member. */
export async function extendMembers(db: Db, runs: readonly string[]): Promise<string[]> {
  const rows = await db
    .updateTable('memberships')
    .set({ lease_until: secondsFromNow(memberLeaseSeconds) })
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
      run: randomUUID(),
      lease_until: secondsFromNow(memberLeaseSeconds),
    })
    .returningAll()
  const work = await selectWork(
    trx.with('m', () => inserted),
    sql<Selectable<MembershipsTable>>`m`.as('m'),
    memberKey(member.tenantId, member.userId),
  ).executeTakeFirst()
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
  const work = await selectWork(db, allMemberships, memberKey(tenantId, userId))
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
  return work && { ...work, unsaved: {} }
}

/** The memberships by which a tenant may change this person's sign-in. */
export async function readManagedWork(db: Db | Trx, userId: string): Promise<MemberWork[]> {
  const works = await selectWork(db, allMemberships)
    .where('m.user_id', '=', userId)
    .where(managed())
    .execute()
  return works.map((work) => ({ ...work, unsaved: {} }))
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
  return db
    .with('person', (cte) =>
      cte
        .updateTable('users')
        .set({ idp_user_id: idpUserId, idp_subject_id: subject })
        .where('id', '=', user.id),
    )
    .with('member', (cte) =>
      cte
        .updateTable('memberships')
        .set({ needs_password: true })
        .where('tenant_id', '=', tenant.id)
        .where('user_id', '=', user.id)
        .where('run', '=', run),
    )
    .selectNoFrom(({ exists, selectFrom }) =>
      exists(
        selectFrom('identity_dues')
          .select('user_id')
          .where('user_id', '=', user.id)
          .where(({ or, ref }) => or([ref('profile'), ref('address')])),
      )
        .$castTo<boolean>()
        .as('profileDue'),
    )
    .executeTakeFirstOrThrow()
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
    .from(clockAt())
    .set({ ...work.unsaved, ...columnsOf(work, ended) })
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .execute()
  work.unsaved = {}
}

const row = expressionBuilder<Tables, 'memberships'>()

function columnsOf(work: MemberWork, ended: readonly EndedStep[]) {
  return Object.assign({}, ...ended.map((one) => toColumns(work, one))) as Partial<
    ReturnType<typeof toColumns>
  >
}

/** Unless the record was changed since the work was claimed: then the step stays due. */
const unlessChanged = (work: MemberWork) => row.case().when('version', '=', work.version)

function toColumns(work: MemberWork, { step, outcome }: EndedStep) {
  const error = outcome.state === 'error' ? (outcome.error ?? 'unknown failure') : null
  const changedAt = unlessChanged(work).then(clock.now).else(row.ref('identity_changed_at')).end()
  return {
    [`${step}_state`]: stateAfter(work, step, outcome.state),
    [`${step}_error`]: unlessChanged(work)
      .then(error)
      .else(row.ref(`${step}_error`))
      .end(),
    ...(step === 'identity' ? { identity_changed_at: changedAt } : {}),
  }
}

/** The state of a step once the outcome is saved; as it is without an outcome. */
function stateAfter(work: MemberWork, step: ProvisioningStep, outcome?: StepState) {
  const state = row.ref(`${step}_state`)
  return outcome === undefined ? state : unlessChanged(work).then(outcome).else(state).end()
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
  const changed = row('version', '<>', work.version).$castTo<boolean>()
  const settled = row.and(
    provisioningSteps.map((step) => {
      const outcome = ended.find((one) => one.step === step)?.outcome.state
      return row(stateAfter(work, step, outcome), 'in', ['ok', 'skipped'])
    }),
  )
  const isOpen = work.tenant.access === 'open'
  const left = await trx
    .updateTable('memberships')
    .from(clockAt(retryInSeconds))
    .set((eb) => ({
      ...work.unsaved,
      ...columnsOf(work, ended),
      run: null,
      lease_until: null,
      ...(isOpen && {
        status: eb
          .case()
          .when(eb.and([eb('status', '=', 'provisioning'), settled]))
          .then('active' as const)
          .else(eb.ref('status'))
          .end(),
      }),
      attempt: eb
        .case()
        .when(eb.or([settled, changed]))
        .then(0)
        .else(eb('attempt', '+', 1))
        .end(),
      next_at: eb
        .case()
        .when(settled)
        .then(null)
        .when(changed)
        .then(clock.now)
        .else(clock.later)
        .end(),
      updated_at: sql<Date>`now()`,
    }))
    .where('tenant_id', '=', work.tenant.id)
    .where('user_id', '=', work.user.id)
    .where('run', '=', work.run)
    .returning([stepsDone(row).as('settled'), changed.as('changed')])
    .executeTakeFirst()
  if (!left || left.settled) return { settled: left?.settled ?? false, retryInSeconds: undefined }
  return { settled: false, retryInSeconds: left.changed ? 0 : retryInSeconds }
}

const stepsDone = ({ eb, and }: ExpressionBuilder<Tables, 'memberships'>) =>
  and([
    eb('identity_state', 'in', ['ok', 'skipped']),
    eb('mail_state', 'in', ['ok', 'skipped']),
    eb('files_state', 'in', ['ok', 'skipped']),
  ]).$castTo<boolean>()

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
    .set(({ fn }) => ({
      deactivated_at: fn.coalesce('deactivated_at', fn<Date>('now')),
      removed_at: sql<Date>`now()`,
    }))
    .where('id', '=', work.user.id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as o').select('o.user_id').whereRef('o.user_id', '=', 'users.id'),
        ),
      ),
    )
    .execute()
}

/**
 * For `memberships as m` with `tenants as t`: a suspended tenant creates no one new, but still
 * disables, limits and removes its members.
 */
const worked = ({ eb, and, or }: MemberOfTenant) =>
  or([
    eb('m.status', '=', 'removing'),
    eb('t.status', 'in', ['pending', 'active']),
    and([eb(accessOf('t'), '<>', 'open'), hasStepLeft(eb)]),
  ])

type MemberOfTenant = ExpressionBuilder<
  Tables & { m: MembershipsTable; t: TenantsTable },
  'm' | 't'
>

const hasStepLeft = (eb: MemberOfTenant) =>
  eb.or([
    eb('m.identity_state', 'in', ['pending', 'error']),
    eb('m.mail_state', 'in', ['pending', 'error']),
    eb('m.files_state', 'in', ['pending', 'error']),
  ])

const hasWorkLeft = (eb: MemberOfTenant) =>
  eb.or([eb('m.status', 'in', ['provisioning', 'removing']), hasStepLeft(eb)])

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
    .where(hasWorkLeft)
    .where(isDue('m.next_at'))
    .where(worked)
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('m.tenant_id', 'm.user_id'), '>', tuple(after.tenantId, after.userId)),
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
    .where(hasWorkLeft)
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
  const { numDeletedRows } = await db
    .deleteFrom('users as u')
    .where('u.replaced_by', 'is', null)
    .where(({ eb, and, or, not, exists, selectFrom }) =>
      or([
        eb('u.removed_at', '<', sql<Date>`now() - interval '30 days'`),
        and([
          eb('u.removed_at', '<', sql<Date>`now() - interval '2 days'`),
          eb('u.home_tenant_id', 'is', null),
          not(
            exists(
              selectFrom('identity_dues as d')
                .select('d.user_id')
                .whereRef('d.user_id', '=', 'u.id'),
            ),
          ),
        ]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as m').select('m.user_id').whereRef('m.user_id', '=', 'u.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('hosts as h').select('h.id').whereRef('h.user_id', '=', 'u.id'))),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
