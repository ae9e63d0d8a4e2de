import { monthAfter, monthly, monthStart } from '@atrium/core/reports/report-figures'
import type {
  ChurnRows,
  GrowthRows,
  MrrRows,
  PlanRows,
  ReportRow,
  ReportRows,
  SignupRows,
} from '@atrium/core/reports/reports'
import type { Db } from '@atrium/db/platform/connect'
import { rollUpReports, waitingChanges } from '@atrium/db/reports/report-rollup'
import {
  type FigureRow,
  listCohortRows,
  listMovementRows,
  listMrrRows,
  type RowsPage,
} from '@atrium/db/reports/report-rows'
import type { Services } from '../rpc/services.ts'
import { momentOf } from './read.ts'

interface Paged {
  cursor?: string | undefined
  limit: number
}

/** The tenants behind a figure of recurring revenue, the largest first. */
export async function listRowsOfMrr(
  services: Services,
  scope: string,
  input: MrrRows,
): Promise<ReportRows> {
  const { asOf, currency, figure } = input
  const moment = momentOf(services, asOf)
  return paged(services, input, (db, page) =>
    listMrrRows(db, scope, { moment, currency, figure }, page),
  )
}

/** The tenants behind a row of revenue by plan. */
export async function listRowsOfPlan(
  services: Services,
  scope: string,
  input: PlanRows,
): Promise<ReportRows> {
  const { asOf, currency, plan, cycle } = input
  const moment = momentOf(services, asOf)
  return paged(services, input, (db, page) =>
    listMrrRows(db, scope, { moment, currency, figure: 'mrr', plan, cycle }, page),
  )
}

/** The tenants of one movement of a month. */
export async function listRowsOfGrowth(
  services: Services,
  scope: string,
  input: GrowthRows,
): Promise<ReportRows> {
  const { month, currency, movement } = input
  return paged(services, input, (db, page) =>
    listMovementRows(db, scope, { month, currency, movement }, page),
  )
}

/**
 * The tenants of a signup cohort with what they paid at the end of its n-th month, or now while
 * that is not over.
 */
export async function listRowsOfSignups(
  services: Services,
  scope: string,
  input: SignupRows,
): Promise<ReportRows> {
  const { month, n } = input
  const end = monthStart(monthAfter(month, n + 1))
  const now = services.clock.now()
  const moment = end <= now ? { at: end, past: true } : { at: now, past: false }
  return paged(services, input, (db, page) => listCohortRows(db, scope, { month, moment }, page))
}

/** The tenants that were lost in a month. */
export async function listRowsOfChurn(
  services: Services,
  scope: string,
  input: ChurnRows,
): Promise<ReportRows> {
  const { month, currency, reason } = input
  return paged(services, input, (db, page) =>
    listMovementRows(db, scope, { month, movement: 'churn', currency, reason }, page),
  )
}

async function paged(
  services: Services,
  { cursor, limit }: Paged,
  list: (db: Db, page: RowsPage) => Promise<FigureRow[]>,
): Promise<ReportRows> {
  const [arr, tenantId] = cursor?.split('_') ?? []
  const page = {
    after: arr === undefined || tenantId === undefined ? undefined : { arr: Number(arr), tenantId },
    limit,
  }
  const { db } = services.database
  const now = services.clock.now()
  const { waiting } = await waitingChanges(db, now)
  const rows =
    waiting > 0 ? await rollUpReports(db, now, (trx) => list(trx, page)) : await list(db, page)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(toRow),
    nextCursor: last ? `${last.arr}_${last.tenantId}` : null,
  }
}

function toRow({ tenantId: _, arr, startArr, endArr, since, ...row }: FigureRow): ReportRow {
  return {
    ...row,
    reason: row.reason || null,
    arrMinor: arr,
    mrrMinor: monthly(arr),
    startArrMinor: startArr,
    endArrMinor: endArr,
    since: since?.toISOString() ?? null,
  }
}
