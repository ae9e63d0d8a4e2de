import { z } from 'zod'
import { csvLine } from '../audit/audit.ts'
import { minorAmount } from '../billing/money.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant } from '../platform/text.ts'
import { TenantHealth } from '../tenants/tenants.ts'
import { healthBand, healthSignals } from './health.ts'

const slug = z.string().max(200)

export const ReadHealth = z.strictObject({ slug })
export type ReadHealth = z.infer<typeof ReadHealth>

export const HealthDay = z.object({
  day: z.iso.date(),
  score: z.number().int().nullable(),
  band: healthBand,
})
export type HealthDay = z.infer<typeof HealthDay>

/** The health of a tenant as of now, and how it was on the days before. */
export const HealthDetail = TenantHealth.extend({
  computedAt: instant,
  /** Signals that are not known, and therefore count neither way. */
  unknown: z.array(z.enum(healthSignals)),
  /** The last ninety days of which something is known, oldest first. */
  days: z.array(HealthDay),
})
export type HealthDetail = z.infer<typeof HealthDetail>

export const HealthReportRow = z.object({
  band: healthBand,
  tenants: z.number().int(),
  /** Thirty days before; null when nothing is known of that day. */
  tenantsBefore: z.number().int().nullable(),
  change: z.number().int().nullable(),
  mrr: z.array(z.object({ currency: z.string(), mrrMinor: minorAmount })),
})
export const HealthReport = z.object({
  asOf: instant,
  /** The day that `tenantsBefore` is of. */
  comparedWith: z.iso.date(),
  rows: z.array(HealthReportRow),
})
export type HealthReport = z.infer<typeof HealthReport>

export const HealthReportTenant = z.object({
  slug: z.string(),
  name: z.string(),
  score: z.number().int().nullable(),
  band: healthBand,
  factors: TenantHealth.shape.factors,
  /** Null before the first hourly run that saw the tenant. */
  computedAt: instant.nullable(),
  mrr: HealthReportRow.shape.mrr,
})
export type HealthReportTenant = z.infer<typeof HealthReportTenant>
export const HealthReportTenants = page(HealthReportTenant)
export type HealthReportTenants = z.infer<typeof HealthReportTenants>

export const ReadHealthReport = z.strictObject({})
export const ListHealthReportTenants = z.strictObject({
  band: healthBand.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListHealthReportTenants = z.infer<typeof ListHealthReportTenants>
export const ReadPartnerHealthReport = z.strictObject({ slug })
export const ListPartnerHealthTenants = ListHealthReportTenants.extend({ slug })
export type ListPartnerHealthTenants = z.infer<typeof ListPartnerHealthTenants>

/**
 * RFC 4180: a line per band and currency, amounts in minor units. Bands without revenue have one
 * line without a currency.
 */
export function healthCsv({ asOf, comparedWith, rows }: HealthReport): string {
  const lines = rows.flatMap(({ band, tenants, tenantsBefore, change, mrr }) =>
    (mrr.length > 0 ? mrr : [{ currency: '', mrrMinor: '' }]).map(({ currency, mrrMinor }) =>
      csvLine([asOf, band, tenants, comparedWith, tenantsBefore, change, currency, mrrMinor]),
    ),
  )
  return (
    csvLine([
      'asOf',
      'band',
      'tenants',
      'comparedWith',
      'tenantsBefore',
      'change',
      'currency',
      'mrrMinor',
    ]) + lines.join('')
  )
}
