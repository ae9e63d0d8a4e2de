import type {
  ActivityFacts,
  GatheredHealth,
  HealthBand,
  MailTrust,
  PaymentFacts,
  SecurityFacts,
  StoredHealthFactor,
} from '@atrium/core/health-scores/health'
import type { HealthDay } from '@atrium/core/health-scores/health-reports'
import type { ProvisioningStep, StepState, TenantStatus } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database, Db, Trx } from '../platform/connect.ts'
import type { NamedStatement } from '../platform/keyed-read.ts'

/** Everything that the health of a tenant is computed from. */
export interface HealthFacts {
  id: string
  partnerId: string | null
  status: TenantStatus
  createdAt: Date
  seats: number
  memberCount: number
  steps: { step: ProvisioningStep; state: StepState; changedAt: number }[] | null
  payment: PaymentFacts | null
  /** Null where members were not asked, like `security`. */
  activity: ActivityFacts | null
  mailTrust: MailTrust | null
  security: SecurityFacts | null
}

interface DetailRow extends Omit<HealthFacts, 'payment'> {
  subscription: {
    status: PaymentFacts['status']
    pastDueSince: string | null
    cancelAtPeriodEnd: boolean
    currentPeriodEnd: string | null
    card: { expMonth?: number; expYear?: number } | null
    lastFailureAt: string | null
  } | null
}

const admins = sql.raw(`m.role in ('admin', 'owner')`)

const ofMembers = sql`json_build_object('members', coalesce(p.active, 0), 'recent', coalesce(p.recent, 0)) as activity,
      json_build_object('members', coalesce(p.active, 0), 'enrolled', coalesce(p.enrolled, 0),
        'adminsWithout', coalesce(p."adminsWithout", 0), 'unknown', coalesce(p.unknown, 0)) as security`

const membersInSum = ({ recentSince }: HealthTimes) => sql`
      select count(*) as members, count(*) filter (where m.status = 'active') as active,
        count(*) filter (where m.status = 'active' and u.last_seen_at >= ${recentSince}) as recent,
        count(*) filter (where m.status = 'active' and (r.value ->> 'enrolled')::boolean) as enrolled,
        count(*) filter (where m.status = 'active' and r.value is null) as unknown,
        count(*) filter (where m.status = 'active' and ${admins} and not (r.value ->> 'enrolled')::boolean) as "adminsWithout"
      from memberships m join users u on u.id = m.user_id
        left join user_readings r on r.user_id = m.user_id and r.kind = 'second_factors'
      where m.tenant_id = t.id and m.status <> 'removing'`
export interface HealthTimes {
  /** From when on a sign-in counts as recent. */
  recentSince: Date
  /** From when on a failed payment counts. */
  failuresSince: Date
}

/**
 * The inputs of the named tenants' scores in one statement. Without `members`, sign-ins and second
 * factors are not read.
 */
export async function readHealthFacts(
  db: Db | Trx,
  tenantIds: readonly string[],
  times: HealthTimes,
  { members }: { members: boolean } = { members: true },
): Promise<HealthFacts[]> {
  const people = members
    ? membersInSum(times)
    : sql`select count(*) as members from memberships m where m.tenant_id = t.id and m.status <> 'removing'`
  // Plain SQL: one pass over the members with seven filtered counts, and `jsonb_array_elements`.
  const { rows } = await sql<DetailRow>`
    select t.id, t.partner_id as "partnerId", t.status, t.created_at as "createdAt", t.seats, coalesce(p.members, 0) as "memberCount",
      (select json_agg(json_build_object('step', s.step, 'state', s.state, 'changedAt', round(extract(epoch from s.changed_at) * 1000)))
        from provisioning_steps s where s.tenant_id = t.id) as steps,
      ${members ? ofMembers : sql`null as activity, null as security`},
      (select case when bool_or(d.verdict in ('missing', 'mismatch') and d.purpose in ('mx', 'dkim')) then 'failed'
          when bool_or(d.verdict in ('missing', 'mismatch')) then 'warned'
          when bool_and(d.verdict = 'ok') then 'passed' end
        from (select v ->> 'purpose' as purpose, v ->> 'verdict' as verdict
          from domains o, jsonb_array_elements(o.verdicts) v
          where o.tenant_id = t.id and o.verified_at is not null and o.last_checked_at is not null
            and v ->> 'purpose' in ('mx', 'spf', 'dkim', 'dmarc')) d) as "mailTrust",
      (select json_build_object('status', s.status, 'pastDueSince', s.past_due_since, 'cancelAtPeriodEnd', s.cancel_at_period_end,
          'currentPeriodEnd', s.current_period_end, 'card', c.card,
          'lastFailureAt', (select max(i.created_at) from invoices i where i.tenant_id = t.id and i.created_at >= ${times.failuresSince}
            and (i.attempt_count > 1 or (i.attempt_count > 0 and i.status in ('open', 'uncollectible')))))
        from subscriptions s left join payment_customers c on c.tenant_id = s.tenant_id
        where s.tenant_id = t.id and s.status not in ('canceled', 'incomplete_expired') limit 1) as subscription
    from tenants t left join lateral (${people}) p on true
    where t.id = any(${[...tenantIds]}::uuid[])`.execute(db)
  return rows.map(({ subscription, ...row }) => ({
    ...row,
    payment: subscription && toPaymentFacts(subscription),
  }))
}

function toPaymentFacts(row: NonNullable<DetailRow['subscription']>): PaymentFacts {
  const date = (text: string | null) => (text === null ? null : new Date(text))
  const { card } = row
  const known = card?.expMonth !== undefined && card.expYear !== undefined
  return {
    status: row.status,
    pastDueSince: date(row.pastDueSince),
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    currentPeriodEnd: date(row.currentPeriodEnd),
    lastFailureAt: date(row.lastFailureAt),
    // A card is good until its month is over.
    cardGoodUntil: known ? new Date(Date.UTC(card.expYear ?? 0, card.expMonth ?? 0, 1)) : null,
  }
}

/**
 * Tenants whose score is due or has not been computed since the given time; deleted tenants once.
 */
export async function listHealthDue(db: Db, since: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tenants as t')
    .leftJoin('tenant_health as h', 'h.tenant_id', 't.id')
    .select('t.id')
    .where(({ eb, and, or, not }) =>
      or([
        eb('h.computed_at', 'is', null),
        eb('h.due', '=', true),
        and([
          eb('h.computed_at', '<', since),
          not(and([eb('t.status', '=', 'deleted'), eb('h.band', '=', 'inactive')])),
        ]),
      ]),
    )
    .orderBy('h.computed_at', (order) => order.asc().nullsFirst())
    .orderBy('t.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export interface ComputedHealth {
  tenantId: string
  score: number | null
  band: HealthBand
  factors: readonly StoredHealthFactor[]
  gathered: GatheredHealth
}

/**
 * Writes what was computed at `now`, and makes it the health of that day (UTC). Of two who compute
 * at once the later moment stays.
 */
export async function saveHealth(
  db: Db,
  computed: readonly ComputedHealth[],
  now: Date,
): Promise<void> {
  if (computed.length === 0) return
  // Plain SQL: the builder has no `jsonb_to_recordset`.
  const provided = sql`jsonb_to_recordset(${JSON.stringify(computed)}::jsonb)
    as g("tenantId" uuid, score integer, band text, factors jsonb, gathered jsonb)`
  await sql`
    with saved as (
      insert into tenant_health (tenant_id, score, band, factors, gathered, computed_at)
      select g."tenantId", g.score, g.band, g.factors, g.gathered, ${now}::timestamptz from ${provided}
        where exists (select from tenants t where t.id = g."tenantId") order by g."tenantId"
      on conflict (tenant_id) do update set score = excluded.score, band = excluded.band, factors = excluded.factors,
        gathered = excluded.gathered, computed_at = excluded.computed_at, due = false where tenant_health.computed_at <= excluded.computed_at or tenant_health.due
      returning tenant_id)
    insert into tenant_health_days (day, tenant_id, score, band)
    select ${now.toISOString().slice(0, 10)}::date, g."tenantId", g.score, g.band
      from ${provided} join saved s on s.tenant_id = g."tenantId" order by g."tenantId"
    on conflict (tenant_id, day) do update set score = excluded.score, band = excluded.band`.execute(
    db,
  )
}

/** What the last run found of a tenant, unless it was before `since`. */
export async function findGatheredHealth(
  db: Db,
  tenantId: string,
  since: Date,
): Promise<GatheredHealth | undefined> {
  const row = await db
    .selectFrom('tenant_health')
    .select('gathered')
    .where('tenant_id', '=', tenantId)
    .where('computed_at', '>=', since)
    .executeTakeFirst()
  return row?.gathered
}

/** How a tenant was on the days from `since` on, oldest first. */
export function listHealthDays(db: Db, tenantId: string, since: string): Promise<HealthDay[]> {
  return db
    .selectFrom('tenant_health_days')
    .select(({ cast }) => [cast<string>('day', 'text').as('day'), 'score', 'band'])
    .where('tenant_id', '=', tenantId)
    .where('day', '>=', since)
    .orderBy('day')
    .execute()
}

/** Days before `day` are of no more use to any report. */
export async function deleteOldHealthDays(db: Db, day: string): Promise<void> {
  await db.deleteFrom('tenant_health_days').where('day', '<', day).execute()
  await db.deleteFrom('health_summaries').where('day', '<', day).execute()
}

/** Only of one partner's tenants, or of all of them where it is null. */
type Scope = string | null

/**
 * Counts tenants and monthly recurring revenue by band, for every partner and the platform, as the
 * report of the day of `now` (UTC). Deleted tenants are left out. Yearly amounts are summed first
 * and divided by twelve once per figure, in minor units. One at a time.
 */
export async function saveHealthSummaries(trx: Trx, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10)
  await sql`select pg_advisory_xact_lock(hashtext('health_summaries'))`.execute(trx)
  await trx.deleteFrom('health_summaries').where('day', '=', day).execute()
  // Plain SQL: a chain of sums that reads better so, and returns no rows to infer types from.
  await sql`
    with present as (
      select t.id, t.partner_id, coalesce(h.band, 'unknown') as band from tenants t left join tenant_health h on h.tenant_id = t.id
      where t.status <> 'deleted'),
    counted as (
      select partner_id, band, count(*) as tenants from present group by partner_id, band),
    earned as (
      select p.partner_id, p.band, s.currency, sum(s.arr) as arr
      from present p join subscription_history s on s.tenant_id = p.id and s.valid_to is null and s.arr > 0
      group by p.partner_id, p.band, s.currency),
    figures as (
      select partner_id, band, tenants from counted where partner_id is not null
      union all select null, band, sum(tenants) from counted group by band),
    money as (
      select partner_id, band, currency, arr from earned where partner_id is not null
      union all select null, band, currency, sum(arr) from earned group by band, currency)
    insert into health_summaries (day, partner_id, band, tenants, mrr, computed_at)
    select ${day}::date, f.partner_id, f.band, f.tenants,
      coalesce((select jsonb_agg(jsonb_build_object('currency', m.currency, 'mrrMinor', round(m.arr / 12.0)::bigint) order by m.currency)
        from money m where m.band = f.band and m.partner_id is not distinct from f.partner_id), '[]'), ${now}
    from figures f`.execute(trx)
}

export interface BandSummary {
  band: HealthBand
  tenants: number
  mrr: { currency: string; mrrMinor: number }[]
}

/**
 * The bands that tenants were in on a day, and when they were last counted. `bands` is empty where
 * the partner had none.
 */
export interface DaySummary {
  computedAt: Date
  bands: BandSummary[]
}

const summariesOfDays: NamedStatement = {
  name: 'health.summaries',
  text: `select day::text, partner_id is not null as "ofPartner", band, tenants, mrr, computed_at as "computedAt" from health_summaries
    where day in ($1::date, $2::date) and (partner_id is null or partner_id = $3::uuid)`,
}

/**
 * Daily summaries of a partner's tenants, or of all tenants when it is null; a day such as
 * `2027-01-31`. Days without a summary are omitted. One read for both, so that a report never mixes
 * two states.
 */
export async function readHealthSummaries(
  database: Pick<Database, 'read'>,
  partnerId: Scope,
  days: readonly [string, string],
): Promise<Map<string, DaySummary>> {
  const rows = await database.read<
    BandSummary & { day: string; ofPartner: boolean; computedAt: Date }
  >(summariesOfDays, [...days, partnerId])
  const found = new Map<string, DaySummary>()
  for (const { day, ofPartner, computedAt, ...band } of rows) {
    const of = found.get(day) ?? { computedAt, bands: [] }
    if (ofPartner === (partnerId !== null)) of.bands.push(band)
    found.set(day, of)
  }
  return found
}

/** The tenants behind a figure of the report, newest first, one row more than requested. */
export function listTenantsByHealth(
  db: Db,
  partnerId: Scope,
  filter: { band?: HealthBand | undefined; before?: string | undefined; limit: number },
) {
  const { band, before, limit } = filter
  return db
    .selectFrom('tenants as t')
    .leftJoin('tenant_health as h', 'h.tenant_id', 't.id')
    .select(['t.id', 't.slug', 't.name', 'h.score', 'h.factors', 'h.computed_at as computedAt'])
    .select((eb) => [
      bandOf.as('band'),
      jsonArrayFrom(
        eb
          .selectFrom('subscription_history as s')
          .select(({ fn }) => [
            's.currency',
            sql<number>`round(${fn.sum('s.arr')} / 12.0)::bigint`.as('mrrMinor'),
          ])
          .whereRef('s.tenant_id', '=', 't.id')
          .where('s.valid_to', 'is', null)
          .groupBy('s.currency')
          .having(({ fn }) => fn.sum('s.arr'), '>', 0)
          .orderBy('s.currency'),
      ).as('mrr'),
    ])
    .where('t.status', '<>', 'deleted')
    .$if(partnerId !== null, (query) => query.where('t.partner_id', '=', partnerId))
    .$if(band !== undefined, (query) => query.where(bandOf, '=', band ?? 'unknown'))
    .$if(before !== undefined, (query) => query.where('t.id', '<', before ?? ''))
    .orderBy('t.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** The band of `tenant_health as h`, which a new tenant does not have yet. */
const bandOf = sql<HealthBand>`coalesce(h.band, 'unknown')`
