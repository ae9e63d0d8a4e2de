import {
  openMoveStates,
  type PriceMigrationState,
  type PriceMoveState,
} from '@atrium/core/billing/price-migrations'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'
import { emailOf } from './email-of.ts'

const runningStatuses = ['active', 'past_due', 'trialing'] as const

/** The price that takes the subscribers, as far as it decides who can move. */
export interface MoveTarget {
  priceId: string
  /** Those that the payment processor has it in. */
  currencies: readonly string[]
  minSeats: number
  maxSeats: number | null
}

type Subscriptions = ExpressionBuilder<Tables & { s: Tables['subscriptions'] }, 's'>

const isRunning = ({ eb, and, not, exists, selectFrom }: Subscriptions) =>
  and([
    eb('s.status', 'in', runningStatuses),
    eb('s.cancel_at_period_end', '=', false),
    not(
      exists(
        selectFrom('price_moves as m')
          .select('m.subscription_id')
          .whereRef('m.subscription_id', '=', 's.id')
          .where('m.state', 'in', openMoveStates),
      ),
    ),
  ])

const isOffered =
  ({ currencies, minSeats, maxSeats }: MoveTarget) =>
  ({ eb, and, val }: Subscriptions) =>
    and([
      currencies.length > 0 ? eb('s.currency', 'in', [...currencies]) : eb(val(false), '=', true),
      eb('s.seats', '>=', minSeats),
      ...(maxSeats === null ? [] : [eb('s.seats', '<=', maxSeats)]),
    ])

export interface SubscriberGroup {
  currency: string
  seats: number
  /** What one of them costs per period now. */
  total: bigint
  subscriptions: number
}

/** Who would move, grouped by what decides the amounts. */
export async function listMovableGroups(
  db: Db | Trx,
  fromPriceId: string,
  target: MoveTarget,
): Promise<SubscriberGroup[]> {
  const total = sql<string>`coalesce(s.period_amount, s.per_seat_amount * s.seats)`
  const rows = await db
    .selectFrom('subscriptions as s')
    .select(['s.currency', 's.seats', total.as('total')])
    .select(({ fn }) => fn.countAll<number>().as('subscriptions'))
    .where('s.price_id', '=', fromPriceId)
    .where('s.source', '=', 'stripe')
    .where(isRunning)
    .where(isOffered(target))
    .groupBy(['s.currency', 's.seats', total])
    .execute()
  return rows.map((row) => ({
    ...row,
    total: BigInt(row.total),
    subscriptions: Number(row.subscriptions),
  }))
}

/** Who stays at the price, and why. */
export async function countStaying(
  db: Db | Trx,
  fromPriceId: string,
  target: MoveTarget,
): Promise<{ manual: number; notRunning: number; notOffered: number }> {
  const ended = ['canceled', 'incomplete_expired'] as const
  const row = await db
    .selectFrom('subscriptions as s')
    .select(({ fn, eb, and, not }) => [
      fn.countAll<number>().filterWhere('s.source', '=', 'manual').as('manual'),
      fn
        .countAll<number>()
        .filterWhere((expression) =>
          and([eb('s.source', '=', 'stripe'), not(isRunning(expression as Subscriptions))]),
        )
        .as('notRunning'),
      fn
        .countAll<number>()
        .filterWhere((expression) =>
          and([
            eb('s.source', '=', 'stripe'),
            isRunning(expression as Subscriptions),
            not(isOffered(target)(expression as Subscriptions)),
          ]),
        )
        .as('notOffered'),
    ])
    .where('s.price_id', '=', fromPriceId)
    .where('s.status', 'not in', ended)
    .executeTakeFirstOrThrow()
  return {
    manual: Number(row.manual),
    notRunning: Number(row.notRunning),
    notOffered: Number(row.notOffered),
  }
}

export interface NewPriceMigration {
  fromPriceId: string
  target: MoveTarget
  from: string
  mayKeep: boolean
  reason: string
  requestedBy: string
  now: Date
}

/** Writes the migration and its subscribers in one statement. Returns its id. */
export async function insertPriceMigration(
  trx: Trx,
  { fromPriceId, target, from, mayKeep, reason, requestedBy, now }: NewPriceMigration,
): Promise<string> {
  const { id } = await trx
    .insertInto('price_migrations')
    .values({
      from_price_id: fromPriceId,
      to_price_id: target.priceId,
      from_day: from,
      may_keep: mayKeep,
      reason,
      state: 'running',
      requested_by: requestedBy,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('price_moves')
    .columns(['migration_id', 'subscription_id', 'tenant_id', 'currency', 'state', 'next_at'])
    .expression((eb) =>
      eb
        .selectFrom('subscriptions as s')
        .select(({ val }) => [
          val(id).as('migration_id'),
          's.id',
          's.tenant_id',
          's.currency',
          val<PriceMoveState>('waiting').as('state'),
          val(now).as('next_at'),
        ])
        .where('s.price_id', '=', fromPriceId)
        .where('s.source', '=', 'stripe')
        .where(isRunning)
        .where(isOffered(target)),
    )
    .execute()
  return id
}

export interface PriceMigrationRow {
  id: string
  plan: Plan
  cycle: BillingCycle
  fromPriceId: string
  fromVersion: number
  toPriceId: string
  toVersion: number
  from: string
  mayKeep: boolean
  reason: string
  state: PriceMigrationState
  requestedBy: string | null
  createdAt: Date
  stoppedAt: Date | null
  subscribers: Partial<Record<PriceMoveState, number>>
}

function migrations(db: Db | Trx) {
  return db
    .selectFrom('price_migrations as g')
    .innerJoin('prices as f', 'f.id', 'g.from_price_id')
    .innerJoin('prices as t', 't.id', 'g.to_price_id')
    .select([
      ...(['g.id', 'f.plan', 'f.cycle', 'g.from_price_id as fromPriceId'] as const),
      ...(['f.version as fromVersion', 'g.to_price_id as toPriceId'] as const),
      ...(['t.version as toVersion', 'g.may_keep as mayKeep', 'g.reason', 'g.state'] as const),
      ...(['g.created_at as createdAt', 'g.stopped_at as stoppedAt'] as const),
    ])
    .select([
      sql<string>`g.from_day::text`.as('from'),
      emailOf('g.requested_by').as('requestedBy'),
      sql<
        Partial<Record<PriceMoveState, number>>
      >`(select coalesce(jsonb_object_agg(c.state, c.count), '{}') from (
        select m.state, count(*) from price_moves m where m.migration_id = g.id group by m.state) c)`.as(
        'subscribers',
      ),
    ])
}

/** Newest first, one row more than asked. */
export function listPriceMigrations(
  db: Db,
  filter: { priceId?: string | undefined; before?: string | undefined; limit: number },
): Promise<PriceMigrationRow[]> {
  const { priceId, before, limit } = filter
  return migrations(db)
    .$if(priceId !== undefined, (query) =>
      query.where(({ eb, or }) =>
        or([eb('g.from_price_id', '=', priceId ?? ''), eb('g.to_price_id', '=', priceId ?? '')]),
      ),
    )
    .$if(before !== undefined, (query) => query.where('g.id', '<', before ?? ''))
    .orderBy('g.id', 'desc')
    .limit(limit + 1)
    .execute()
}

export function findPriceMigration(
  db: Db | Trx,
  id: string,
): Promise<PriceMigrationRow | undefined> {
  return migrations(db).where('g.id', '=', id).executeTakeFirst()
}

/** Stops it for subscribers who were not notified yet; the others are stopped one by one. */
export async function stopPriceMigration(trx: Trx, id: string, now: Date): Promise<boolean> {
  const stopped = await trx
    .updateTable('price_migrations')
    .set({ state: 'stopped', stopped_at: now })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst()
  if (!stopped) return false
  await trx
    .updateTable('price_moves')
    .set(({ eb }) => ({
      state: eb
        .case()
        .when('state', '=', 'waiting')
        .then<PriceMoveState>('stopped')
        .else<PriceMoveState>('stopping')
        .end(),
      next_at: now,
    }))
    .where('migration_id', '=', id)
    .where('state', 'in', ['waiting', 'notified', 'scheduled'])
    .execute()
  return true
}

/** Marks migrations as finished whose subscribers have all arrived or stayed. */
export async function finishPriceMigrations(db: Db): Promise<void> {
  await db
    .updateTable('price_migrations as g')
    .set({ state: 'finished' })
    .where('g.state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('price_moves as m')
            .select('m.subscription_id')
            .whereRef('m.migration_id', '=', 'g.id')
            .where('m.state', 'in', openMoveStates),
        ),
      ),
    )
    .execute()
}

export interface PriceMoveRow {
  migrationId: string
  subscriptionId: string
  tenantId: string
  tenantSlug: string
  tenantName: string
  fromPriceId: string
  toPriceId: string
  fromDay: string
  mayKeep: boolean
  currency: string
  cycle: BillingCycle
  state: PriceMoveState
  oldAmount: string | null
  newAmount: string | null
  effectiveAt: Date | null
  notifiedAt: Date | null
  subscriptionVersion: number | null
  attempts: number
  error: string | null
}

function moves(db: Db | Trx) {
  return db
    .selectFrom('price_moves as m')
    .innerJoin('price_migrations as g', 'g.id', 'm.migration_id')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .innerJoin('prices as p', 'p.id', 'g.to_price_id')
    .select([
      ...(['m.migration_id as migrationId', 'm.subscription_id as subscriptionId'] as const),
      ...(['m.tenant_id as tenantId', 't.slug as tenantSlug', 't.name as tenantName'] as const),
      ...(['g.from_price_id as fromPriceId', 'g.to_price_id as toPriceId'] as const),
      ...(['g.may_keep as mayKeep', 'm.currency', 'p.cycle', 'm.state'] as const),
      ...(['m.old_amount as oldAmount', 'm.new_amount as newAmount'] as const),
      ...(['m.effective_at as effectiveAt', 'm.notified_at as notifiedAt'] as const),
      ...(['m.subscription_version as subscriptionVersion', 'm.attempts', 'm.error'] as const),
    ])
    .select(sql<string>`g.from_day::text`.as('fromDay'))
}

/** By subscription, one row more than asked. */
export function listPriceMoves(
  db: Db,
  filter: {
    migrationId: string
    state?: PriceMoveState | undefined
    after?: string | undefined
    limit: number
  },
): Promise<PriceMoveRow[]> {
  const { migrationId, state, after, limit } = filter
  return moves(db)
    .where('m.migration_id', '=', migrationId)
    .$if(state !== undefined, (query) => query.where('m.state', '=', state ?? 'waiting'))
    .$if(after !== undefined, (query) => query.where('m.subscription_id', '>', after ?? ''))
    .orderBy('m.subscription_id')
    .limit(limit + 1)
    .execute()
}

/** Moves whose time has come, oldest first. */
export function findDueMoves(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ migrationId: string; subscriptionId: string; tenantId: string }[]> {
  return db
    .selectFrom('price_moves')
    .select([
      ...(['migration_id as migrationId', 'subscription_id as subscriptionId'] as const),
      'tenant_id as tenantId',
    ])
    .where('state', 'in', openMoveStates)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(limit)
    .execute()
}

export interface MoveKey {
  migrationId: string
  subscriptionId: string
}

/** A move under a row lock. */
export function lockMove(
  trx: Trx,
  { migrationId, subscriptionId }: MoveKey,
): Promise<PriceMoveRow | undefined> {
  return moves(trx)
    .where('m.migration_id', '=', migrationId)
    .where('m.subscription_id', '=', subscriptionId)
    .forUpdate('m')
    .executeTakeFirst()
}

/** The move that lies ahead of a tenant and was announced. */
export function findComingMove(db: Db | Trx, tenantId: string): Promise<PriceMoveRow | undefined> {
  return moves(db)
    .where('m.tenant_id', '=', tenantId)
    .where('m.state', 'in', ['notified', 'scheduled'])
    .executeTakeFirst()
}

export interface MoveChanges {
  state?: PriceMoveState
  old_amount?: bigint
  new_amount?: bigint
  effective_at?: Date
  notified_at?: Date
  subscription_version?: number
  next_at?: Date
  attempts?: number
  error?: string | null
}

export async function updateMove(
  db: Db | Trx,
  { migrationId, subscriptionId }: MoveKey,
  changes: MoveChanges,
): Promise<void> {
  await db
    .updateTable('price_moves')
    .set(changes)
    .where('migration_id', '=', migrationId)
    .where('subscription_id', '=', subscriptionId)
    .execute()
}
