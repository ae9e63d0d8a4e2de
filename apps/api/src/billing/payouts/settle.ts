import { type Accrual, accrualOf, earningBase, ledgerSteps } from '@atrium/core/billing/ledger'
import {
  insertLedgerEntry,
  type LedgerInvoice,
  listInvoiceEntries,
  listReversals,
  lockLedgerInvoice,
} from '@atrium/db/billing/ledger'
import type { Trx } from '@atrium/db/platform/connect'
import type { InTransaction } from '../../rpc/services.ts'

const dayMs = 24 * 3600 * 1000

/**
 * Adds what the ledger lacks about an invoice: the partner's share once it is paid, and claw-backs,
 * holds and their reversals until the sums are what refunds, credit notes and disputes say
 * (docs/reference/contract.md, ledger). Call it in the transaction of every change of an invoice or
 * of its reversals; it may run any number of times and in any order, because it looks at what
 * stands, not at what happened.
 */
export async function settleInvoiceLedger(
  trx: Trx,
  { clock, config }: InTransaction,
  invoiceId: string,
): Promise<void> {
  const invoice = await lockLedgerInvoice(trx, invoiceId)
  if (!invoice) return
  const now = clock.now()
  const entries = await listInvoiceEntries(trx, invoiceId)
  const standing = entries.find(({ type }) => type === 'accrual')
  const accrued = standing
    ? {
        partnerId: standing.partnerId,
        accrual: { amount: standing.amount, base: standing.base ?? 0n },
        availableAt: standing.availableAt,
      }
    : await accrue(trx, invoice, now, config.billing.partnerHoldDays)
  if (!accrued) return
  const { partnerId, accrual } = accrued
  // What happens to a share on hold is on hold with it, and leaves other money alone.
  const availableAt = accrued.availableAt > now ? accrued.availableAt : now
  const reversals = await listReversals(trx, invoiceId)
  const caused = entries
    .filter(({ type }) => type !== 'accrual')
    .map(({ type, amount, sourceId }) => ({
      type,
      amount,
      sourceId,
      reversalId: reversalOf(sourceId),
    }))
  for (const { type, amount, reversal } of ledgerSteps(invoice, accrual, reversals, caused)) {
    const same = caused.filter(
      (entry) => entry.type === type && entry.reversalId === reversal.id,
    ).length
    const sourceId = same === 0 ? reversal.id : `${reversal.id}#${same + 1}`
    caused.push({ type, amount, sourceId, reversalId: reversal.id })
    await insertLedgerEntry(trx, {
      partnerId,
      currency: invoice.currency,
      type,
      amount,
      tenantId: invoice.tenantId,
      invoiceId,
      sourceType: reversal.kind,
      sourceId,
      availableAt,
      createdAt: now,
    })
  }
}

/** The record that an entry names, without the counter behind it. */
function reversalOf(sourceId: string): string {
  return sourceId.replace(/#\d+$/, '')
}

/**
 * Undefined where nobody earns: not paid, sold without a partner, or by one that had been
 * terminated when the invoice was finalized.
 */
async function accrue(
  trx: Trx,
  invoice: LedgerInvoice,
  now: Date,
  holdDays: number,
): Promise<{ partnerId: string; accrual: Accrual; availableAt: Date } | undefined> {
  const { partnerId, marginPct, finalizedAt, paidAt, partnerTerminatedAt } = invoice
  if (
    invoice.status !== 'paid' ||
    !paidAt ||
    !finalizedAt ||
    partnerId === null ||
    marginPct === null
  )
    return undefined
  if (partnerTerminatedAt && partnerTerminatedAt <= finalizedAt) return undefined
  const base = earningBase(invoice)
  const amount = accrualOf(base, marginPct)
  if (amount === 0n) return undefined
  const availableAt = new Date(paidAt.getTime() + holdDays * dayMs)
  await insertLedgerEntry(trx, {
    partnerId,
    currency: invoice.currency,
    type: 'accrual',
    amount,
    base,
    marginPct,
    tenantId: invoice.tenantId,
    invoiceId: invoice.id,
    sourceType: 'invoice',
    sourceId: invoice.stripeInvoiceId,
    createdAt: now,
    availableAt,
  })
  return { partnerId, accrual: { amount, base }, availableAt }
}
