import { documentTexts } from '@atrium/messages/documents'
import { writtenDay } from '../../platform/written-day.ts'
import { type BillingDocument, isCredit, isSelfBilled, type VatCategory } from './document.ts'

/** What the document is called: "Invoice", "Stornorechnung". */
export function documentTitle({ kind, cancels, language }: BillingDocument): string {
  const texts = documentTexts(language)
  return kind === 'credit_note' && cancels ? texts('titles.cancellation') : texts(`titles.${kind}`)
}

/** Why no VAT is charged (BT-120); null for a category that needs no reason. */
export function exemptionOf(
  { language, exemptionReason }: BillingDocument,
  category: VatCategory,
): string | null {
  if (category === 'S' || category === 'Z') return null
  if (category === 'E' && exemptionReason !== null) return exemptionReason
  return documentTexts(language)(`exemptions.${category}`)
}

/** What the law or the reader needs to be told about the document as a whole (BT-22). */
export function notesOf(document: BillingDocument): string[] {
  const { kind, cancels, language, preceding, reason } = document
  const texts = documentTexts(language)
  const notes: string[] = []
  if (isSelfBilled(kind)) notes.push(texts('notes.selfBilled'))
  if (preceding) {
    const number = preceding.number
    notes.push(texts(cancels ? 'notes.cancels' : 'notes.corrects', { number }))
  }
  if (reason !== null) notes.push(texts('notes.reason', { reason }))
  return notes
}

/** How and when the amount is paid (BT-20). */
export function paymentTermsOf(document: BillingDocument): string {
  const { kind, language, payment, totals } = document
  const texts = documentTexts(language)
  const written = (date: string) => writtenDay(new Date(date), language)
  if (kind === 'self_billed_credit_note') return texts('terms.canceled')
  if (isCredit(kind)) return texts('terms.returned')
  if (payment.means === 'transfer') return texts('terms.transferred')
  if (totals.dueMinor <= 0) return texts('terms.settled')
  return payment.dueDate === null
    ? texts('terms.charged')
    : texts('terms.chargedBy', { date: written(payment.dueDate) })
}
