import {
  BillingOverview,
  BillingSummary,
  InvoiceDocument,
  InvoicePage,
  InvoicePath,
  InvoiceView,
  ListInvoices,
  PaymentMethodSet,
  PortalSession,
  SetPaymentMethod,
  SetupIntent,
} from '@atrium/core/billing'
import { TenantPath } from '@atrium/core/tenants'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator, operator } from '../guards.ts'
import { router } from '../trpc.ts'
import { createSetupIntent, removePaymentMethod, setPaymentMethod } from './card.ts'
import { getInvoiceDocument, listInvoices } from './invoices.ts'
import { getBillingOverview } from './overview.ts'
import { payInvoice } from './pay.ts'
import { createPortalSession } from './portal-session.ts'
import { getBilling } from './summary.ts'

const tags = ['billing']
const path = '/tenants/{slug}/billing' as const
const invoices = '/tenants/{slug}/invoices' as const

export const billingRouter = router({
  get: memberOrOperator
    .meta({ openapi: { method: 'GET', path, tags, summary: 'See subscription, card and what is due' } })
    .input(TenantPath)
    .output(BillingSummary)
    .query(({ ctx }) => getBilling(ctx, ctx.access)),
  createSetupIntent: adminOrOperator
    .recentSignIn()
    .meta({ openapi: { method: 'POST', path: `${path}/setup-intent`, tags, summary: 'Begin the entry of a card' }, secretAnswer: true })
    .input(TenantPath)
    .output(SetupIntent)
    .mutation(({ ctx }) => createSetupIntent(ctx, ctx.access)),
  setPaymentMethod: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'PUT', path: `${path}/payment-method`, tags, summary: 'Set the card that invoices are charged to' },
      audit: 'billing.card_set',
    })
    .input(SetPaymentMethod)
    .output(PaymentMethodSet)
    .mutation(({ ctx, input }) => setPaymentMethod(ctx, ctx.access, input)),
  removePaymentMethod: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'DELETE', path: `${path}/payment-method`, tags, summary: 'Take the card away' },
      audit: 'billing.card_removed',
    })
    .input(TenantPath)
    .output(z.void())
    .mutation(({ ctx }) => removePaymentMethod(ctx, ctx.access)),
  portal: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'GET', path: `${path}/portal`, tags, summary: "Get a link to the payment processor's pages" },
      secretAnswer: true,
    })
    .input(TenantPath)
    .output(PortalSession)
    .query(({ ctx }) => createPortalSession(ctx, ctx.access)),
  invoices: memberOrOperator
    .meta({ openapi: { method: 'GET', path: invoices, tags, summary: 'List invoices' } })
    .input(ListInvoices)
    .output(InvoicePage)
    .query(({ ctx, input }) => listInvoices(ctx, ctx.access, input)),
  invoiceDocument: memberOrOperator
    .meta({ openapi: { method: 'GET', path: `${invoices}/{invoiceId}/document`, tags, summary: 'Get links to an invoice' } })
    .input(InvoicePath)
    .output(InvoiceDocument)
    .query(({ ctx, input }) => getInvoiceDocument(ctx, ctx.access, input)),
  payInvoice: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${invoices}/{invoiceId}/pay`, tags, summary: 'Charge an open invoice now' },
      audit: 'invoice.payment_attempted',
    })
    .input(InvoicePath)
    .output(InvoiceView)
    .mutation(({ ctx, input }) => payInvoice(ctx, ctx.access, input)),
  overview: operator
    .meta({ openapi: { method: 'GET', path: '/billing/overview', tags, summary: 'See how money stands over all tenants' } })
    .input(z.strictObject({}).optional())
    .output(BillingOverview)
    .query(({ ctx }) => getBillingOverview(ctx.house)),
})
