import { healthBands, healthSignals, writeHealthFactors } from '@atrium/core/health-scores/health'
import type {
  HealthDetail,
  HealthReport,
  HealthReportTenants,
  ListHealthReportTenants,
} from '@atrium/core/health-scores/health-reports'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  listHealthDays,
  listTenantsByHealth,
  readHealthSummaries,
} from '@atrium/db/health-scores/health'
import { readerLanguage } from '../rpc/reader-language.ts'
import type { Services } from '../rpc/services.ts'
import { computeTenantHealth, summarizeHealth } from './compute.ts'

const dayMs = 24 * 3600 * 1000
const dayBefore = (now: Date, days: number) =>
  new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10)

/**
 * Computed from what is stored at this moment; nothing is written. Members' sign-ins and second
 * factors are those of the last run where it is younger than an hour: a large tenant has ten
 * thousand members to look at.
 */
export async function getTenantHealth(
  { database: { db }, clock }: Services,
  tenantId: string,
): Promise<HealthDetail> {
  const now = clock.now()
  const [health, days] = await Promise.all([
    computeTenantHealth(db, tenantId, now),
    listHealthDays(db, tenantId, dayBefore(now, 90)),
  ])
  if (!health) throw new AppError('not_found', errorText('unknownTenantSlug'))
  const known = new Set(health.factors.map(({ signal }) => signal))
  return {
    ...health,
    factors: writeHealthFactors(health.factors, readerLanguage()),
    computedAt: now.toISOString(),
    unknown: healthSignals.filter((signal) => !known.has(signal)),
    days,
  }
}

/** The job keeps the report fresher than this. Where it does not run, the caller waits for it. */
const oldestMs = 15 * 60 * 1000

/**
 * Tenants and revenue by band, against thirty days before; of one partner, or of the platform where
 * `partnerId` is null.
 */
export async function getHealthReport(
  services: Services,
  partnerId: string | null,
): Promise<HealthReport> {
  const now = services.clock.now()
  const [today, comparedWith] = [dayBefore(now, 0), dayBefore(now, 30)]
  const read = () => readHealthSummaries(services.database, partnerId, [today, comparedWith])
  let days = await read()
  const known = days.get(today)?.computedAt
  if (!known || Math.abs(now.getTime() - known.getTime()) > oldestMs) {
    await summarizeHealth(services)
    days = await read()
  }
  const [present, before] = [days.get(today), days.get(comparedWith)]
  const rows = healthBands.map((band) => {
    const { tenants = 0, mrr = [] } = present?.bands.find((row) => row.band === band) ?? {}
    const tenantsBefore =
      before === undefined ? null : (before.bands.find((row) => row.band === band)?.tenants ?? 0)
    return {
      band,
      tenants,
      tenantsBefore,
      change: tenantsBefore === null ? null : tenants - tenantsBefore,
      mrr,
    }
  })
  return { asOf: (present?.computedAt ?? now).toISOString(), comparedWith, rows }
}

/** The tenants behind the report, each with the reasons for its score. */
export async function listHealthTenants(
  { database: { db } }: Services,
  partnerId: string | null,
  { band, cursor, limit }: Pick<ListHealthReportTenants, 'band' | 'cursor' | 'limit'>,
): Promise<HealthReportTenants> {
  const { items, nextCursor } = cutPage(
    await listTenantsByHealth(db, partnerId, { band, before: cursor, limit }),
    limit,
  )
  return {
    items: items.map(({ id: _, factors, computedAt, mrr, ...row }) => ({
      ...row,
      factors: writeHealthFactors(factors ?? [], readerLanguage()),
      computedAt: computedAt?.toISOString() ?? null,
      mrr: mrr ?? [],
    })),
    nextCursor,
  }
}
