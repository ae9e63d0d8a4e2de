import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  billingStateOf,
  cardExpiry,
  invoiceDisplayStatusOf,
  invoiceStatuses,
  reminderDaysDue,
  SetPaymentMethod,
} from '../../src/billing/billing.ts'
import { formatAmount } from '../../src/billing/money.ts'

const now = new Date('2026-03-15T12:00:00Z')
const invoice = {
  status: 'open',
  amountPaid: 0n,
  refundedAmount: 0n,
  disputedAmount: 0n,
  dueDate: null,
  attemptCount: 0,
} as const
const shown = (fields: Partial<Parameters<typeof invoiceDisplayStatusOf>[0]>) =>
  invoiceDisplayStatusOf({ ...invoice, ...fields }, now)

describe('the status of an invoice as people read it', () => {
  it.each([
    [{ status: 'void', amountPaid: 100n, refundedAmount: 100n }, 'void'],
    [{ status: 'paid', amountPaid: 100n, refundedAmount: 100n }, 'refunded'],
    [
      { status: 'paid', amountPaid: 100n, refundedAmount: 1n, disputedAmount: 99n },
      'partially_refunded',
    ],
    [{ status: 'paid', amountPaid: 100n, disputedAmount: 100n }, 'disputed'],
    [{ status: 'paid', amountPaid: 100n }, 'paid'],
    [{ status: 'paid' }, 'paid'],
    [{ status: 'paid', amountPaid: 100n, refundedAmount: 101n }, 'refunded'],
    [{ status: 'paid', refundedAmount: 1n }, 'partially_refunded'],
    [{ status: 'paid', amountPaid: -1n }, 'paid'],
    [{ dueDate: new Date('2026-03-15T12:00:01Z') }, 'open'],
    [{ status: 'uncollectible', attemptCount: 4 }, 'uncollectible'],
    [{ attemptCount: 1 }, 'overdue'],
    [{ dueDate: new Date('2026-03-15T11:59:59Z') }, 'overdue'],
    [{ dueDate: new Date('2026-03-15T12:00:00Z') }, 'open'],
    [{}, 'open'],
    [{ status: 'draft' }, 'draft'],
    [{ status: 'unknown', attemptCount: 3 }, 'unknown'],
  ] as const)('%o is %s', (fields, expected) => {
    expect(shown(fields)).toBe(expected)
  })

  it('says refunded for nothing that nobody paid', () => {
    fc.assert(
      fc.property(fc.constantFrom(...invoiceStatuses), (status) => {
        expect(shown({ status })).not.toMatch(/refunded/)
      }),
    )
  })
})

describe('the last day of a card', () => {
  it('is the last of its month, in UTC', () => {
    const card = { expMonth: 3, expYear: 2026 }
    expect(cardExpiry(card, new Date('2026-03-31T23:59:59.999Z'))).toEqual({
      expired: false,
      expiresSoon: true,
    })
    expect(cardExpiry(card, new Date('2026-04-01T00:00:00Z'))).toEqual({
      expired: true,
      expiresSoon: false,
    })
    expect(cardExpiry(card, new Date('2026-03-02T00:00:00Z'))).toEqual({
      expired: false,
      expiresSoon: true,
    })
    expect(cardExpiry(card, new Date('2026-03-01T23:59:59Z'))).toEqual({
      expired: false,
      expiresSoon: false,
    })
  })
  it('may be that of December', () => {
    expect(
      cardExpiry({ expMonth: 12, expYear: 2026 }, new Date('2026-12-31T12:00:00Z')).expired,
    ).toBe(false)
    expect(
      cardExpiry({ expMonth: 12, expYear: 2026 }, new Date('2027-01-01T00:00:00Z')).expired,
    ).toBe(true)
  })
})

describe('reminders of an overdue payment', () => {
  const since = (days: number) => new Date(now.getTime() - days * 86_400_000)
  it('come on days 0, 3, 7 and 12, and never more often', () => {
    const days = [0, 2.99, 3, 6.9, 7, 12, 400].map((day) => reminderDaysDue(since(day), now))
    expect(days).toEqual([[0], [0], [0, 3], [0, 3], [0, 3, 7], [0, 3, 7, 12], [0, 3, 7, 12]])
    expect(reminderDaysDue(new Date(now.getTime() + 1), now)).toEqual([])
  })
})

describe('what billing does to a tenant', () => {
  it.each([
    ['full', null, 'ok'],
    ['grace', 'payment_missing', 'past_due'],
    ['grace', 'ended', 'ok'],
    ['limited', 'payment_missing', 'limited'],
  ] as const)('with entitlements that are %s for %s is %s', (state, reason, expected) => {
    expect(billingStateOf({ state, reason } as Parameters<typeof billingStateOf>[0])).toBe(expected)
  })
})

describe('a card to charge', () => {
  it.each([
    [{ paymentMethodId: 'pm_1AbC' }, undefined],
    [{ setupIntentId: 'seti_1AbC' }, undefined],
    [{}, 'paymentMethodId'],
    [{ paymentMethodId: 'pm_1', setupIntentId: 'seti_1' }, 'paymentMethodId'],
    [{ paymentMethodId: 'seti_1' }, 'paymentMethodId'],
    [{ paymentMethodId: 'pm_' }, 'paymentMethodId'],
    [{ paymentMethodId: 'xpm_1' }, 'paymentMethodId'],
    [{ setupIntentId: 'seti_1/../x' }, 'setupIntentId'],
    [{ setupIntentId: 'xseti_1' }, 'setupIntentId'],
  ])('is named one way: %o is rejected at %s', (fields, path) => {
    expect(
      SetPaymentMethod.safeParse({ slug: 'acme', ...fields }).error?.issues[0]?.path.join('.'),
    ).toBe(path)
  })
})

describe('amounts in mails', () => {
  it.each([
    [1050n, 'eur', '€10.50'],
    [5n, 'usd', 'US$0.05'],
    [-2667n, 'eur', '-€26.67'],
    [500n, 'jpy', 'JP¥500'],
    [9_007_199_254_740_993n, 'eur', '€90,071,992,547,409.93'],
  ])('%d %s is %s', (minor, currency, expected) => {
    expect(formatAmount(minor, currency)).toBe(expected)
  })
})
