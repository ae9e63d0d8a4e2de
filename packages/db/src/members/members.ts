import type { ProvisioningStep, TenantRole } from '@atrium/core/tenants/tenants'
import type { PersonDetails } from '@atrium/core/users/users'
import {
  type AliasedExpression,
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { matchesText } from '../platform/text-search.ts'
import type { MembershipsTable } from '../schema/members.ts'
import type { Tables } from '../schema/tables.ts'
import type { UsersTable } from '../schema/users.ts'
import { belongsElsewhere, proved } from '../users/address-proofs.ts'
import { pendingSubject } from '../users/pending-subject.ts'
import { personColumns } from '../users/person-columns.ts'
import { reopened, reopenedAccounts } from './reopened.ts'

export type MembershipStatus = 'provisioning' | 'active' | 'suspended' | 'removing'

/**
 * How a statement names the tenant and the person of `memberships m`. A statement about one member
 * gives their ids, so that a database that is distributed by tenant knows which node to ask.
 */
export interface MemberKey {
  tenantId: RawBuilder<unknown>
  userId: RawBuilder<unknown>
}

/** The key that the row itself holds. */
export const memberRowKey: MemberKey = {
  tenantId: sql.ref('m.tenant_id'),
  userId: sql.ref('m.user_id'),
}

/** The key of one member. */
export const memberKey = (tenantId: string, userId: string): MemberKey => ({
  tenantId: sql`${tenantId}`,
  userId: sql`${userId}`,
})

/**
 * Whether the address of `users u` is on a domain that the tenant of `memberships m` proved. A
 * value and not `exists`, for which the planner reads all domains of the platform with every page.
 */
export const ownAddress = ({ tenantId } = memberRowKey) =>
  sql<boolean>`coalesce((select d.verified_at is not null from domains d
  where d.name = split_part(u.email, '@', 2) and d.tenant_id = ${tenantId}), false)`

/**
 * Whether the tenant of `memberships m` manages the sign-in of `users u`. True for everyone whose
 * address is on a domain that the tenant verified, whoever created the identity, and for people
 * whose identity it created, as long as they belong nowhere else and no other tenant verified the
 * domain of the address. Never true for a platform administrator.
 */
export const managed = (key = memberRowKey) =>
  sql<boolean>`(not u.platform_admin and (${ownAddress(key)} or (u.home_tenant_id = m.tenant_id and u.partner_id is null
  and coalesce((select d.tenant_id = m.tenant_id from proven_domains d
    where d.name = split_part(u.email, '@', 2)), true)
  and coalesce((select false from memberships o where o.user_id = ${key.userId} and o.tenant_id <> ${key.tenantId} limit 1), true))))`

const allMemberships = sql<Selectable<MembershipsTable>>`memberships`.as('m')

/** `memberships`, which are all of them or a part, with their people. */
function selectMembers(
  db: Db | Trx,
  memberships: AliasedExpression<Selectable<MembershipsTable>, 'm'>,
  key?: MemberKey,
) {
  return db
    .selectFrom(memberships)
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('temporary_passwords as p', 'p.user_id', 'm.user_id')
    .select([
      'p.issued_at as passwordIssuedAt',
      'p.expires_at as passwordExpiresAt',
      'p.ended_at as passwordEndedAt',
      'u.last_seen_at as lastSeenAt',
      'u.id',
      ...personColumns,
      'm.role',
      'm.status as membershipStatus',
      'u.deactivated_at as deactivatedAt',
      'm.mailbox_address as mailboxAddress',
      'm.needs_password as needsPassword',
      'm.identity_state as identityState',
      'm.identity_error as identityError',
      'm.mail_state as mailState',
      'm.mail_error as mailError',
      'm.files_state as filesState',
      'm.files_error as filesError',
      managed(key).as('managed'),
      ownAddress(key).as('ownAddress'),
      'm.created_at as joinedAt',
    ])
    .select(({ eb, and, or, ref }) => [
      and([ref('m.bootstrap_admin'), eb('m.mailbox_address', 'is', null)])
        .$castTo<boolean>()
        .as('bootstrapAdmin'),
      // The identity may be given power over this tenant: the tenant created it, or no other tenant
      // created it without proof.
      or([
        eb('u.home_tenant_id', 'is', null),
        eb('u.home_tenant_id', '=', ref('m.tenant_id')),
        proved,
      ])
        .$castTo<boolean>()
        .as('trusted'),
    ])
}

/** A membership with its person: what views show and rules decide by. */
export type MemberRow = NonNullable<Awaited<ReturnType<typeof findMember>>>

export interface MemberFilter {
  q?: string | undefined
  role?: TenantRole | undefined
  status?: MembershipStatus | 'deactivated' | undefined
  before?: string | undefined
  limit: number
}

/**
 * Members that a search reads one by one before it asks the indexes of texts: a common text fills
 * its page among them.
 */
const newestMembers = 100

/** Members by user id, newest first, one row more than requested. */
export async function listMembers(
  db: Db,
  tenantId: string,
  filter: MemberFilter,
): Promise<MemberRow[]> {
  const { q, role, status, before, limit } = filter
  const conditions = [member('m.tenant_id', '=', tenantId)]
  if (role) conditions.push(member('m.role', '=', role))
  if (status === 'deactivated') conditions.push(member('u.deactivated_at', 'is not', null))
  else if (status)
    conditions.push(member('m.status', '=', status), member('u.deactivated_at', 'is', null))
  // Said of both sides of the join: of one alone, the planner reads all newer people of the
  // platform to come to the page.
  if (before) conditions.push(member('m.user_id', '<', before), member('u.id', '<', before))
  const page = (
    memberships: AliasedExpression<Selectable<MembershipsTable>, 'm'>,
    more: Expression<SqlBool>[],
  ) =>
    selectMembers(db, memberships)
      .where(({ and }) => and([...conditions, ...more]))
      .orderBy('m.user_id', 'desc')
      .limit(limit + 1)
      .execute()
  if (!q) return page(allMemberships, [])
  const ofPerson = matchesText([member.ref('u.email'), member.fn('lower', ['u.name'])], q)
  const ofMailbox = matchesText([member.ref('m.mailbox_address')], q)
  const ofTenant = db.selectFrom('memberships as m').where('m.tenant_id', '=', tenantId)
  const newest = ofTenant
    .selectAll('m')
    .$if(before !== undefined, (query) => query.where('m.user_id', '<', before ?? ''))
    .orderBy('m.user_id', 'desc')
    .limit(newestMembers)
  const rows = await page(newest.as('m'), [member.or([ofPerson, ofMailbox])])
  if (rows.length > limit) return rows
  const found = ofTenant
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.user_id')
    .where(ofPerson)
    .union(ofTenant.select('m.user_id').where(ofMailbox))
  return page(allMemberships, [member('m.user_id', 'in', found)])
}

/** For conditions about `memberships as m` and their `users as u`. */
const member = expressionBuilder<Tables & { m: MembershipsTable; u: UsersTable }, 'm' | 'u'>()

export function findMember(db: Db | Trx, tenantId: string, userId: string) {
  return selectMembers(db, allMemberships, memberKey(tenantId, userId))
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
}

/** The member under a row lock. Every caller locks the tenant's row first. */
export function lockMember(
  trx: Trx,
  tenantId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return selectMembers(trx, allMemberships, memberKey(tenantId, userId))
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '=', userId)
    .forUpdate('m')
    .executeTakeFirst()
}

/**
 * The caller's role as it is now, under the tenant's lock: two admins who demote each other must
 * not both still be admins.
 */
export async function activeRole(
  trx: Trx,
  tenantId: string,
  userId: string,
): Promise<TenantRole | undefined> {
  const row = await trx
    .selectFrom('memberships')
    .select('role')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', 'in', ['active', 'provisioning'])
    .executeTakeFirst()
  return row?.role
}

/** Whether another person can still administer the tenant. Read under the tenant's lock. */
export async function hasOtherAdmin(trx: Trx, tenantId: string, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.user_id')
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '<>', userId)
    .where('m.role', 'in', ['admin', 'owner'])
    .where('m.status', 'in', ['active', 'provisioning'])
    .where('u.deactivated_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Owner and admins who may act, for mails to them. */
export function listAdministrators(
  db: Db | Trx,
  tenantId: string,
): Promise<{ id: string; name: string; email: string; role: TenantRole }[]> {
  return db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email', 'm.role'])
    .where('m.tenant_id', '=', tenantId)
    .where('m.role', 'in', ['owner', 'admin'])
    .where('m.status', 'in', ['active', 'provisioning'])
    .where('u.deactivated_at', 'is', null)
    .orderBy('u.id')
    .execute()
}

/** Seats in use: every member who is not being removed. */
export async function countMembers(db: Db | Trx, tenantId: string): Promise<number> {
  const row = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'removing')
    .executeTakeFirstOrThrow()
  return row.count
}

/** With the members that are being removed. */
export async function countMemberships(db: Db | Trx, tenantId: string): Promise<number> {
  const row = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return row.count
}

export interface TenantDomain {
  name: string
  primary: boolean
  verified: boolean
  mailDomainId: string | null
}

/** Primary first. */
export function listTenantDomains(db: Db | Trx, tenantId: string): Promise<TenantDomain[]> {
  return db
    .selectFrom('domains')
    .select((row) => [
      'name',
      'is_primary as primary',
      row('verified_at', 'is not', null).as('verified'),
      'mail_domain_id as mailDomainId',
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy('is_primary', 'desc')
    .orderBy('id')
    .$castTo<TenantDomain>()
    .execute()
}

/** The member who has this mailbox address reserved, in any tenant. */
export function findMailboxHolder(
  db: Db | Trx,
  address: string,
): Promise<{ tenantId: string; userId: string } | undefined> {
  return db
    .selectFrom('memberships')
    .select(['tenant_id as tenantId', 'user_id as userId'])
    .where('mailbox_address', '=', address)
    .executeTakeFirst()
}

export interface KnownPerson {
  id: string
  platformAdmin: boolean
  deactivatedAt: Date | null
}

/** The active record with this address or this subject. */
export function findPerson(
  db: Db | Trx,
  by: { email: string } | { subject: string },
): Promise<KnownPerson | undefined> {
  return (
    db
      .selectFrom('users as u')
      .select(['id', 'platform_admin as platformAdmin', 'deactivated_at as deactivatedAt'])
      .where('email' in by ? 'email' : 'idp_subject_id', '=', 'email' in by ? by.email : by.subject)
      .where('removed_at', 'is', null)
      // Tokens may name the address of somebody else.
      .orderBy(proved, 'desc')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
  )
}

/** What has an address on a domain of a tenant, or is known by it. */
export interface AddressUse {
  /** The one who proved the address, if several have it. */
  person: KnownPerson | undefined
  /** Somebody with the address is a member of the tenant. */
  member: boolean
  /** Somebody with the address has a home, a membership or a partner elsewhere. */
  elsewhere: boolean
  /** A mailbox or a list has it. */
  held: boolean
  /** Its domain is one that the tenant proved. */
  own: boolean
}

export async function findAddressUse(
  db: Db | Trx,
  tenantId: string,
  address: string,
): Promise<AddressUse> {
  const { id, platformAdmin, deactivatedAt, ...use } = await db
    // One row, whether there is such a person or not.
    .selectFrom(sql<object>`(select)`.as('one'))
    .leftJoin('users as u', (join) =>
      join.on('u.email', '=', address).on('u.removed_at', 'is', null),
    )
    .select(['u.id', 'u.platform_admin as platformAdmin', 'u.deactivated_at as deactivatedAt'])
    .select(({ or, exists, selectFrom, fn, lit, val }) => {
      const people = selectFrom('users as u')
        .select('u.id')
        .where('u.email', '=', address)
        .where('u.removed_at', 'is', null)
      return [
        exists(
          people
            .innerJoin('memberships as m', 'm.user_id', 'u.id')
            .where('m.tenant_id', '=', tenantId),
        )
          .$castTo<boolean>()
          .as('member'),
        exists(people.where(belongsElsewhere(tenantId)))
          .$castTo<boolean>()
          .as('elsewhere'),
        or([
          exists(
            selectFrom('memberships as h')
              .select('h.user_id')
              .where('h.mailbox_address', '=', address),
          ),
          exists(selectFrom('mail_lists as l').select('l.id').where('l.address', '=', address)),
        ])
          .$castTo<boolean>()
          .as('held'),
        exists(
          selectFrom('domains as d')
            .select('d.id')
            .where('d.tenant_id', '=', tenantId)
            .where('d.name', '=', fn<string>('split_part', [val(address), val('@'), lit(2)]))
            .where('d.verified_at', 'is not', null),
        )
          .$castTo<boolean>()
          .as('own'),
      ]
    })
    .orderBy(proved, 'desc')
    .orderBy('u.id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    ...use,
    person:
      id === null || platformAdmin === null ? undefined : { id, platformAdmin, deactivatedAt },
  }
}

/** The record of a person whose identity is about to be created. */
export async function insertPerson(
  trx: Trx,
  person: PersonDetails & { homeTenantId: string | null },
): Promise<string> {
  const { id } = await trx
    .insertInto('users')
    .values({
      idp_subject_id: sql<string>`${pendingSubject} || gen_random_uuid()`,
      email: person.email,
      name: person.name,
      first_name: person.firstName,
      last_name: person.lastName,
      phone: person.phone,
      alternative_email: person.alternativeEmail,
      home_tenant_id: person.homeTenantId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface MembershipChanges {
  role?: 'member' | 'admin' | 'owner'
  status?: MembershipStatus
  mailbox_address?: string | null
  mail_vacant?: boolean
  profile_due?: boolean
  /** A token that was issued before this moment tells nothing about the person any more. */
  identity_changed_at?: 'now'
}

/** Writes facts of a membership and says which steps have to be done (again). */
export async function changeMembership(
  trx: Trx,
  tenantId: string,
  userId: string,
  { identity_changed_at, ...changes }: MembershipChanges,
  todo: readonly ProvisioningStep[] = [],
): Promise<void> {
  await trx
    .updateTable('memberships')
    .set(({ ref }) => ({
      ...changes,
      ...(identity_changed_at ? { identity_changed_at: sql<Date>`now()` } : {}),
      ...(todo.length > 0 && reopened(ref('version'), todo)),
      updated_at: sql<Date>`now()`,
    }))
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Applies a person's new name to mailboxes and file accounts, in every tenant except
 * `exceptTenantId`. Suspended members follow when the suspension ends. Needs no lease: whoever
 * works on a member notices the change.
 */
export async function reopenForName(
  trx: Trx,
  userId: string,
  exceptTenantId?: string,
): Promise<void> {
  await trx
    .updateTable('memberships')
    .set(reopenedAccounts)
    .where('user_id', '=', userId)
    .where('status', 'not in', ['removing', 'suspended'])
    .$if(exceptTenantId !== undefined, (query) =>
      query.where('tenant_id', '<>', exceptTenantId ?? ''),
    )
    .execute()
}

/** Of `memberships`: a step is not done, or the member is being created or removed. */
export const hasUnfinishedWork = ({ eb, or }: ExpressionBuilder<Tables, 'memberships'>) =>
  or([
    eb('identity_state', 'in', ['pending', 'error']),
    eb('mail_state', 'in', ['pending', 'error']),
    eb('files_state', 'in', ['pending', 'error']),
    eb('status', 'in', ['provisioning', 'removing']),
  ])

/** The address that the person signs in with. */
export async function setPersonEmail(trx: Trx, userId: string, email: string): Promise<void> {
  // A link to another address stays void, also when the address is changed back.
  await trx
    .deleteFrom('access_links')
    .where('user_id', '=', userId)
    .where('email', '<>', email)
    .execute()
  await trx
    .updateTable('users')
    .set({ email, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute()
}

/**
 * The owner becomes an admin, to make way for another one in the same transaction: the database
 * allows one owner at a time, and looks for one at the end. Undefined when there is none.
 */
export async function yieldOwnership(
  trx: Trx,
  tenantId: string,
): Promise<{ previousOwnerId: string } | undefined> {
  await trx
    .updateTable('tenants')
    .set({ awaits_owner: false })
    .where('id', '=', tenantId)
    .where('awaits_owner', '=', true)
    .execute()
  const previous = await trx
    .updateTable('memberships')
    .set({ role: 'admin', updated_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'owner')
    .returning('user_id')
    .executeTakeFirst()
  return previous && { previousOwnerId: previous.user_id }
}

/** A membership whose steps are all still to do. The jobs find it. */
export async function insertMembership(
  trx: Trx,
  member: { tenantId: string; userId: string; role: TenantRole },
): Promise<void> {
  const { tenantId, userId, role } = member
  await trx
    .insertInto('memberships')
    .values({
      tenant_id: tenantId,
      user_id: userId,
      role,
      status: 'provisioning',
      identity_state: 'pending',
      mail_state: 'pending',
      files_state: 'pending',
      identity_changed_at: sql<Date>`now()`,
    })
    .execute()
  await trx
    .deleteFrom('membership_revocations')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}

/** From now on no token that was issued before gives the membership back. */
export async function revokeMembership(trx: Trx, tenantId: string, userId: string): Promise<void> {
  await trx
    .insertInto('membership_revocations')
    .values({ tenant_id: tenantId, user_id: userId })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id']).doUpdateSet(({ ref }) => ({
        revoked_at: ref('excluded.revoked_at'),
      })),
    )
    .execute()
}
