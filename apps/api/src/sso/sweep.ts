import { claimAbandonedSsoApps } from '@atrium/db/sso/sso'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Services } from '../rpc/services.ts'
import { deprovision } from './deprovision.ts'

/**
 * Longer than any creation or removal takes, so that running work is never treated as abandoned.
 */
export const abandonedAfterSeconds = 180

const atOnce = 20

/**
 * Removes applications left pending by a process that died, and those that the provider failed to
 * delete. Returns how many are gone and how many remain for the next run.
 */
export async function sweepSsoApps(
  services: Services,
  afterSeconds = abandonedAfterSeconds,
): Promise<{ gone: number; left: number }> {
  const { identity } = services.systems
  const result = { gone: 0, left: 0 }
  if (!identity) return result
  for (const row of await claimAbandonedSsoApps(services.database.db, afterSeconds, atOnce)) {
    const entry: AuditEntry = {
      action: 'sso_app.deleted',
      resourceType: 'sso_app',
      resourceId: row.id,
      resourceName: row.name,
    }
    const done = await deprovision(services, identity, row, (trx) =>
      services.audit.recordSystem(entry, trx),
    )
    result[done ? 'gone' : 'left']++
  }
  return result
}
