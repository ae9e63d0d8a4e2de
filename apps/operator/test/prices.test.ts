import { CreatePrice, type PriceView, UpdatePrice } from '@atrium/core/billing/prices'
import { describe, expect, it } from 'vitest'
import { tierLines } from '../src/prices/labels.ts'
import {
  emptyPrice,
  makesVersion,
  type PriceForm,
  toCreatePrice,
  toPriceForm,
  toUpdatePrice,
  validatePrice,
} from '../src/prices/price-form.ts'

const price: PriceView = {
  id: '018f0000-0000-7000-8000-000000000001',
  plan: 'business',
  cycle: 'month',
  version: 3,
  state: 'active',
  scheme: 'per_seat',
  taxBehavior: 'exclusive',
  minSeats: 1,
  maxSeats: null,
  trialDays: 0,
  visibleFrom: null,
  visibleUntil: null,
  partnerSlugs: null,
  note: null,
  subscriptions: 4,
  amounts: [
    { currency: 'eur', unitAmount: 850, tiers: null, stripePriceId: 'price_1', error: null },
    { currency: 'jpy', unitAmount: 1200, tiers: null, stripePriceId: null, error: null },
  ],
  editVersion: 'v1',
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
}
const typed = (change: (form: PriceForm) => Partial<PriceForm>): PriceForm => {
  const form = toPriceForm(price)
  return { ...form, ...change(form) }
}

describe('the form of a price', () => {
  it('shows amounts in the main unit of each currency, and sends nothing that was not touched', () => {
    const form = toPriceForm(price)
    expect(form.amounts.map(({ unit }) => unit)).toEqual(['8.50', '1200'])
    expect(toUpdatePrice(price, form)).toEqual({ id: price.id, expectedVersion: 'v1' })
    expect(makesVersion(price, form)).toBe(false)
  })

  it('sends whole minor units, and says that other amounts make a version', () => {
    const form = typed(({ amounts }) => ({
      amounts: amounts.map((amount) => ({ ...amount, unit: '9,5' })).slice(0, 1),
    }))
    expect(toUpdatePrice(price, form)).toEqual({
      id: price.id,
      expectedVersion: 'v1',
      amounts: [{ currency: 'eur', unitAmount: 950, tiers: null }],
    })
    expect(makesVersion(price, form)).toBe(true)
    expect(makesVersion({ ...price, state: 'draft' }, form)).toBe(false)
    expect(
      makesVersion(
        price,
        typed(() => ({ note: 'Spring' })),
      ),
    ).toBe(false)
  })

  it('sends tiers of a tiered scheme only, the last one without an end', () => {
    const form: PriceForm = { ...emptyPrice(), scheme: 'volume' }
    const [amount] = form.amounts
    if (!amount) throw new Error('an empty price has one currency')
    amount.tiers = amount.tiers.map((tier) => ({ ...tier, unit: '7', flat: '0' }))
    expect(CreatePrice.parse(toCreatePrice(form, 'draft')).amounts).toEqual([
      {
        currency: 'eur',
        unitAmount: 0,
        tiers: [
          { upTo: 10, unitAmount: 700, flatAmount: 0 },
          { upTo: null, unitAmount: 700, flatAmount: 0 },
        ],
      },
    ])
  })

  it('explains on its own inputs what the schema says', () => {
    const check = validatePrice(UpdatePrice, (form: PriceForm) => toUpdatePrice(price, form))
    expect(
      check(
        typed(({ amounts }) => ({
          amounts: amounts.map((amount) => ({ ...amount, unit: 'ten' })),
        })),
      ),
    ).toMatchObject({
      'amounts.0.unit': 'Enter an amount such as 8.50.',
      'amounts.1.unit': 'Enter an amount such as 8.50.',
    })
    expect(check(typed(() => ({ minSeats: 0 })))).toHaveProperty('minSeats')
    expect(check(typed(() => ({ note: 'Spring' })))).toEqual({})
  })
})

it('tiers are told as people read them', () => {
  expect(
    tierLines(
      [
        { upTo: 1, unitAmount: 0, flatAmount: 500 },
        { upTo: 10, unitAmount: 1000, flatAmount: 0 },
        { upTo: null, unitAmount: 800, flatAmount: 0 },
      ],
      'eur',
    ),
  ).toEqual([
    'Seat 1: €0.00 each, plus €5.00',
    'Seats 2 to 10: €10.00 each',
    'Seats 11 and more: €8.00 each',
  ])
})
