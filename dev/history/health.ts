import type { DemoHistory } from '@atrium/core/demo/demo-history'
import { seededNumbers } from '@atrium/core/demo/seeded-numbers'
import { bandOf } from '@atrium/core/health-scores/health'
import {
  type FailedSystem,
  type FailureKind,
  failureText,
} from '@atrium/core/platform/failure-text'
import { outsideSystems } from '@atrium/core/system/system'
import type { Trx } from '@atrium/db/platform/connect'
import { sql } from 'kysely'
import type { Made } from './companies.ts'
import { idIn, isoDay } from './companies.ts'
import { dayMs, hourMs } from './parts.ts'

/**
 * A score for each day since a company came; its bands, and what they earned, as the report of each
 * day.
 */
export async function insertHealth(
  trx: Trx,
  { companies, until }: DemoHistory,
  made: Made,
): Promise<void> {
  const rows: { tenant_id: string; day: string; score: number; band: string }[] = []
  for (const [index, { slug, since }] of companies.entries()) {
    const random = seededNumbers(7_000 + index)
    const usual = 62 + Math.round(36 * random())
    let score = usual
    const oldest = Math.max(since.getTime() + dayMs, until.getTime() - 365 * dayMs)
    for (let at = oldest; at < until.getTime(); at += dayMs) {
      // Drifts, and comes back to what is usual.
      score = Math.max(
        12,
        Math.min(100, Math.round(score + 14 * (random() - 0.5) + 0.12 * (usual - score))),
      )
      const young = at - since.getTime() < 14 * dayMs
      rows.push({
        tenant_id: idIn(made.tenants, slug),
        day: isoDay(new Date(at)),
        score,
        band: young ? 'new' : bandOf(score),
      })
    }
  }
  await sql`insert into tenant_health_days (tenant_id, day, score, band)
    select tenant_id, day, score, band from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(tenant_id uuid, day date, score integer, band text)
    on conflict do nothing`.execute(trx)
  await sql`
    with days as (
      select d.day, d.band, t.partner_id, s.currency, s.arr
      from tenant_health_days d join tenants t on t.id = d.tenant_id left join subscription_history s on s.tenant_id = d.tenant_id and s.arr > 0
        and s.valid_from < d.day + interval '1 day' and coalesce(s.valid_to > d.day, true) and coalesce(s.valid_to >= d.day + interval '1 day', true)
      where d.day < ${isoDay(until)}::date),
    scopes as (select day, band, partner_id, currency, arr from days where partner_id is not null union all select day, band, null, currency, arr from days),
    money as (
      select day, band, partner_id, jsonb_agg(jsonb_build_object('currency', currency, 'mrrMinor', mrr) order by currency) as mrr
      from (select day, band, partner_id, currency, round(sum(arr) / 12.0)::bigint as mrr from scopes where arr > 0 group by 1, 2, 3, 4) sums group by 1, 2, 3)
    insert into health_summaries (day, partner_id, band, tenants, mrr, computed_at)
    select s.day, s.partner_id, s.band, count(*), coalesce(max(m.mrr::text)::jsonb, '[]'), s.day + interval '23 hours'
    from scopes s left join money m on m.day = s.day and m.band = s.band and m.partner_id is not distinct from s.partner_id
    group by s.day, s.partner_id, s.band on conflict do nothing`.execute(trx)
}

export async function insertSystemDays(trx: Trx, { until }: DemoHistory): Promise<void> {
  const random = seededNumbers(88)
  const failed = (system: FailedSystem, kind: FailureKind) =>
    failureText({ system, call: 'check', kind })
  const outages: Partial<Record<string, { daysAgo: number; failures: number; message: string }[]>> =
    {
      mail: [{ daysAgo: 11, failures: 46, message: failed('mail', 'timeout') }],
      files: [
        { daysAgo: 37, failures: 120, message: failed('files', 'connection') },
        { daysAgo: 38, failures: 15, message: failed('files', 'connection') },
      ],
      payments: [{ daysAgo: 23, failures: 9, message: failed('payments', 'server') }],
    }
  const rows = outsideSystems.flatMap((system) =>
    Array.from({ length: 89 }, (_, index) => {
      const daysAgo = 89 - index
      const at = new Date(until.getTime() - daysAgo * dayMs)
      const weekend = at.getUTCDay() % 6 === 0
      const outage = outages[system]?.find((one) => one.daysAgo === daysAgo)
      const failures = outage?.failures ?? 0
      return {
        system,
        day: isoDay(at),
        calls: Math.round((weekend ? 180 : 700) * (0.7 + 0.6 * random())) + failures,
        failures,
        last_failed_at: outage ? new Date(at.getTime() + 14 * hourMs) : null,
        last_failure: outage?.message ?? null,
      }
    }),
  )
  await trx.insertInto('upstream_days').values(rows).execute()
}
