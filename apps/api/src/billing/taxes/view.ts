import type { PreviewTotals } from '@atrium/core/billing/subscriptions'
import type { TaxAmount } from '@atrium/core/billing/taxes'
import type {
  InvoicePreview,
  InvoiceTax,
  ProcessorInvoiceLine,
} from '@atrium/integrations/payments/port'

export function toTaxAmounts(taxes: readonly InvoiceTax[]): TaxAmount[] {
  return taxes.map(({ amount, taxableAmount, behavior, reason, rate }) => ({
    percent: rate?.percent ?? null,
    country: rate?.country ?? null,
    amountMinor: amount,
    taxableMinor: taxableAmount,
    behavior,
    reason,
  }))
}

export function toPreviewTotals(preview: InvoicePreview): PreviewTotals {
  return {
    netMinor: preview.totalExcludingTax,
    taxes: toTaxAmounts(preview.taxes),
    taxMinor: preview.tax,
    totalMinor: preview.total,
  }
}

export function toPreviewLine(line: ProcessorInvoiceLine) {
  return {
    description: line.description,
    amountMinor: line.amount,
    quantity: line.quantity,
    proration: line.proration,
    periodStart: line.periodStart.toISOString(),
    periodEnd: line.periodEnd.toISOString(),
  }
}
