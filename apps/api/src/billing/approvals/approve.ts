import { type ApprovalResult, type ApproveRequest, addedCost } from '@atrium/core/billing/approvals'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type ApprovalRow, findApproval, updateApprovalPrice } from '@atrium/db/billing/approvals'
import { lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { changeSubscription } from '../subscriptions/change.ts'
import {
  type Approves,
  type Order,
  pricedOf,
  rejectDecided,
  StaleApproval,
} from '../subscriptions/consent.ts'
import { approvalEntry } from '../subscriptions/record.ts'
import { startSubscription } from '../subscriptions/start.ts'
import { toApprovalView } from './view.ts'

/**
 * Carries out what the partner asked for, in the owner's name and at the price that the owner was
 * shown. When it costs something else by now, the request gets the new price and `quote_expired`
 * names it. A payment that fails leaves the request as it was. Throws AppError `not_found`,
 * `approval_state`, `quote_expired`, and as `startSubscription` and `changeSubscription` do.
 */
export async function approveRequest(
  ctx: Context,
  access: Access,
  input: ApproveRequest,
): Promise<ApprovalResult> {
  const { services } = ctx
  const row = await findApproval(services.database.db, access.tenant.id, input.id)
  if (!row) throw new AppError('not_found', errorText('unknownApproval'))
  rejectDecided(row, access.tenant.partnerId, services.clock.now())
  try {
    const carriedOut = await carryOut(ctx, access, row, input)
    return { ...carriedOut, approval: await readView(services, row) }
  } catch (error) {
    if (!(error instanceof StaleApproval)) throw error
    await savePrice(services, row, error.order)
    const added = {
      amount: addedCost(error.order.before, error.order.after),
      currency: error.order.currency,
    }
    const current = await readView(services, row)
    throw new AppError('quote_expired', errorText('approvalPriceChanged', { added }), { current })
  }
}

async function carryOut(
  ctx: Context,
  access: Access,
  row: ApprovalRow,
  { slug, id, version, quote }: ApproveRequest,
): Promise<Omit<ApprovalResult, 'approval'>> {
  const approves: Approves = {
    id,
    version,
    record(trx) {
      const entry = approvalEntry('approval.approved', row, access.tenant)
      return ctx.services.audit.record(ctx, access.caller, entry, trx)
    },
  }
  const { plan, cycle, seats } = row.after
  if (row.kind === 'start') {
    const { currency } = row
    const terms = { slug, plan, cycle, seats, currency }
    const { subscription, clientSecret } = await startSubscription(ctx, access, terms, approves)
    if (!subscription) throw new Error('an approved order starts a subscription')
    return { subscription, clientSecret, outcome: clientSecret ? 'awaiting_payment' : 'applied' }
  }
  if (!quote) {
    const message = errorText('approvalQuote')
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'quote', message }] })
  }
  // Only what was asked for: the rest may have changed since, and stays.
  const change = {
    ...(plan !== row.before?.plan && { plan }),
    ...(cycle !== row.before?.cycle && { cycle }),
    ...(seats !== row.before?.seats && { seats }),
  }
  const { subscription, outcome } = await changeSubscription(
    ctx,
    access,
    { slug, ...change, quote },
    approves,
  )
  return { subscription, clientSecret: null, outcome }
}

async function savePrice(services: Services, row: ApprovalRow, order: Order): Promise<void> {
  const priced = pricedOf(order)
  // What costs no more than before needs no approval: the request is left to be declined.
  if (priced.addedAmount <= 0n) throw new AppError('approval_state', errorText('approvalNotNeeded'))
  await services.database.db.transaction().execute(async (trx) => {
    await lockSubscriptionsOf(trx, row.tenantId)
    await updateApprovalPrice(trx, row, priced)
  })
}

async function readView(services: Services, { tenantId, id }: ApprovalRow) {
  const row = await findApproval(services.database.db, tenantId, id)
  if (!row) throw new Error(`the approval ${id} is gone`)
  return toApprovalView(row, services.clock.now())
}
