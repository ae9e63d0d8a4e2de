import { z } from 'zod'
import { invoiceDisplayStatuses } from '../platform/choices.ts'
import { says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant } from '../platform/text.ts'
import { plan } from '../tenants/tenants.ts'
import { vatStatus } from './billing-info.ts'
import { type Entitlements, EntitlementsView } from './entitlements.ts'
import { billingCycle, subscriptionSource, subscriptionStatus } from './subscriptions.ts'
import { TaxAmount } from './taxes.ts'

/** The payment processor's five, and `unknown` for a word that came later. */
export const invoiceStatuses = [
  'draft',
  'open',
  'paid',
  'uncollectible',
  'void',
  'unknown',
] as const
export const invoiceStatus = z.enum(invoiceStatuses)
export type InvoiceStatus = z.infer<typeof invoiceStatus>

/**
 * The flag that opens the billing engine for a tenant; `BILLING_PAYMENTS_ENABLED` must be on as
 * well.
 */
export const billingEngineFlag = 'new_billing_engine'

/**
 * Whether money can be moved for a tenant: flag or switch off is `disabled`, missing keys
 * `not_configured` (docs/reference/contract.md, billing).
 */
export const billingGates = ['open', 'disabled', 'not_configured'] as const
export const billingGateState = z.enum(billingGates)
export type BillingGateState = z.infer<typeof billingGateState>

export { invoiceDisplayStatuses }

/** Drafts are not shown. */
export const invoiceDisplayStatus = z.enum(invoiceDisplayStatuses)
export type InvoiceDisplayStatus = z.infer<typeof invoiceDisplayStatus>

export interface InvoiceFacts {
  status: InvoiceStatus
  amountPaid: bigint
  refundedAmount: bigint
  disputedAmount: bigint
  dueDate: Date | null
  attemptCount: number
}

/**
 * The first that holds, from the most final to the least. An invoice is overdue once its date or
 * the first try to charge it has passed.
 */
export function invoiceDisplayStatusOf(invoice: InvoiceFacts, now: Date): InvoiceDisplayStatus {
  const { status, amountPaid, refundedAmount, disputedAmount, dueDate, attemptCount } = invoice
  if (status === 'void') return 'void'
  if (amountPaid > 0n && refundedAmount >= amountPaid) return 'refunded'
  if (refundedAmount > 0n) return 'partially_refunded'
  if (disputedAmount > 0n) return 'disputed'
  if (status !== 'open') return status
  const late = attemptCount > 0 || (dueDate !== null && dueDate.getTime() < now.getTime())
  return late ? 'overdue' : 'open'
}

const minor = z.number().int()

export const InvoiceLine = z.object({
  description: z.string().nullable(),
  amountMinor: minor,
  quantity: z.number().int().nullable(),
  proration: z.boolean(),
  periodStart: instant,
  periodEnd: instant,
})
export type InvoiceLine = z.infer<typeof InvoiceLine>

/** Amounts in the minor unit of `currency`. */
export const InvoiceView = z.object({
  id: z.uuid(),
  number: z.string().nullable(),
  status: invoiceDisplayStatus,
  billingReason: z.string().nullable(),
  currency: z.string(),
  subtotalMinor: minor,
  discountMinor: minor,
  taxMinor: minor,
  totalMinor: minor,
  /**
   * What the customer's balance paid of the total; below 0 for what was added to the balance. The
   * total less this and less what was credited while it was open is `amountDueMinor`.
   */
  balanceAppliedMinor: minor,
  amountDueMinor: minor,
  amountPaidMinor: minor,
  amountRemainingMinor: minor,
  creditedMinor: minor,
  refundedMinor: minor,
  disputedMinor: minor,
  periodStart: instant.nullable(),
  periodEnd: instant.nullable(),
  dueDate: instant.nullable(),
  nextPaymentAttempt: instant.nullable(),
  attemptCount: z.number().int(),
  finalizedAt: instant,
  paidAt: instant.nullable(),
  lines: z.array(InvoiceLine),
})
export type InvoiceView = z.infer<typeof InvoiceView>

export const InvoicePage = page(InvoiceView)
export type InvoicePage = z.infer<typeof InvoicePage>

export const ListInvoices = z.strictObject({
  slug: z.string().max(200),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListInvoices = z.infer<typeof ListInvoices>

export const InvoicePath = z.strictObject({
  slug: z.string().max(200),
  invoiceId: z.uuid(),
})
export type InvoicePath = z.infer<typeof InvoicePath>

/** Links that the payment processor made just now; they are not kept, because they lapse. */
export const InvoiceDocument = z.object({
  hostedUrl: z.string().nullable(),
  pdfUrl: z.string().nullable(),
})
export type InvoiceDocument = z.infer<typeof InvoiceDocument>

export const CardView = z.object({
  brand: z.string(),
  displayBrand: z.string().nullable(),
  last4: z.string(),
  expMonth: z.number().int(),
  expYear: z.number().int(),
  funding: z.string(),
  country: z.string().nullable(),
  wallet: z.string().nullable(),
  /** The month in the card is over (UTC). */
  expired: z.boolean(),
  /** The month in the card ends within 30 days. */
  expiresSoon: z.boolean(),
})
export type CardView = z.infer<typeof CardView>

const dayMs = 86_400_000

/** How the last day of a card relates to now. Months are counted from 1, as on the card. */
export function cardExpiry(
  { expMonth, expYear }: { expMonth: number; expYear: number },
  now: Date,
) {
  const over = Date.UTC(expYear, expMonth, 1)
  const left = over - now.getTime()
  return { expired: left <= 0, expiresSoon: left > 0 && left <= 30 * dayMs }
}

/**
 * What billing does to a tenant: `limited` rejects new members, domains and applications; mail and
 * files go on.
 */
export const billingStates = ['ok', 'past_due', 'limited'] as const
export const billingState = z.enum(billingStates)
export type BillingState = z.infer<typeof billingState>

/**
 * Days after the first missed payment on which the tenant gets a reminder; the first is the day
 * itself.
 */
export const reminderDays = [0, 3, 7, 12] as const
/**
 * Days after which suspending is suggested to operators, or done where the installation says so.
 */
export const suspensionDays = 28

/** What billing says of these entitlements. */
export function billingStateOf({
  state,
  reason,
}: Pick<Entitlements, 'state' | 'reason'>): BillingState {
  if (state === 'limited') return 'limited'
  return reason === 'payment_missing' ? 'past_due' : 'ok'
}

/** The reminder days that have come since `pastDueSince`. */
export function reminderDaysDue(pastDueSince: Date, now: Date): number[] {
  const days = (now.getTime() - pastDueSince.getTime()) / dayMs
  return reminderDays.filter((day) => day <= days)
}

export const SubscriptionSummary = z.object({
  id: z.uuid(),
  source: subscriptionSource,
  plan,
  cycle: billingCycle,
  currency: z.string(),
  status: subscriptionStatus,
  seats: z.number().int(),
  /** What one period costs, without tax. */
  periodAmountMinor: minor,
  trialEnd: instant.nullable(),
  currentPeriodEnd: instant.nullable(),
  cancelAtPeriodEnd: z.boolean(),
  cancelAt: instant.nullable(),
  pastDueSince: instant.nullable(),
})
export type SubscriptionSummary = z.infer<typeof SubscriptionSummary>

export const AmountDue = z.object({
  currency: z.string(),
  amountMinor: minor,
  invoices: z.number().int(),
  overdue: z.boolean(),
})

/** Credit that later invoices in its currency use up; below 0 for a debt that the next one adds. */
export const CustomerCredit = z.object({ currency: z.string(), amountMinor: minor })
export type CustomerCredit = z.infer<typeof CustomerCredit>

export const BillingSummary = z.object({
  gate: billingGateState,
  state: billingState,
  /** From when the tenant is limited unless it pays. */
  limitedFrom: instant.nullable(),
  /** Plan, seats and file space that the tenant has now, and why. */
  entitlements: EntitlementsView,
  subscription: SubscriptionSummary.nullable(),
  card: CardView.nullable(),
  /** When the card was last read from the payment processor; null when it never was. */
  cardReadAt: instant.nullable(),
  /** Why the last try to set up a card failed, until one succeeds. */
  cardFailure: z.object({ reason: z.string(), at: instant }).nullable(),
  /** Why the data may be stale: the processor did not respond just now. */
  stale: z.string().nullable(),
  due: z.array(AmountDue),
  /** By currency, without those of 0; as of `cardReadAt`. */
  credits: z.array(CustomerCredit),
  /**
   * What deleting the tenant does to its subscription: it ends at once, and what was paid for the
   * rest of the period, about `creditMinor` without tax, becomes credit. Null without a running
   * one.
   */
  onDeletion: z.object({ currency: z.string(), creditMinor: minor }).nullable(),
  contact: z.object({
    company: z.string().nullable(),
    email: z.string().nullable(),
    country: z.string().nullable(),
    vatNumber: z.string().nullable(),
    vatStatus,
  }),
})
export type BillingSummary = z.infer<typeof BillingSummary>

/** The next regular invoice, with the changes that are scheduled for it. */
export const NextInvoice = z.object({
  at: instant,
  currency: z.string(),
  /**
   * The payment processor computed it; else an estimate from our records, without tax and credit.
   */
  exact: z.boolean(),
  lines: z.array(InvoiceLine),
  /** Without tax. */
  netMinor: minor,
  taxes: z.array(TaxAmount),
  taxMinor: minor,
  totalMinor: minor,
  /** What of the customer's credit pays for it. */
  creditMinor: minor,
  amountDueMinor: minor,
  /** Credit that the customer has now; this invoice and later ones use it up. */
  balanceMinor: minor,
})
export type NextInvoice = z.infer<typeof NextInvoice>

export const SetupIntent = z.object({
  clientSecret: z.string(),
  publishableKey: z.string().nullable(),
  /** The local workplace's own card form; null where the processor's form in the page is used. */
  cardFormUrl: z.string().nullable(),
})
export type SetupIntent = z.infer<typeof SetupIntent>

/**
 * The card to charge from now on: by its id, or by the setup intent that it was entered with, which
 * is all that the redirect from the processor's form contains.
 */
export const SetPaymentMethod = z
  .strictObject({
    slug: z.string().max(200),
    paymentMethodId: z
      .string()
      .max(200)
      .regex(/^pm_\w+$/, says('id'))
      .optional(),
    setupIntentId: z
      .string()
      .max(200)
      .regex(/^seti_\w+$/, says('id'))
      .optional(),
  })
  .refine(
    ({ paymentMethodId, setupIntentId }) =>
      (paymentMethodId === undefined) !== (setupIntentId === undefined),
    {
      path: ['paymentMethodId'],
      ...says('paymentMethodOrSetup'),
    },
  )
  .meta({
    openapi: { oneOf: [{ required: ['paymentMethodId'] }, { required: ['setupIntentId'] }] },
  })
export type SetPaymentMethod = z.infer<typeof SetPaymentMethod>

/** What became of an invoice that was waiting for its payment. */
export const PaymentOutcome = z.object({
  invoiceId: z.uuid(),
  number: z.string().nullable(),
  outcome: z.enum(['paid', 'failed']),
  message: z.string().nullable(),
})
export type PaymentOutcome = z.infer<typeof PaymentOutcome>

/**
 * `payment`: the oldest open invoice was tried at once with the new card; null when nothing was
 * due.
 */
export const PaymentMethodSet = z.object({
  card: CardView.nullable(),
  payment: PaymentOutcome.nullable(),
})
export type PaymentMethodSet = z.infer<typeof PaymentMethodSet>

export const PortalSession = z.object({ url: z.string() })
export type PortalSession = z.infer<typeof PortalSession>

export const PastDueTenant = z.object({
  slug: z.string(),
  name: z.string(),
  partnerSlug: z.string().nullable(),
  status: subscriptionStatus,
  pastDueSince: instant.nullable(),
  currency: z.string(),
  amountMinor: minor,
  state: billingState,
  /** The tenant has been overdue for so long that suspending it is suggested. */
  suspensionSuggested: z.boolean(),
})

export const billingDifferenceKinds = ['missing_here', 'missing_there', 'differs'] as const
export const BillingDifference = z.object({
  id: z.uuid(),
  tenantSlug: z.string(),
  objectType: z.enum(['subscription', 'invoice']),
  objectId: z.string(),
  kind: z.enum(billingDifferenceKinds),
  /** The fields that differed, `[ours, theirs]`. */
  fields: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
  repaired: z.boolean(),
  foundAt: instant,
})
export type BillingDifference = z.infer<typeof BillingDifference>

export const Reconciliation = z.object({
  startedAt: instant,
  finishedAt: instant.nullable(),
  tenants: z.number().int(),
  differences: z.number().int(),
  repaired: z.number().int(),
  failed: z.number().int(),
  /** Events of refunds, credit notes and disputes that no webhook had told of. */
  lostEvents: z.number().int(),
  error: z.string().nullable(),
})
export type Reconciliation = z.infer<typeof Reconciliation>

export const InboxHealth = z.object({
  /** Events that wait for their first or next try. */
  waiting: z.number().int(),
  failing: z.number().int(),
  parked: z.number().int(),
  /** How long the oldest waiting event has waited. */
  oldestWaitingSeconds: z.number().int().nullable(),
  lastReceivedAt: instant.nullable(),
  /** From receipt to effect over the last day; null without events. */
  medianSeconds: z.number().nullable(),
  slowestSeconds: z.number().nullable(),
})
export type InboxHealth = z.infer<typeof InboxHealth>

export const BillingOverview = z.object({
  /**
   * Which of the two switches and the keys are set for the whole installation; the flag decides per
   * tenant.
   */
  paymentsEnabled: z.boolean(),
  configured: z.boolean(),
  webhooksConfigured: z.boolean(),
  currencies: z.array(
    z.object({
      currency: z.string(),
      mrrMinor: minor,
      atRiskMrrMinor: minor,
      trialMrrMinor: minor,
      payingTenants: z.number().int(),
      openInvoices: z.number().int(),
      openMinor: minor,
      overdueInvoices: z.number().int(),
      overdueMinor: minor,
      paidLast30DaysMinor: minor,
      /** What refunds and disputes took back, also of earlier payments. */
      returnedLast30DaysMinor: minor,
      failedPaymentsLast30Days: z.number().int(),
    }),
  ),
  pastDue: z.array(PastDueTenant),
  inbox: InboxHealth,
  reconciliation: Reconciliation.nullable(),
  differences: z.array(BillingDifference),
})
export type BillingOverview = z.infer<typeof BillingOverview>
