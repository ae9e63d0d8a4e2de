import {
  type Accrual,
  accrualOf,
  earningBase,
  ledgerSteps,
  lostShare,
  type PaidInvoice,
  payableOf,
  type Reversal,
  type StandingEntry,
} from '@atrium/core/billing/ledger'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))
const invoice: PaidInvoice = { amountPaid: 11_900n, total: 11_900n, totalExcludingTax: 10_000n }
const accrual: Accrual = { amount: 1_750n, base: 10_000n }

/** Adds what is missing to the entries, as the ledger does; returns the sums per side. */
function settle(
  paid: PaidInvoice,
  earned: Accrual,
  reversals: readonly Reversal[],
  entries: StandingEntry[],
): void {
  for (const { type, amount, reversal } of ledgerSteps(paid, earned, reversals, entries)) {
    entries.push({ type, amount, reversalId: reversal.id })
  }
}
const sum = (entries: readonly StandingEntry[]) =>
  entries.reduce((total, { amount }) => total + amount, 0n)
const refund = (
  id: string,
  day: number,
  amountExcludingTax: bigint,
  fields: Partial<Reversal> = {},
): Reversal => ({
  id,
  kind: 'refund',
  amount: (amountExcludingTax * 119n) / 100n,
  amountExcludingTax,
  effective: true,
  createdAt: at(day),
  ...fields,
})

describe('what a partner earns of an invoice', () => {
  it('is a share of the payment without tax, rounded once', () => {
    expect(earningBase(invoice)).toBe(10_000n)
    expect(accrualOf(10_000n, 17.5)).toBe(1_750n)
    expect(accrualOf(3n, 50)).toBe(2n)
    expect(earningBase({ amountPaid: 5_000n, total: 11_900n, totalExcludingTax: 10_000n })).toBe(
      4_202n,
    )
  })
  it.each([
    { amountPaid: 0n, total: 11_900n, totalExcludingTax: 10_000n },
    { amountPaid: 0n, total: 0n, totalExcludingTax: 0n },
    { amountPaid: 0n, total: -500n, totalExcludingTax: -500n },
    { amountPaid: 500n, total: 0n, totalExcludingTax: 500n },
    { amountPaid: -500n, total: 500n, totalExcludingTax: 500n },
    { amountPaid: 500n, total: 500n, totalExcludingTax: 0n },
    { amountPaid: 500n, total: 500n, totalExcludingTax: -1n },
  ])('is nothing where nothing was paid: %o', (nothing) => {
    expect(earningBase(nothing)).toBe(0n)
  })
})

describe('claw-backs', () => {
  it('of a full refund in three parts net to zero, a cent moving to where the sum needs it', () => {
    const parts = [
      refund('re_1', 2, 3_333n),
      refund('re_2', 3, 3_334n),
      refund('re_3', 4, 3_333n, { amount: 3_967n }),
    ]
    const entries: StandingEntry[] = []
    for (let known = 1; known <= parts.length; known++)
      settle(invoice, accrual, parts.slice(0, known), entries)
    expect(entries).toEqual([
      { type: 'clawback', amount: -583n, reversalId: 're_1' },
      { type: 'clawback', amount: -584n, reversalId: 're_2' },
      { type: 'clawback', amount: -583n, reversalId: 're_3' },
    ])
  })
  it('are taken back when the refund fails, and made again when it succeeds after all', () => {
    const entries: StandingEntry[] = []
    settle(invoice, accrual, [refund('re_1', 2, 4_000n)], entries)
    settle(invoice, accrual, [refund('re_1', 2, 4_000n, { effective: false })], entries)
    settle(invoice, accrual, [refund('re_1', 2, 4_000n)], entries)
    expect(entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['clawback', -700n],
      ['clawback_reversal', 700n],
      ['clawback', -700n],
    ])
  })
  it('come from a refund that the payment processor does not split', () => {
    const entries: StandingEntry[] = []
    settle(
      invoice,
      accrual,
      [refund('re_1', 2, 0n, { amount: 5_950n, amountExcludingTax: null })],
      entries,
    )
    expect(sum(entries)).toBe(-875n)
  })
})

describe('the lost share of an accrual', () => {
  const unsplit = (amount: bigint) => refund('re_1', 2, 0n, { amount, amountExcludingTax: null })
  it.each([
    ['nothing without reversals', invoice, accrual, [], 0n],
    ['nothing of no base', invoice, { amount: 5n, base: 0n }, [unsplit(11_900n)], 0n],
    [
      'nothing while a reversal has no effect',
      invoice,
      accrual,
      [refund('re_1', 2, 4_000n, { effective: false })],
      0n,
    ],
    [
      'the part without tax where it is known',
      invoice,
      accrual,
      [refund('re_1', 2, 4_000n, { amount: 1n })],
      700n,
    ],
    ['its part of the total where it is not', invoice, accrual, [unsplit(5_950n)], 875n],
    ['both together', invoice, accrual, [refund('re_2', 2, 4_000n), unsplit(5_950n)], 1_575n],
    [
      'the amount itself where the invoice has no total',
      { ...invoice, total: 0n },
      accrual,
      [unsplit(4_000n)],
      700n,
    ],
    [
      'all of it once everything went back',
      invoice,
      accrual,
      [refund('re_1', 2, 0n, { amount: 11_900n })],
      1_750n,
    ],
    ['nearly all of it one cent before', invoice, accrual, [unsplit(11_890n)], 1_749n],
    [
      'never more than all of it',
      invoice,
      accrual,
      [refund('re_1', 2, 20_000n, { amount: 1n })],
      1_750n,
    ],
  ] satisfies [string, PaidInvoice, Accrual, Reversal[], bigint][])(
    'is %s',
    (_, paid, earned, reversals, lost) => {
      expect(lostShare(paid, earned, reversals)).toBe(lost)
    },
  )

  it('falls to reversals in the order of time, then of their ids', () => {
    const named = (reversals: readonly Reversal[]) =>
      ledgerSteps(invoice, accrual, reversals, []).map(({ amount, reversal }) => [
        reversal.id,
        amount,
      ])
    const [first, second, third] = [
      refund('re_b', 2, 6_000n),
      refund('re_a', 3, 3_000n),
      refund('re_c', 3, 3_000n),
    ]
    const expected = [
      ['re_b', -1_050n],
      ['re_a', -525n],
      ['re_c', -175n],
    ]
    expect(named([first, second, third])).toEqual(expected)
    expect(named([third, second, first])).toEqual(expected)
  })
})

describe('a dispute', () => {
  const dispute = (effective: boolean, amount = 11_900n): Reversal => ({
    id: 'dp_1',
    kind: 'dispute',
    amount,
    amountExcludingTax: null,
    effective,
    createdAt: at(5),
  })
  it('holds the share back, and gives it back when it is won', () => {
    const entries: StandingEntry[] = []
    settle(invoice, accrual, [dispute(true)], entries)
    expect(entries).toEqual([{ type: 'dispute_hold', amount: -1_750n, reversalId: 'dp_1' }])
    settle(invoice, accrual, [dispute(false)], entries)
    expect(entries.at(-1)).toEqual({ type: 'dispute_release', amount: 1_750n, reversalId: 'dp_1' })
  })
  it('beside a refund takes only what is left', () => {
    const entries: StandingEntry[] = []
    settle(invoice, accrual, [dispute(true)], entries)
    settle(invoice, accrual, [dispute(true), refund('re_1', 6, 10_000n)], entries)
    expect(sum(entries)).toBe(-1_750n)
    expect(entries.map(({ type }) => type)).toEqual(['dispute_hold', 'clawback', 'dispute_release'])
  })
})

const arbitraryInvoice = fc
  .record({
    net: fc.bigInt(1n, 10_000_000n),
    taxPercent: fc.bigInt(0n, 27n),
    pct: fc.integer({ min: 1, max: 10_000 }),
    paid: fc.bigInt(1n, 100n),
  })
  .map(({ net, taxPercent, pct, paid }) => {
    const total = net + (net * taxPercent) / 100n
    const paidInvoice: PaidInvoice = {
      total,
      totalExcludingTax: net,
      amountPaid: (total * paid) / 100n,
    }
    const base = earningBase(paidInvoice)
    return { paid: paidInvoice, earned: { base, amount: accrualOf(base, pct / 100) } }
  })
const arbitraryReversals = fc.array(
  fc.record({
    kind: fc.constantFrom('refund', 'credit_note', 'dispute'),
    share: fc.bigInt(0n, 120n),
    split: fc.boolean(),
    day: fc.integer({ min: 1, max: 5 }),
    /** Whether it is in effect after each of the steps. */
    life: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  }),
  { maxLength: 6 },
)

describe('in any sequence of refunds, credit notes, disputes and their ends', () => {
  test.prop([arbitraryInvoice, arbitraryReversals])(
    'the ledger balances',
    ({ paid, earned }, wishes) => {
      const reversalsAt = (step: number): Reversal[] =>
        wishes.map(({ kind, share, split, day, life }, index) => {
          const amount = (paid.amountPaid * share) / 100n
          const amountExcludingTax = split ? (amount * paid.totalExcludingTax) / paid.total : null
          return {
            id: `r_${index}`,
            kind,
            amount,
            amountExcludingTax,
            effective: life[step] ?? false,
            createdAt: at(day),
          }
        })
      const entries: StandingEntry[] = []
      for (let step = 0; step < 4; step++) {
        const reversals = reversalsAt(step)
        settle(paid, earned, reversals, entries)
        expect(
          ledgerSteps(paid, earned, reversals, entries),
          'a second look finds nothing to do',
        ).toEqual([])
        const left = earned.amount + sum(entries)
        expect(
          left >= 0n && left <= earned.amount,
          'never more is taken than was earned, nor less than nothing',
        ).toBe(true)
        const effective = reversals.filter((reversal) => reversal.effective)
        const back = effective.reduce((total, { amount }) => total + amount, 0n)
        if (back >= paid.amountPaid) expect(left, 'all given back: nothing is left').toBe(0n)
        if (effective.length === 0)
          expect(left, 'nothing given back: everything is left').toBe(earned.amount)
        const atOnce: StandingEntry[] = []
        settle(paid, earned, reversals, atOnce)
        expect(sum(atOnce), 'the way does not matter').toBe(sum(entries))
      }
    },
  )
  test.prop([arbitraryInvoice, fc.array(fc.bigInt(1n, 100n), { minLength: 1, maxLength: 8 })])(
    'parts that make up the whole take exactly the whole',
    ({ paid, earned }, weights) => {
      const whole = weights.reduce((total, weight) => total + weight, 0n)
      let given = 0n
      const parts = weights.map((weight, index): Reversal => {
        const amount =
          index === weights.length - 1
            ? paid.amountPaid - given
            : (paid.amountPaid * weight) / whole
        given += amount
        return {
          id: `re_${index}`,
          kind: 'refund',
          amount,
          amountExcludingTax: null,
          effective: true,
          createdAt: at(index + 1),
        }
      })
      const entries: StandingEntry[] = []
      for (let known = 1; known <= parts.length; known++)
        settle(paid, earned, parts.slice(0, known), entries)
      expect(sum(entries)).toBe(-earned.amount)
      expect(entries.every(({ type, amount }) => type === 'clawback' && amount < 0n)).toBe(true)
    },
  )
})

it('pays out what is available and in no other payout, never less than nothing', () => {
  expect(payableOf({ balance: 0n, available: 5_000n, reserved: 2_000n })).toBe(3_000n)
  expect(payableOf({ balance: 0n, available: -5_000n, reserved: 0n })).toBe(0n)
  expect(payableOf({ balance: 9n, available: 2_000n, reserved: 2_000n })).toBe(0n)
  expect(payableOf({ balance: 9n, available: 2_000n, reserved: 2_001n })).toBe(0n)
})
