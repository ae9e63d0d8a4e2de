import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type SavedReportPath,
  type SavedReports,
  type SavedReportView,
  type SaveReport,
  savedReportLimit,
} from '@atrium/core/reports/saved-reports'
import {
  findSavedReport,
  insertSavedReport,
  listSavedReports as queryReports,
  deleteSavedReport as removeReport,
  type SavedReportRow,
} from '@atrium/db/reports/saved-reports'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { lockOwnPartner, recordPartner } from '../rpc/partner-lock.ts'

/** Every report that the partner keeps, by name. */
export async function listSavedReports(
  { services }: Context,
  { partner }: OwnPartner,
): Promise<SavedReports> {
  const rows = await queryReports(services.database.db, partner.id)
  return { items: rows.map(toView), nextCursor: null }
}

/** Keeps a report. 409 `already_exists` for a name in use, `limit_reached` for one too many. */
export async function saveReport(
  ctx: Context,
  proof: OwnPartner,
  input: SaveReport,
): Promise<SavedReportView> {
  const { name, kind, params } = input
  const report = await ctx.services.database.db.transaction().execute(async (trx) => {
    const locked = await lockOwnPartner(trx, proof, 'manageCustomers')
    if ((await queryReports(trx, locked.id)).length >= savedReportLimit) {
      throw new AppError('limit_reached', errorText('reportLimit', { savedReportLimit }))
    }
    const inserted = await insertSavedReport(trx, locked.id, {
      name,
      kind,
      params,
      createdBy: proof.caller.id ?? null,
    })
    const message = errorText('reportNameTaken')
    if (!inserted)
      throw new AppError('already_exists', message, { issues: [{ path: 'name', message }] })
    const saved = await findSavedReport(trx, inserted.id)
    if (!saved) throw new AppError('internal')
    await recordPartner(ctx, trx, proof.caller, locked, 'partner.report_saved', {
      report: saved.id,
      name,
      kind,
    })
    return saved
  })
  return toView(report)
}

/** Forgets a report; 404 when the partner has none with this id. */
export async function deleteSavedReport(
  ctx: Context,
  proof: OwnPartner,
  { id }: SavedReportPath,
): Promise<void> {
  await ctx.services.database.db.transaction().execute(async (trx) => {
    const locked = await lockOwnPartner(trx, proof, 'manageCustomers')
    const removed = await removeReport(trx, locked.id, id)
    if (!removed) throw new AppError('not_found', errorText('unknownReport'))
    await recordPartner(ctx, trx, proof.caller, locked, 'partner.report_deleted', {
      report: id,
      ...removed,
    })
  })
}

function toView({ createdAt, ...row }: SavedReportRow): SavedReportView {
  return { ...row, createdAt: createdAt.toISOString() }
}
