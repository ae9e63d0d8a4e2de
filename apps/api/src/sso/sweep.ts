import { claimAbandonedSsoApps } from '@atrium/db/sso/sso'
import type { Services } from '../rpc/services.ts'
import { deprovision } from './deprovision.ts'

/**
 * Longer than the longest creation or removal lasts, so that nobody's work under way is taken for
 * abandoned.
 */
export const abandonedAfterSeconds = 180

const atOnce = 20

/**
 * Takes away what a process that ended midway left pending, and what the provider did not let go
 * of. Returns how many of them are gone and how many stay for the next time.
 */
export async function sweepSsoApps(
  services: Services,
  afterSeconds = abandonedAfterSeconds,
): Promise<{ gone: number; left: number }> {
  const { identity } = services.systems
  const result = { gone: 0, left: 0 }
  if (!identity) return result
  for (const row of await claimAbandonedSsoApps(services.database.db, afterSeconds, atOnce)) {
    const done = await deprovision(services, identity, row)
    result[done ? 'gone' : 'left']++
    if (!done) continue
    await services.audit.recordSystem({
      action: 'sso_app.deleted',
      resourceType: 'sso_app',
      resourceId: row.id,
      resourceName: row.name,
    })
  }
  return result
}
