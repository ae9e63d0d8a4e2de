import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { currencyCode, minorAmount, minorUnitDigits } from './money.ts'
import {
  type AdjustmentState,
  adjustmentState,
  adjustmentStates,
  type LedgerEntryType,
  type LedgerSource,
  ledgerEntryType,
  ledgerEntryTypes,
  ledgerSource,
  type PayoutStatus,
  payoutStatus,
  payoutStatuses,
} from './payout-states.ts'

export {
  type AdjustmentState,
  adjustmentState,
  adjustmentStates,
  type LedgerEntryType,
  type LedgerSource,
  ledgerEntryType,
  ledgerEntryTypes,
  ledgerSource,
  type PayoutStatus,
  payoutStatus,
  payoutStatuses,
}

/**
 * What may follow each state; `canceled` is final, and a payment that came back leads from `paid`
 * to `failed`.
 */
export const payoutMoves: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  draft: ['held', 'approved', 'canceled'],
  held: ['draft', 'canceled'],
  approved: ['in_transit', 'paid', 'canceled'],
  in_transit: ['paid', 'failed'],
  paid: ['failed'],
  failed: ['draft', 'canceled'],
  canceled: [],
}

/** States in which a payout keeps its entries from every other one. */
export const openPayoutStatuses = [
  'draft',
  'held',
  'approved',
  'in_transit',
  'failed',
] as const satisfies readonly PayoutStatus[]

/** A payout is made from fifty units of the currency on. In minor units. */
export function leastPayout(currency: string): bigint {
  return 50n * 10n ** BigInt(minorUnitDigits(currency))
}

/**
 * What one operator may enter by hand for a partner within a day, in all currencies together; more
 * needs a second operator. In thousandths of a unit, as `thousandthsOf` returns them.
 */
export const mostAdjustedAlone = 1_000_000n

/**
 * The size of an amount in minor units, as thousandths of the currency's unit. They are summed over
 * currencies without exchange rates: a unit of each counts alike.
 */
export function thousandthsOf(amount: bigint, currency: string): bigint {
  const size = amount < 0n ? -amount : amount
  return size * 10n ** BigInt(3 - minorUnitDigits(currency))
}

const partnerPath = z.string().max(200)

export const LedgerEntryView = z.object({
  id: z.uuid(),
  type: ledgerEntryType,
  currency: z.string(),
  /** Signed: what it adds to the balance. */
  amountMinor: minorAmount,
  /** What the share was computed from; null where the entry is no share of an invoice. */
  baseMinor: minorAmount.nullable(),
  marginPct: z.number().nullable(),
  tenantSlug: z.string().nullable(),
  tenantName: z.string().nullable(),
  invoiceId: z.uuid().nullable(),
  invoiceNumber: z.string().nullable(),
  source: ledgerSource,
  /**
   * The record behind it: an invoice, refund, credit note or dispute of the payment processor, an
   * adjustment, a payout.
   */
  sourceId: z.string(),
  reason: z.string().nullable(),
  availableAt: instant,
  createdAt: instant,
  /** The payout that pays it. */
  payoutId: z.uuid().nullable(),
  payoutStatus: payoutStatus.nullable(),
  statementNumber: z.string().nullable(),
})
export type LedgerEntryView = z.infer<typeof LedgerEntryView>
export const LedgerPage = page(LedgerEntryView)
export type LedgerPage = z.infer<typeof LedgerPage>

const ledgerFilters = {
  slug: partnerPath,
  currency: currencyCode.optional(),
  type: ledgerEntryType.optional(),
  invoiceId: z.uuid().optional(),
  tenantSlug: slugFilter.optional(),
}
export const ListLedger = z.strictObject({
  ...ledgerFilters,
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListLedger = z.infer<typeof ListLedger>
export const ExportLedger = z.strictObject({
  ...ledgerFilters,
  format: z.literal('csv').default('csv'),
})
export type ExportLedger = z.infer<typeof ExportLedger>

/** The columns of an exported ledger, in order. */
export const ledgerColumns = Object.keys(LedgerEntryView.shape) as (keyof LedgerEntryView)[]

export const PayoutView = z.object({
  id: z.uuid(),
  partnerSlug: z.string(),
  partnerName: z.string(),
  currency: z.string(),
  amountMinor: minorAmount,
  status: payoutStatus,
  /** Entries from here on; null for the first payout. */
  periodFrom: instant.nullable(),
  periodTo: instant,
  /** Given when it is paid, from the partner's own series, and never changed. */
  statementNumber: z.string().nullable(),
  /** Of the document that cancels the statement; null when it was not canceled. */
  cancellationNumber: z.string().nullable(),
  heldReason: z.string().nullable(),
  /** Address of who asked for it; null for the monthly run. */
  requestedBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  approvedAt: instant.nullable(),
  sentAt: instant.nullable(),
  paidAt: instant.nullable(),
  canceledAt: instant.nullable(),
  reference: z.string().nullable(),
  failureReason: z.string().nullable(),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type PayoutView = z.infer<typeof PayoutView>
export const PayoutPage = page(PayoutView)
export type PayoutPage = z.infer<typeof PayoutPage>

/** A payout as the partner sees it: operators are not named. */
export const PartnerPayoutView = PayoutView.omit({ requestedBy: true, approvedBy: true }).extend({
  /** Asked for by the partner, not made by the monthly run. */
  requested: z.boolean(),
})
export type PartnerPayoutView = z.infer<typeof PartnerPayoutView>
export const PartnerPayoutPage = page(PartnerPayoutView)
export type PartnerPayoutPage = z.infer<typeof PartnerPayoutPage>

export const PayoutDetail = PayoutView.extend({
  /** They sum to the amount. Of a canceled payout none: they are free again. */
  entries: z.array(LedgerEntryView),
  /** What an operator can do with it now. */
  moves: z.array(payoutStatus),
  /** Whether the partner agreed that we write its statements; nothing is approved without. */
  selfBillingConsentAt: instant.nullable(),
})
export type PayoutDetail = z.infer<typeof PayoutDetail>
export const PartnerPayoutDetail = PartnerPayoutView.extend({ entries: z.array(LedgerEntryView) })
export type PartnerPayoutDetail = z.infer<typeof PartnerPayoutDetail>

/** Most entries that a payout takes; what is left goes into the next one. */
export const mostPayoutEntries = 10_000

export const ListPayouts = z.strictObject({
  status: payoutStatus.optional(),
  partnerSlug: slugFilter.optional(),
  currency: currencyCode.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPayouts = z.infer<typeof ListPayouts>
export const ListPartnerPayouts = z.strictObject({
  slug: partnerPath,
  status: payoutStatus.optional(),
  currency: currencyCode.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPartnerPayouts = z.infer<typeof ListPartnerPayouts>

/** Accepts any text as an id, so that an impossible id returns 404 like an unknown one. */
const payoutId = z.string().max(200)
export const PayoutPath = z.strictObject({ id: payoutId })
export type PayoutPath = z.infer<typeof PayoutPath>
export const PartnerPayoutPath = z.strictObject({ slug: partnerPath, payoutId })
export type PartnerPayoutPath = z.infer<typeof PartnerPayoutPath>

const version = z.number().int().min(1).optional()
export const MovePayout = z.strictObject({ id: payoutId, version })
export type MovePayout = z.infer<typeof MovePayout>
export const MovePayoutWithReason = z.strictObject({ id: payoutId, version, reason: line(500) })
export type MovePayoutWithReason = z.infer<typeof MovePayoutWithReason>
export const PayPayout = z.strictObject({ id: payoutId, version, reference: line(140) })
export type PayPayout = z.infer<typeof PayPayout>

export const RequestPayout = z.strictObject({ slug: partnerPath, currency: currencyCode })
export type RequestPayout = z.infer<typeof RequestPayout>

export const statementFormats = ['html', 'csv', 'pdf', 'xml'] as const
export const statementDocuments = ['statement', 'cancellation'] as const
const document = z.enum(statementDocuments).default('statement')
export const ReadStatement = z.strictObject({
  id: payoutId,
  document,
  format: z.enum(statementFormats).default('html'),
})
export type ReadStatement = z.infer<typeof ReadStatement>
export const ReadPartnerStatement = z.strictObject({
  slug: partnerPath,
  payoutId,
  document,
  format: z.enum(statementFormats).default('html'),
})
export type ReadPartnerStatement = z.infer<typeof ReadPartnerStatement>
export const StatementDocument = z.object({
  fileName: z.string(),
  contentType: z.string(),
  /** Of `text`; plain text where absent. */
  encoding: z.literal('base64').optional(),
  text: z.string(),
})
export type StatementDocument = z.infer<typeof StatementDocument>

export const PartnerBalance = z.object({
  currency: z.string(),
  balanceMinor: minorAmount,
  availableMinor: minorAmount,
  pendingMinor: minorAmount,
  /** In payouts under way. */
  reservedMinor: minorAmount,
  payableMinor: minorAmount,
  /** A payout is made from here on. */
  minimumMinor: minorAmount,
  /** Accruals less claw-backs of this calendar month in UTC. */
  earnedThisMonthMinor: minorAmount,
  paidOutMinor: minorAmount,
  /** When the next pending entry becomes available; null when none is pending. */
  nextAvailableAt: instant.nullable(),
  openPayout: z.object({ id: z.uuid(), status: payoutStatus, amountMinor: minorAmount }).nullable(),
})
export type PartnerBalance = z.infer<typeof PartnerBalance>

export const PartnerBilling = z.object({
  slug: z.string(),
  name: z.string(),
  /** Percent of what customers pay without tax. */
  marginPct: z.number(),
  /** Margins that are decided and not yet in force, soonest first. */
  comingMargins: z.array(z.object({ marginPct: z.number(), effectiveFrom: z.iso.date() })),
  /** Days from a customer's payment until the share of it can be paid out. */
  holdDays: z.number().int(),
  selfBillingConsentAt: instant.nullable(),
  balances: z.array(PartnerBalance),
  recentEntries: z.array(LedgerEntryView),
})
export type PartnerBilling = z.infer<typeof PartnerBilling>
export const PartnerBillingPath = z.strictObject({ slug: partnerPath })
export type PartnerBillingPath = z.infer<typeof PartnerBillingPath>

export const AdjustmentView = z.object({
  id: z.uuid(),
  partnerSlug: z.string(),
  currency: z.string(),
  amountMinor: minorAmount,
  reason: z.string(),
  /** `pending` waits for a second operator; only `entered` counts. */
  state: adjustmentState,
  requestedBy: z.string().nullable(),
  decidedBy: z.string().nullable(),
  createdAt: instant,
  decidedAt: instant.nullable(),
})
export type AdjustmentView = z.infer<typeof AdjustmentView>
export const AdjustmentPage = page(AdjustmentView)
export type AdjustmentPage = z.infer<typeof AdjustmentPage>

export const CreateAdjustment = z.strictObject({
  partnerSlug: slugFilter,
  currency: currencyCode,
  amountMinor: z
    .number()
    .int()
    .min(-1_000_000_000_00, says('tooMuch'))
    .max(1_000_000_000_00, says('tooMuch'))
    .refine((amount) => amount !== 0, says('zeroAdjustment'))
    .meta({ openapi: { not: { const: 0 } } }),
  reason: line(500, 10),
})
export type CreateAdjustment = z.infer<typeof CreateAdjustment>
export const ListAdjustments = z.strictObject({
  state: adjustmentState.optional(),
  partnerSlug: slugFilter.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListAdjustments = z.infer<typeof ListAdjustments>
export const AdjustmentPath = z.strictObject({ id: payoutId })
export type AdjustmentPath = z.infer<typeof AdjustmentPath>

export const GiveConsent = z.strictObject({
  slug: partnerPath,
  agreed: z.literal(true, says('mustAgree')),
})
export type GiveConsent = z.infer<typeof GiveConsent>
export const ConsentView = z.object({ selfBillingConsentAt: instant })
export type ConsentView = z.infer<typeof ConsentView>
