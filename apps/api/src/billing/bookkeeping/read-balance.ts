import type { BalanceTransaction } from '@atrium/core/billing/payment-records'
import {
  assignToPayout,
  findBalanceReading,
  finishBalanceReading,
  firstCustomerAt,
  insertTransactions,
  invoiceOfKeptPayment,
  markPayoutAssigned,
  saveBalances,
  savePayouts,
  saveReadUntil,
  unassignedPayouts,
  unknownTransactions,
} from '@atrium/db/billing/processor-balance'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Db } from '@atrium/db/platform/connect'
import { eachPage } from '@atrium/integrations/payments/pages'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'

const day = 86_400_000
/** Before any account of the processor's. */
const beginning = new Date('2011-01-01T00:00:00Z')
/** Read twice, because clocks differ. */
const overlapMs = 3_600_000
/** A payout's status and its transactions are settled long before it is this old. */
const payoutsReadMs = 35 * day

/**
 * Stores the balance transactions and payouts of the payment processor since the last reading. It
 * reads a day at a time, so that an interrupted reading continues where it ended. Everything before
 * the first customer is one part.
 */
export async function readProcessorBalance(services: Services): Promise<void> {
  const { payments } = services.systems
  if (payments === null) return
  const { db } = services.database
  try {
    if (!(await readTransactions(services, payments))) return
    await readPayouts(db, payments)
    const balances = await payments.readBalance()
    const readAt = await databaseNow(db)
    await db.transaction().execute((trx) => saveBalances(trx, balances, readAt))
    await finishBalanceReading(db, null)
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    services.log.warn({ err }, 'the balance at the payment processor could not be read')
    await finishBalanceReading(db, err.message)
  }
}

/** False when the program ends before everything is read. */
async function readTransactions(services: Services, payments: Payments): Promise<boolean> {
  const { db } = services.database
  const now = await databaseNow(db)
  const reading = await findBalanceReading(db)
  const first = (await firstCustomerAt(db)) ?? now
  let since = reading ? new Date(reading.readUntil.getTime() - overlapMs) : beginning
  for (;;) {
    const end = since < first ? first : new Date(since.getTime() + day)
    // The last part has no end: the processor's clock may be ahead of ours.
    const until = end < now ? end : null
    const pages = eachPage((after) => payments.listBalanceTransactions({ since, until, after }))
    for await (const { transactions } of pages) {
      await storeTransactions(db, payments, transactions)
      if (services.background.ending) return false
    }
    await saveReadUntil(db, until ?? now)
    if (until === null) return true
    since = until
  }
}

async function storeTransactions(
  db: Db,
  payments: Payments,
  transactions: readonly BalanceTransaction[],
): Promise<void> {
  const fresh = await unknownTransactions(
    db,
    transactions.map(({ id }) => id),
  )
  const invoices = new Map<string, string | null>()
  const rows: Parameters<typeof insertTransactions>[1][number][] = []
  for (const one of transactions) {
    if (!fresh.has(one.id)) continue
    const payment = one.paymentIntentId
    if (payment !== null && !invoices.has(payment))
      invoices.set(
        payment,
        (await invoiceOfKeptPayment(db, payment)) ?? (await payments.findInvoiceOfPayment(payment)),
      )
    rows.push({
      ...one,
      stripeInvoiceId: payment === null ? null : (invoices.get(payment) ?? null),
    })
  }
  await insertTransactions(db, rows)
}

async function readPayouts(db: Db, payments: Payments): Promise<void> {
  const reading = await findBalanceReading(db)
  const since =
    reading?.finishedAt == null ? beginning : new Date(reading.finishedAt.getTime() - payoutsReadMs)
  for await (const { payouts } of eachPage((after) => payments.listPayouts({ since, after }))) {
    await savePayouts(db, payouts)
    const settled = payouts.filter(({ automatic, reconciled }) => automatic && reconciled)
    for (const id of await unassignedPayouts(
      db,
      settled.map((payout) => payout.id),
    ))
      await assignTransactions(db, payments, id)
  }
}

async function assignTransactions(db: Db, payments: Payments, payoutId: string): Promise<void> {
  const pages = eachPage((after) => payments.listBalanceTransactions({ payoutId, after }))
  for await (const { transactions } of pages)
    await assignToPayout(
      db,
      payoutId,
      transactions.map(({ id }) => id),
    )
  await markPayoutAssigned(db, payoutId)
}
