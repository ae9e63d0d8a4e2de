import { provisioningSteps } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { reopened } from '../members/reopened.ts'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { belongsElsewhere, proved } from '../users/address-proofs.ts'
import { detachedPrefix } from '../users/users.ts'

/** How long a link to a new address can be used, in seconds. */
export const addressChangeSeconds = 86_400
/** How long a claim that is worked on, or that waits for an operator, is left alone. */
const recheckSeconds = 3_600

/** The domain of the address of `users u`. */
const domainOfAddress = sql<string>`split_part(u.email, '@', 2)`

/**
 * People with an address on the domain whom the tenant may not simply take over: identities whose
 * home is another tenant, and everybody who is no member of it, unless they belong to it alone.
 */
function selectElsewhere(db: Db | Trx, tenantId: string, domain: string) {
  return db
    .selectFrom('users as u')
    .where(domainOfAddress, '=', domain)
    .where('u.removed_at', 'is', null)
    .where(({ and, eb, or, not, exists, selectFrom }) =>
      or([
        eb('u.home_tenant_id', '<>', tenantId),
        and([
          not(
            exists(
              selectFrom('memberships as m')
                .select('m.user_id')
                .where('m.tenant_id', '=', tenantId)
                .whereRef('m.user_id', '=', 'u.id'),
            ),
          ),
          or([eb('u.home_tenant_id', 'is', null), belongsElsewhere(tenantId)]),
        ]),
      ]),
    )
}

/** By address, one row more than requested. */
export function listPeopleElsewhere(
  db: Db,
  { tenantId, domain }: { tenantId: string; domain: string },
  page: { after?: string | undefined; limit: number },
) {
  let query = selectElsewhere(db, tenantId, domain)
    .leftJoin('address_claims as c', (join) =>
      join.onRef('c.user_id', '=', 'u.id').on('c.tenant_id', '=', tenantId),
    )
    .select(({ fn }) => [
      'u.email',
      fn.min('c.started_at').as('startedAt'),
      fn.min('c.ends_at').as('endsAt'),
      fn.min('c.held_at').as('heldAt'),
    ])
    .groupBy('u.email')
  if (page.after !== undefined) query = query.where('u.email', '>', page.after)
  return query
    .orderBy('u.email')
    .limit(page.limit + 1)
    .execute()
}

export interface ClaimedPerson {
  id: string
  email: string
  name: string
  homeTenantId: string | null
}

/** The people elsewhere with this address, locked. */
export function lockPeopleElsewhere(
  trx: Trx,
  { tenantId, domain, email }: { tenantId: string; domain: string; email: string },
): Promise<ClaimedPerson[]> {
  return selectElsewhere(trx, tenantId, domain)
    .select(['u.id', 'u.email', 'u.name', 'u.home_tenant_id as homeTenantId'])
    .where('u.email', '=', email)
    .orderBy('u.id')
    .forNoKeyUpdate('u')
    .execute()
}

/** Starts the claim. False when there is one. */
export async function insertAddressClaim(
  trx: Trx,
  claim: { tenantId: string; userId: string; email: string; days: number },
): Promise<boolean> {
  const ends = secondsFromNow(claim.days * 86_400)
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('address_claims')
    .values({
      tenant_id: claim.tenantId,
      user_id: claim.userId,
      email: claim.email,
      ends_at: ends,
      next_at: ends,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

const columns = [
  'c.tenant_id as tenantId',
  't.slug as tenantSlug',
  't.name as tenantName',
  'p.slug as partnerSlug',
  'c.user_id as userId',
  'c.email',
  'c.started_at as startedAt',
  'c.ends_at as endsAt',
  'c.held_at as heldAt',
  'c.moved_at as movedAt',
  'c.new_email as newEmail',
  'u.email as currentEmail',
  'u.name',
  'u.removed_at as removedAt',
  'u.deactivated_at as deactivatedAt',
  'u.platform_admin as platformAdmin',
  'u.partner_id as partnerId',
  'u.home_tenant_id as homeTenantId',
] as const

function selectClaims(db: Db | Trx) {
  return db
    .selectFrom('address_claims as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .innerJoin('tenants as t', 't.id', 'c.tenant_id')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(columns)
    .select(({ eb, and, exists, selectFrom }) => [
      proved.as('proved'),
      // The claim still has its ground.
      and([
        sql<boolean>`u.email = c.email and u.removed_at is null`,
        // Open to changes, as for the start of a claim.
        eb('t.status', 'in', ['pending', 'active']),
        exists(
          selectFrom('domains as d')
            .select('d.id')
            .whereRef('d.tenant_id', '=', 'c.tenant_id')
            .where('d.name', '=', sql<string>`split_part(c.email, '@', 2)`)
            .where('d.verified_at', 'is not', null),
        ),
      ])
        .$castTo<boolean>()
        .as('founded'),
    ])
}

export type AddressClaimRow = NonNullable<Awaited<ReturnType<typeof findAddressClaim>>>

export function findAddressClaim(db: Db | Trx, tenantId: string, userId: string) {
  return selectClaims(db)
    .where('c.tenant_id', '=', tenantId)
    .where('c.user_id', '=', userId)
    .executeTakeFirst()
}

/** The claim whose link has this token, while it can be followed. */
export function findAddressClaimByLink(
  db: Db | Trx,
  hash: Buffer,
): Promise<AddressClaimRow | undefined> {
  return selectClaims(db)
    .where('c.link_hash', '=', hash)
    .where('u.removed_at', 'is', null)
    .executeTakeFirst()
}

/** The claim to a person's own address that waits for the person, of whichever tenant. */
export function findAddressClaimOfPerson(
  db: Db | Trx,
  userId: string,
): Promise<AddressClaimRow | undefined> {
  return selectClaims(db)
    .where('c.user_id', '=', userId)
    .whereRef('c.email', '=', 'u.email')
    .where('c.moved_at', 'is', null)
    .orderBy('c.ends_at')
    .limit(1)
    .executeTakeFirst()
}

/** The token is made when the mail is sent; one that was mailed before is void. */
export async function saveAddressClaimLink(
  db: Db,
  { tenantId, userId, hash }: { tenantId: string; userId: string; hash: Buffer },
): Promise<void> {
  await db
    .updateTable('address_claims')
    .set({ link_hash: hash })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}

/** The address that the person wants instead. A link to an earlier one is void. */
export async function requestAddressChange(trx: Trx, userId: string, email: string): Promise<void> {
  await trx
    .updateTable('address_claims')
    .set({ new_email: email, new_hash: null, new_expires_at: null })
    .where('user_id', '=', userId)
    .execute()
}

export async function saveAddressChangeLink(
  db: Db,
  change: { userId: string; email: string; hash: Buffer },
): Promise<void> {
  await db
    .updateTable('address_claims')
    .set({ new_hash: change.hash, new_expires_at: secondsFromNow(addressChangeSeconds) })
    .where('user_id', '=', change.userId)
    .where('new_email', '=', change.email)
    .execute()
}

/** The address whose link has this token; only for the person who asked for it. */
export async function findAddressChange(
  trx: Trx,
  userId: string,
  hash: Buffer,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('address_claims')
    .select('new_email as email')
    .where('user_id', '=', userId)
    .where('new_hash', '=', hash)
    .where('new_expires_at', '>', sql<Date>`now()`)
    .where('moved_at', 'is', null)
    .executeTakeFirst()
  return row?.email ?? undefined
}

export async function markAddressClaimMoved(
  trx: Trx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  await trx
    .updateTable('address_claims')
    .set({ moved_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
  await trx
    .deleteFrom('address_claims')
    .where('user_id', '=', userId)
    .where('tenant_id', '<>', tenantId)
    .execute()
}

/** An operator has to decide. False when that was known. */
export async function holdAddressClaim(
  trx: Trx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('address_claims')
    .set({ held_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('held_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the claim of one tenant. False when there was none. */
export async function deleteAddressClaim(
  db: Db | Trx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('address_claims')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends all claims to a person's address: it is another one now. */
export async function deleteAddressClaimsOfPerson(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('address_claims').where('user_id', '=', userId).execute()
}

/** Claims whose time is over, taken by this process for an hour; those that are held come again. */
export function claimDueAddressClaims(
  db: Db,
  limit: number,
): Promise<{ tenantId: string; userId: string }[]> {
  return db
    .updateTable('address_claims as c')
    .from(
      db
        .selectFrom('address_claims')
        .select(['tenant_id', 'user_id'])
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('due'),
    )
    .set({ next_at: secondsFromNow(recheckSeconds) })
    .whereRef('c.tenant_id', '=', 'due.tenant_id')
    .whereRef('c.user_id', '=', 'due.user_id')
    .returning(['c.tenant_id as tenantId', 'c.user_id as userId'])
    .execute()
}

/** Active platform administrators, who decide what is held. */
export function listOperators(
  db: Db | Trx,
): Promise<{ id: string; name: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('platform_admin', '=', true)
    .where('deactivated_at', 'is', null)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** Every act on a member locks the membership before the person. */
export async function lockMembershipsOf(trx: Trx, userId: string): Promise<void> {
  await trx
    .selectFrom('memberships')
    .select('tenant_id')
    .where('user_id', '=', userId)
    .orderBy('tenant_id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Shuts a person out of the tenants that did not create the identity, because they trusted an
 * address that was never proved. Owners stay, and so do the memberships in `except`. Returns the
 * tenants.
 */
export async function suspendElsewhere(
  trx: Trx,
  userId: string,
  except: readonly (string | null)[],
): Promise<string[]> {
  const kept = except.filter((tenantId) => tenantId !== null)
  const rows = await trx
    .updateTable('memberships as m')
    .from('tenants as t')
    .whereRef('t.id', '=', 'm.tenant_id')
    .set(({ ref }) => ({
      status: 'suspended',
      ...reopened(ref('m.version'), provisioningSteps),
    }))
    .where('m.user_id', '=', userId)
    .$if(kept.length > 0, (query) => query.where('m.tenant_id', 'not in', kept))
    .where('m.role', '<>', 'owner')
    .where('m.status', 'in', ['active', 'provisioning'])
    .returning('t.slug')
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Groups and file accounts of a person follow the new address, in every tenant. */
export async function followNewAddress(trx: Trx, userId: string): Promise<void> {
  await trx
    .updateTable('memberships')
    .set(({ ref }) => ({
      profile_due: true,
      ...reopened(ref('version'), ['identity', 'files']),
      identity_changed_at: sql<Date>`now()`,
    }))
    .where('user_id', '=', userId)
    .where('status', 'in', ['active', 'provisioning'])
    .execute()
}

/**
 * Others who have an address that a person has just proved, and did not prove it; except those
 * whose rights reach beyond a tenant. A few: nobody needs more identities with one address.
 */
export function listOthersWithAddress(
  trx: Trx,
  { email, userId }: { email: string; userId: string },
): Promise<{ id: string; homeTenantId: string | null }[]> {
  return trx
    .selectFrom('users as u')
    .select(['u.id', 'u.home_tenant_id as homeTenantId'])
    .where('u.email', '=', email)
    .where('u.id', '<>', userId)
    .where('u.removed_at', 'is', null)
    .where('u.partner_id', 'is', null)
    .where(({ not }) => not(proved))
    .orderBy('u.id')
    .limit(20)
    .execute()
}

/**
 * People whose identities still have this address at the identity provider, although another name
 * took its place here.
 */
export async function listDetachedFrom(db: Db, email: string): Promise<string[]> {
  const rows = await db
    .selectFrom('identity_dues as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .select('u.id')
    .where('d.address', '=', true)
    .where(({ eb, fn, val }) =>
      eb(fn<boolean>('starts_with', ['u.email', val(detachedPrefix(email))]), '=', true),
    )
    .where('u.email', 'like', '%@detached.invalid')
    .orderBy('u.id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * The identity loses its address, and with it the proof. The person keeps the identity under the
 * given name.
 */
export async function detachAddress(trx: Trx, userId: string, name: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({ email: name, proved_email: null, proved_at: null, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute()
  await trx.deleteFrom('access_links').where('user_id', '=', userId).execute()
}
