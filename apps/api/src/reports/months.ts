import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { monthAfter, monthOf, monthsBetween } from '@atrium/core/reports/report-figures'
import { firstReportMonth } from '@atrium/core/reports/reports'
import type { Services } from '../rpc/services.ts'

/**
 * The months of a report, both included, none after the current one. Without `from` as many as
 * `usual`. AppError `invalid_input` when they are to come, in the wrong order, or more than `most`.
 */
export function monthsOf(
  services: Services,
  requested: { from?: string | undefined; to?: string | undefined },
  { usual, most }: { usual: number; most: number },
): { from: string; to: string; current: string } {
  const current = monthOf(services.clock.now())
  const to = requested.to ?? current
  const from = requested.from ?? monthAfter(to, 1 - usual)
  const reject = (path: string, message: ErrorText) =>
    new AppError('invalid_input', undefined, { issues: [{ path, message }] })
  if (to > current) throw reject('to', errorText('monthToCome'))
  // The month that is computed has to be one that the report can show.
  if (from < firstReportMonth)
    throw reject('to', errorText('reportTooEarly', { first: firstReportMonth }))
  if (from > to) throw reject('from', errorText('monthAfterLast'))
  if (monthsBetween(from, to) >= most) throw reject('from', errorText('monthsAtMost', { most }))
  return { from, to, current }
}
