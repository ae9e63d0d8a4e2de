import { InvoicePath } from '@atrium/core/billing/billing'
import {
  BillingAddressState,
  DocumentList,
  DocumentOverview,
  DownloadDocument,
  SetBillingAddress,
} from '@atrium/core/billing/documents/views'
import { PartnerBillingPath, StatementDocument } from '@atrium/core/billing/payouts'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import {
  adminOrOperator,
  memberOrOperator,
  operator,
  partnerFinanceReader,
  partnerSettler,
} from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import {
  getPartnerAddress,
  getTenantAddress,
  setPartnerAddress,
  setTenantAddress,
} from './address.ts'
import { downloadDocument, getDocumentOverview, listDocuments } from './read.ts'

const tags = ['documents']
const tenantAddress = '/tenants/{slug}/billing-address' as const
const partnerAddress = '/partners/{slug}/billing-address' as const

export const documentsRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/invoices/{invoiceId}/documents',
        tags,
        summary: 'List the documents of an invoice',
      },
      errors: ['not_found'],
    })
    .input(InvoicePath)
    .output(DocumentList)
    .query(({ ctx, input }) => listDocuments(ctx, ctx.access, input)),
  download: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/documents/{documentId}',
        tags,
        summary: 'Download a document as PDF or XML',
      },
      file: ['application/pdf', 'application/xml'],
      errors: ['not_found', 'document_unavailable', 'rate_limited'],
    })
    .input(DownloadDocument)
    .output(StatementDocument)
    .query(({ ctx, input }) => downloadDocument(ctx, ctx.access, input)),
  overview: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: '/billing/documents',
        tags,
        summary: 'See which documents wait and which numbers are missing',
      },
    })
    .input(z.strictObject({}).optional())
    .output(DocumentOverview)
    .query(({ ctx }) => getDocumentOverview(ctx.services)),
  tenantAddress: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: tenantAddress,
        tags,
        summary: 'Read the address on invoices',
      },
    })
    .input(TenantPath)
    .output(BillingAddressState)
    .query(({ ctx }) => getTenantAddress(ctx, ctx.access)),
  setTenantAddress: adminOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: { method: 'PUT', path: tenantAddress, tags, summary: 'Set the address on invoices' },
      audit: 'billing_info.updated',
      errors: ['tenant_deleted'],
    })
    .input(SetBillingAddress)
    .output(BillingAddressState)
    .mutation(({ ctx, input }) => setTenantAddress(ctx, ctx.access, input)),
  partnerAddress: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: partnerAddress,
        tags,
        summary: 'Read the address on statements',
      },
    })
    .input(PartnerBillingPath)
    .output(BillingAddressState)
    .query(({ ctx }) => getPartnerAddress(ctx, ctx.partnerAccess)),
  setPartnerAddress: partnerSettler
    .meta({
      scope: 'billing:write',
      openapi: {
        method: 'PUT',
        path: partnerAddress,
        tags,
        summary: 'Set the address on statements',
      },
      audit: 'partner_settings.updated',
      errors: ['partner_terminated'],
    })
    .input(SetBillingAddress)
    .output(BillingAddressState)
    .mutation(({ ctx, input }) => setPartnerAddress(ctx, ctx.partnerAccess, input)),
})
