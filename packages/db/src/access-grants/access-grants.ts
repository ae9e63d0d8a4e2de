import type {
  GrantEnding,
  GrantKind,
  GrantRole,
  GrantScope,
  GrantStatus,
} from '@atrium/core/access-grants/access-grants'
import { sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'

export interface GrantRow {
  tenantId: string
  tenantSlug: string
  tenantName: string
  id: string
  kind: GrantKind
  status: GrantStatus
  userId: string | null
  userEmail: string | null
  userName: string | null
  partnerId: string | null
  partnerSlug: string | null
  partnerName: string | null
  role: GrantRole
  scopes: GrantScope[]
  reason: string
  requestedAt: Date
  expiresAt: Date
  endsAt: Date
  decidedAt: Date | null
  decidedBy: string | null
  declineReason: string | null
  endedAt: Date | null
  ending: GrantEnding | null
  acknowledgedAt: Date | null
}

function select(db: Db | Trx) {
  return db
    .selectFrom('access_grants as g')
    .innerJoin('tenants as t', 't.id', 'g.tenant_id')
    .leftJoin('users as u', 'u.id', 'g.user_id')
    .leftJoin('partners as p', 'p.id', 'g.partner_id')
    .leftJoin('users as d', 'd.id', 'g.decided_by')
    .select([
      'g.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      'g.id',
      'g.kind',
      'g.status',
      'g.user_id as userId',
      'u.email as userEmail',
      'u.name as userName',
      'g.partner_id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'g.role',
      'g.scopes',
      'g.reason',
      'g.requested_at as requestedAt',
      'g.expires_at as expiresAt',
      'g.ends_at as endsAt',
      'g.decided_at as decidedAt',
      'd.email as decidedBy',
      'g.decline_reason as declineReason',
      'g.ended_at as endedAt',
      'g.ending',
      'g.acknowledged_at as acknowledgedAt',
    ])
}

export interface GrantFilter {
  tenantId?: string
  partnerId?: string
  status?: GrantStatus | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than asked. */
export function listGrants(db: Db, filter: GrantFilter): Promise<GrantRow[]> {
  let query = select(db)
  if (filter.tenantId) query = query.where('g.tenant_id', '=', filter.tenantId)
  if (filter.partnerId) query = query.where('g.partner_id', '=', filter.partnerId)
  if (filter.status) query = query.where('g.status', '=', filter.status)
  if (filter.before) query = query.where('g.id', '<', filter.before)
  return query
    .orderBy('g.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findGrant(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<GrantRow | undefined> {
  return select(db).where('g.tenant_id', '=', tenantId).where('g.id', '=', id).executeTakeFirst()
}

/** When a grant was asked for and to which tenant it is, for a search of what was done under it. */
export function findGrantById(
  db: Db,
  id: string,
): Promise<{ tenantSlug: string; requestedAt: Date } | undefined> {
  return db
    .selectFrom('access_grants as g')
    .innerJoin('tenants as t', 't.id', 'g.tenant_id')
    .select(['t.slug as tenantSlug', 'g.requested_at as requestedAt'])
    .where('g.id', '=', id)
    .executeTakeFirst()
}

/** Break-glass accesses that are active or that no owner has acknowledged, newest first. */
export function listBreakGlass(db: Db, tenantId: string, most: number): Promise<GrantRow[]> {
  return select(db)
    .where('g.tenant_id', '=', tenantId)
    .where('g.kind', '=', 'break_glass')
    .where((eb) => eb.or([eb('g.status', '=', 'active'), eb('g.acknowledged_at', 'is', null)]))
    .orderBy('g.id', 'desc')
    .limit(most)
    .execute()
}

/** Requests of a tenant that an owner can still approve; of one partner, of operators, or all. */
export async function countPendingGrants(
  db: Db | Trx,
  tenantId: string,
  now: Date,
  of?: { partnerId: string | null },
): Promise<number> {
  let query = db
    .selectFrom('access_grants')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
  if (of) query = query.where('partner_id', 'is not distinct from', of.partnerId)
  const { count } = await query.executeTakeFirstOrThrow()
  return count
}

/** Requests at a tenant since then, by whomever and whatever became of them. */
export async function countRequestedGrants(
  trx: Trx,
  tenantId: string,
  since: Date,
): Promise<number> {
  const { count } = await trx
    .selectFrom('access_grants')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', 'requested')
    .where('requested_at', '>=', since)
    .executeTakeFirstOrThrow()
  return count
}

/** Break-glass accesses of an operator to any tenant since then. */
export async function countBreakGlass(trx: Trx, userId: string, since: Date): Promise<number> {
  const { count } = await trx
    .selectFrom('access_grants')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('kind', '=', 'break_glass')
    .where('requested_at', '>=', since)
    .executeTakeFirstOrThrow()
  return count
}

export interface NewGrant {
  tenantId: string
  kind: GrantKind
  status: 'pending' | 'active'
  userId: string
  partnerId: string | null
  role: GrantRole
  scopes: readonly GrantScope[]
  reason: string
  requestedAt: Date
  expiresAt: Date
  endsAt: Date
}

/**
 * Returns the id; undefined when the person has a request or access to the tenant already. Requires
 * the tenant's lock, like every change but those by the triggers of migration 0140.
 */
export async function insertGrant(trx: Trx, grant: NewGrant): Promise<string | undefined> {
  const row = await trx
    .insertInto('access_grants')
    .values({
      tenant_id: grant.tenantId,
      kind: grant.kind,
      status: grant.status,
      user_id: grant.userId,
      partner_id: grant.partnerId,
      role: grant.role,
      scopes: [...grant.scopes],
      reason: grant.reason,
      requested_at: grant.requestedAt,
      expires_at: grant.expiresAt,
      ends_at: grant.endsAt,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'user_id'])
        .where('status', 'in', ['pending', 'active'])
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

interface GrantKey {
  tenantId: string
  id: string
}

/** Turns a request into an access. Returns false when it is not pending any more. */
export function approveGrant(
  trx: Trx,
  grant: GrantKey,
  { at, by }: { at: Date; by: string },
): Promise<boolean> {
  return decideGrant(trx, grant, { status: 'active', decided_at: at, decided_by: by })
}

/** Returns false when the request is not pending any more. */
export function declineGrant(
  trx: Trx,
  grant: GrantKey,
  { at, by, reason }: { at: Date; by: string; reason: string | undefined },
): Promise<boolean> {
  return decideGrant(trx, grant, {
    status: 'declined',
    decided_at: at,
    decided_by: by,
    decline_reason: reason ?? null,
    ended_at: at,
    ending: 'owner',
    ended_by: by,
    end_recorded: true,
  })
}

async function decideGrant(
  trx: Trx,
  { tenantId, id }: GrantKey,
  decision: Updateable<Tables['access_grants']>,
): Promise<boolean> {
  const row = await trx
    .updateTable('access_grants')
    .set(decision)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Ends an access or withdraws a request. The caller records it. Returns false when it was over
 * already.
 */
export async function endGrant(
  trx: Trx,
  { tenantId, id }: GrantKey,
  { at, by, ending }: { at: Date; by: string | null; ending: GrantEnding },
): Promise<boolean> {
  const row = await trx
    .updateTable('access_grants')
    .set(({ eb }) => ({
      status: eb
        .case()
        .when('status', '=', 'active')
        .then(sql.lit<GrantStatus>('ended'))
        .else(sql.lit<GrantStatus>(ending === 'time' ? 'expired' : 'withdrawn'))
        .end(),
      ended_at: at,
      ended_by: by,
      ending,
      end_recorded: true,
    }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'active'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false when it was acknowledged before, or is no break-glass access. */
export async function acknowledgeGrant(
  trx: Trx,
  { tenantId, id }: GrantKey,
  { at, by }: { at: Date; by: string },
): Promise<boolean> {
  const row = await trx
    .updateTable('access_grants')
    .set({ acknowledged_at: at, acknowledged_by: by })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('kind', '=', 'break_glass')
    .where('acknowledged_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The person's request or access to the tenant; there is one at most. */
export function findOpenGrant(
  trx: Trx,
  tenantId: string,
  userId: string,
): Promise<GrantRow | undefined> {
  return select(trx)
    .where('g.tenant_id', '=', tenantId)
    .where('g.user_id', '=', userId)
    .where('g.status', 'in', ['pending', 'active'])
    .executeTakeFirst()
}

/**
 * Whether an access is still active. What ends it waits until the transaction is over, so that a
 * change is made either before the end or not at all.
 */
export async function holdActiveGrant(trx: Trx, tenantId: string, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('access_grants')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Requests and accesses whose time is over, oldest first. */
export function findDueGrants(db: Db, now: Date, most: number): Promise<GrantKey[]> {
  return db
    .selectFrom('access_grants')
    .select(['tenant_id as tenantId', 'id'])
    .where('status', 'in', ['pending', 'active'])
    .where((eb) =>
      eb.or([
        eb('ends_at', '<=', now),
        eb.and([eb('status', '=', 'pending'), eb('expires_at', '<=', now)]),
      ]),
    )
    .orderBy('id')
    .limit(most)
    .execute()
}

/**
 * Marks ends that the audit log does not have as recorded, and returns them: those that came with a
 * change of person, partner or tenant.
 */
export async function takeUnrecordedEnds(trx: Trx, most: number): Promise<GrantRow[]> {
  const taken = await trx
    .updateTable('access_grants as g')
    .set({ end_recorded: true })
    .from((eb) =>
      eb
        .selectFrom('access_grants')
        .select(['tenant_id', 'id'])
        .where('ended_at', 'is not', null)
        .where('end_recorded', '=', false)
        .orderBy('ended_at')
        .limit(most)
        .forUpdate()
        .skipLocked()
        .as('due'),
    )
    .whereRef('g.tenant_id', '=', 'due.tenant_id')
    .whereRef('g.id', '=', 'due.id')
    .returning(['g.id'])
    .execute()
  if (taken.length === 0) return []
  return select(trx)
    .where(
      'g.id',
      'in',
      taken.map(({ id }) => id),
    )
    .execute()
}

/**
 * Whether the person is still what the request was made as: staff of the partner, or an operator.
 */
export async function isRequesterEligible(trx: Trx, { tenantId, id }: GrantKey): Promise<boolean> {
  const row = await trx
    .selectFrom('access_grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .innerJoin('tenants as t', 't.id', 'g.tenant_id')
    .leftJoin('partners as p', 'p.id', 'g.partner_id')
    .select('g.id')
    .where('g.tenant_id', '=', tenantId)
    .where('g.id', '=', id)
    .where('u.deactivated_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb.and([eb('g.partner_id', 'is', null), eb('u.platform_admin', '=', true)]),
        eb.and([
          eb('u.partner_id', '=', eb.ref('g.partner_id')),
          eb('t.partner_id', '=', eb.ref('g.partner_id')),
          eb('p.status', '=', 'active'),
        ]),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}
