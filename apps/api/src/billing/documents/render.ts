import type { BillingDocument } from '@atrium/core/billing/documents/document'
import {
  crossIndustryInvoice,
  unrepresentable,
  xrechnungGaps,
} from '@atrium/core/billing/documents/e-invoice'
import type { documentFormats } from '@atrium/core/billing/documents/views'
import type { StatementDocument } from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Context } from '../../rpc/context.ts'
import { documentPdf } from './pdf.ts'

/** Counts a file that a person asks for. AppError `rate_limited`. */
export function countDocument({ services, request }: Context, subject: string): Promise<void> {
  return services.limits.take(request, [{ limit: 'documents_minute', of: subject }])
}

/**
 * An issued document as a file. The XML is XRechnung where the document has what that asks for,
 * else plain EN 16931. AppError `document_unavailable` for one that waits, and for XML that EN
 * 16931 can't express.
 */
export async function renderDocument(
  document: BillingDocument | null,
  format: (typeof documentFormats)[number],
): Promise<StatementDocument> {
  if (document === null) throw new AppError('document_unavailable', errorText('documentPending'))
  const name = document.number.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  if (format === 'pdf') {
    const pdf = await documentPdf(document)
    return {
      fileName: `${name}.pdf`,
      contentType: 'application/pdf',
      encoding: 'base64',
      text: pdf.toString('base64'),
    }
  }
  if (unrepresentable(document))
    throw new AppError('document_unavailable', errorText('documentNotAsXml'))
  const specification = xrechnungGaps(document).length === 0 ? 'xrechnung' : 'en16931'
  return {
    fileName: `${name}.xml`,
    contentType: 'application/xml; charset=utf-8',
    text: crossIndustryInvoice(document, specification),
  }
}
