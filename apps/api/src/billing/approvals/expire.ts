import { decideApproval, findApproval, findExpiredApprovals } from '@atrium/db/billing/approvals'
import { findSubscriber, lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import type { Services } from '../../rpc/services.ts'
import { approvalEntry } from '../subscriptions/record.ts'
import { notifyRequester } from './notify-requester.ts'

const mostAtOnce = 200

/** Ends the requests that no owner decided in time. May run any number of times. */
export async function expireApprovals(services: Services): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  for (const { tenantId, id } of await findExpiredApprovals(db, now, mostAtOnce)) {
    await db.transaction().execute(async (trx) => {
      await lockSubscriptionsOf(trx, tenantId)
      if (!(await decideApproval(trx, { tenantId, id }, { status: 'expired', at: now }))) return
      const row = await findApproval(trx, tenantId, id)
      const tenant = await findSubscriber(trx, tenantId)
      if (!row || !tenant) return
      await notifyRequester(trx, services, row, 'expired')
      await services.audit.recordSystem(approvalEntry('approval.expired', row, tenant), trx)
    })
  }
}
