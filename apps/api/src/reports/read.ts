import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { rollUpReports } from '@atrium/db/reports/report-rollup'
import { type Moment, pipelined, type RunReport, within } from '@atrium/db/reports/reports'
import type { Services } from '../rpc/services.ts'

/**
 * Runs a report read. It is one statement. When that reports changes that are not in the sums yet,
 * they are applied and the read is repeated in the same snapshot, so that a response is exact when
 * it is read and never waits for a job.
 */
export async function readReport<Report extends { unfolded: boolean }>(
  services: Services,
  read: (run: RunReport) => Promise<Report>,
): Promise<Report> {
  const reported = await read(pipelined(services.database))
  if (!reported.unfolded) return reported
  return rollUpReports(services.database.db, services.clock.now(), (trx) => read(within(trx)))
}

/**
 * The moment that a report is asked for: an instant, the end of a date in UTC, or now. AppError
 * `invalid_input` for one that is to come; today's date is now.
 */
export function momentOf(services: Services, asOf: string | undefined): Moment {
  const now = services.clock.now()
  if (asOf === undefined) return { at: now, past: false }
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(asOf)
  const at = isDate ? new Date(Date.parse(`${asOf}T00:00:00.000Z`) + 86_400_000) : new Date(asOf)
  if (at <= now) return { at, past: true }
  if (isDate && at.getTime() - 86_400_000 <= now.getTime()) return { at: now, past: false }
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'asOf', message: errorText('inFuture') }],
  })
}
