import type { AuditAction } from '@atrium/core/audit/audit'
import type { CorrectionRow } from '@atrium/db/billing/invoice-corrections'

/** The audit action of a correction that the payment processor carried out. */
export function actionOf({ kind, destination }: CorrectionRow): AuditAction {
  if (kind === 'write_off') return 'invoice.written_off'
  if (kind === 'void') return 'invoice.voided'
  if (kind === 'transfer') return 'invoice.payment_recorded'
  return destination === 'card' ? 'invoice.refunded' : 'invoice.credited'
}

export function correctionEntry(action: AuditAction, row: CorrectionRow) {
  return {
    action,
    resourceType: 'invoice' as const,
    resourceId: row.invoiceId,
    resourceName: row.invoiceNumber,
    tenantSlug: row.tenantSlug,
    partnerSlug: row.partnerSlug,
    metadata: {
      correctionId: row.id,
      kind: row.kind,
      ...(row.destination === null ? {} : { destination: row.destination }),
      ...(row.category === null ? {} : { category: row.category }),
      currency: row.currency,
      amountMinor: Number(row.amount),
      reason: row.reason,
      ...(row.reference === null ? {} : { reference: row.reference }),
      ...(row.paidOn === null ? {} : { paidOn: row.paidOn }),
      state: row.state,
      requestedBy: row.requestedBy,
      ...(row.creditNoteNumber === null ? {} : { creditNote: row.creditNoteNumber }),
    },
  }
}
