import {
  type AllowedCorrections,
  allowedCorrections,
} from '@atrium/core/billing/invoice-corrections'
import { listWaitingCorrections, wasPaidByTransfer } from '@atrium/db/billing/invoice-corrections'
import type { InvoiceRow } from '@atrium/db/billing/invoices'
import { listStoredReversals, type StoredReversal } from '@atrium/db/billing/operator-invoices'
import type { Db, Trx } from '@atrium/db/platform/connect'

const lostRefunds: ReadonlySet<string> = new Set(['failed', 'canceled'])

/** What may still be corrected on an invoice, by our records. */
export async function readAllowedCorrections(
  db: Db | Trx,
  invoice: InvoiceRow,
): Promise<AllowedCorrections> {
  const reversals = await listStoredReversals(db, invoice.id)
  const waiting = await listWaitingCorrections(db, invoice.id)
  const paidByTransfer = await wasPaidByTransfer(db, invoice.id)
  const notes = reversals.filter(({ kind, status }) => kind === 'credit_note' && status !== 'void')
  const ofNotes = new Set(notes.flatMap(({ refundIds }) => refundIds))
  const refunds = reversals.filter(
    ({ kind, status }) => kind === 'refund' && !lostRefunds.has(status),
  )
  return allowedCorrections({
    status: invoice.status,
    total: BigInt(invoice.total),
    amountPaid: BigInt(invoice.amountPaid),
    amountRemaining: BigInt(invoice.amountRemaining),
    credited: BigInt(invoice.creditedAmount),
    refunded: sumOf(refunds),
    refundedByNotes: sumOf(refunds.filter(({ id }) => ofNotes.has(id))),
    outside: notes.reduce((sum, { outside }) => sum + outside, 0n),
    disputed: BigInt(invoice.disputedAmount),
    paidByTransfer,
    waiting,
  })
}

function sumOf(reversals: readonly StoredReversal[]): bigint {
  return reversals.reduce((sum, { amount }) => sum + amount, 0n)
}
