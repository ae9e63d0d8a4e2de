import { listUnneededCredentials } from '@atrium/db/scheduling/mail-credentials'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Services } from '../../rpc/services.ts'
import { takeBackDue } from './app-passwords.ts'
import { eraseCredential } from './disconnect-mailbox.ts'

const perRun = 50

/**
 * Erases credentials of hosts who are none any more, and takes app passwords back that could not be
 * taken back before.
 */
export async function sweepCredentials(services: Services): Promise<void> {
  const { db } = services.database
  for (const hostId of await listUnneededCredentials(db, perRun)) {
    const entry: AuditEntry = {
      action: 'mail_credential.removed',
      resourceType: 'host',
      resourceId: hostId,
      metadata: { reason: 'no host any more' },
    }
    await db.transaction().execute(async (trx) => {
      if (await eraseCredential(trx, hostId)) await services.audit.recordSystem(entry, trx)
    })
  }
  await takeBackDue(services)
}
