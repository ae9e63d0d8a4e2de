import { claimDueDomains, claimMailDomainRemovals, findDomainById } from '@atrium/db/mail/domains'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Services } from '../../rpc/services.ts'
import { checkDomain } from './check.ts'
import { endLapsedClaim, lapsedBefore } from './end-claim.ts'
import { removeFromMailServer, syncWithMailServer } from './mail-side.ts'

const batch = 40
const atOnce = 8
const mailMs = 8_000

/**
 * Checks the domains that are due, one batch after the other, and removes from the mail server what
 * is left there of ended claims. What fails is due again five minutes later.
 */
export async function checkDueDomains(services: Services): Promise<void> {
  await removeDueFromMailServer(services)
  for (;;) {
    const due = await claimDueDomains(services.database.db, batch, lapsedBefore(services))
    const more = due.length === batch
    const workers = Array.from({ length: atOnce }, async () => {
      for (let id = due.pop(); id !== undefined; id = due.pop()) await checkByItself(services, id)
    })
    await Promise.all(workers)
    if (!more) return
  }
}

async function checkByItself(services: Services, id: string): Promise<void> {
  try {
    const row = await findDomainById(services.database.db, id)
    // A deleted tenant's domain is not checked; only its name may be missing in the mail server.
    if (row?.tenantStatus === 'deleted' && row.mailRenameDue) {
      await syncWithMailServer(services, row, mailMs)
      return
    }
    const record = (trx: Trx, entry: AuditEntry) => services.audit.recordSystem(entry, trx)
    const outcome = row && (await checkDomain(services, row, 'schedule', { record }))
    if (outcome === undefined || outcome === 'removed' || outcome === 'superseded') return
    await endLapsedClaim(services, outcome)
  } catch (err) {
    // One domain must not keep the others from being checked.
    services.log.error({ err, domainId: id }, 'failed to check domain')
  }
}

async function removeDueFromMailServer(services: Services): Promise<void> {
  if (!services.systems.mail) return
  for (;;) {
    const due = await claimMailDomainRemovals(services.database.db, batch)
    const more = due.length === batch
    const workers = Array.from({ length: atOnce }, async () => {
      for (let id = due.pop(); id !== undefined; id = due.pop())
        await removeFromMailServer(services, id)
    })
    await Promise.all(workers)
    if (!more) return
  }
}
