import { toMinorNumber } from '@atrium/core/billing/money'
import type {
  StatementDocument,
  statementDocuments,
  statementFormats,
} from '@atrium/core/billing/payouts'
import {
  cancellationCsv,
  cancellationHtml,
  type Statement,
  statementCsv,
  statementHtml,
} from '@atrium/core/billing/statements'
import { listPayoutDocuments } from '@atrium/db/billing/documents'
import { listPayoutEntries } from '@atrium/db/billing/ledger'
import { findPayoutPartner, findStatement, type PayoutRow } from '@atrium/db/billing/payouts'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { countDocument, renderDocument } from '../documents/render.ts'
import { unknownPayout } from './get.ts'
import { toLedgerEntryView } from './view.ts'

/** The statement as it stands now: a draft, or what is kept when the payout is paid. */
export async function writeStatement(db: Db | Trx, payout: PayoutRow): Promise<Statement> {
  const partner = await findPayoutPartner(db, payout.partnerSlug)
  const entries = await listPayoutEntries(db, payout.id)
  return {
    number: payout.statementNumber,
    partner: {
      slug: payout.partnerSlug,
      name: payout.partnerName,
      company: partner?.billingCompany ?? null,
      vatNumber: partner?.billingVatNumber ?? null,
      country: partner?.billingCountry ?? null,
    },
    currency: payout.currency,
    periodFrom: payout.periodFrom?.toISOString() ?? null,
    periodTo: payout.periodTo.toISOString(),
    ...paymentOf(payout),
    amountMinor: toMinorNumber(payout.amount),
    lines: entries.map((row) => {
      const {
        createdAt,
        type,
        tenantName,
        invoiceNumber,
        reason,
        baseMinor,
        marginPct,
        amountMinor,
      } = toLedgerEntryView(row)
      return {
        createdAt,
        type,
        tenantName,
        invoiceNumber,
        reason,
        baseMinor,
        marginPct,
        amountMinor,
      }
    }),
  }
}

/** What became of the payment so far, which a statement that is kept does not know. */
function paymentOf(payout: PayoutRow) {
  const { status, cancellationNumber } = payout
  return {
    status,
    paidAt: payout.paidAt?.toISOString() ?? null,
    reference: status === 'failed' || status === 'canceled' ? null : payout.reference,
    canceledAt: payout.canceledAt?.toISOString() ?? null,
    cancellationNumber,
  }
}

interface DocumentKind {
  document: (typeof statementDocuments)[number]
  format: (typeof statementFormats)[number]
}

/**
 * The statement of a payout, or the document that cancels it, to be printed or for a spreadsheet.
 * What was written when it was paid never changes; what became of the payment is told as it is now.
 * PDF and XML are the self-billed invoice or credit note; AppError `document_unavailable` while it
 * waits.
 * AppError `not_found` for a cancellation that there is not.
 */
export async function statementDocument(
  ctx: Context,
  { subject }: Caller,
  payout: PayoutRow,
  { document, format }: DocumentKind,
): Promise<StatementDocument> {
  const { db } = ctx.services.database
  const cancels = document === 'cancellation'
  if (cancels && payout.cancellationNumber === null) throw unknownPayout()
  if (format === 'pdf' || format === 'xml') {
    await countDocument(ctx, subject)
    const documents = await listPayoutDocuments(db, payout.partnerId, payout.id)
    const found = documents.find((document) => document.cancels === cancels)
    return renderDocument(found?.document ?? null, format)
  }
  // Written by us and by nobody else, so its shape is known.
  const kept = (await findStatement(db, payout.id)) as Statement | null
  const statement = { ...(kept ?? (await writeStatement(db, payout))), ...paymentOf(payout) }
  const number = cancels ? statement.cancellationNumber : statement.number
  const name = (number ?? `draft-${payout.id}`).toLowerCase()
  return format === 'csv'
    ? {
        fileName: `${name}.csv`,
        contentType: 'text/csv; charset=utf-8',
        text: (cancels ? cancellationCsv : statementCsv)(statement),
      }
    : {
        fileName: `${name}.html`,
        contentType: 'text/html; charset=utf-8',
        text: (cancels ? cancellationHtml : statementHtml)(statement),
      }
}
