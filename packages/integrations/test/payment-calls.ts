import type { Payments, PriceInput } from '../src/payments/port.ts'
import { germany, none, start } from './payments-sandbox.ts'

export const write = { idempotencyKey: 'key:1' }
const change = {
  subscriptionId: 'sub_1',
  itemId: 'si_1',
  priceId: 'price_1',
  plan: 'business',
  seats: 2,
}
const price: PriceInput = {
  plan: 'business',
  cycle: 'month',
  currency: 'eur',
  scheme: 'per_seat',
  unitAmount: 1,
  tiers: null,
  priceId: 'p',
  version: 1,
  taxBehavior: 'exclusive',
}

/** Every method of the port with input that needs no answer first. */
export const methods: Record<keyof Payments, (payments: Payments) => Promise<unknown>> = {
  check: (payments) => payments.check({}),
  createCustomer: (payments) =>
    payments.createCustomer(
      {
        tenantId: 't',
        tenantSlug: 'acme',
        name: 'Acme',
        email: 'person@acme.test',
        address: germany,
      },
      write,
    ),
  updateCustomer: (payments) => payments.updateCustomer('cus_1', { name: 'Acme' }, write),
  findCustomer: (payments) => payments.findCustomer('cus_1'),
  addTaxId: (payments) => payments.addTaxId('cus_1', 'DE136695976', write),
  findTaxId: (payments) => payments.findTaxId('cus_1', 'txi_1'),
  removeTaxId: (payments) => payments.removeTaxId('cus_1', 'txi_1', write),
  createSetupIntent: (payments) => payments.createSetupIntent('cus_1', write),
  findSetupIntent: (payments) => payments.findSetupIntent('seti_1'),
  findPaymentMethod: (payments) => payments.findPaymentMethod('pm_1'),
  setDefaultPaymentMethod: (payments) =>
    payments.setDefaultPaymentMethod(
      { customerId: 'cus_1', paymentMethodId: 'pm_1', subscriptionId: 'sub_1' },
      write,
    ),
  detachPaymentMethod: (payments) => payments.detachPaymentMethod('pm_1', write),
  createPortalSession: (payments) =>
    payments.createPortalSession('cus_1', 'http://localhost/', write),
  createPrice: (payments) => payments.createPrice(price, write),
  archivePrice: (payments) => payments.archivePrice('price_1', write),
  createSubscription: (payments) =>
    payments.createSubscription(
      {
        customerId: 'cus_1',
        tenantId: 't',
        plan: 'business',
        priceId: 'price_1',
        seats: 1,
        trialDays: 0,
        tax: none,
      },
      write,
    ),
  previewSubscription: (payments) =>
    payments.previewSubscription({
      customer: { id: 'cus_1' },
      priceId: 'price_1',
      currency: 'eur',
      seats: 1,
      trialEnd: null,
      tax: none,
    }),
  setSubscriptionTax: (payments) =>
    payments.setSubscriptionTax(
      { subscriptionId: 'sub_1', tax: { mode: 'automatic' }, nextTax: { mode: 'automatic' } },
      write,
    ),
  ensureTaxRate: (payments) =>
    payments.ensureTaxRate({
      country: 'DE',
      percent: 19,
      behavior: 'exclusive',
      reason: 'standard_rated',
    }),
  findSubscription: (payments) => payments.findSubscription('sub_1'),
  listSubscriptions: (payments) => payments.listSubscriptions('cus_1'),
  previewChange: (payments) =>
    payments.previewChange({
      customerId: 'cus_1',
      ...change,
      prorationDate: start,
      cycleChanges: true,
      tax: none,
    }),
  changeSubscription: (payments) =>
    payments.changeSubscription({ ...change, prorationDate: start, cycleChanges: true }, write),
  setSubscriptionItem: (payments) =>
    payments.setSubscriptionItem({ ...change, prorates: true }, write),
  previewNextInvoice: (payments) =>
    payments.previewNextInvoice({ subscriptionId: 'sub_1', scheduleId: null }),
  scheduleChange: (payments) =>
    payments.scheduleChange(
      {
        subscriptionId: 'sub_1',
        priceId: 'price_1',
        plan: 'business',
        seats: 1,
        cycle: 'month',
        cycleChanges: false,
        tax: none,
        nextTax: none,
      },
      write,
    ),
  releaseSchedule: (payments) => payments.releaseSchedule('sub_1', write),
  setCancelAtPeriodEnd: (payments) => payments.setCancelAtPeriodEnd('sub_1', true, null, write),
  cancelNow: (payments) => payments.cancelNow('sub_1', false, write),
  resumeSubscription: (payments) => payments.resumeSubscription('sub_1', write),
  findInvoice: (payments) => payments.findInvoice('in_1'),
  listInvoices: (payments) => payments.listInvoices('cus_1'),
  payInvoice: (payments) => payments.payInvoice('in_1', write),
  voidInvoice: (payments) => payments.voidInvoice('in_1', write),
  payOutOfBand: (payments) => payments.payOutOfBand('in_1', write),
  markUncollectible: (payments) => payments.markUncollectible('in_1', write),
  createCreditNote: (payments) =>
    payments.createCreditNote(
      {
        invoiceId: 'in_1',
        amount: 100,
        refundAmount: 100,
        balanceAmount: 0,
        outOfBandAmount: 0,
        reason: null,
        correctionId: 'c',
      },
      write,
    ),
  findRefund: (payments) => payments.findRefund('re_1'),
  findCreditNote: (payments) => payments.findCreditNote('cn_1'),
  listCreditNotes: (payments) => payments.listCreditNotes('in_1'),
  listEvents: (payments) =>
    payments.listEvents({ types: ['refund.created'], since: new Date(0), after: null }),
  listBalanceTransactions: (payments) =>
    payments.listBalanceTransactions({ since: new Date(0), until: null, after: null }),
  listPayouts: (payments) => payments.listPayouts({ since: new Date(0), after: null }),
  readBalance: (payments) => payments.readBalance(),
  findInvoiceOfPayment: (payments) => payments.findInvoiceOfPayment('pi_1'),
  findDispute: (payments) => payments.findDispute('du_1'),
}
