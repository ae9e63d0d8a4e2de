import { createHash } from 'node:crypto'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { Language } from '@atrium/core/platform/language'
import type { TenantRole, TenantStatus } from '@atrium/core/tenants/tenants'
import {
  type AliasedExpression,
  type Expression,
  expressionBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { reopened } from '../members/reopened.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { matchesText } from '../platform/text-search.ts'
import type { MembershipsTable } from '../schema/members.ts'
import type { Tables } from '../schema/tables.ts'
import type { TenantsTable } from '../schema/tenants.ts'
import type { UsersTable } from '../schema/users.ts'
import { isShut } from '../tenants/access-conditions.ts'
import { groupNameOf, putIntoGroupsAgain } from '../tenants/tenant-groups.ts'
import { personColumns } from './person-columns.ts'

/** Everyone on record. `selectUsers` also reads a part of them. */
const everyone = sql<Selectable<UsersTable>>`users`.as('u')

/**
 * Users of `people`, which is `users as u` or a part of it, with memberships and partner. `id`: of
 * the only one that is read.
 */
function selectUsers(
  db: Db | Trx,
  people: AliasedExpression<Selectable<UsersTable>, 'u'>,
  id?: string,
) {
  return db
    .selectFrom(people)
    .leftJoin('partners as p', 'p.id', 'u.partner_id')
    .select([
      'u.id',
      'u.idp_subject_id as idpSubjectId',
      'u.idp_user_id as idpUserId',
      ...personColumns,
      'u.language',
      'u.platform_admin as platformAdmin',
      'u.platform_admin_changed_at as platformAdminChangedAt',
      'u.partner_id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'p.status as partnerStatus',
      'u.partner_access as partnerAccess',
      'u.deactivated_at as deactivatedAt',
      'u.last_seen_at as lastSeenAt',
      // Set on a closed record: its person is rejected, and it is deleted later.
      'u.removed_at as removedAt',
      'u.created_at as createdAt',
      'u.updated_at as updatedAt',
    ])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('memberships as m')
          .innerJoin('tenants as t', 't.id', 'm.tenant_id')
          .select(['t.id', 't.slug', 't.name', 't.status', 'm.role', 't.brand_color as brandColor'])
          .select('t.language')
          .select(({ eb: membership, and, or }) =>
            or([
              membership('m.status', '=', 'suspended'),
              and([membership('m.role', '=', 'member'), isShut('t')]),
            ]).as('suspended'),
          )
          .where('m.user_id', '=', id ?? eb.ref('u.id'))
          .where('t.status', '<>', 'deleted')
          .where('m.status', '<>', 'removing')
          .orderBy('t.name')
          .orderBy('t.id'),
      ).as('tenants'),
    )
}

/** A user as the views need it, with memberships and partner. */
export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>

export function findUser(db: Db | Trx, id: string) {
  return selectUsers(db, everyone, id)
    .where('u.id', '=', id)
    .where('u.removed_at', 'is', null)
    .executeTakeFirst()
}

/** The same, closed records included. */
export function findUserOrClosed(db: Db | Trx, id: string): Promise<UserRow | undefined> {
  return selectUsers(db, everyone, id).where('u.id', '=', id).executeTakeFirst()
}

export async function findUserByEmail(
  db: Db | Trx,
  email: string,
): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
}

/** Serialises everything that would create a user with this address, until the transaction ends. */
export async function lockEmail(trx: Trx, email: string): Promise<void> {
  // Plain SQL: a call of one function.
  await sql`select pg_advisory_xact_lock(hashtextextended(${lockOfEmail(email)}, 0))`.execute(trx)
}

/** The name of that lock, for work that outlasts a transaction (`Database.exclusively`). */
export const lockOfEmail = (email: string) => `email:${email}`

export interface UserFilter {
  q?: string | undefined
  role?: TenantRole | undefined
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
  platformAdmin?: boolean | undefined
  status?: 'active' | 'deactivated' | undefined
  before?: string | undefined
  limit: number
}

/**
 * People that a search reads one by one before it asks the index of texts: a common text fills its
 * page among them.
 */
const newestPeople = 2000
const newestOfTenant = 200

/**
 * Newest first, one row more than requested. `role` means: has that role in the named tenant, or in
 * any.
 */
export async function listUsers(db: Db, filter: UserFilter): Promise<UserRow[]> {
  const { q, role, before, limit } = filter
  // Read first: the planner knows how many members this tenant has, and of a tenant that it does
  // not know it assumes few.
  const tenant = filter.tenantSlug
    ? await db
        .selectFrom('tenants')
        .select('id')
        .where('slug', '=', filter.tenantSlug)
        .executeTakeFirst()
    : undefined
  if (filter.tenantSlug && !tenant) return []
  const among = { role, tenantId: tenant?.id, before }
  const members = membersAmong(db, among)
  const conditions = conditionsOf(filter)
  if (!members && role) conditions.push(hasRole(role))
  const page = (people: People, order: string, more: Expression<SqlBool>[]) =>
    selectUsers(db, people)
      .where(({ and }) => and([...conditions, ...more]))
      .orderBy(sql.ref(order), 'desc')
      .limit(limit + 1)
      .execute()
  if (!q)
    return members ? page(inOrderOf(db, members), 'u.position', []) : page(everyone, 'u.id', [])
  const match = matchesText([user.ref('u.email'), user.fn('lower', ['u.name'])], q)
  const newest = db
    .selectFrom('users as u')
    .selectAll('u')
    .where(({ and }) => and(conditions))
    .orderBy('u.id', 'desc')
    .limit(newestPeople)
  const rows = members
    ? await page(inOrderOf(db, members.limit(newestOfTenant)), 'u.position', [match])
    : await page(newest.as('u'), 'u.id', [match])
  if (rows.length > limit) return rows
  const found = membersAmong(db, { ...among, match })
  // An array, so that the ids are found first and looked up by key.
  return page(everyone, 'u.id', [found ? sql<SqlBool>`u.id = any(array(${found}))` : match])
}

type People = AliasedExpression<Selectable<UsersTable>, 'u'>
type UserIds = SelectQueryBuilder<Tables, never, { id: string }>

/** For conditions about `users as u`. */
const user = expressionBuilder<Tables & { u: UsersTable }, 'u'>()

function conditionsOf({ before, partnerSlug, platformAdmin, status }: UserFilter) {
  const conditions: Expression<SqlBool>[] = [user('u.removed_at', 'is', null)]
  if (before) conditions.push(user('u.id', '<', before))
  if (partnerSlug) {
    const partner = user.selectFrom('partners').select('id').where('slug', '=', partnerSlug)
    conditions.push(user('u.partner_id', '=', partner))
  }
  if (platformAdmin !== undefined) conditions.push(user('u.platform_admin', '=', platformAdmin))
  if (status) conditions.push(user('u.deactivated_at', status === 'active' ? 'is' : 'is not', null))
  return conditions
}

const hasRole = (role: TenantRole) =>
  user.exists(
    user
      .selectFrom('memberships as m')
      .select('m.user_id')
      .whereRef('m.user_id', '=', 'u.id')
      .where('m.role', '=', role),
  )

/**
 * Users looked up one by one in the order of the ids, so that reading ends with the page. The
 * offset keeps the planner from joining in another order.
 */
const inOrderOf = (db: Db, ids: UserIds): People =>
  db
    .selectFrom(ids.as('member'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('users')
          .selectAll('users')
          .whereRef('users.id', '=', 'member.id')
          .offset(0)
          .as('person'),
      (join) => join.onTrue(),
    )
    .selectAll('person')
    .select('member.id as position')
    .as('u')

/**
 * Ids of people with a rare role or in a tenant, newest first; undefined when neither is filtered
 * by. The query starts from these ids: otherwise the planner would scan all people until it found
 * enough.
 */
function membersAmong(
  db: Db,
  filter: {
    role: TenantRole | undefined
    tenantId: string | undefined
    before: string | undefined
    /** Of `users u`. */
    match?: Expression<SqlBool>
  },
): UserIds | undefined {
  const { role, tenantId, before, match } = filter
  if (tenantId === undefined && (role === undefined || role === 'member')) return undefined
  let members = db
    .selectFrom('memberships as m')
    .select('m.user_id as id')
    .groupBy('m.user_id')
    .orderBy('m.user_id', 'desc')
  if (tenantId !== undefined) members = members.where('m.tenant_id', '=', tenantId)
  if (role !== undefined) members = members.where('m.role', '=', role)
  if (before !== undefined) members = members.where('m.user_id', '<', before)
  if (match === undefined) return members
  return members.innerJoin('users as u', 'u.id', 'm.user_id').where(match)
}

export interface NewUser {
  subject: string
  idpUserId?: string
  email: string
  name: string
  firstName?: string | undefined
  lastName?: string | undefined
  phone?: string | undefined
  alternativeEmail?: string | undefined
  platformAdmin?: boolean
  /** Shut out from the moment it is made, until `setDeactivated` lets the person in. */
  shutOut?: boolean
}

/** Inserts a user; undefined when the subject is known already. */
export async function insertUser(db: Db | Trx, user: NewUser): Promise<{ id: string } | undefined> {
  return db
    .insertInto('users')
    .values({
      idp_subject_id: user.subject,
      idp_user_id: user.idpUserId ?? null,
      email: user.email,
      name: user.name,
      first_name: user.firstName ?? null,
      last_name: user.lastName ?? null,
      phone: user.phone ?? null,
      alternative_email: user.alternativeEmail ?? null,
      platform_admin: user.platformAdmin ?? false,
      // Both come from the transaction's clock, to distinguish someone who was never activated from
      // someone deactivated later.
      ...(user.shutOut ? { created_at: sql<Date>`now()`, deactivated_at: sql<Date>`now()` } : {}),
    })
    .onConflict((conflict) => conflict.column('idp_subject_id').doNothing())
    .returning('id')
    .executeTakeFirst()
}

/** Whether an address is the placeholder for an unknown one (`placeholderEmail`). */
export const isPlaceholderEmail = (email: string) => email.endsWith('@unknown.invalid')

/**
 * What an identity is called that lost its address: the person signs in with it. `.invalid` never
 * receives mail (RFC 2606).
 */
export function detachedEmail(email: string, userId: string): string {
  return `${detachedPrefix(email)}${userId.replaceAll('-', '').slice(-8)}@detached.invalid`
}

/** What such a name begins with. */
export function detachedPrefix(email: string): string {
  const local = (email.split('@')[0] ?? '').replace(/[^a-z0-9._-]/g, '').slice(0, 40)
  return `${local || 'account'}-`
}

export interface TokenIdentity {
  subject: string
  email: string | undefined
  name: string | undefined
  /**
   * Names in the `groups` claim; undefined when the token carries no such claim, and then nothing
   * is synced from it.
   */
  groups: readonly string[] | undefined
  issuedAt: Date
  platformAdminGroup: string
  /**
   * Which of these tenants' groups are still the ones that were made for them. A group that is
   * gone, or whose provider does not tell, takes no membership away.
   */
  groupsStand: (tenants: readonly TenantGroup[]) => Promise<readonly string[]>
}

export interface TenantGroup {
  id: string
  slug: string
  /** The provider's key of the group that was made for the tenant. */
  identityGroupId: string | null
}

/**
 * Placeholder address for people whose token has none. `.invalid` never receives mail (RFC 2606).
 */
export function placeholderEmail(subject: string): string {
  const plain = subject.toLowerCase()
  const local = /^[a-z0-9._+-]{1,64}$/.test(plain)
    ? plain
    : createHash('sha256').update(subject).digest('hex')
  return `${local}@unknown.invalid`
}

/**
 * Creates or updates the caller's record from a token (docs/reference/contract.md, authentication).
 * A removal that was made here after the token was issued wins over what the token says, in either
 * direction, and the owner of a tenant is never removed.
 */
export async function syncUserFromToken(db: Db, token: TokenIdentity): Promise<{ id: string }> {
  const email = token.email ?? placeholderEmail(token.subject)
  // Not one transaction: the person's row would stay locked while a tenant's is waited for, and
  // acts on members lock the other way round.
  const user = await db
    .insertInto('users')
    .values({
      idp_subject_id: token.subject,
      email,
      name: token.name ?? email,
      last_seen_at: sql<Date>`now()`,
    })
    .onConflict((conflict) =>
      conflict.column('idp_subject_id').doUpdateSet({
        ...(token.email === undefined
          ? {}
          : { email: unless(or([changedHere(token.issuedAt), claimsOthersAddress]), 'email') }),
        ...(token.name === undefined ? {} : { name: unless(changedHere(token.issuedAt), 'name') }),
        last_seen_at: sql<Date>`now()`,
      }),
    )
    .returning(['id', 'platform_admin', 'deactivated_at'])
    .executeTakeFirstOrThrow()
  if (token.groups === undefined || user.deactivated_at !== null) return { id: user.id }

  const inAdminGroup = token.groups.includes(token.platformAdminGroup)
  if (inAdminGroup !== user.platform_admin) {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({ platform_admin: inAdminGroup })
      .where('id', '=', user.id)
      .where('platform_admin', '=', !inAdminGroup)
      .where(({ eb, or }) =>
        or([
          eb('platform_admin_changed_at', 'is', null),
          eb('platform_admin_changed_at', '<', token.issuedAt),
        ]),
      )
      .executeTakeFirst()
    if (!inAdminGroup && numUpdatedRows > 0n) await putIntoGroupsAgain(db, user.id)
  }
  await addMembershipsOfGroups(db, user.id, token)
  await removeMembershipsOutsideGroups(db, user.id, token)
  return { id: user.id }
}

/** For the person on record and the token's values, in `on conflict`. */
const known = expressionBuilder<Tables & { excluded: UsersTable }, 'users' | 'excluded'>()
const { and, or, exists, selectFrom } = known

/** The token's value, unless the condition holds. */
function unless(condition: Expression<SqlBool>, column: 'email' | 'name') {
  return known
    .case()
    .when(condition)
    .then(known.ref(`users.${column}`))
    .else(known.ref(`excluded.${column}`))
    .end()
}

/** The person was changed here and the provider or the token do not know of it yet. */
function changedHere(issuedAt: Date) {
  const membershipChanged = selectFrom('memberships as m')
    .select('m.user_id')
    .whereRef('m.user_id', '=', 'users.id')
    .where((m) =>
      m.or([
        m('m.identity_state', 'in', ['pending', 'error']),
        m('m.identity_changed_at', '>=', issuedAt),
      ]),
    )
  const syncPending = selectFrom('identity_dues as d')
    .select('d.user_id')
    .whereRef('d.user_id', '=', 'users.id')
    .where((d) => d.or([d('d.profile', '=', true), d('d.address', '=', true)]))
  const updatedHere = and([
    known('users.updated_at', '>', known.ref('users.created_at')),
    known('users.updated_at', '>=', issuedAt),
  ])
  return or([exists(membershipChanged), updatedHere, exists(syncPending)])
}

/**
 * The token names an address that somebody else has, or one on a domain that a tenant proved. The
 * provider does not verify addresses, so its holder may have chosen it. A person without an address
 * may get one on such a domain from a directory.
 */
const claimsOthersAddress = and([
  known('excluded.email', '<>', known.ref('users.email')),
  or([
    exists(
      selectFrom('users as o')
        .select('o.id')
        .whereRef('o.email', '=', 'excluded.email')
        .whereRef('o.id', '<>', 'users.id')
        .where('o.removed_at', 'is', null),
    ),
    and([
      or([
        known('users.email', 'not like', '%@unknown.invalid'),
        known('users.home_tenant_id', 'is not', null),
      ]),
      exists(
        selectFrom('domains as d')
          .select('d.id')
          .where('d.name', '=', (eb) =>
            eb.fn<string>('split_part', ['excluded.email', eb.val('@'), eb.lit(2)]),
          )
          .where('d.verified_at', 'is not', null),
      ),
    ]),
  ]),
])

/**
 * Only groups that provisioning created for the tenant count. A group that merely has the same name
 * grants no access.
 */
async function addMembershipsOfGroups(db: Db, userId: string, token: TokenIdentity): Promise<void> {
  if (!token.groups?.length) return
  const added = await db
    .insertInto('memberships')
    .columns(['tenant_id', 'user_id', 'role'])
    .expression(
      db
        .selectFrom('tenants as t')
        .innerJoin('provisioning_steps as s', (join) =>
          join
            .onRef('s.tenant_id', '=', 't.id')
            .on('s.step', '=', 'identity')
            .on('s.state', '=', 'ok'),
        )
        .leftJoin('membership_revocations as r', (join) =>
          join.onRef('r.tenant_id', '=', 't.id').on('r.user_id', '=', userId),
        )
        .select(({ cast, val }) => [
          't.id',
          cast<string>(val(userId), 'uuid').as('userId'),
          val('member').as('role'),
        ])
        .where(groupNameOf, 'in', [...token.groups])
        .where(({ not }) => not(isShut('t')))
        .where(({ eb, or }) =>
          or([eb('r.revoked_at', 'is', null), eb('r.revoked_at', '<', token.issuedAt)]),
        ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('tenant_id as tenantId')
    .execute()
  const [only] = added
  if (!only || added.length > 1) return
  // A person whom the provider put into one tenant's group and nowhere else is managed by it.
  await db
    .updateTable('users as u')
    .set({ home_tenant_id: only.tenantId })
    .where('u.id', '=', userId)
    .where('u.home_tenant_id', 'is', null)
    .where('u.platform_admin', '=', false)
    .where('u.partner_id', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as o')
            .select('o.user_id')
            .whereRef('o.user_id', '=', 'u.id')
            .where('o.tenant_id', '<>', only.tenantId),
        ),
      ),
    )
    .execute()
}

/**
 * Under the tenant's lock, as every loss of an admin: two who leave at once must not both count on
 * the other. A member with a mailbox or files is suspended instead of removed, so that a claim
 * leaves nothing open and destroys nothing.
 */
async function removeMembershipsOutsideGroups(
  db: Db,
  userId: string,
  token: TokenIdentity,
): Promise<void> {
  const left = await db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(['t.id', 't.slug', 't.identity_group_id as identityGroupId'])
    .where(leavesGroup(userId, token))
    .execute()
  if (left.length === 0) return
  const ids = await token.groupsStand(left)
  if (ids.length === 0) return
  const leaving = membership.and([
    membership('t.id', '=', membership.ref('m.tenant_id')),
    membership('t.id', 'in', ids),
    leavesGroup(userId, token),
    membership.or([membership('m.role', '=', 'member'), membership.exists(otherAdmins)]),
  ])
  await db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('tenants')
      .select('id')
      .where('id', 'in', ids)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    await trx
      .updateTable('memberships as m')
      .from('tenants as t')
      .set(({ ref }) => ({
        status: 'suspended',
        ...reopened(ref('m.version'), ['mail', 'files']),
      }))
      .where(leaving)
      .where(({ eb, or }) =>
        or([eb('m.mailbox_address', 'is not', null), eb('m.file_account_id', 'is not', null)]),
      )
      .execute()
    await trx.deleteFrom('memberships as m').using('tenants as t').where(leaving).execute()
  })
}

/** For conditions about `memberships as m` and their `tenants as t`. */
const membership = expressionBuilder<Tables & { m: MembershipsTable; t: TenantsTable }, 'm' | 't'>()

/** Other people who can administer the tenant. */
const otherAdmins = membership
  .selectFrom('memberships as other')
  .innerJoin('users as o', 'o.id', 'other.user_id')
  .select('other.user_id')
  .whereRef('other.tenant_id', '=', 't.id')
  .whereRef('other.user_id', '<>', 'm.user_id')
  .where('other.role', 'in', ['admin', 'owner'])
  .where('other.status', 'in', ['active', 'provisioning'])
  .where('o.deactivated_at', 'is', null)

/**
 * A membership that is settled here and older than the token, whose group the token does not name.
 * Platform administrators are in no tenant's group: their tokens would grow by each one, and say
 * nothing about their memberships.
 */
function leavesGroup(userId: string, { groups = [], issuedAt }: TokenIdentity) {
  const { and, or, not, exists, selectFrom } = membership
  return and([
    membership('m.user_id', '=', userId),
    membership('m.role', '<>', 'owner'),
    membership('m.status', '=', 'active'),
    membership('m.identity_state', 'in', ['ok', 'skipped']),
    membership('m.created_at', '<', issuedAt),
    or([
      membership('m.identity_changed_at', 'is', null),
      membership('m.identity_changed_at', '<', issuedAt),
    ]),
    ...(groups.length > 0 ? [membership(groupNameOf, 'not in', groups)] : []),
    or([
      membership('t.identity_group_changed_at', 'is', null),
      membership('t.identity_group_changed_at', '<', issuedAt),
    ]),
    exists(
      selectFrom('users').select('id').where('id', '=', userId).where('platform_admin', '=', false),
    ),
    not(isShut('t')),
    exists(
      selectFrom('provisioning_steps as s')
        .select('s.step')
        .whereRef('s.tenant_id', '=', 't.id')
        .where('s.step', '=', 'identity')
        .where('s.state', '=', 'ok'),
    ),
  ])
}

export interface UserChanges {
  name?: string
  first_name?: string | null
  last_name?: string | null
  phone?: string | null
  alternative_email?: string | null
  language?: Language | null
  partner_id?: string | null
  partner_access?: PartnerAccess | null
}

export async function updateUser(db: Db | Trx, id: string, changes: UserChanges): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Sets or clears the administrator flag. `until` says from when on a token may change it again:
 * `now` for a settled change, `never` while the identity provider still holds the old state, so
 * that no token of the meantime undoes a revocation.
 */
export async function setPlatformAdmin(
  db: Db | Trx,
  id: string,
  platformAdmin: boolean,
  until: 'now' | 'never',
): Promise<void> {
  if (!platformAdmin && until === 'never') await putIntoGroupsAgain(db, id)
  await db
    .updateTable('users')
    .set({
      platform_admin: platformAdmin,
      platform_admin_changed_at: until === 'never' ? sql<Date>`'infinity'` : sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

/** The identity provider has the new administrator in its group: from now on a token may say so. */
export async function settlePlatformAdmin(db: Db, id: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ platform_admin_changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('platform_admin', '=', true)
    .where('platform_admin_changed_at', '=', sql<Date>`'infinity'`)
    .execute()
}

/** Takes the lock that protects the number of platform administrators, and returns who they are. */
export async function lockPlatformAdmins(trx: Trx): Promise<string[]> {
  // Plain SQL: a call of one function.
  await sql`select pg_advisory_xact_lock(hashtext('platform_admins'))`.execute(trx)
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('platform_admin', '=', true)
    .where('deactivated_at', 'is', null)
    .forUpdate()
    .execute()
  return rows.map((row) => row.id)
}

export async function setDeactivated(
  db: Db | Trx,
  id: string,
  deactivated: boolean,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ deactivated_at: deactivated ? sql<Date>`now()` : null, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function setIdpUserId(db: Db, id: string, idpUserId: string): Promise<void> {
  await db.updateTable('users').set({ idp_user_id: idpUserId }).where('id', '=', id).execute()
}

/** The tenants that the user owns, deleted ones last: their owner has to stay on record too. */
export function ownedTenants(
  db: Db | Trx,
  userId: string,
): Promise<{ slug: string; status: TenantStatus }[]> {
  return db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(['t.slug', 't.status'])
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .orderBy(({ eb }) => eb('t.status', '=', 'deleted'))
    .orderBy('t.slug')
    .execute()
}

/**
 * Ends the record of a person who was removed from every tenant. The record is closed and kept for
 * a while, so that no earlier token revives it, when a removal is not done, the identity was
 * deleted, the person was a host, or the person may have a token that grants access by its groups
 * (`closed`).
 */
export async function deleteUser(trx: Trx, id: string, { closed = false } = {}): Promise<void> {
  await trx
    .deleteFrom('sign_ins')
    .where('subject', 'in', ({ selectFrom }) =>
      selectFrom('users').select('idp_subject_id').where('id', '=', id),
    )
    .execute()
  if (!closed && (await eraseUser(trx, id))) return
  await trx
    .updateTable('users')
    .set(({ fn }) => ({
      deactivated_at: fn.coalesce('deactivated_at', fn<Date>('now')),
      removed_at: fn.coalesce('removed_at', fn<Date>('now')),
    }))
    .where('id', '=', id)
    .execute()
}

/** False when something still names the person. */
async function eraseUser(trx: Trx, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('users')
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as m').select('m.user_id').whereRef('m.user_id', '=', 'users.id'),
        ),
      ),
    )
    // Bookings keep their host, and that the person it was.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('hosts as h').select('h.id').whereRef('h.user_id', '=', 'users.id'))),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}
