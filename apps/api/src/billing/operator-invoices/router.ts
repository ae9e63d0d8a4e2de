import {
  CorrectInvoice,
  CorrectionPage,
  CorrectionPath,
  CorrectionView,
  ListCorrections,
  OperatorInvoicePath,
} from '@atrium/core/billing/invoice-corrections'
import {
  ExportOperatorInvoices,
  ListOperatorInvoices,
  OperatorInvoiceDetail,
  OperatorInvoicePage,
  OperatorInvoiceTotals,
  SumOperatorInvoices,
} from '@atrium/core/billing/operator-invoices'
import { operator } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { correctInvoice, decide, listCorrections } from './correct.ts'
import {
  exportOperatorInvoices,
  getInvoiceTotals,
  getOperatorInvoice,
  listOperatorInvoices,
} from './list.ts'

const tags = ['billing']
const path = '/billing/invoices' as const
const corrections = '/billing/invoice-corrections' as const

export const operatorInvoicesRouter = router({
  list: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path, tags, summary: 'List the invoices of all tenants' },
    })
    .input(ListOperatorInvoices)
    .output(OperatorInvoicePage)
    .query(({ ctx, input }) => listOperatorInvoices(ctx.services, input)),
  totals: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${path}/totals`,
        tags,
        summary: 'Add up invoices per currency',
      },
    })
    .input(SumOperatorInvoices)
    .output(OperatorInvoiceTotals)
    .query(({ ctx, input }) => getInvoiceTotals(ctx.services, input)),
  export: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${path}/export`,
        tags,
        summary: 'Export invoices as CSV',
      },
      export: { fileName: 'invoices', formats: ['csv'] },
    })
    .input(ExportOperatorInvoices)
    .query(({ ctx, input }) => exportOperatorInvoices(ctx.services, input)),
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${path}/{id}`,
        tags,
        summary: 'Read an invoice with what became of it',
      },
      errors: ['not_found'],
    })
    .input(OperatorInvoicePath)
    .output(OperatorInvoiceDetail)
    .query(({ ctx, input }) => getOperatorInvoice(ctx.services, input.id)),
  correct: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/corrections`,
        tags,
        summary: 'Refund, credit, write off, void, or record a transfer',
      },
      creates: true,
      audit: 'invoice.correction_requested',
      errors: [
        ...(['not_found', 'invoice_state', 'idempotency_mismatch'] as const),
        ...(['billing_disabled', 'payments_not_configured'] as const),
      ],
    })
    .input(CorrectInvoice)
    .concat(recentSignIn)
    .output(CorrectionView)
    .mutation(({ ctx, input }) => correctInvoice(ctx, ctx.caller, input)),
  corrections: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: corrections,
        tags,
        summary: 'List corrections of invoices',
      },
    })
    .input(ListCorrections)
    .output(CorrectionPage)
    .query(({ ctx, input }) => listCorrections(ctx.services, input)),
  approve: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${corrections}/{id}/approve`,
        tags,
        summary: 'Approve a correction of another operator',
      },
      audit: 'invoice.correction_approved',
      errors: [
        ...(['not_found', 'invoice_state', 'self_approval'] as const),
        ...(['billing_disabled', 'payments_not_configured'] as const),
      ],
    })
    .input(CorrectionPath)
    .concat(recentSignIn)
    .output(CorrectionView)
    .mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, 'approved')),
  reject: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${corrections}/{id}/reject`,
        tags,
        summary: 'Reject a correction',
      },
      audit: 'invoice.correction_rejected',
      errors: ['not_found', 'invoice_state'],
    })
    .input(CorrectionPath)
    .output(CorrectionView)
    .mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, 'rejected')),
})
