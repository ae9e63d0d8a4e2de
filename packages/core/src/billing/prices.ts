import { z } from 'zod'
import { priceStates } from '../platform/choices.ts'
import { editVersion, expectedVersion } from '../platform/edit-version.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { plan } from '../tenants/tenants.ts'
import { chargeStep, isCharged, leastCharge, mostPeriodTotal } from './charges.ts'
import { currencyCode, divideRounded, formatAmount } from './money.ts'
import { billingCycle, mostSeats } from './subscriptions.ts'
import { taxBehavior } from './taxes.ts'

export { priceStates }

export const priceState = z.enum(priceStates)
export type PriceState = z.infer<typeof priceState>

/**
 * `graduated`: each seat costs what its own tier says. `volume`: every seat costs what the tier of
 * the whole number says.
 */
export const priceSchemes = ['per_seat', 'flat', 'graduated', 'volume'] as const
export const priceScheme = z.enum(priceSchemes)
export type PriceScheme = z.infer<typeof priceScheme>

/**
 * The greatest amount that one number of a price may be, in minor units: amounts of whole
 * subscriptions stay exact.
 */
export const mostUnitAmount = 1_000_000_000
export const mostTiers = 20
export const mostCurrencies = 20

const unitAmount = z.number().int().min(0).max(mostUnitAmount, says('tooMuch'))

/**
 * Up to and with seat `upTo`, null for all that follow. Amounts per cycle in the currency's minor
 * unit.
 */
export const PriceTier = z.strictObject({
  upTo: z.number().int().min(1).max(mostSeats).nullable(),
  unitAmount,
  flatAmount: unitAmount,
})
export type PriceTier = z.infer<typeof PriceTier>

/**
 * The first fault of tiers: each ends above the one before, and only the last has no end. Undefined
 * when there is none.
 */
export function faultOfTiers(
  tiers: readonly PriceTier[],
): { index: number; message: string } | undefined {
  let before = 0
  for (const [index, { upTo }] of tiers.entries()) {
    const last = index === tiers.length - 1
    if (last && upTo !== null) return { index, message: issueText('lastTierOpen') }
    if (!last && upTo === null) return { index, message: issueText('onlyLastTierOpen') }
    if (upTo !== null && upTo <= before) return { index, message: issueText('tiersAscend') }
    before = upTo ?? before
  }
  return undefined
}

const tiers = z
  .array(PriceTier)
  .min(1)
  .max(mostTiers)
  .superRefine((all, check) => {
    const fault = faultOfTiers(all)
    if (fault)
      check.addIssue({ code: 'custom', path: [fault.index, 'upTo'], message: fault.message })
  })

/**
 * What one currency costs. `unitAmount`: per seat, or the whole of a flat price; 0 where tiers say
 * it.
 */
export const PriceAmount = z.strictObject({
  currency: currencyCode,
  unitAmount,
  tiers: tiers.nullable().optional(),
})
export type PriceAmount = z.infer<typeof PriceAmount>

/** What a total is computed from; amounts per cycle in minor units. */
export interface PriceTerms {
  scheme: PriceScheme
  unitAmount: number
  tiers: readonly PriceTier[] | null
}

/**
 * What `seats` seats cost per cycle, in minor units, with the tax where the price is inclusive. No
 * seat costs nothing, but for a flat price.
 */
export function totalOf(
  { scheme, unitAmount: unit, tiers: steps }: PriceTerms,
  seats: number,
): bigint {
  if (scheme === 'flat') return BigInt(unit)
  if (scheme === 'per_seat' || steps === null) return BigInt(unit) * BigInt(seats)
  if (seats === 0) return 0n
  return scheme === 'volume' ? volumeTotal(steps, seats) : graduatedTotal(steps, seats)
}

function volumeTotal(steps: readonly PriceTier[], seats: number): bigint {
  const step = steps.find(({ upTo }) => upTo === null || seats <= upTo)
  return step ? BigInt(step.unitAmount) * BigInt(seats) + BigInt(step.flatAmount) : 0n
}

function graduatedTotal(steps: readonly PriceTier[], seats: number): bigint {
  let total = 0n
  let before = 0
  for (const { upTo, unitAmount: unit, flatAmount } of steps) {
    if (seats <= before) break
    const within = Math.min(seats, upTo ?? seats) - before
    total += BigInt(within) * BigInt(unit) + BigInt(flatAmount)
    before = upTo ?? seats
  }
  return total
}

/**
 * The amounts of a price that a subscription keeps. `periodAmount` is set only where price times
 * seats is not the total, and then replaces it; `perSeatAmount` is then the rounded average, for
 * display.
 */
export function snapshotOf(
  terms: PriceTerms,
  seats: number,
): { perSeatAmount: bigint; periodAmount: bigint | null } {
  if (terms.scheme === 'per_seat')
    return { perSeatAmount: BigInt(terms.unitAmount), periodAmount: null }
  const total = totalOf(terms, seats)
  return { perSeatAmount: divideRounded(total, BigInt(Math.max(1, seats))), periodAmount: total }
}

const moment = instant.transform((value) => new Date(value).toISOString())
const unique = <Item>(items: Item[]) => [...new Set(items)]

const amounts = z
  .array(PriceAmount)
  .min(1)
  .max(mostCurrencies)
  .refine(
    (all) => new Set(all.map(({ currency }) => currency)).size === all.length,
    says('onlyOnce'),
  )
/** Currencies on sale that the new version is meant to leave out. */
const leaveOut = z.array(currencyCode).max(mostCurrencies).transform(unique).optional()
const seatLimit = z.number().int().min(1).max(mostSeats)
const terms = {
  scheme: priceScheme.optional(),
  /** Fixed once the price is on sale: another one makes a new version. `exclusive` by default. */
  taxBehavior: taxBehavior.optional(),
  minSeats: seatLimit.optional(),
  maxSeats: seatLimit.nullable().optional(),
  trialDays: z.number().int().min(0).max(730).optional(),
  visibleFrom: moment.nullable().optional(),
  visibleUntil: moment.nullable().optional(),
  /** Only for tenants of these partners; null for everyone. */
  partnerSlugs: z.array(slugFilter).min(1).max(200).transform(unique).nullable().optional(),
  note: line(500).nullable().optional(),
}

/** What is written of a price, with nothing left out. */
export interface PriceSettings {
  scheme: PriceScheme
  minSeats: number
  maxSeats: number | null
  visibleFrom: string | null
  visibleUntil: string | null
  amounts: readonly PriceAmount[]
}

export interface PriceFault {
  path: string
  message: string
}

/** What is wrong between the fields of a price, each with its path. */
export function faultsOfPrice(price: PriceSettings): PriceFault[] {
  const tiered = price.scheme === 'graduated' || price.scheme === 'volume'
  const faults = price.amounts.flatMap((amount, index) => {
    const path = `amounts.${index}.tiers`
    if (tiered && !amount.tiers) return [{ path, message: issueText('tiersMissing') }]
    if (!tiered && amount.tiers) return [{ path, message: issueText('tiersOfScheme') }]
    return faultsOfCharge(price, amount, `amounts.${index}`)
  })
  if (price.maxSeats !== null && price.maxSeats < price.minSeats) {
    faults.push({ path: 'maxSeats', message: issueText('maxBelowMinSeats') })
  }
  if (
    price.visibleFrom !== null &&
    price.visibleUntil !== null &&
    price.visibleUntil <= price.visibleFrom
  ) {
    faults.push({ path: 'visibleUntil', message: issueText('endBeforeStart') })
  }
  return faults
}

/**
 * What the payment processor would reject: currencies it does not charge in, digits that a currency
 * does not have, and, with the fewest seats, totals below its minimum or above every amount that it
 * charges. A price of 0 is free and never charged.
 */
function faultsOfCharge(price: PriceSettings, amount: PriceAmount, path: string): PriceFault[] {
  const { currency, unitAmount, tiers } = amount
  if (!isCharged(currency))
    return [{ path: `${path}.currency`, message: issueText('currencyNotCharged') }]
  const step = chargeStep(currency)
  const parts = [
    { path: `${path}.unitAmount`, value: unitAmount },
    ...(tiers ?? []).flatMap((tier, index) => [
      { path: `${path}.tiers.${index}.unitAmount`, value: tier.unitAmount },
      { path: `${path}.tiers.${index}.flatAmount`, value: tier.flatAmount },
    ]),
  ]
  const broken = parts.filter(({ value }) => value % step !== 0)
  if (broken.length > 0) {
    const least = formatAmount(BigInt(step), currency)
    return broken.map((part) => ({
      path: part.path,
      message: issueText('amountStep', { value: least }),
    }))
  }
  const first = tiers === null || tiers === undefined ? 'unitAmount' : 'tiers.0.unitAmount'
  const total = totalOf({ scheme: price.scheme, unitAmount, tiers: tiers ?? null }, price.minSeats)
  if (total > mostPeriodTotal) return [{ path: `${path}.${first}`, message: issueText('tooMuch') }]
  const least = BigInt(leastCharge(currency))
  if (total === 0n || total >= least) return []
  return [
    {
      path: `${path}.${first}`,
      message: issueText('belowLeastCharge', { value: formatAmount(least, currency) }),
    },
  ]
}

export const CreatePrice = z.strictObject({
  plan,
  cycle: billingCycle,
  amounts,
  ...terms,
  /** `active` puts it on sale immediately, in place of the previous price. */
  state: z.enum(['draft', 'active']).default('draft'),
  leaveOut,
})
export type CreatePrice = z.infer<typeof CreatePrice>

/** Any text, so that an impossible id returns 404 like an unknown one. */
const id = z
  .string()
  .max(200)
  .transform((text) =>
    z.uuid().safeParse(text).success ? text.toLowerCase() : '00000000-0000-0000-0000-000000000000',
  )
export const PricePath = z.strictObject({ id })
export type PricePath = z.infer<typeof PricePath>

export const ActivatePrice = z.strictObject({ id, leaveOut })
export type ActivatePrice = z.infer<typeof ActivatePrice>

export const UpdatePrice = z
  .strictObject({ id, amounts: amounts.optional(), ...terms, leaveOut, expectedVersion })
  .refine(
    ({ id: _, expectedVersion: __, leaveOut: ___, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    issueText('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdatePrice = z.infer<typeof UpdatePrice>

export const ListPrices = z.strictObject({
  plan: plan.optional(),
  cycle: billingCycle.optional(),
  state: priceState.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPrices = z.infer<typeof ListPrices>

const shownTier = z.object({
  upTo: z.number().int().nullable(),
  unitAmount: z.number().int(),
  flatAmount: z.number().int(),
})

export const PriceAmountView = z.object({
  currency: z.string(),
  unitAmount: z.number().int(),
  tiers: z.array(shownTier).nullable(),
  /** Null while the payment processor has no such price: it can then be sold without it only. */
  stripePriceId: z.string().nullable(),
  /** Why the payment processor's last try failed, fit to be shown; null when it did not. */
  error: z.string().nullable(),
})
export type PriceAmountView = z.infer<typeof PriceAmountView>

export const PriceView = z.object({
  id: z.uuid(),
  plan,
  cycle: billingCycle,
  version: z.number().int(),
  state: priceState,
  scheme: priceScheme,
  taxBehavior,
  minSeats: z.number().int(),
  maxSeats: z.number().int().nullable(),
  trialDays: z.number().int(),
  visibleFrom: instant.nullable(),
  visibleUntil: instant.nullable(),
  partnerSlugs: z.array(z.string()).nullable(),
  note: z.string().nullable(),
  amounts: z.array(PriceAmountView),
  /** Subscriptions that run at this price. */
  subscriptions: z.number().int(),
  editVersion,
  createdAt: instant,
  updatedAt: instant,
})
export type PriceView = z.infer<typeof PriceView>
export const PricePage = page(PriceView)
export type PricePage = z.infer<typeof PricePage>

/** A price as it is offered to a tenant. */
export const OfferedPrice = z.object({
  id: z.uuid(),
  plan,
  cycle: billingCycle,
  scheme: priceScheme,
  taxBehavior,
  minSeats: z.number().int(),
  maxSeats: z.number().int().nullable(),
  trialDays: z.number().int(),
  amounts: z.array(
    z.object({
      currency: z.string(),
      unitAmount: z.number().int(),
      tiers: z.array(shownTier).nullable(),
      /** Whether it can be paid by card here. */
      payable: z.boolean(),
    }),
  ),
})
export type OfferedPrice = z.infer<typeof OfferedPrice>
export const OfferedPrices = z.object({
  items: z.array(OfferedPrice),
  /** Members: no subscription has fewer seats. */
  assignedSeats: z.number().int(),
})
export type OfferedPrices = z.infer<typeof OfferedPrices>
