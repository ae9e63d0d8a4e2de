import { z } from 'zod'

const metadata = z.record(z.string(), z.string())
const moment = z.number().int()
const optionalMoment = moment.nullable()

const Address = z.object({
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  postalCode: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  country: z.string().nullable(),
})
export type Address = z.infer<typeof Address>

const taxExempt = z.enum(['none', 'exempt', 'reverse'])

const Customer = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  address: Address.nullable().default(null),
  metadata,
  defaultPaymentMethod: z.string().nullable(),
  /** Negative: what the next invoices are lowered by. */
  balance: z.number(),
  /** Set by the first subscription; another one is rejected from then on. */
  currency: z.string().nullable(),
  taxExempt,
  created: moment,
  deleted: z.boolean(),
})
export type Customer = z.infer<typeof Customer>

const TaxId = z.object({
  id: z.string(),
  customer: z.string(),
  type: z.string(),
  value: z.string(),
  status: z.enum(['pending', 'verified', 'unverified', 'unavailable']),
  created: moment,
})
export type TaxId = z.infer<typeof TaxId>

const PaymentMethod = z.object({
  id: z.string(),
  customer: z.string().nullable(),
  /** The number of a test card: it decides what happens. */
  number: z.string(),
  expMonth: z.number(),
  expYear: z.number(),
  created: moment,
})
export type PaymentMethod = z.infer<typeof PaymentMethod>

const SetupIntent = z.object({
  id: z.string(),
  customer: z.string().nullable(),
  secret: z.string(),
  status: z.enum(['requires_payment_method', 'requires_action', 'succeeded', 'canceled']),
  paymentMethod: z.string().nullable(),
  metadata,
  usage: z.string(),
  allowedTypes: z.array(z.string()).nullable(),
  failure: z.string().nullable(),
  created: moment,
})
export type SetupIntent = z.infer<typeof SetupIntent>

const Product = z.object({
  id: z.string(),
  name: z.string(),
  metadata,
  active: z.boolean(),
  created: moment,
})
export type Product = z.infer<typeof Product>

const Tier = z.object({
  upTo: z.number().nullable(),
  unitAmount: z.number(),
  flatAmount: z.number(),
})
export type Tier = z.infer<typeof Tier>

const Price = z.object({
  id: z.string(),
  product: z.string(),
  currency: z.string(),
  unitAmount: z.number().nullable(),
  tiersMode: z.enum(['graduated', 'volume']).nullable(),
  tiers: z.array(Tier),
  interval: z.enum(['month', 'year']),
  active: z.boolean(),
  lookupKey: z.string().nullable(),
  taxBehavior: z.string().nullable(),
  metadata,
  created: moment,
})
export type Price = z.infer<typeof Price>

const TaxRate = z.object({
  id: z.string(),
  displayName: z.string(),
  /** With at most four decimals. */
  percentage: z.number(),
  inclusive: z.boolean(),
  country: z.string().nullable(),
  jurisdiction: z.string().nullable(),
  taxType: z.string().nullable(),
  active: z.boolean(),
  metadata,
  created: moment,
})
export type TaxRate = z.infer<typeof TaxRate>

/** How tax gets onto invoices: computed, by rates of the account's own, or not at all. */
const TaxSettings = z.object({ automatic: z.boolean(), rates: z.array(z.string()) })
export type TaxSettings = z.infer<typeof TaxSettings>
const taxSettings = TaxSettings.default({ automatic: false, rates: [] })

export const subscriptionStatuses = [
  ...([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ] as const),
] as const

/** What changes once its invoice is paid. */
const PendingUpdate = z.object({
  expiresAt: moment,
  price: z.string(),
  quantity: z.number(),
  metadata,
  anchorNow: z.boolean(),
  invoice: z.string(),
})
export type PendingUpdate = z.infer<typeof PendingUpdate>

const Subscription = z.object({
  id: z.string(),
  customer: z.string(),
  status: z.enum(subscriptionStatuses),
  currency: z.string(),
  item: z.string(),
  price: z.string(),
  quantity: z.number(),
  metadata,
  created: moment,
  anchor: moment,
  periodStart: moment,
  periodEnd: moment,
  trialStart: optionalMoment,
  trialEnd: optionalMoment,
  trialEndNotified: z.boolean(),
  missingPaymentMethod: z.enum(['cancel', 'create_invoice', 'pause']),
  cancelAtPeriodEnd: z.boolean(),
  cancelAt: optionalMoment,
  canceledAt: optionalMoment,
  endedAt: optionalMoment,
  cancelReason: z.string().nullable(),
  cancelFeedback: z.string().nullable(),
  cancelComment: z.string().nullable(),
  pauseCollection: z
    .object({
      behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
      resumesAt: optionalMoment,
    })
    .nullable(),
  pausedAt: optionalMoment,
  pauseReason: z.string().nullable(),
  latestInvoice: z.string().nullable(),
  defaultPaymentMethod: z.string().nullable(),
  pendingUpdate: PendingUpdate.nullable(),
  tax: taxSettings,
  /** The schedule that is attached to it. */
  schedule: z.string().nullable().default(null),
  billingMode: z.enum(['classic', 'flexible']),
})
export type Subscription = z.infer<typeof Subscription>

const SchedulePhase = z.object({
  start: moment,
  end: moment,
  price: z.string(),
  quantity: z.number(),
  metadata,
  /** The billing anchor moves to the start of the phase. */
  anchorAtStart: z.boolean(),
  tax: taxSettings,
})
export type SchedulePhase = z.infer<typeof SchedulePhase>

const Schedule = z.object({
  id: z.string(),
  subscription: z.string(),
  customer: z.string(),
  status: z.enum(['active', 'released', 'canceled']),
  currency: z.string(),
  /** In order; the end of each is the start of the next. */
  phases: z.array(SchedulePhase),
  created: moment,
  releasedAt: optionalMoment,
  canceledAt: optionalMoment,
})
export type Schedule = z.infer<typeof Schedule>

const LineTax = z.object({
  amount: z.number(),
  taxableAmount: z.number(),
  inclusive: z.boolean(),
  rate: z.string(),
  reason: z.string(),
})
export type LineTax = z.infer<typeof LineTax>

const Line = z.object({
  id: z.string(),
  description: z.string(),
  amount: z.number(),
  quantity: z.number(),
  price: z.string(),
  proration: z.boolean(),
  start: moment,
  end: moment,
  taxes: z.array(LineTax).default([]),
})
export type Line = z.infer<typeof Line>

const Payment = z.object({
  id: z.string(),
  secret: z.string(),
  status: z.enum([
    'requires_payment_method',
    'requires_confirmation',
    'requires_action',
    'succeeded',
    'canceled',
  ]),
  charge: z.string().nullable(),
  paymentMethod: z.string().nullable(),
})
export type Payment = z.infer<typeof Payment>

/** The customer as an invoice shows it, frozen when the invoice is finalized. */
const Buyer = z.object({
  name: z.string().nullable(),
  email: z.string().nullable(),
  address: Address.nullable(),
  taxIds: z.array(z.object({ type: z.string(), value: z.string() })),
  taxExempt,
})
export type Buyer = z.infer<typeof Buyer>

const Invoice = z.object({
  id: z.string(),
  customer: z.string(),
  subscription: z.string().nullable(),
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  billingReason: z.enum([
    'subscription_create',
    'subscription_cycle',
    'subscription_update',
    'manual',
  ]),
  currency: z.string(),
  lines: z.array(Line),
  buyer: Buyer.nullable().default(null),
  tax: taxSettings,
  /** Why tax could not be computed when the invoice was finalized. */
  taxDisabledReason: z.string().nullable().default(null),
  startingBalance: z.number(),
  endingBalance: z.number().nullable(),
  amountDue: z.number(),
  amountPaid: z.number(),
  prePaymentCredit: z.number(),
  postPaymentCredit: z.number(),
  attemptCount: z.number(),
  nextPaymentAttempt: optionalMoment,
  autoAdvance: z.boolean(),
  created: moment,
  finalizesAt: optionalMoment,
  finalizedAt: optionalMoment,
  paidAt: optionalMoment,
  voidedAt: optionalMoment,
  uncollectibleAt: optionalMoment,
  paidOutOfBand: z.boolean(),
  payment: Payment.nullable(),
})
export type Invoice = z.infer<typeof Invoice>

/** An item that waits for the customer's next invoice. */
const WaitingLine = z.object({ subscription: z.string(), line: Line })

const Refund = z.object({
  id: z.string(),
  invoice: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  failureReason: z.string().nullable(),
  created: moment,
})
export type Refund = z.infer<typeof Refund>

const CreditNoteLine = z.object({
  id: z.string(),
  description: z.string(),
  amount: z.number(),
  quantity: z.number().nullable(),
  /** Null for a line that the invoice does not have. */
  invoiceLine: z.string().nullable(),
  taxes: z.array(LineTax),
})
export type CreditNoteLine = z.infer<typeof CreditNoteLine>

const CreditNote = z.object({
  id: z.string(),
  number: z.string(),
  invoice: z.string(),
  customer: z.string(),
  currency: z.string(),
  total: z.number(),
  lines: z.array(CreditNoteLine).default([]),
  postPayment: z.number(),
  /** Part of `postPayment`: given back outside of the processor. */
  outOfBand: z.number().default(0),
  refund: z.string().nullable(),
  /** Part of `postPayment`: the money of `refund`. */
  refunded: z.number().default(0),
  reason: z.string().nullable().default('order_change'),
  memo: z.string().nullable().default(null),
  metadata: metadata.default({}),
  status: z.enum(['issued', 'void']),
  voidedAt: optionalMoment,
  created: moment,
})
export type CreditNote = z.infer<typeof CreditNote>

const Dispute = z.object({
  id: z.string(),
  invoice: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.enum([
    'needs_response',
    'under_review',
    'won',
    'lost',
    'warning_needs_response',
    'warning_closed',
  ]),
  /** The balance transactions with which the bank took the money and gave it back, oldest first. */
  movements: z.array(z.string()),
  created: moment,
})
export type Dispute = z.infer<typeof Dispute>

const BalanceTransaction = z.object({
  id: z.string(),
  type: z.enum(['charge', 'refund', 'refund_failure', 'adjustment', 'payout']),
  category: z.enum(['charge', 'refund', 'refund_failure', 'dispute', 'dispute_reversal', 'payout']),
  /** In the currency that the account is settled in; signed. */
  amount: z.number(),
  fee: z.number(),
  currency: z.string(),
  /** From the currency of the source to `currency`; null where they are the same. */
  exchangeRate: z.number().nullable(),
  source: z.string(),
  created: moment,
  availableOn: moment,
  /** The payout that has it. */
  payout: z.string().nullable(),
})
export type BalanceTransaction = z.infer<typeof BalanceTransaction>

const Payout = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  transaction: z.string(),
  created: moment,
  arrives: moment,
})
export type Payout = z.infer<typeof Payout>

const PortalSession = z.object({
  id: z.string(),
  customer: z.string(),
  returnUrl: z.string().nullable(),
  created: moment,
})
export type PortalSession = z.infer<typeof PortalSession>

const EventRecord = z.object({
  id: z.string(),
  type: z.string(),
  created: moment,
  objectId: z.string().nullable(),
  /** The body as it is sent, always the same bytes. */
  body: z.string(),
  /** Statuses that came back, oldest first; 0 for none. */
  deliveries: z.array(z.object({ at: z.string(), status: z.number() })),
  /** Milliseconds since 1970 of the next try; null when none is due. */
  nextTry: z.number().nullable(),
  /** Never to be sent again, although nobody took it. */
  lost: z.boolean().default(false),
})
export type EventRecord = z.infer<typeof EventRecord>

const Replay = z.object({
  call: z.string(),
  parameters: z.string(),
  status: z.number(),
  body: z.string(),
})
export type Replay = z.infer<typeof Replay>

/** Everything that is kept, as it is saved. */
export const Saved = z.object({
  offsetMs: z.number(),
  taxPercent: z.number(),
  invoiceCount: z.number(),
  creditNoteCount: z.number(),
  customers: z.array(Customer),
  taxIds: z.array(TaxId),
  paymentMethods: z.array(PaymentMethod),
  setupIntents: z.array(SetupIntent),
  products: z.array(Product),
  prices: z.array(Price),
  taxRates: z.array(TaxRate).default([]),
  subscriptions: z.array(Subscription),
  schedules: z.array(Schedule).default([]),
  invoices: z.array(Invoice),
  waitingLines: z.array(WaitingLine),
  refunds: z.array(Refund),
  creditNotes: z.array(CreditNote),
  disputes: z.array(Dispute),
  balanceTransactions: z.array(BalanceTransaction).default([]),
  payouts: z.array(Payout).default([]),
  portalSessions: z.array(PortalSession),
  events: z.array(EventRecord),
  replays: z.array(z.tuple([z.string(), Replay])),
})
export type Saved = z.infer<typeof Saved>
