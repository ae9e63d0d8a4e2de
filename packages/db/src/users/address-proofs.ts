import { expressionBuilder, sql } from 'kysely'
import { reopened } from '../members/reopened.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'
import type { UsersTable } from '../schema/users.ts'
import { pendingSubject } from './pending-subject.ts'

/**
 * Whether it is verified that the identity of `users u` belongs to the reader of its address: by a
 * mailed link to that address, or because the tenant that created the identity verified the domain.
 * Platform administrators were admitted by another one. A token claim proves nothing: authentik
 * does not verify addresses.
 */
export const proved = sql<boolean>`(u.platform_admin or coalesce(u.proved_email = u.email, false)
  or coalesce((select true from proven_domains d
    where d.name = split_part(u.email, '@', 2) and d.tenant_id = u.home_tenant_id), false))`

/**
 * Whether `users u` has a home, a membership or a partner other than the tenant: whoever takes over
 * such an identity gets rights that the tenant did not give.
 */
export function belongsElsewhere(tenantId: string) {
  const { eb, exists, or, selectFrom } = expressionBuilder<Tables & { u: UsersTable }, 'u'>()
  return or([
    // Never null, unlike a comparison with a person who has no home.
    eb(eb.fn.coalesce('u.home_tenant_id', eb.val(tenantId)), '<>', tenantId),
    eb('u.partner_id', 'is not', null),
    exists(
      selectFrom('memberships as e')
        .select('e.user_id')
        .whereRef('e.user_id', '=', 'u.id')
        .where('e.tenant_id', '<>', tenantId),
    ),
  ])
}

/** The tenant that created the person's identity, and whether it is proved. */
export function readTrust(db: Db | Trx, userId: string) {
  return db
    .selectFrom('users as u')
    .select(['u.home_tenant_id as homeTenantId', proved.as('proved')])
    .where('u.id', '=', userId)
    .executeTakeFirst()
}

/** The tenant that proved the domain of an address; undefined when none did. */
export function findDomainTenant(
  db: Db | Trx,
  domain: string,
): Promise<{ tenantId: string } | undefined> {
  return db
    .selectFrom('domains')
    .select('tenant_id as tenantId')
    .where('name', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()
}

/** The address was proved by a mailed link. */
export async function markProved(trx: Trx, userId: string, email: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      proved_email: email,
      proved_at: sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute()
}

/**
 * Gives up a person's identity for one that is still to be created. The holder of the old one loses
 * access: its tokens now name a closed record. `homeTenantId`: the tenant that creates the new one.
 * Returns the subject that was given up.
 */
export async function giveUpIdentity(
  trx: Trx,
  userId: string,
  homeTenantId: string | null,
): Promise<string> {
  const old = await trx
    .selectFrom('users')
    .select(['idp_subject_id', 'idp_user_id', 'email', 'name', 'home_tenant_id'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('users')
    .set({
      idp_subject_id: sql<string>`${pendingSubject} || gen_random_uuid()`,
      idp_user_id: null,
      home_tenant_id: homeTenantId,
      proved_email: null,
      proved_at: null,
      // Whoever held the old identity may have entered an own address, for a way back.
      phone: null,
      alternative_email: null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute()
  await trx.deleteFrom('user_readings').where('user_id', '=', userId).execute()
  await trx.deleteFrom('web_sessions').where('subject', '=', old.idp_subject_id).execute()
  const unmade = old.idp_user_id === null && old.idp_subject_id.startsWith(pendingSubject)
  if (!unmade) {
    const closed = {
      deactivated_at: sql<Date>`now()`,
      removed_at: sql<Date>`now()`,
      replaced_by: userId,
    }
    await trx
      .insertInto('users')
      .values({ ...old, ...closed })
      .execute()
  }
  return old.idp_subject_id
}

export interface AbandonedIdentity {
  /** The closed record. */
  id: string
  subject: string
  idpUserId: string | null
  email: string
  /** A tenant of this platform made it; else it came from elsewhere and is only put aside. */
  madeHere: boolean
}

/** Identities given up for this person that the identity provider may still have. */
export function abandonedIdentities(db: Db, userId: string): Promise<AbandonedIdentity[]> {
  return db
    .selectFrom('users')
    .select((row) => [
      'id',
      'idp_subject_id as subject',
      'idp_user_id as idpUserId',
      'email',
      row('home_tenant_id', 'is not', null).as('madeHere'),
    ])
    .where('replaced_by', '=', userId)
    .orderBy('id')
    .$castTo<AbandonedIdentity>()
    .execute()
}

/** The identity provider has followed. */
export async function deleteAbandonedIdentity(db: Db, closedId: string): Promise<void> {
  await db.updateTable('users').set({ replaced_by: null }).where('id', '=', closedId).execute()
}

/** The groups of the person's other tenants have to take in the new identity. */
export async function renewIdentitySteps(
  db: Db | Trx,
  userId: string,
  exceptTenantId: string | null,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set((eb) => ({
      ...reopened(eb.ref('version'), ['identity']),
      identity_changed_at: sql<Date>`now()`,
    }))
    .where('user_id', '=', userId)
    .where('status', '<>', 'removing')
    .where('tenant_id', 'is distinct from', exceptTenantId)
    .execute()
}

/** The person has a password for signing in. Mailboxes have their own. */
export async function clearNeedsPassword(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ needs_password: false })
    .where('user_id', '=', userId)
    .where('mailbox_address', 'is', null)
    .execute()
}
