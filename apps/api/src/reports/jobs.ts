import { randomInt } from 'node:crypto'
import { checkReportQuality, countDrift, foldReports, rebuildReports, setReportDrift, waitingChanges } from '@atrium/db/report-fold'
import type { House } from '../house.ts'

const comparedMoments = 10
const lookBackDays = 3 * 365
const dayMs = 86_400_000

/** Keeps the sums of the reports close to the history, so that who reads has little left to count, and looks at the data behind them. */
export async function keepReports(house: House): Promise<void> {
  const { db } = house.database
  const now = house.clock.now()
  if ((await waitingChanges(db, now)).waiting > 0) await foldReports(db, now, async () => undefined)
  await checkReportQuality(db, now)
}

/**
 * Compares the sums with the history at ten random days and in every month. What is wrong is logged, counted, shown with the reports until
 * the next comparison, and computed anew.
 */
export async function checkReports(house: House): Promise<number> {
  const { db } = house.database
  const now = house.clock.now()
  const moments = Array.from({ length: comparedMoments }, () => new Date(now.getTime() - randomInt(lookBackDays) * dayMs))
  const differences = await countDrift(db, now, [now, ...moments])
  house.metrics.reportDrift.set(differences)
  await setReportDrift(db, differences, now)
  if (differences > 0) {
    house.log.error({ differences }, 'the sums of the reports differ from the history and are computed anew')
    await rebuildReports(db, now)
  }
  return differences
}
