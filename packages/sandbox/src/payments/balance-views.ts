import type Stripe from 'stripe'
import type { BalanceTransaction, Payout } from './records.ts'

export function balanceTransactionView(
  transaction: BalanceTransaction,
  now = transaction.availableOn,
): Stripe.BalanceTransaction {
  const { amount, fee, currency } = transaction
  return {
    id: transaction.id,
    object: 'balance_transaction',
    amount,
    available_on: transaction.availableOn,
    balance_type: 'payments',
    created: transaction.created,
    currency,
    description: null,
    exchange_rate: transaction.exchangeRate,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency,
              description: transaction.type === 'charge' ? 'Stripe processing fees' : 'Dispute fee',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category: transaction.category,
    source: transaction.source,
    status: transaction.availableOn <= now ? 'available' : 'pending',
    type: transaction.type,
  }
}

export function payoutView(payout: Payout, now: number): Stripe.Payout {
  return {
    id: payout.id,
    object: 'payout',
    amount: payout.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: payout.arrives,
    automatic: true,
    balance_transaction: payout.transaction,
    created: payout.created,
    currency: payout.currency,
    description: 'STRIPE PAYOUT',
    destination: `ba_sandbox_${payout.currency}`,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: {},
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'completed',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: payout.arrives <= now ? 'paid' : 'in_transit',
    trace_id: null,
    type: 'bank_account',
  }
}
