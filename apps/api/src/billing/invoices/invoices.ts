import type {
  InvoiceDocument,
  InvoicePage,
  InvoicePath,
  ListInvoices,
} from '@atrium/core/billing/billing'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  findInvoice,
  type InvoiceRow,
  listInvoices as queryInvoices,
} from '@atrium/db/billing/invoices'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { throughPayments } from './failures.ts'
import { requirePayments } from './gate.ts'
import { toInvoiceView } from './view.ts'

/** Newest first, without drafts, from our own records: whether payments are on or off. */
export async function listInvoices(
  { services }: Context,
  { tenant }: Access,
  input: ListInvoices,
): Promise<InvoicePage> {
  const rows = await queryInvoices(services.database.db, tenant.id, {
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  const now = services.clock.now()
  return { items: items.map((row) => toInvoiceView(row, now)), nextCursor }
}

/**
 * Links to the invoice, fetched now: they lapse. AppError `not_found`, `payments_not_configured`,
 * `upstream_failed`.
 */
export async function getInvoiceDocument(
  { services }: Context,
  { tenant }: Access,
  input: InvoicePath,
): Promise<InvoiceDocument> {
  const invoice = await findTenantInvoice(services, tenant.id, input.invoiceId)
  const payments = requirePayments(services.systems)
  const found = await throughPayments((signal) =>
    payments.findInvoice(invoice.stripeInvoiceId, { signal }),
  )
  if (!found) throw new AppError('not_found', errorText('invoiceGoneAtProcessor'))
  return { hostedUrl: found.hostedInvoiceUrl, pdfUrl: found.invoicePdf }
}

/** Throws AppError `not_found` for unknown invoices, those of other tenants, and drafts. */
export async function findTenantInvoice(
  services: Services,
  tenantId: string,
  invoiceId: string,
): Promise<InvoiceRow> {
  const row = await findInvoice(services.database.db, tenantId, invoiceId)
  if (!row) throw new AppError('not_found', errorText('unknownInvoice'))
  return row
}
