import type { BillingDocument } from '@atrium/core/billing/documents/document'
import {
  type DocumentRow,
  findDocumentOf,
  findTenantAddress,
  listInvoiceDocuments,
  saveDocument,
} from '@atrium/db/billing/documents'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import type { Trx } from '@atrium/db/platform/connect'
import { languageOfRecipient } from '@atrium/db/users/languages'
import type { ProcessorCreditNote, ProcessorInvoice } from '@atrium/integrations/payments/port'
import { defaultLanguage } from '@atrium/messages/languages'
import type { InTransaction } from '../../rpc/services.ts'
import {
  cancellationDocument,
  creditNoteDocument,
  type Drafted,
  invoiceDocument,
  type Recipient,
} from './invoice-draft.ts'

interface About {
  tenantId: string
  /** Our id. */
  invoiceId: string
}

/**
 * Issues the document of a finalized invoice and, once it is void, the one that cancels it, in the
 * transaction that mirrors the invoice. What can't be issued yet waits with its reasons and is
 * retried by `issuePendingDocuments`. It may run any number of times and in any order.
 */
export async function documentInvoice(
  trx: Trx,
  services: InTransaction,
  about: About,
  invoice: ProcessorInvoice,
): Promise<void> {
  if (invoice.finalizedAt === null || invoice.number === null) return
  const stored = await findDocumentOf(trx, about.tenantId, invoice.id)
  const row = stored?.document
    ? stored
    : await issue(trx, services, about, {
        source: invoice.id,
        number: invoice.number,
        kind: invoice.total < 0 ? 'credit_note' : 'invoice',
        draft: (recipient) => invoiceDocument(invoice, services.config.seller, recipient),
      })
  await cancelVoided(trx, services, about, row, invoice)
}

/**
 * Cancels the document of a void invoice. Waits while the processor has credited more or less of it
 * than its documented credit notes: one may be told of later than the void.
 */
async function cancelVoided(
  trx: Trx,
  services: InTransaction,
  about: About,
  row: DocumentRow | undefined,
  { status, voidedAt, creditedAmount }: ProcessorInvoice,
): Promise<void> {
  if (status !== 'void' || !voidedAt) return
  const isInvoice = row?.kind === 'invoice'
  const credits = isInvoice ? await standingCredits(trx, about.tenantId, about.invoiceId) : []
  const known = credits.reduce((sum, { totals }) => sum + totals.grossMinor, 0)
  await cancel(trx, services, about, row, voidedAt, {
    credits,
    complete: known === creditedAmount,
  })
}

/** The same of a credit note. Its invoice must have been documented before. */
export async function documentCreditNote(
  trx: Trx,
  services: InTransaction,
  about: About,
  note: ProcessorCreditNote,
  invoice: ProcessorInvoice,
): Promise<void> {
  const corrected = await findDocumentOf(trx, about.tenantId, invoice.id)
  const stored = await findDocumentOf(trx, about.tenantId, note.id)
  const row = stored?.document
    ? stored
    : await issue(trx, services, about, {
        source: note.id,
        number: note.number,
        kind: 'credit_note',
        draft: (recipient) =>
          corrected?.document
            ? creditNoteDocument(
                note,
                corrected.document,
                invoice.customer,
                services.config.seller,
                recipient,
              )
            : { document: null, problems: ['corrected_document'] },
      })
  if (note.voidedAt)
    await cancel(trx, services, about, row, note.voidedAt, { credits: [], complete: true })
  await cancelVoided(trx, services, about, corrected, invoice)
}

interface Issue {
  source: string
  number: string
  kind: 'invoice' | 'credit_note'
  draft(recipient: Recipient): Drafted
}

async function issue(
  trx: Trx,
  { clock }: InTransaction,
  { tenantId, invoiceId }: About,
  { source, number, kind, draft }: Issue,
): Promise<DocumentRow | undefined> {
  const tenant = await findCustomerTenant(trx, tenantId)
  if (!tenant) return undefined
  const to = tenant.email ?? tenant.ownerEmail ?? ''
  const language = (await languageOfRecipient(trx, { address: to, tenantId })) ?? defaultLanguage
  const address = await findTenantAddress(trx, tenantId)
  const { document, problems } = draft({ tenant, address, language })
  await saveDocument(trx, {
    tenantId,
    invoiceId,
    source,
    number,
    kind,
    cancels: false,
    document,
    problems,
    at: clock.now(),
  })
  return findDocumentOf(trx, tenantId, source)
}

/** What the credit notes of an invoice have given back by then is not given back again. */
async function cancel(
  trx: Trx,
  { clock }: InTransaction,
  { tenantId, invoiceId }: About,
  issued: DocumentRow | undefined,
  at: Date,
  { credits, complete }: { credits: readonly BillingDocument[]; complete: boolean },
): Promise<void> {
  if (!issued) return
  const source = `void:${issued.source}`
  if ((await findDocumentOf(trx, tenantId, source))?.document) return
  const kind = issued.kind === 'invoice' ? 'credit_note' : 'invoice'
  const number = `${issued.number}-VOID`
  const corrected = complete ? issued.document : null
  const document = corrected && cancellationDocument(corrected, credits, at)
  if (corrected && document === null) return
  await saveDocument(trx, {
    tenantId,
    invoiceId,
    source,
    number,
    kind,
    cancels: true,
    document,
    problems: document === null ? ['corrected_document'] : [],
    at: clock.now(),
  })
}

/** Credit notes that were not voided. */
async function standingCredits(
  trx: Trx,
  tenantId: string,
  invoiceId: string,
): Promise<BillingDocument[]> {
  const rows = await listInvoiceDocuments(trx, tenantId, invoiceId)
  const voided = new Set(rows.filter(({ cancels }) => cancels).map(({ source }) => source))
  return rows.flatMap(({ kind, cancels, source, document }) =>
    kind === 'credit_note' && !cancels && document && !voided.has(`void:${source}`)
      ? [document]
      : [],
  )
}
