import type { PriceAmount, PriceScheme, PriceState, PriceTier } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../platform/connect.ts'

export interface PriceAmountRow {
  currency: string
  unitAmount: number
  tiers: PriceTier[] | null
  stripePriceId: string | null
  error: string | null
}

export interface PriceRow {
  id: string
  plan: Plan
  cycle: BillingCycle
  version: number
  state: PriceState
  scheme: PriceScheme
  taxBehavior: TaxBehavior
  minSeats: number
  maxSeats: number | null
  trialDays: number
  visibleFrom: Date | null
  visibleUntil: Date | null
  partnerSlugs: string[] | null
  note: string | null
  createdAt: Date
  updatedAt: Date
  amounts: PriceAmountRow[]
  /** Subscriptions that run at it. */
  subscriptions: number
}

function selectPrices(db: Db | Trx) {
  return db.selectFrom('prices as p').select(({ cast, selectFrom }) => [
    'p.id',
    'p.plan',
    'p.cycle',
    'p.version',
    'p.state',
    'p.scheme',
    'p.tax_behavior as taxBehavior',
    'p.min_seats as minSeats',
    'p.max_seats as maxSeats',
    'p.trial_days as trialDays',
    'p.visible_from as visibleFrom',
    'p.visible_until as visibleUntil',
    // The builder has no subquery as an array.
    sql<string[] | null>`case when p.partner_ids is not null
      then array(select q.slug from partners q where q.id = any(p.partner_ids) order by q.slug) end`.as(
      'partnerSlugs',
    ),
    'p.note',
    'p.created_at as createdAt',
    'p.updated_at as updatedAt',
    jsonArrayFrom(
      selectFrom('price_amounts as a')
        .select([
          'a.currency',
          // JSON turns it into a number.
          sql<number>`a.unit_amount`.as('unitAmount'),
          'a.tiers',
          'a.stripe_price_id as stripePriceId',
          'a.stripe_error as error',
        ])
        .whereRef('a.price_id', '=', 'p.id')
        .orderBy('a.currency'),
    ).as('amounts'),
    selectFrom('subscriptions as s')
      .select(({ fn }) => cast<number>(fn.countAll(), 'integer').as('count'))
      .whereRef('s.price_id', '=', 'p.id')
      .where('s.status', 'not in', ['canceled', 'incomplete_expired'])
      .$asScalar()
      .$notNull()
      .as('subscriptions'),
  ])
}

export interface PriceFilter {
  plan?: Plan | undefined
  cycle?: BillingCycle | undefined
  state?: PriceState | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export async function listPrices(db: Db, filter: PriceFilter): Promise<PriceRow[]> {
  let query = selectPrices(db)
  if (filter.plan) query = query.where('p.plan', '=', filter.plan)
  if (filter.cycle) query = query.where('p.cycle', '=', filter.cycle)
  if (filter.state) query = query.where('p.state', '=', filter.state)
  if (filter.before) query = query.where('p.id', '<', filter.before)
  return query
    .orderBy('p.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findPrice(db: Db | Trx, id: string): Promise<PriceRow | undefined> {
  return selectPrices(db).where('p.id', '=', id).executeTakeFirst()
}

export function findPriceOnSale(
  db: Db | Trx,
  plan: Plan,
  cycle: BillingCycle,
): Promise<PriceRow | undefined> {
  return selectPrices(db)
    .where('p.state', '=', 'active')
    .where('p.plan', '=', plan)
    .where('p.cycle', '=', cycle)
    .executeTakeFirst()
}

/** The price that the payment processor knows by this id, whatever its state. */
export function findPriceByStripeId(
  db: Db | Trx,
  stripePriceId: string,
): Promise<PriceRow | undefined> {
  return selectPrices(db)
    .where('p.id', '=', ({ selectFrom }) =>
      selectFrom('price_amounts').select('price_id').where('stripe_price_id', '=', stripePriceId),
    )
    .executeTakeFirst()
}

/** What a tenant of this partner, or of none, can buy at `at`. */
export function listOfferedPrices(
  db: Db | Trx,
  { partnerId, at }: { partnerId: string | null; at: Date },
): Promise<PriceRow[]> {
  return selectPrices(db)
    .where('p.state', '=', 'active')
    .where((eb) => eb.or([eb('p.visible_from', 'is', null), eb('p.visible_from', '<=', at)]))
    .where((eb) => eb.or([eb('p.visible_until', 'is', null), eb('p.visible_until', '>', at)]))
    .where((eb) =>
      eb.or([
        eb('p.partner_ids', 'is', null),
        eb(sql`${partnerId}::uuid`, '=', eb.fn.any('p.partner_ids')),
      ]),
    )
    .orderBy(sql`array_position(array['free', 'starter', 'business', 'enterprise'], p.plan)`)
    .orderBy('p.cycle')
    .execute()
}

/** Lets one transaction at a time make or activate versions of one plan and cycle. */
export async function lockPriceVersions(trx: Trx, plan: Plan, cycle: BillingCycle): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`price:${plan}:${cycle}`}))`.execute(trx)
}

/** Undefined when it is gone. */
export function lockPrice(
  trx: Trx,
  id: string,
): Promise<{ id: string; state: PriceState } | undefined> {
  return trx
    .selectFrom('prices')
    .select(['id', 'state'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export interface PriceFields {
  scheme: PriceScheme
  taxBehavior: TaxBehavior
  minSeats: number
  maxSeats: number | null
  trialDays: number
  visibleFrom: string | Date | null
  visibleUntil: string | Date | null
  partnerIds: readonly string[] | null
  note: string | null
}

const toColumns = (fields: PriceFields) => ({
  scheme: fields.scheme,
  tax_behavior: fields.taxBehavior,
  min_seats: fields.minSeats,
  max_seats: fields.maxSeats,
  trial_days: fields.trialDays,
  visible_from: fields.visibleFrom,
  visible_until: fields.visibleUntil,
  partner_ids: fields.partnerIds === null ? null : [...fields.partnerIds],
  note: fields.note,
})

/** A draft with the next version of its plan and cycle. Requires `lockPriceVersions`. */
export async function insertPrice(
  trx: Trx,
  price: { plan: Plan; cycle: BillingCycle; fields: PriceFields; amounts: readonly PriceAmount[] },
): Promise<string> {
  const { newest } = await trx
    .selectFrom('prices')
    .select(({ fn }) => fn.max('version').as('newest'))
    .where('plan', '=', price.plan)
    .where('cycle', '=', price.cycle)
    .executeTakeFirstOrThrow()
  const { id } = await trx
    .insertInto('prices')
    .values({
      plan: price.plan,
      cycle: price.cycle,
      version: (newest ?? 0) + 1,
      ...toColumns(price.fields),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertAmounts(trx, id, price.amounts)
  return id
}

/**
 * Marks a change of the price that is in another row: a new version, which takes its place a moment
 * later.
 */
export async function touchPrice(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('prices')
    .set({ updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Writes the fields. `amounts` replaces the existing amounts and their ids at the payment
 * processor.
 */
export async function updatePrice(
  trx: Trx,
  id: string,
  fields: PriceFields,
  amounts?: readonly PriceAmount[],
): Promise<void> {
  await trx
    .updateTable('prices')
    .set({ ...toColumns(fields), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
  if (!amounts) return
  await trx.deleteFrom('price_amounts').where('price_id', '=', id).execute()
  await insertAmounts(trx, id, amounts)
}

async function insertAmounts(
  trx: Trx,
  priceId: string,
  amounts: readonly PriceAmount[],
): Promise<void> {
  await trx
    .insertInto('price_amounts')
    .values(
      amounts.map(({ currency, unitAmount, tiers }) => ({
        price_id: priceId,
        currency,
        unit_amount: unitAmount,
        tiers: tiers ? JSON.stringify(tiers) : null,
      })),
    )
    .execute()
}

/** What the payment processor said to one currency of a price. */
export async function saveStripePrice(
  db: Db | Trx,
  priceId: string,
  currency: string,
  outcome: { stripePriceId: string } | { error: string | null },
): Promise<void> {
  await db
    .updateTable('price_amounts')
    .set(
      'error' in outcome
        ? { stripe_error: outcome.error }
        : { stripe_price_id: outcome.stripePriceId, stripe_error: null },
    )
    .where('price_id', '=', priceId)
    .where('currency', '=', currency)
    .execute()
}

/**
 * Puts a version on sale and withdraws the previous one, whose id it returns. Requires
 * `lockPriceVersions`.
 */
export async function activatePrice(
  trx: Trx,
  price: { id: string; plan: Plan; cycle: BillingCycle },
): Promise<string | undefined> {
  const before = await trx
    .updateTable('prices')
    .set({ state: 'archived', updated_at: sql<Date>`now()` })
    .where('plan', '=', price.plan)
    .where('cycle', '=', price.cycle)
    .where('state', '=', 'active')
    .where('id', '<>', price.id)
    .returning('id')
    .executeTakeFirst()
  await trx
    .updateTable('prices')
    .set({ state: 'active', updated_at: sql<Date>`now()` })
    .where('id', '=', price.id)
    .execute()
  return before?.id
}

export async function archivePrice(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('prices')
    .set({ state: 'archived', updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** False when a subscription was ever made at it. Requires `lockPrice`. */
export async function deletePrice(trx: Trx, id: string): Promise<boolean> {
  const used = await trx
    .selectFrom('subscriptions as s')
    .select('s.id')
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('s.price_id', '=', id),
        eb(
          's.stripe_price_id',
          'in',
          selectFrom('price_amounts as a').select('a.stripe_price_id').where('a.price_id', '=', id),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (used) return false
  await trx.deleteFrom('prices').where('id', '=', id).execute()
  return true
}

/** The ids of partners by slug; slugs that no partner has are left out. */
export async function partnerIdsBySlug(
  db: Db | Trx,
  slugs: readonly string[],
): Promise<Map<string, string>> {
  if (slugs.length === 0) return new Map()
  const rows = await db
    .selectFrom('partners')
    .select(['slug', 'id'])
    .where('slug', 'in', [...slugs])
    .execute()
  return new Map(rows.map((row) => [row.slug, row.id]))
}
