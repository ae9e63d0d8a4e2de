import { claimAbandonedSsoApps } from '@atrium/db/sso'
import type { House } from '../house.ts'
import { takeAway } from './take-away.ts'

/** Longer than the longest creation or removal lasts, so that nobody's work under way is taken for abandoned. */
export const abandonedAfterSeconds = 180

const atOnce = 20

/**
 * Takes away what a process that ended midway left pending, and what the provider did not let go of. Answers how many of them are
 * gone and how many stay for the next time.
 */
export async function sweepSsoApps(house: House, afterSeconds = abandonedAfterSeconds): Promise<{ gone: number; left: number }> {
  const { identity } = house.systems
  const result = { gone: 0, left: 0 }
  if (!identity) return result
  for (const row of await claimAbandonedSsoApps(house.database.db, afterSeconds, atOnce)) {
    const done = await takeAway(house, identity, row)
    result[done ? 'gone' : 'left']++
    if (!done) continue
    await house.audit.recordSystem({ action: 'sso_app.deleted', resourceType: 'sso_app', resourceId: row.id, resourceName: row.name })
  }
  return result
}
