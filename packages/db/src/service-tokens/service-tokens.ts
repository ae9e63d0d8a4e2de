import type { ServiceScope, ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import { endedTokenDays } from '@atrium/core/service-tokens/service-tokens'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** Whom tokens belong to: a tenant, a partner, or the platform. */
export type TokenOwner =
  | { kind: 'tenant'; tenantId: string }
  | { kind: 'partner'; partnerId: string }
  | { kind: 'platform' }

/** Lets one transaction at a time change what belongs to the platform, so that it is counted. */
export async function lockPlatform(trx: Trx): Promise<void> {
  // Plain SQL: a call of one function.
  await sql`select pg_advisory_xact_lock(hashtext('owned by the platform'))`.execute(trx)
}

const idsOf = (owner: TokenOwner) => ({
  kind: owner.kind,
  tenant_id: owner.kind === 'tenant' ? owner.tenantId : null,
  partner_id: owner.kind === 'partner' ? owner.partnerId : null,
})

function selectTokens(db: Db | Trx, owner: TokenOwner) {
  const { kind, tenant_id, partner_id } = idsOf(owner)
  const query = db
    .selectFrom('service_tokens as s')
    .leftJoin('users as u', 'u.id', 's.created_by')
    .select([
      's.id',
      's.kind',
      's.name',
      's.scopes',
      's.networks',
      's.created_at as createdAt',
      's.expires_at as expiresAt',
      's.rotated_at as rotatedAt',
      's.previous_ends_at as previousEndsAt',
      's.revoked_at as revokedAt',
      's.last_used_at as lastUsedAt',
      's.last_used_ip as lastUsedIp',
      's.last_used_procedure as lastUsedProcedure',
      'u.email as createdBy',
    ])
    .where('s.kind', '=', kind)
  if (tenant_id !== null) return query.where('s.tenant_id', '=', tenant_id)
  return partner_id === null ? query : query.where('s.partner_id', '=', partner_id)
}

export type ServiceTokenRow = NonNullable<Awaited<ReturnType<typeof findServiceToken>>>

export function findServiceToken(db: Db | Trx, owner: TokenOwner, id: string) {
  return selectTokens(db, owner).where('s.id', '=', id).executeTakeFirst()
}

/** Newest first, one row more than asked. */
export function listServiceTokens(
  db: Db,
  owner: TokenOwner,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<ServiceTokenRow[]> {
  const query = selectTokens(db, owner)
  return (before === undefined ? query : query.where('s.id', '<', before))
    .orderBy('s.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Tokens that are neither revoked nor expired, by the database's clock. */
export async function countServiceTokens(db: Db | Trx, owner: TokenOwner): Promise<number> {
  const { kind, tenant_id, partner_id } = idsOf(owner)
  const { count } = await db
    .selectFrom('service_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '=', kind)
    .where('tenant_id', 'is not distinct from', tenant_id)
    .where('partner_id', 'is not distinct from', partner_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

export interface NewServiceToken {
  name: string
  scopes: readonly ServiceScope[]
  networks: readonly string[]
  secretHash: Buffer
  createdBy: string | null
  createdAt: Date
  expiresAt: Date
  /** Reminders that are not due, because the token lives shorter than that. */
  remindedDays: number | null
}

/** Returns the id. */
export async function insertServiceToken(
  trx: Trx,
  owner: TokenOwner,
  token: NewServiceToken,
): Promise<string> {
  const { id } = await trx
    .insertInto('service_tokens')
    .values({
      ...idsOf(owner),
      name: token.name,
      scopes: [...token.scopes],
      networks: [...token.networks],
      secret_hash: token.secretHash,
      created_by: token.createdBy,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      reminded_days: token.remindedDays,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface Rotation {
  secretHash: Buffer
  at: Date
  /** Until when the secret before is accepted. */
  previousEndsAt: Date
  /** The new end with the reminders that are not due; undefined keeps the end. */
  end: { expiresAt: Date; remindedDays: number | null } | undefined
}

/** Replaces the secret of an active token. False when the owner has no such token. */
export async function rotateServiceToken(
  trx: Trx,
  owner: TokenOwner,
  id: string,
  { secretHash, at, previousEndsAt, end }: Rotation,
): Promise<boolean> {
  const { kind, tenant_id, partner_id } = idsOf(owner)
  const { numUpdatedRows } = await trx
    .updateTable('service_tokens')
    .set(({ ref }) => ({
      previous_hash: ref('secret_hash'),
      previous_ends_at: previousEndsAt,
      secret_hash: secretHash,
      rotated_at: at,
      ...(end && { expires_at: end.expiresAt, reminded_days: end.remindedDays }),
    }))
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('tenant_id', 'is not distinct from', tenant_id)
    .where('partner_id', 'is not distinct from', partner_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ends a token at once. False when the owner has no such token, or it was revoked already. */
export async function revokeServiceToken(
  trx: Trx,
  owner: TokenOwner,
  id: string,
  { at, by }: { at: Date; by: string | null },
): Promise<boolean> {
  const { kind, tenant_id, partner_id } = idsOf(owner)
  const { numUpdatedRows } = await trx
    .updateTable('service_tokens')
    .set({ revoked_at: at, revoked_by: by })
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('tenant_id', 'is not distinct from', tenant_id)
    .where('partner_id', 'is not distinct from', partner_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A token whose owner is to be reminded of its end. */
export interface EndingToken {
  id: string
  kind: ServiceTokenKind
  name: string
  expiresAt: Date
  tenantId: string | null
  tenantSlug: string | null
  tenantName: string | null
  partnerId: string | null
  partnerName: string | null
}

/**
 * Takes one token that ends within so many days and has no reminder of that yet; undefined when
 * none is left. Locked, so that two processes remind of it once.
 */
export async function takeEndingToken(
  trx: Trx,
  now: Date,
  days: number,
): Promise<EndingToken | undefined> {
  const due = await trx
    .selectFrom('service_tokens as s')
    .leftJoin('tenants as t', 't.id', 's.tenant_id')
    .leftJoin('partners as p', 'p.id', 's.partner_id')
    .select([
      's.id',
      's.kind',
      's.name',
      's.expires_at as expiresAt',
      's.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      's.partner_id as partnerId',
      'p.name as partnerName',
    ])
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .where('s.expires_at', '<=', new Date(now.getTime() + days * 86_400_000))
    .where(({ eb, or }) =>
      or([eb('s.reminded_days', 'is', null), eb('s.reminded_days', '>', days)]),
    )
    .orderBy('s.expires_at')
    .limit(1)
    .forUpdate('s')
    .skipLocked()
    .executeTakeFirst()
  if (due)
    await trx
      .updateTable('service_tokens')
      .set({ reminded_days: days })
      .where('id', '=', due.id)
      .execute()
  return due
}

/** Active staff of a partner who may manage its tokens. */
export function listPartnerOwners(
  db: Db | Trx,
  partnerId: string,
): Promise<{ id: string; name: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('partner_id', '=', partnerId)
    .where('partner_access', '=', 'owner')
    .where('deactivated_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** Deletes tokens that ended `endedTokenDays` ago, with the address of their last use. */
export async function deleteEndedServiceTokens(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('service_tokens')
    .where(
      // The expression of the index.
      sql<Date>`least(expires_at, revoked_at)`,
      '<',
      new Date(now.getTime() - endedTokenDays * 86_400_000),
    )
    .execute()
}
