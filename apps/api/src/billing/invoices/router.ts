import {
  BillingOverview,
  BillingSummary,
  InvoiceDocument,
  InvoicePage,
  InvoicePath,
  InvoiceView,
  ListInvoices,
  NextInvoice,
  PaymentMethodSet,
  PortalSession,
  SetPaymentMethod,
  SetupIntent,
} from '@atrium/core/billing/billing'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator, operator } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { createSetupIntent, removePaymentMethod, setPaymentMethod } from './card.ts'
import { getInvoiceDocument, listInvoices } from './invoices.ts'
import { getNextInvoice } from './next-invoice.ts'
import { getBillingOverview } from './overview.ts'
import { payInvoice } from './pay.ts'
import { createPortalSession } from './portal-session.ts'
import { processorErrors } from './processor-errors.ts'
import { getBilling } from './summary.ts'

const tags = ['billing']
const path = '/tenants/{slug}/billing' as const
const invoices = '/tenants/{slug}/invoices' as const

export const billingRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: { method: 'GET', path, tags, summary: 'See subscription, card and what is due' },
    })
    .input(TenantPath)
    .output(BillingSummary)
    .query(({ ctx }) => getBilling(ctx, ctx.access)),
  nextInvoice: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${path}/next-invoice`,
        tags,
        summary: 'See the next invoice, scheduled changes and credit included',
      },
    })
    .input(TenantPath)
    .output(NextInvoice.nullable())
    .query(({ ctx }) => getNextInvoice(ctx, ctx.access)),
  createSetupIntent: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/setup-intent`,
        tags,
        summary: 'Begin the entry of a card',
      },
      secretResponse: true,
      errors: [...processorErrors, 'tenant_deleted'],
    })
    .input(TenantPath)
    .concat(recentSignIn)
    .output(SetupIntent)
    .mutation(({ ctx }) => createSetupIntent(ctx, ctx.access)),
  setPaymentMethod: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'PUT',
        path: `${path}/payment-method`,
        tags,
        summary: 'Set the card that invoices are charged to',
      },
      audit: 'billing.card_set',
      errors: [...processorErrors, 'tenant_deleted', 'subscription_exists'],
    })
    .input(SetPaymentMethod)
    .concat(recentSignIn)
    .output(PaymentMethodSet)
    .mutation(({ ctx, input }) => setPaymentMethod(ctx, ctx.access, input)),
  removePaymentMethod: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: `${path}/payment-method`,
        tags,
        summary: 'Take the card away',
      },
      audit: 'billing.card_removed',
      errors: [...processorErrors, 'payment_method_in_use', 'tenant_deleted'],
    })
    .input(TenantPath)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx }) => removePaymentMethod(ctx, ctx.access)),
  portal: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${path}/portal`,
        tags,
        summary: "Get a link to the payment processor's pages",
      },
      secretResponse: true,
      errors: [...processorErrors, 'integration_off', 'tenant_deleted'],
    })
    .input(TenantPath)
    .concat(recentSignIn)
    .output(PortalSession)
    .query(({ ctx }) => createPortalSession(ctx, ctx.access)),
  invoices: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: { method: 'GET', path: invoices, tags, summary: 'List invoices' },
    })
    .input(ListInvoices)
    .output(InvoicePage)
    .query(({ ctx, input }) => listInvoices(ctx, ctx.access, input)),
  invoiceDocument: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${invoices}/{invoiceId}/document`,
        tags,
        summary: 'Get links to an invoice',
      },
      errors: ['payments_not_configured', 'payment_failed', 'upstream_failed'],
    })
    .input(InvoicePath)
    .output(InvoiceDocument)
    .query(({ ctx, input }) => getInvoiceDocument(ctx, ctx.access, input)),
  payInvoice: adminOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${invoices}/{invoiceId}/pay`,
        tags,
        summary: 'Charge an open invoice now',
      },
      audit: 'invoice.payment_attempted',
      errors: [...processorErrors, 'invoice_state', 'tenant_deleted', 'subscription_exists'],
    })
    .input(InvoicePath)
    .output(InvoiceView)
    .mutation(({ ctx, input }) => payInvoice(ctx, ctx.access, input)),
  overview: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: '/billing/overview',
        tags,
        summary: 'See how money stands over all tenants',
      },
    })
    .input(z.strictObject({}).optional())
    .output(BillingOverview)
    .query(({ ctx }) => getBillingOverview(ctx.services)),
})
