import { balances } from './balance.ts'
import { balanceTransactionView, payoutView } from './balance-views.ts'
import { text } from './form.ts'
import { disputeView, refundView } from './invoice-views.ts'
import type { BalanceTransaction } from './records.ts'
import {
  type ApiRequest,
  createdWithin,
  firstId,
  type Handlers,
  insideData,
  pageOf,
} from './request.ts'
import { chargeView } from './reversals.ts'
import type { PaymentsWorld } from './world.ts'

export const balanceRoutes: Handlers = {
  'GET /v1/balance': (world) => {
    const { available, pending } = balances(world)
    const shown = (sums: typeof available) =>
      sums.map((sum) => ({ ...sum, source_types: { card: sum.amount } }))
    return {
      object: 'balance',
      available: shown(available),
      livemode: false,
      pending: shown(pending),
    }
  },
  'GET /v1/balance_transactions/:id': (world, request) =>
    shownTransaction(
      world,
      world.store.balanceTransactions.get(firstId(request)),
      request.expand.includes('source'),
    ),
  'GET /v1/balance_transactions': (world, request) => {
    const requested = requestedOf(request)
    const within = createdWithin(request)
    const rows = world.store.balanceTransactions
      .all()
      .filter(
        (one) =>
          within(one) &&
          requested('currency', one.currency) &&
          requested('payout', one.payout) &&
          requested('source', one.source) &&
          requested('type', one.type),
      )
    const whole = insideData(request.expand).includes('source')
    return pageOf(rows, request, '/v1/balance_transactions', (one) =>
      shownTransaction(world, one, whole),
    )
  },
  'GET /v1/payouts/:id': (world, request) =>
    payoutView(world.store.payouts.get(firstId(request)), world.now()),
  'GET /v1/payouts': (world, request) => {
    const requested = requestedOf(request)
    const within = createdWithin(request)
    const rows = world.store.payouts
      .all()
      .filter(
        (one) => within(one) && requested('status', payoutView(one, world.now()).status ?? null),
      )
    return pageOf(rows, request, '/v1/payouts', (one) => payoutView(one, world.now()))
  },
}

function requestedOf({ form }: ApiRequest): (name: string, value: string | null) => boolean {
  return (name, value) => {
    const provided = text(form, name)
    return provided === undefined || provided === value
  }
}

function shownTransaction(
  world: PaymentsWorld,
  transaction: BalanceTransaction,
  whole: boolean,
): object {
  const view = balanceTransactionView(transaction, world.now())
  return whole ? { ...view, source: sourceView(world, transaction) } : view
}

function sourceView(world: PaymentsWorld, { source }: BalanceTransaction): object | string {
  const { store } = world
  const refund = store.refunds.find(source)
  if (refund) return refundView(store, refund)
  const dispute = store.disputes.find(source)
  if (dispute) return disputeView(store, dispute)
  const payout = store.payouts.find(source)
  if (payout) return payoutView(payout, world.now())
  const charged = store.invoices.all().find(({ payment }) => payment?.charge === source)
  return charged ? chargeView(world, charged) : source
}
