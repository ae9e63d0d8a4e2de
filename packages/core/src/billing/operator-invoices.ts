import { z } from 'zod'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { InvoiceLine, InvoiceView, invoiceDisplayStatus } from './billing.ts'
import { CorrectionView, creditDestination } from './invoice-corrections.ts'
import { currencyCode, minorAmount } from './money.ts'
import { ledgerEntryType } from './payout-states.ts'

const filters = {
  tenantSlug: slugFilter.optional(),
  /** Who earns from the invoice. */
  partnerSlug: slugFilter.optional(),
  status: invoiceDisplayStatus.optional(),
  currency: currencyCode.optional(),
  /** A number, or how it begins. */
  number: line(100).optional(),
  /** By the day on which it was finalized, in UTC; `to` is included. */
  from: calendarDate().optional(),
  to: calendarDate().optional(),
}

export const ListOperatorInvoices = z.strictObject({
  ...filters,
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListOperatorInvoices = z.infer<typeof ListOperatorInvoices>
export const SumOperatorInvoices = z.strictObject(filters)
export type SumOperatorInvoices = z.infer<typeof SumOperatorInvoices>
export const ExportOperatorInvoices = z.strictObject({
  ...filters,
  format: z.literal('csv').default('csv'),
})
export type ExportOperatorInvoices = z.infer<typeof ExportOperatorInvoices>

/** An invoice of any tenant, without its lines. */
export const OperatorInvoice = InvoiceView.omit({ lines: true }).extend({
  tenantSlug: z.string(),
  tenantName: z.string(),
  /** Who earns from it. */
  partnerSlug: z.string().nullable(),
})
export type OperatorInvoice = z.infer<typeof OperatorInvoice>
export const OperatorInvoicePage = page(OperatorInvoice)
export type OperatorInvoicePage = z.infer<typeof OperatorInvoicePage>

/** The columns of an export, in order. */
export const operatorInvoiceColumns = Object.keys(
  OperatorInvoice.shape,
) as (keyof OperatorInvoice)[]

/** What the filtered invoices add up to; currencies are never added up. */
export const InvoiceTotals = z.object({
  currency: z.string(),
  invoices: z.number().int(),
  /** Void invoices are not part of these. */
  totalMinor: minorAmount,
  taxMinor: minorAmount,
  paidMinor: minorAmount,
  /** Of open invoices. */
  dueMinor: minorAmount,
  refundedMinor: minorAmount,
  creditedMinor: minorAmount,
})
export type InvoiceTotals = z.infer<typeof InvoiceTotals>
export const OperatorInvoiceTotals = z.object({ currencies: z.array(InvoiceTotals) })
export type OperatorInvoiceTotals = z.infer<typeof OperatorInvoiceTotals>

export const InvoiceReversalView = z.object({
  /** The payment processor's id. */
  id: z.string(),
  kind: z.enum(['refund', 'credit_note', 'dispute']),
  /** Of a credit note. */
  number: z.string().nullable(),
  /** With tax; of a credit note all of it. */
  amountMinor: minorAmount,
  /** What of a credit note went to the customer's balance, and what was given back outside. */
  balanceMinor: minorAmount,
  outsideMinor: minorAmount,
  /** The payment processor's word. */
  status: z.string(),
  /** Whether money is away. */
  effective: z.boolean(),
  createdAt: instant,
})
export type InvoiceReversalView = z.infer<typeof InvoiceReversalView>

export const OperatorInvoiceDetail = OperatorInvoice.extend({
  lines: z.array(InvoiceLine),
  stripeInvoiceId: z.string(),
  voidedAt: instant.nullable(),
  uncollectibleAt: instant.nullable(),
  reversals: z.array(InvoiceReversalView),
  corrections: z.array(CorrectionView),
  /** What the partner has of it; null without one. */
  share: z
    .object({
      partnerSlug: z.string(),
      partnerName: z.string(),
      marginPct: z.number().nullable(),
      amountMinor: minorAmount,
      entries: z.array(
        z.object({ type: ledgerEntryType, amountMinor: minorAmount, createdAt: instant }),
      ),
    })
    .nullable(),
  /** What may still be corrected, with tax. */
  allowedCorrections: z.object({
    dueReductionMinor: minorAmount,
    destinations: z.array(z.object({ destination: creditDestination, maxMinor: minorAmount })),
    writeOff: z.boolean(),
    void: z.boolean(),
    transferMinor: minorAmount,
  }),
})
export type OperatorInvoiceDetail = z.infer<typeof OperatorInvoiceDetail>
