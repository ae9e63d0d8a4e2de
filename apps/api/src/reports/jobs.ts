import { randomInt } from 'node:crypto'
import {
  checkReportQuality,
  countDrift,
  rebuildReports,
  rollUpReports,
  setReportDrift,
  waitingChanges,
} from '@atrium/db/reports/report-rollup'
import type { Services } from '../rpc/services.ts'

const comparedTimes = 10
const lookBackDays = 3 * 365
const dayMs = 86_400_000

/**
 * Keeps the sums of the reports close to the history, so that who reads has little left to count,
 * and looks at the data behind them.
 */
export async function refreshReports(services: Services): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  if ((await waitingChanges(db, now)).waiting > 0)
    await rollUpReports(db, now, async () => undefined)
  await checkReportQuality(db, now)
}

/**
 * Compares the sums with the history at ten random days and in every month. What is wrong is
 * logged, counted, shown with the reports until the next comparison, and computed again.
 */
export async function checkReports(services: Services): Promise<number> {
  const { db } = services.database
  const now = services.clock.now()
  const times = Array.from(
    { length: comparedTimes },
    () => new Date(now.getTime() - randomInt(lookBackDays) * dayMs),
  )
  const differences = await countDrift(db, now, [now, ...times])
  services.metrics.reportDrift.set(differences)
  await setReportDrift(db, differences, now)
  if (differences > 0) {
    services.log.error(
      { differences },
      'report aggregates differ from the history; rebuilding them',
    )
    await rebuildReports(db, now)
  }
  return differences
}
