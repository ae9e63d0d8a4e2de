import type { BalanceTransaction } from '@atrium/core/billing/payment-records'
import type Stripe from 'stripe'
import type { StripeCalls } from './client.ts'
import { pageOf } from './pages.ts'
import type { Payments, ProcessorPayout } from './port.ts'
import { idOf, moment, objectOf, optionalId, seconds, text, whole } from './shapes.ts'

const pageSize = 100

type BalanceCalls = Pick<Payments, 'listBalanceTransactions' | 'listPayouts' | 'readBalance'>

export function balanceCalls({ call }: StripeCalls): BalanceCalls {
  return {
    listBalanceTransactions: ({ after, ...input }, options) =>
      call('listBalanceTransactions', options, ({ send }) =>
        send(
          'GET /v1/balance_transactions',
          (stripe) =>
            stripe.balanceTransactions.list({
              ...('payoutId' in input
                ? { payout: input.payoutId }
                : {
                    created: {
                      gte: seconds(input.since),
                      ...(input.until && { lt: seconds(input.until) }),
                    },
                  }),
              expand: ['data.source'],
              limit: pageSize,
              ...(after !== null && { starting_after: after }),
            }),
          (response) => {
            const { entries, next } = pageOf(response, transactionOf)
            return { transactions: entries, next }
          },
        ),
      ),

    listPayouts: ({ since, after }, options) =>
      call('listPayouts', options, ({ send }) =>
        send(
          'GET /v1/payouts',
          (stripe) =>
            stripe.payouts.list({
              created: { gte: seconds(since) },
              limit: pageSize,
              ...(after !== null && { starting_after: after }),
            }),
          (response) => {
            const { entries, next } = pageOf(response, payoutOf)
            return { payouts: entries, next }
          },
        ),
      ),

    readBalance: (options) =>
      call('readBalance', options, ({ send }) =>
        send('GET /v1/balance', (stripe) => stripe.balance.retrieve(), balanceOf),
      ),
  }
}

function transactionOf(response: Stripe.BalanceTransaction): BalanceTransaction {
  const transaction = objectOf(response, 'balance_transaction')
  return {
    id: text(transaction.id, 'id'),
    type: text(transaction.type, 'type'),
    category: text(transaction.reporting_category, 'reporting_category'),
    currency: text(transaction.currency, 'currency'),
    amount: whole(transaction.amount, 'amount'),
    fee: whole(transaction.fee, 'fee'),
    net: whole(transaction.net, 'net'),
    exchangeRate: transaction.exchange_rate,
    createdAt: moment(transaction.created, 'created'),
    availableAt: moment(transaction.available_on, 'available_on'),
    ...sourceOf(transaction.source),
  }
}

function sourceOf(
  source: Stripe.BalanceTransaction['source'],
): Pick<BalanceTransaction, 'sourceId' | 'paymentIntentId' | 'sourceCurrency' | 'sourceAmount'> {
  const none = { paymentIntentId: null, sourceCurrency: null, sourceAmount: null }
  if (source === null || typeof source === 'string') return { sourceId: source, ...none }
  const sourceId = idOf(source, 'source')
  if (source.object !== 'charge' && source.object !== 'refund' && source.object !== 'dispute')
    return { sourceId, ...none }
  return {
    sourceId,
    paymentIntentId: optionalId(source.payment_intent, 'payment_intent'),
    sourceCurrency: text(source.currency, 'currency'),
    sourceAmount: whole(source.amount, 'amount'),
  }
}

function payoutOf(response: Stripe.Payout): ProcessorPayout {
  const payout = objectOf(response, 'payout')
  return {
    id: text(payout.id, 'id'),
    currency: text(payout.currency, 'currency'),
    amount: whole(payout.amount, 'amount'),
    status: text(payout.status, 'status'),
    automatic: payout.automatic,
    reconciled: payout.reconciliation_status === 'completed',
    createdAt: moment(payout.created, 'created'),
    arrivesAt: moment(payout.arrival_date, 'arrival_date'),
  }
}

function balanceOf(response: Stripe.Balance): { currency: string; amount: number }[] {
  const { available, pending } = objectOf(response, 'balance')
  const sums = new Map<string, number>()
  for (const { currency, amount } of [...available, ...pending])
    sums.set(currency, (sums.get(currency) ?? 0) + whole(amount, 'amount'))
  return [...sums].map(([currency, amount]) => ({ currency: text(currency, 'currency'), amount }))
}
