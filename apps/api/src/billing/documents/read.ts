import type { InvoicePath } from '@atrium/core/billing/billing'
import { unrepresentable } from '@atrium/core/billing/documents/e-invoice'
import type {
  DocumentList,
  DocumentOverview,
  DocumentView,
  DownloadDocument,
} from '@atrium/core/billing/documents/views'
import type { StatementDocument } from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type DocumentRow,
  findDocument,
  listInvoiceDocuments,
  listNumberGaps,
  listPendingDocuments,
} from '@atrium/db/billing/documents'
import { z } from 'zod'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { findTenantInvoice } from '../invoices/invoices.ts'
import { countDocument, renderDocument } from './render.ts'

const longest = 100

/** The invoice, its credit notes and what cancels them. Throws AppError `not_found`. */
export async function listDocuments(
  { services }: Context,
  { tenant }: Access,
  input: InvoicePath,
): Promise<DocumentList> {
  const invoice = await findTenantInvoice(services, tenant.id, input.invoiceId)
  const rows = await listInvoiceDocuments(services.database.db, tenant.id, invoice.id)
  return { items: rows.map(toView) }
}

function toView({
  id,
  kind,
  cancels,
  number,
  issuedAt,
  problems,
  document,
}: DocumentRow): DocumentView {
  return {
    id,
    kind,
    cancels,
    number,
    problems,
    issuedAt: issuedAt?.toISOString() ?? null,
    xml: document !== null && unrepresentable(document) === null,
  }
}

/**
 * A document of the tenant as a file. Throws AppError `not_found` for unknown documents and those
 * of other tenants, and as `renderDocument` does.
 */
export async function downloadDocument(
  ctx: Context,
  { caller, tenant }: Access,
  { documentId, format }: DownloadDocument,
): Promise<StatementDocument> {
  const { services } = ctx
  await countDocument(ctx, caller.subject)
  const row = z.uuid().safeParse(documentId).success
    ? await findDocument(services.database.db, tenant.id, documentId)
    : undefined
  if (!row) throw new AppError('not_found', errorText('unknownDocument'))
  return renderDocument(row.document, format)
}

/** What keeps documents from being issued, and whether a number is missing. */
export async function getDocumentOverview({
  config,
  database: { db },
}: Services): Promise<DocumentOverview> {
  const [pending, gaps] = await Promise.all([
    listPendingDocuments(db, longest),
    listNumberGaps(db, longest),
  ])
  return {
    missingSettings: config.seller.missing,
    pending: pending.map(({ createdAt, ...row }) => ({ ...row, since: createdAt.toISOString() })),
    gaps,
  }
}
