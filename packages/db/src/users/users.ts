import { createHash } from 'node:crypto'
import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import type { Language } from '@atrium/core/platform/language'
import type { TenantRole, TenantStatus } from '@atrium/core/tenants/tenants'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { matchesText } from '../platform/text-search.ts'
import { isShut } from '../tenants/access-conditions.ts'
import { groupNameOf, putIntoGroupsAgain } from '../tenants/tenant-groups.ts'

/** A user as the views need it, with memberships and partner. */
export interface UserRow {
  id: string
  idpSubjectId: string
  idpUserId: string | null
  email: string
  name: string
  firstName: string | null
  lastName: string | null
  phone: string | null
  alternativeEmail: string | null
  language: Language | null
  platformAdmin: boolean
  platformAdminChangedAt: Date | null
  partnerId: string | null
  partnerSlug: string | null
  partnerName: string | null
  partnerStatus: PartnerStatus | null
  partnerAccess: PartnerAccess | null
  deactivatedAt: Date | null
  lastSeenAt: Date | null
  /** The record is closed: its person is rejected, and it is deleted later. */
  removedAt: Date | null
  createdAt: Date
  updatedAt: Date
  tenants:
    | {
        id: string
        slug: string
        name: string
        status: TenantStatus
        role: TenantRole
        brandColor: string | null
        language: Language | null
        suspended: boolean
      }[]
    | null
}

const userColumns = sql`u.id, u.idp_subject_id as "idpSubjectId", u.idp_user_id as "idpUserId", u.email, u.name, u.first_name as "firstName",
    u.last_name as "lastName", u.phone, u.alternative_email as "alternativeEmail", u.language, u.platform_admin as "platformAdmin",
    u.platform_admin_changed_at as "platformAdminChangedAt", u.partner_id as "partnerId", p.slug as "partnerSlug", p.name as "partnerName",
    p.status as "partnerStatus", u.partner_access as "partnerAccess", u.deactivated_at as "deactivatedAt", u.last_seen_at as "lastSeenAt", u.removed_at as "removedAt", u.created_at as "createdAt",
    u.updated_at as "updatedAt",
    (select json_agg(json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status, 'role', m.role, 'brandColor', t.brand_color, 'language', t.language,
          'suspended', m.status = 'suspended' or m.role = 'member' and ${sql.raw(isShut('t'))})
        order by t.name, t.id)
      from memberships m join tenants t on t.id = m.tenant_id
      where m.user_id = u.id and t.status <> 'deleted' and m.status <> 'removing') as tenants`

const selectUser = sql`select ${userColumns} from users u left join partners p on p.id = u.partner_id`

export async function findUser(db: Db | Trx, id: string): Promise<UserRow | undefined> {
  const { rows } =
    await sql<UserRow>`${selectUser} where u.id = ${id} and u.removed_at is null`.execute(db)
  return rows[0]
}

/** The same, closed records included. */
export async function findUserOrClosed(db: Db | Trx, id: string): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`${selectUser} where u.id = ${id}`.execute(db)
  return rows[0]
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
    .where('invited', '=', false)
    .executeTakeFirst()
}

/** Serialises everything that would create a user with this address, until the transaction ends. */
export async function lockEmail(trx: Trx, email: string): Promise<void> {
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
 * Newest first, one row more than asked. `role` means: has that role in the named tenant, or in
 * any.
 */
export async function listUsers(db: Db, filter: UserFilter): Promise<UserRow[]> {
  const { q, limit } = filter
  const conditions = [sql<SqlBool>`u.removed_at is null and not u.invited`]
  if (filter.before) conditions.push(sql<SqlBool>`u.id < ${filter.before}`)
  if (filter.partnerSlug)
    conditions.push(
      sql<SqlBool>`u.partner_id = (select id from partners where slug = ${filter.partnerSlug})`,
    )
  if (filter.platformAdmin !== undefined)
    conditions.push(sql<SqlBool>`u.platform_admin = ${filter.platformAdmin}`)
  if (filter.status)
    conditions.push(
      filter.status === 'active'
        ? sql<SqlBool>`u.deactivated_at is null`
        : sql<SqlBool>`u.deactivated_at is not null`,
    )
  // Asked first: the planner knows how many members this tenant has, and of a tenant that it does
  // not know it assumes few.
  const tenant = filter.tenantSlug
    ? await db
        .selectFrom('tenants')
        .select('id')
        .where('slug', '=', filter.tenantSlug)
        .executeTakeFirst()
    : undefined
  if (filter.tenantSlug && !tenant) return []
  const among = { role: filter.role, tenantId: tenant?.id, before: filter.before }
  const members = membersAmong(among)
  if (!members && filter.role)
    conditions.push(
      sql<SqlBool>`exists (select from memberships m where m.user_id = u.id and m.role = ${filter.role})`,
    )
  const page = async (people: People, more: RawBuilder<SqlBool>[]) => {
    const { rows } = await sql<UserRow>`
      select ${userColumns} from ${people.from} left join partners p on p.id = u.partner_id
      where ${sql.join([...conditions, ...more], sql` and `)} order by ${people.id} desc limit ${limit + 1}`.execute(
      db,
    )
    return rows
  }
  const everyone = { from: sql`users u`, id: sql`u.id` }
  if (!q) return page(members ? peopleOf(members) : everyone, [])
  const match = matchesText([sql`u.email`, sql`lower(u.name)`], q)
  const newest = sql`(select * from users u where ${sql.join(conditions, sql` and `)} order by u.id desc limit ${newestPeople}) u`
  const rows = await page(
    members ? peopleOf(sql`${members} limit ${newestOfTenant}`) : { ...everyone, from: newest },
    [match],
  )
  if (rows.length > limit) return rows
  const found = membersAmong({ ...among, match })
  return page(everyone, [found ? sql<SqlBool>`u.id = any(array(${found}))` : match])
}

interface People {
  /** Has `users u`. */
  from: RawBuilder<unknown>
  /** What the page is ordered by. */
  id: RawBuilder<unknown>
}

/** Looked up one by one in the order of the ids, so that reading ends with the page. */
const peopleOf = (ids: RawBuilder<unknown>): People => ({
  from: sql`(${ids}) f cross join lateral (select * from users where id = f.id offset 0) u`,
  id: sql`f.id`,
})

/**
 * Ids of people with a rare role or in a tenant, newest first; undefined when neither is filtered
 * by. The query starts from these ids: otherwise the planner would scan all people until it found
 * enough.
 */
function membersAmong(filter: {
  role: TenantRole | undefined
  tenantId: string | undefined
  before: string | undefined
  /** Of `users u`. */
  match?: RawBuilder<SqlBool>
}): RawBuilder<unknown> | undefined {
  const { role, tenantId, before, match } = filter
  if (tenantId === undefined && (role === undefined || role === 'member')) return undefined
  const conditions = [
    ...(tenantId === undefined ? [] : [sql<SqlBool>`m.tenant_id = ${tenantId}`]),
    ...(role === undefined ? [] : [sql<SqlBool>`m.role = ${role}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`m.user_id < ${before}`]),
    ...(match === undefined ? [] : [match]),
  ]
  const people = match ? sql`join users u on u.id = m.user_id` : sql``
  return sql`select m.user_id as id from memberships m ${people} where ${sql.join(conditions, sql` and `)} group by m.user_id order by m.user_id desc`
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
        ...(token.email === undefined ? {} : { email: unlessChangedHere('email', token.issuedAt) }),
        ...(token.name === undefined ? {} : { name: unlessChangedHere('name', token.issuedAt) }),
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
      .where(sql<SqlBool>`coalesce(platform_admin_changed_at < ${token.issuedAt}, true)`)
      .executeTakeFirst()
    if (!inAdminGroup && numUpdatedRows > 0n) await putIntoGroupsAgain(db, user.id)
  }
  await addMembershipsOfGroups(db, user.id, token)
  await removeMembershipsOutsideGroups(db, user.id, token)
  return { id: user.id }
}

/**
 * The token's value, unless the person was changed here and the provider or the token do not know
 * of it yet.
 */
function unlessChangedHere(column: 'email' | 'name', issuedAt: Date) {
  return sql<string>`case when exists (select from memberships m where m.user_id = users.id
      and (m.identity_state in ('pending', 'error') or m.identity_changed_at >= ${issuedAt}))
    or users.updated_at > users.created_at and users.updated_at >= ${issuedAt}
    or exists (select from identity_dues d where d.user_id = users.id and (d.profile or d.address)) then ${sql.ref(`users.${column}`)}
    else ${sql.ref(`excluded.${column}`)} end`
}

/**
 * Only groups that provisioning created for the tenant count. A group that merely has the same name
 * grants no access.
 */
async function addMembershipsOfGroups(db: Db, userId: string, token: TokenIdentity): Promise<void> {
  if (!token.groups?.length) return
  const { rows } = await sql<{ tenantId: string }>`
    insert into memberships (tenant_id, user_id, role)
    select t.id, ${userId}, 'member' from tenants t
    join provisioning_steps s on s.tenant_id = t.id and s.step = 'identity' and s.state = 'ok'
    left join membership_revocations r on r.tenant_id = t.id and r.user_id = ${userId}
    where ${groupNameOf} = any(${[...token.groups]}) and not ${sql.raw(isShut('t'))} and (r.revoked_at is null or r.revoked_at < ${token.issuedAt})
    on conflict do nothing returning tenant_id as "tenantId"`.execute(db)
  const [only] = rows
  if (!only || rows.length > 1) return
  // Whom the provider put into one tenant's group and nowhere else, that tenant looks after.
  await sql`
    update users u set home_tenant_id = ${only.tenantId}
    where u.id = ${userId} and u.home_tenant_id is null and not u.platform_admin and u.partner_id is null
      and not exists (select from memberships o where o.user_id = u.id and o.tenant_id <> ${only.tenantId})`.execute(
    db,
  )
}

/**
 * Under the tenant's lock, as every loss of an admin: two who leave at once must not both count on
 * the other. Who has a mailbox or files is suspended instead of forgotten: nothing of theirs is
 * left open, and nothing is destroyed by a claim.
 */
async function removeMembershipsOutsideGroups(
  db: Db,
  userId: string,
  token: TokenIdentity,
): Promise<void> {
  const { rows } = await sql<TenantGroup>`
    select t.id, t.slug, t.identity_group_id as "identityGroupId" from memberships m join tenants t on t.id = m.tenant_id
    where ${leavesGroup(userId, token)}`.execute(db)
  if (rows.length === 0) return
  const ids = await token.groupsStand(rows)
  if (ids.length === 0) return
  const leaving = sql<SqlBool>`t.id = m.tenant_id and t.id = any(${[...ids]}::uuid[]) and ${leavesGroup(userId, token)}
    and (m.role = 'member' or exists (
      select from memberships other join users o on o.id = other.user_id
      where other.tenant_id = t.id and other.user_id <> m.user_id and other.role in ('admin', 'owner')
        and other.status in ('active', 'provisioning') and o.deactivated_at is null and not o.invited))`
  await db.transaction().execute(async (trx) => {
    await sql`select from tenants where id = any(${[...ids]}::uuid[]) order by id for no key update`.execute(
      trx,
    )
    await sql`
      update memberships m set status = 'suspended', mail_state = 'pending', mail_error = null, files_state = 'pending', files_error = null,
        next_at = null, attempt = 0, version = version + 1, updated_at = now()
      from tenants t where ${leaving} and (m.mailbox_address is not null or m.file_account_id is not null)`.execute(
      trx,
    )
    await sql`delete from memberships m using tenants t where ${leaving}`.execute(trx)
  })
}

/**
 * A membership that is settled here and older than the token, whose group the token does not name.
 * Platform administrators are in no tenant's group: their tokens would grow by each one, and say
 * nothing about their memberships.
 */
function leavesGroup(userId: string, token: TokenIdentity) {
  return sql<SqlBool>`m.user_id = ${userId} and m.role <> 'owner' and m.status = 'active' and m.identity_state in ('ok', 'skipped')
    and m.created_at < ${token.issuedAt} and coalesce(m.identity_changed_at < ${token.issuedAt}, true)
    and ${groupNameOf} <> all(${[...(token.groups ?? [])]})
    and coalesce(t.identity_group_changed_at < ${token.issuedAt}, true)
    and not (select u.platform_admin from users u where u.id = ${userId})
    and not ${sql.raw(isShut('t'))}
    and exists (select from provisioning_steps s where s.tenant_id = t.id and s.step = 'identity' and s.state = 'ok')`
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
 * Marks the record as changed now: a token that was issued before says nothing new about name and
 * address.
 */
export async function touchUser(db: Db | Trx, id: string): Promise<void> {
  await db.updateTable('users').set({ updated_at: sql<Date>`now()` }).where('id', '=', id).execute()
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

/** Takes the lock that protects the number of platform administrators, and returns who they are. */
export async function lockPlatformAdmins(trx: Trx): Promise<string[]> {
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
  if (!closed && (await eraseUser(trx, id))) return
  const closing = {
    deactivated_at: sql<Date>`coalesce(deactivated_at, now())`,
    removed_at: sql<Date>`coalesce(removed_at, now())`,
  }
  await trx.updateTable('users').set(closing).where('id', '=', id).execute()
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
