import { translations } from '@atrium/ui/messages'
import '@atrium/ui/issue-messages'
import type { CreatePrice, PriceScheme, PriceView, UpdatePrice } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import type { Plan } from '@atrium/core/tenants/tenants'
import { fromLocalInput, fromMoneyInput, toLocalInput, toMoneyInput } from '@atrium/ui/format'
import { randomId } from '@mantine/hooks'
import type { z } from 'zod'

const t = translations('operator.prices')

/**
 * Amounts as they are typed, in the currency's main unit. `id` keeps inputs apart while others come
 * and go.
 */
export interface TierForm {
  id: string
  /** Empty for the last one, which has no end. */
  upTo: number | string
  unit: string
  flat: string
}

export interface AmountForm {
  id: string
  currency: string
  unit: string
  tiers: TierForm[]
}

export interface PriceForm {
  plan: Plan
  cycle: BillingCycle
  scheme: PriceScheme
  taxBehavior: TaxBehavior
  amounts: AmountForm[]
  minSeats: number | string
  maxSeats: number | string
  trialDays: number | string
  visibleFrom: string
  visibleUntil: string
  partnerSlugs: string[]
  note: string
}

export const isTiered = (scheme: PriceScheme) => scheme === 'graduated' || scheme === 'volume'

export const newTier = (upTo: number | string = ''): TierForm => ({
  id: randomId(),
  upTo,
  unit: '',
  flat: '0',
})
export const newAmount = (currency = ''): AmountForm => ({
  id: randomId(),
  currency,
  unit: '',
  tiers: [newTier(10), newTier()],
})

export const emptyPrice = (): PriceForm => ({
  plan: 'business',
  cycle: 'month',
  scheme: 'per_seat',
  taxBehavior: 'exclusive',
  amounts: [newAmount('eur')],
  minSeats: 1,
  maxSeats: '',
  trialDays: 0,
  visibleFrom: '',
  visibleUntil: '',
  partnerSlugs: [],
  note: '',
})

export function toPriceForm(price: PriceView): PriceForm {
  return {
    plan: price.plan,
    cycle: price.cycle,
    scheme: price.scheme,
    taxBehavior: price.taxBehavior,
    amounts: price.amounts.map(({ currency, unitAmount, tiers }) => ({
      id: randomId(),
      currency,
      unit: toMoneyInput(unitAmount, currency),
      tiers: tiers
        ? tiers.map(({ upTo, unitAmount: unit, flatAmount }) => ({
            id: randomId(),
            upTo: upTo ?? '',
            unit: toMoneyInput(unit, currency),
            flat: toMoneyInput(flatAmount, currency),
          }))
        : [newTier(10), newTier()],
    })),
    minSeats: price.minSeats,
    maxSeats: price.maxSeats ?? '',
    trialDays: price.trialDays,
    visibleFrom: toLocalInput(price.visibleFrom ?? undefined),
    visibleUntil: toLocalInput(price.visibleUntil ?? undefined),
    partnerSlugs: price.partnerSlugs ?? [],
    note: price.note ?? '',
  }
}

export function toCreatePrice(
  form: PriceForm,
  state: 'draft' | 'active',
): z.input<typeof CreatePrice> {
  return { plan: form.plan, cycle: form.cycle, ...settingsOf(form), state }
}

/**
 * The request: only the changed fields. A time that was not edited is left out, because the input
 * shows it without its seconds.
 */
export function toUpdatePrice(
  price: PriceView,
  form: PriceForm,
  leaveOut: readonly string[] = [],
): z.input<typeof UpdatePrice> {
  const before = settingsOf(toPriceForm(price))
  const changed = Object.entries(settingsOf(form)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, field)),
  )
  return {
    ...Object.fromEntries(changed),
    ...(leaveOut.length > 0 ? { leaveOut: [...leaveOut] } : {}),
    id: price.id,
    expectedVersion: price.editVersion,
  }
}

/** Currencies of a price that another one has not. */
export function droppedCurrencies(
  from: Pick<PriceView, 'amounts'>,
  to: { amounts: readonly { currency: string }[] },
): string[] {
  const kept = new Set(to.amounts.map(({ currency }) => currency.trim().toLowerCase()))
  return from.amounts.map(({ currency }) => currency).filter((currency) => !kept.has(currency))
}

/**
 * Whether saving makes a new version: other amounts, another scheme or another tax behavior of a
 * price on sale.
 */
export function makesVersion(price: PriceView, form: PriceForm): boolean {
  const { amounts, scheme, taxBehavior } = toUpdatePrice(price, form)
  return price.state === 'active' && [amounts, scheme, taxBehavior].some((one) => one !== undefined)
}

function settingsOf(form: PriceForm) {
  const moment = (local: string) => (local === '' ? null : (fromLocalInput(local) ?? local))
  return {
    scheme: form.scheme,
    taxBehavior: form.taxBehavior,
    amounts: form.amounts.map((amount) => amountOf(amount, form.scheme)),
    minSeats: numberIn(form.minSeats),
    maxSeats: form.maxSeats === '' ? null : numberIn(form.maxSeats),
    trialDays: numberIn(form.trialDays),
    visibleFrom: moment(form.visibleFrom),
    visibleUntil: moment(form.visibleUntil),
    partnerSlugs: form.partnerSlugs.length === 0 ? null : form.partnerSlugs,
    note: form.note.trim() === '' ? null : form.note,
  }
}

function amountOf({ currency, unit, tiers }: AmountForm, scheme: PriceScheme) {
  const minor = (typed: string) => fromMoneyInput(typed, currency) ?? Number.NaN
  const named = currency.trim().toLowerCase()
  if (!isTiered(scheme)) return { currency: named, unitAmount: minor(unit), tiers: null }
  const steps = tiers.map((tier) => ({
    upTo: tier.upTo === '' ? null : numberIn(tier.upTo),
    unitAmount: minor(tier.unit),
    flatAmount: minor(tier.flat),
  }))
  return { currency: named, unitAmount: 0, tiers: steps }
}

const numberIn = (typed: number | string) => (typeof typed === 'number' ? typed : Number.NaN)

/** The input that shows an issue of the API, by the issue's path. */
export function inputOf(path: string): string {
  return path
    .replace(/\.unitAmount$/, '.unit')
    .replace(/\.flatAmount$/, '.flat')
    .replace(/^partnerSlugs\.\d+$/, 'partnerSlugs')
}

/**
 * Validates what the form would send against the API's schema. An amount that cannot be read is
 * explained by an example.
 */
export function validatePrice(
  schema: z.ZodType,
  toInput: (form: PriceForm) => unknown,
): (form: PriceForm) => Record<string, string> {
  return (form) => {
    const errors: Record<string, string> = {}
    const { error } = schema.safeParse(toInput(form), { reportInput: true })
    for (const { path, message, input } of error?.issues ?? []) {
      const field = inputOf(path.join('.'))
      const unreadable = /\.(unit|flat)$/.test(field) && Number.isNaN(input)
      errors[field] ??= unreadable ? t('form.amountUnreadable') : message
    }
    return errors
  }
}
