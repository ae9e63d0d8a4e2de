import { z } from 'zod'
import { currencyCode, minorAmount } from '../billing/money.ts'
import { billingCycle, subscriptionStatus } from '../billing/subscriptions.ts'
import { says } from '../platform/issue-text.ts'
import { page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { plan } from '../tenants/tenants.ts'

/**
 * Months after the first paid one that a signup cohort is followed through, the first one included.
 */
export const cohortMonths = 24
export const longestGrowth = 60
/**
 * Cohorts with fewer tenants are left out of partners' exports: their figures would be about single
 * customers.
 */
export const smallestExportedCohort = 3

/** A calendar month in UTC. */
/** The first month that a report can show. */
export const firstReportMonth = '1900-01'
export const reportMonth = z.string().regex(/^(19|20|21)\d{2}-(0[1-9]|1[0-2])$/, says('month'))

/**
 * A past moment: an instant, which is the end of the period that is asked about (what changes at
 * that very moment is left out), or a date, which is the end of that day in UTC. Absent: now.
 */
export const asOf = z.union([instant, calendarDate()], says('dateOrTime'))

const currency = currencyCode.optional()
const slug = z.string().max(200)
const months = { from: reportMonth.optional(), to: reportMonth.optional(), currency }

export const MrrQuery = z.strictObject({ asOf: asOf.optional(), currency })
export type MrrQuery = z.infer<typeof MrrQuery>
export const GrowthQuery = z.strictObject(months)
export type GrowthQuery = z.infer<typeof GrowthQuery>
export const TopQuery = z.strictObject({
  asOf: asOf.optional(),
  currency,
  /** Tenants of each currency. */
  limit: z.coerce.number().int().min(1).max(100).default(10),
})
export type TopQuery = z.infer<typeof TopQuery>
export const CohortQuery = z.strictObject(months)
export type CohortQuery = z.infer<typeof CohortQuery>

/** The same about the customers of one partner, while they were its customers. */
export const PartnerMrrQuery = z.strictObject({ slug, ...MrrQuery.shape })
export const PartnerGrowthQuery = z.strictObject({ slug, ...GrowthQuery.shape })
export const PartnerTopQuery = z.strictObject({ slug, ...TopQuery.shape })
export const PartnerCohortQuery = z.strictObject({ slug, ...CohortQuery.shape })

/**
 * Recurring revenue per month is the yearly amount by twelve, rounded half away from zero once per
 * figure; `…ArrMinor` is exact.
 */
const mrr = { arrMinor: minorAmount, mrrMinor: minorAmount }
/** A share or rate with four decimals. */
const ratio = z.number()
const count = z.number().int()

export const dataQualityKinds = ['suspended_paying', 'unknown_status', 'drift'] as const
/**
 * Something that people should know before they trust a figure. `tenants` is how many it concerns.
 */
export const DataQuality = z.object({
  kind: z.enum(dataQualityKinds),
  tenants: count,
  detail: z.string(),
  checkedAt: instant,
})
export type DataQuality = z.infer<typeof DataQuality>

export const MrrReport = z.object({
  asOf: instant,
  currencies: z.array(
    z.object({
      currency: z.string(),
      ...mrr,
      /** Of it, of subscriptions whose payment is overdue. */
      atRiskMrrMinor: minorAmount,
      /** Without what ends with its period. */
      committedMrrMinor: minorAmount,
      trialMrrMinor: minorAmount,
      pausedMrrMinor: minorAmount,
      payingTenants: count,
      paidSeats: count,
      /** Per paying tenant; null without one. */
      arpaMinor: minorAmount.nullable(),
    }),
  ),
  dataQuality: z.array(DataQuality),
})
export type MrrReport = z.infer<typeof MrrReport>

export const GrowthRates = z.object({
  customerChurn: ratio.nullable(),
  grossChurn: ratio.nullable(),
  netChurn: ratio.nullable(),
  netRetention: ratio.nullable(),
  quickRatio: ratio.nullable(),
  growth: ratio.nullable(),
  arpaMinor: minorAmount.nullable(),
  /**
   * The revenue of a tenant before it leaves, by the churn of three months; null while none has
   * left.
   */
  ltvMinor: minorAmount.nullable(),
})
export type GrowthRates = z.infer<typeof GrowthRates>

/**
 * Yearly amounts: start + new + reactivation + expansion − contraction − churn + currencySwitch =
 * end, exactly.
 */
export const GrowthMonth = z.object({
  month: reportMonth,
  currency: z.string(),
  /** The month is not over: `end` is now. */
  partial: z.boolean(),
  startArrMinor: minorAmount,
  newArrMinor: minorAmount,
  reactivationArrMinor: minorAmount,
  expansionArrMinor: minorAmount,
  contractionArrMinor: minorAmount,
  churnArrMinor: minorAmount,
  /** Of the churn, of tenants that are paused. */
  pausedChurnArrMinor: minorAmount,
  /** What tenants that changed their currency brought here, or, below zero, took away. */
  currencySwitchArrMinor: minorAmount,
  endArrMinor: minorAmount,
  startMrrMinor: minorAmount,
  endMrrMinor: minorAmount,
  startTenants: count,
  newTenants: count,
  reactivatedTenants: count,
  churnedTenants: count,
  endTenants: count,
  rates: GrowthRates,
})
export type GrowthMonth = z.infer<typeof GrowthMonth>
export const GrowthReport = z.object({ asOf: instant, months: z.array(GrowthMonth) })
export type GrowthReport = z.infer<typeof GrowthReport>

export const RevenueByPlan = z.object({
  asOf: instant,
  rows: z.array(
    z.object({
      currency: z.string(),
      plan,
      cycle: billingCycle,
      tenants: count,
      seats: count,
      ...mrr,
      /** Of the currency's whole. */
      share: ratio,
    }),
  ),
})
export type RevenueByPlan = z.infer<typeof RevenueByPlan>

export const TopTenants = z.object({
  asOf: instant,
  rows: z.array(
    z.object({
      currency: z.string(),
      rank: count,
      slug: z.string(),
      name: z.string(),
      partnerSlug: z.string().nullable(),
      plan,
      cycle: billingCycle,
      seats: count,
      ...mrr,
      share: ratio,
      /**
       * On the day asked about, as it was computed last; null where it was never computed, or is
       * not kept any more.
       */
      healthBand: z.enum(['healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown']).nullable(),
      /** When it paid for the first time. */
      since: instant,
    }),
  ),
})
export type TopTenants = z.infer<typeof TopTenants>

/** Index n of the lists is the end of the n-th month after `month`. */
export const SignupCohort = z.object({
  /** The month of the first paid day. */
  month: reportMonth,
  size: count,
  /** The last entry is of the month that is not over. */
  partial: z.boolean(),
  /** Tenants that pay, in whatever currency. */
  active: z.array(count),
  money: z.array(z.object({ currency: z.string(), mrrMinor: z.array(minorAmount) })),
})
export type SignupCohort = z.infer<typeof SignupCohort>
export const SignupCohorts = z.object({ asOf: instant, cohorts: z.array(SignupCohort) })
export type SignupCohorts = z.infer<typeof SignupCohorts>

export const ChurnMonth = z.object({
  month: reportMonth,
  partial: z.boolean(),
  tenants: count,
  /**
   * From the first paid day to the day on which nothing was paid any more; null without a tenant.
   */
  averageTenureDays: count.nullable(),
  reasons: z.array(z.object({ reason: z.string(), tenants: count })),
  money: z.array(
    z.object({
      currency: z.string(),
      tenants: count,
      lostArrMinor: minorAmount,
      lostMrrMinor: minorAmount,
    }),
  ),
})
export type ChurnMonth = z.infer<typeof ChurnMonth>
export const ChurnCohorts = z.object({ asOf: instant, months: z.array(ChurnMonth) })
export type ChurnCohorts = z.infer<typeof ChurnCohorts>

/**
 * The cash view, apart from recurring revenue: what invoices brought without tax, in the month in
 * which they were paid.
 */
/** Minor units without tax. docs/explanation/reports.md defines the figures. */
export const InvoicedRevenue = z.object({
  asOf: instant,
  months: z.array(
    z.object({
      month: reportMonth,
      currency: z.string(),
      partial: z.boolean(),
      /** Issued in the month. */
      invoices: count,
      /** Issued less voided, on their days. */
      billedMinor: minorAmount,
      /** Credit notes. */
      creditedMinor: minorAmount,
      /** Money of paid invoices. */
      collectedMinor: minorAmount,
      refundedMinor: minorAmount,
      /** Withdrawn by the customers' banks and not won back. */
      disputedMinor: minorAmount,
      /** Billed, spread over the periods that the invoices cover, less credited. */
      recognizedMinor: minorAmount,
    }),
  ),
})
export type InvoicedRevenue = z.infer<typeof InvoicedRevenue>

export const mrrFigures = ['mrr', 'atRisk', 'committed', 'trial', 'paused', 'suspended'] as const
export type MrrFigure = (typeof mrrFigures)[number]
export const movements = [
  'new',
  'reactivation',
  'expansion',
  'contraction',
  'churn',
  'switch_in',
  'switch_out',
] as const
export const movement = z.enum(movements)
export type Movement = z.infer<typeof movement>

/** Where a page of rows goes on: amount and tenant of the last row of the page before. */
const rowsCursor = z
  .string()
  .regex(/^-?\d{1,18}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, says('cursor'))
const paged = { cursor: rowsCursor.optional(), limit: pageLimit }

export const MrrRows = z.strictObject({
  asOf: asOf.optional(),
  currency: currencyCode,
  figure: z.enum(mrrFigures).default('mrr'),
  ...paged,
})
export type MrrRows = z.infer<typeof MrrRows>
export const PlanRows = z.strictObject({
  asOf: asOf.optional(),
  currency: currencyCode,
  plan,
  cycle: billingCycle,
  ...paged,
})
export type PlanRows = z.infer<typeof PlanRows>
export const GrowthRows = z.strictObject({
  month: reportMonth,
  currency: currencyCode,
  movement,
  ...paged,
})
export type GrowthRows = z.infer<typeof GrowthRows>
export const SignupRows = z.strictObject({
  month: reportMonth,
  // Comes as text in a query. Not coerced: that would take nothing at all for 0.
  n: z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number),
    ])
    .pipe(
      z
        .number()
        .int()
        .min(0)
        .max(cohortMonths - 1),
    )
    .default(0),
  ...paged,
})
export type SignupRows = z.infer<typeof SignupRows>
export const ChurnRows = z.strictObject({
  month: reportMonth,
  reason: line(100).optional(),
  currency,
  ...paged,
})
export type ChurnRows = z.infer<typeof ChurnRows>
export const PartnerMrrRows = z.strictObject({ slug, ...MrrRows.shape })
export const PartnerPlanRows = z.strictObject({ slug, ...PlanRows.shape })
export const PartnerGrowthRows = z.strictObject({ slug, ...GrowthRows.shape })
export const PartnerSignupRows = z.strictObject({ slug, ...SignupRows.shape })
export const PartnerChurnRows = z.strictObject({ slug, ...ChurnRows.shape })

/** A tenant that is part of a figure. What the figure knows nothing of is null. */
export const ReportRow = z.object({
  slug: z.string(),
  name: z.string(),
  partnerSlug: z.string().nullable(),
  /** Null for a tenant of a cohort that pays nothing at that time. */
  currency: z.string().nullable(),
  plan: plan.nullable(),
  cycle: billingCycle.nullable(),
  status: subscriptionStatus.nullable(),
  seats: count.nullable(),
  /** The tenant's part of the figure, in a year and in a month. */
  ...mrr,
  /** Of movements: the yearly amount before and after. */
  startArrMinor: minorAmount.nullable(),
  endArrMinor: minorAmount.nullable(),
  reason: z.string().nullable(),
  since: instant.nullable(),
})
export type ReportRow = z.infer<typeof ReportRow>
export const ReportRows = page(ReportRow)
export type ReportRows = z.infer<typeof ReportRows>
