import type { ApprovalView, DeclineRequest } from '@atrium/core/billing/approvals'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { decideApproval, findApproval } from '@atrium/db/billing/approvals'
import { lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectDecided } from '../subscriptions/consent.ts'
import { approvalEntry } from '../subscriptions/record.ts'
import { notifyRequester } from './notify-requester.ts'
import { toApprovalView } from './view.ts'

/** Declines what the partner asked for. Throws AppError `not_found`, `approval_state`. */
export async function declineRequest(
  ctx: Context,
  { tenant, caller }: Access,
  { id, reason }: DeclineRequest,
): Promise<ApprovalView> {
  const { services } = ctx
  const row = await services.database.db.transaction().execute(async (trx) => {
    await lockSubscriptionsOf(trx, tenant.id)
    const found = await findApproval(trx, tenant.id, id)
    if (!found) throw new AppError('not_found', errorText('unknownApproval'))
    const now = services.clock.now()
    rejectDecided(found, found.partnerId, now)
    await decideApproval(trx, found, { status: 'declined', at: now, by: caller.id, reason })
    await notifyRequester(trx, services, found, 'declined')
    const declined = await findApproval(trx, tenant.id, id)
    if (!declined) throw new Error(`the approval ${id} is gone`)
    const entry = approvalEntry('approval.declined', declined, tenant)
    await services.audit.record(ctx, caller, entry, trx)
    return declined
  })
  return toApprovalView(row, services.clock.now())
}
