import type { FlagTarget } from '@atrium/core/flags/flag-evaluation'
import type { FlagGuard, GuardSignal, SignalCount } from '@atrium/core/flags/flag-guards'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/** A flag with guard rules, as their evaluation reads it. */
export interface GuardedFlag {
  key: string
  version: number
  guards: FlagGuard[]
  /**
   * Since when the flag reaches the tenants that it reaches now: its last change of anything that
   * decides about that.
   */
  reachedSince: Date
}

// Plain SQL in this file: jsonb operators, and four queries that give the same columns.

/** Fields of a flag that say nothing about which tenants it reaches. */
const aside = ['description', 'owner', 'staleAfter', 'guards', 'rollback']
const guarded = sql`f.key, f.version, f.guards, greatest(
  case when f.enabled_from <= now() then f.enabled_from end,
  (select max(c.at) from flag_changes c where c.flag_key = f.key and (
    c.before is null or c.after is null or c.before - ${sql.val(aside)}::text[] is distinct from c.after - ${sql.val(aside)}::text[])),
  f.created_at) as "reachedSince"`

/** Flags in rollout that have guard rules. */
export async function listGuardedFlags(db: Db): Promise<GuardedFlag[]> {
  const { rows } = await sql<GuardedFlag>`select ${guarded} from flags f
    where f.removed_at is null and f.state = 'rollout' and f.guards <> '[]' order by f.key`.execute(
    db,
  )
  return rows
}

/** Any flag that is not removed, with or without guard rules. */
export async function findGuardedFlag(db: Db, key: string): Promise<GuardedFlag | undefined> {
  const { rows } =
    await sql<GuardedFlag>`select ${guarded} from flags f where f.removed_at is null and f.key = ${key}`.execute(
      db,
    )
  return rows[0]
}

/** What happened to one tenant, with what decides which flags are on for it. */
export interface TenantSignal extends FlagTarget, SignalCount {}

/** Events of a signal from one moment to another, per tenant that is not deleted and had any. */
export async function readSignal(
  db: Db,
  signal: GuardSignal,
  since: Date,
  until: Date,
): Promise<TenantSignal[]> {
  const { rows } = await sql<TenantSignal>`
    select t.slug, t.plan, p.slug as "partnerSlug", s.events::integer as events, s.failures::integer as failures
    from (${sources[signal](since, until)}) s join tenants t on t.id = s.tenant_id left join partners p on p.id = t.partner_id
    where t.status <> 'deleted'`.execute(db)
  return rows
}

const sources: Readonly<Record<GuardSignal, (since: Date, until: Date) => RawBuilder<unknown>>> = {
  // Each step by its last run: how often a failed one was retried in the meantime does not count.
  provisioning_errors: (since, until) => sql`
    select tenant_id, count(*) as events, count(*) filter (where state = 'error') as failures
    from provisioning_steps where finished_at >= ${since} and finished_at <= ${until} and state in ('ok', 'error') group by tenant_id`,

  // The payment processor tells of each attempt with an event of its own. Invoices over nothing are
  // never attempted.
  payment_failures: (since, until) => sql`
    select i.tenant_id, count(*) as events, count(*) filter (where w.type = 'invoice.payment_failed') as failures
    from webhook_inbox w join invoices i on i.stripe_invoice_id = w.object_id
    where w.received_at >= ${since} and w.received_at <= ${until} and w.created >= ${since} and w.state <> 'ignored_mode'
      and w.type in ('invoice.payment_failed', 'invoice.paid') and i.amount_due > 0
    group by i.tenant_id`,

  // An event that failed may be about an object that is not stored yet, so that only its customer
  // says whose it is.
  webhook_failures: (since, until) => sql`
    select c.tenant_id, count(*) as events, count(*) filter (where w.state in ('failed', 'parked')) as failures
    from webhook_inbox w join payment_customers c on c.customer_id = coalesce(w.payload #>> '{data,object,customer}', w.object_id)
    where w.received_at >= ${since} and w.received_at <= ${until} and w.state in ('applied', 'skipped', 'stale', 'failed', 'parked')
    group by c.tenant_id`,

  server_errors: (since, until) => sql`
    select tenant_id, sum(requests) as events, sum(failures) as failures
    from tenant_request_counts where minute >= ${since} and minute <= ${until} group by tenant_id`,
}
