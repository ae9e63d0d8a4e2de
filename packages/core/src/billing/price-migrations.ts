import { z } from 'zod'
import { priceMigrationStates, priceMoveStates } from '../platform/choices.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { plan } from '../tenants/tenants.ts'
import { minorAmount } from './money.ts'
import { billingCycle, periodAt } from './subscriptions.ts'

export const priceMigrationState = z.enum(priceMigrationStates)
export type PriceMigrationState = z.infer<typeof priceMigrationState>
export const priceMoveState = z.enum(priceMoveStates)
export type PriceMoveState = z.infer<typeof priceMoveState>

/** States of a subscriber in which the move still lies ahead. */
export const openMoveStates = ['waiting', 'notified', 'scheduled', 'stopping'] as const

/** Between the notice and the first period at the new price lie at least this many days. */
export const priceNoticeDays = 30
const dayMs = 86_400_000

/** The first day from which subscribers can be moved when it is decided now. */
export function earliestMove(now: Date): Date {
  return new Date(now.getTime() + priceNoticeDays * dayMs)
}

/**
 * The first renewal on or after `from`, of a subscription whose current period ends at `periodEnd`.
 * Periods are counted from there, as the payment processor does.
 */
export function renewalFrom(
  { cycle, periodEnd }: { cycle: z.infer<typeof billingCycle>; periodEnd: Date },
  from: Date,
): Date {
  if (periodEnd >= from) return periodEnd
  const { start, end } = periodAt(periodEnd, cycle, from)
  return start.getTime() === from.getTime() ? start : end
}

const id = z
  .string()
  .max(200)
  .transform((text) =>
    z.uuid().safeParse(text).success ? text.toLowerCase() : '00000000-0000-0000-0000-000000000000',
  )

export const PriceMigrationPath = z.strictObject({ id })
export type PriceMigrationPath = z.infer<typeof PriceMigrationPath>

/** What moving the subscribers of a price would change, per currency and period. */
export const PriceMigrationPreview = z.object({
  fromPriceId: z.uuid(),
  /** The version on sale; null where there is none that could take the subscribers. */
  toPriceId: z.uuid().nullable(),
  toVersion: z.number().int().nullable(),
  /** The first day that can be chosen. */
  earliest: z.iso.date(),
  currencies: z.array(
    z.object({
      currency: z.string(),
      subscriptions: z.number().int(),
      oldMinor: minorAmount,
      newMinor: minorAmount,
    }),
  ),
  /** Who stays, and why. */
  staying: z.object({
    /** Agreed by hand: an operator changes those. */
    manual: z.number().int(),
    /** Ending, paused, unpaid, or already being moved. */
    notRunning: z.number().int(),
    /** The new price lacks the currency, or does not allow the number of seats. */
    notOffered: z.number().int(),
  }),
})
export type PriceMigrationPreview = z.infer<typeof PriceMigrationPreview>

export const StartPriceMigration = z.strictObject({
  id,
  /** Each subscriber moves at the first renewal on or after this day, in UTC. */
  from: calendarDate(),
  /** Whether subscribers may keep the old price. */
  mayKeep: z.boolean().default(false),
  reason: line(500, 10),
})
export type StartPriceMigration = z.infer<typeof StartPriceMigration>

export const PriceMigrationView = z.object({
  id: z.uuid(),
  plan,
  cycle: billingCycle,
  fromPriceId: z.uuid(),
  fromVersion: z.number().int(),
  toPriceId: z.uuid(),
  toVersion: z.number().int(),
  from: z.iso.date(),
  mayKeep: z.boolean(),
  reason: z.string(),
  state: priceMigrationState,
  requestedBy: z.string().nullable(),
  createdAt: instant,
  stoppedAt: instant.nullable(),
  /** Subscribers by state. */
  subscribers: z.record(priceMoveState, z.number().int()),
})
export type PriceMigrationView = z.infer<typeof PriceMigrationView>
export const PriceMigrationPage = page(PriceMigrationView)
export type PriceMigrationPage = z.infer<typeof PriceMigrationPage>
export const ListPriceMigrations = z.strictObject({
  priceId: z.uuid().optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPriceMigrations = z.infer<typeof ListPriceMigrations>

export const PriceMoveView = z.object({
  /** The subscription's id. */
  id: z.uuid(),
  tenantSlug: z.string(),
  tenantName: z.string(),
  state: priceMoveState,
  currency: z.string(),
  /** Of a whole period when the notice was written; null before. */
  oldMinor: minorAmount.nullable(),
  newMinor: minorAmount.nullable(),
  effectiveAt: instant.nullable(),
  notifiedAt: instant.nullable(),
  error: z.string().nullable(),
})
export type PriceMoveView = z.infer<typeof PriceMoveView>
export const PriceMovePage = page(PriceMoveView)
export type PriceMovePage = z.infer<typeof PriceMovePage>
export const ListPriceMoves = z.strictObject({
  id,
  state: priceMoveState.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPriceMoves = z.infer<typeof ListPriceMoves>

export const StopPriceMigration = z.strictObject({ id, reason: line(500, 10) })
export type StopPriceMigration = z.infer<typeof StopPriceMigration>
export const StopPriceMove = z.strictObject({ id, subscriptionId: id, reason: line(500, 10) })
export type StopPriceMove = z.infer<typeof StopPriceMove>

/** The price change that lies ahead of a tenant. */
export const ComingPrice = z.object({
  effectiveAt: instant,
  currency: z.string(),
  oldMinor: minorAmount,
  newMinor: minorAmount,
  cycle: billingCycle,
  mayKeep: z.boolean(),
})
export type ComingPrice = z.infer<typeof ComingPrice>
