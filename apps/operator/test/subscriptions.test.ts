import {
  CreateSubscription,
  type SubscriptionView,
  UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import { describe, expect, it } from 'vitest'
import {
  changesSubscription,
  emptySubscription,
  reachableStatuses,
  toCreateSubscription,
  toSubscriptionForm,
  toUpdateSubscription,
  validateSubscription,
} from '../src/subscriptions/subscription-form.ts'

const row: SubscriptionView = {
  id: '018f0000-0000-7000-8000-000000000001',
  tenantId: '018f0000-0000-7000-8000-000000000002',
  tenantSlug: 'acme',
  tenantName: 'Acme',
  partnerSlug: null,
  source: 'manual',
  plan: 'business',
  cycle: 'month',
  currency: 'eur',
  perSeatAmount: 650,
  periodAmount: null,
  taxBehavior: 'exclusive',
  seats: 10,
  status: 'active',
  cancelAtPeriodEnd: false,
  totalMinor: 6500,
  arrMinor: 78_000,
  stripeStatus: null,
  stripeSubscriptionId: null,
  stripePriceId: null,
  priceId: null,
  trialStart: null,
  trialEnd: null,
  currentPeriodStart: null,
  currentPeriodEnd: null,
  cancelAt: null,
  canceledAt: null,
  endedAt: null,
  cancelReason: null,
  cancelFeedback: null,
  cancelComment: null,
  collectionPaused: null,
  pausedAt: null,
  pauseReason: null,
  pastDueSince: null,
  pending: null,
  pendingError: null,
  latestInvoiceId: null,
  version: 7,
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
}

describe('the form of a subscription', () => {
  it('shows an agreed amount, and sends nothing that was not touched', () => {
    const form = toSubscriptionForm(row)
    expect(form).toMatchObject({ pricing: 'per_seat', amount: '6.50', seats: 10 })
    expect(changesSubscription(row, form)).toBe(false)
    expect(toUpdateSubscription(row, form)).toEqual({ id: row.id, version: 7 })
  })

  it('sends what differs, with the version that was read', () => {
    const form = { ...toSubscriptionForm(row), seats: 12, pricing: 'period' as const, amount: '70' }
    expect(UpdateSubscription.parse(toUpdateSubscription(row, form))).toEqual({
      id: row.id,
      version: 7,
      seats: 12,
      periodAmount: 7000,
    })
  })

  it('of one at the payment processor sends no amounts', () => {
    const kept = { ...row, source: 'stripe' as const }
    expect(
      toUpdateSubscription(kept, {
        ...toSubscriptionForm(kept),
        pricing: 'per_seat',
        amount: '1',
        seats: 3,
      }),
    ).toEqual({
      id: row.id,
      version: 7,
      seats: 3,
    })
  })

  it('of a new one leaves out what was not said', () => {
    expect(CreateSubscription.parse(toCreateSubscription(emptySubscription('acme')))).toEqual({
      tenantSlug: 'acme',
      source: 'manual',
      plan: 'business',
      cycle: 'month',
      currency: 'eur',
      seats: 1,
    })
  })

  it('explains an amount that cannot be read on its input', () => {
    const check = validateSubscription(CreateSubscription, toCreateSubscription)
    expect(check({ ...emptySubscription('acme'), pricing: 'per_seat', amount: 'a lot' })).toEqual({
      amount: 'Enter an amount such as 8.50.',
    })
    expect(check({ ...emptySubscription('acme'), seats: '' })).toHaveProperty('seats')
  })

  it('offers the states that an operator may move it to', () => {
    expect(reachableStatuses(row)).toEqual(['active', 'past_due', 'paused'])
    expect(reachableStatuses({ ...row, status: 'canceled' })).toEqual(['canceled'])
  })
})
