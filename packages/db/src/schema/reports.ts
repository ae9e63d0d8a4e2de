import type { SavedReportKind } from '@atrium/core/reports/saved-reports'
import type { ColumnType, Generated } from 'kysely'
import type { Timestamp } from './columns.ts'

export interface SavedReportsTable {
  id: Generated<string>
  partner_id: string
  name: string
  kind: SavedReportKind
  params: ColumnType<unknown, string | undefined, string>
  created_by: string | null
  created_at: Timestamp
}

/** Kept for 90 days. */
export interface UpstreamDaysTable {
  system: string
  day: string
  calls: number
  failures: number
  last_failed_at: Date | null
  last_failure: string | null
}

export interface ReportsTables {
  saved_reports: SavedReportsTable
  upstream_days: UpstreamDaysTable
}
