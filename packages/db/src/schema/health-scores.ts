import type {
  GatheredHealth,
  HealthBand,
  StoredHealthFactor,
} from '@atrium/core/health-scores/health'
import type { ColumnType, Generated } from 'kysely'
import type { RequiredTimestamp } from './columns.ts'

export interface TenantHealthTable {
  tenant_id: string
  score: number | null
  band: HealthBand
  factors: ColumnType<StoredHealthFactor[], string, string>
  gathered: ColumnType<GatheredHealth, string, string>
  due: Generated<boolean>
  computed_at: RequiredTimestamp
}

export interface TenantHealthDaysTable {
  /** `2027-01-31` */
  day: string
  tenant_id: string
  score: number | null
  band: HealthBand
}

export interface HealthSummariesTable {
  /** `2027-01-31` */
  day: string
  /** Null for the whole platform. */
  partner_id: string | null
  band: HealthBand
  tenants: number
  mrr: ColumnType<{ currency: string; mrrMinor: number }[], string, string>
  computed_at: RequiredTimestamp
}

export interface HealthScoresTables {
  tenant_health: TenantHealthTable
  tenant_health_days: TenantHealthDaysTable
  health_summaries: HealthSummariesTable
}
