import { describe, expect, it } from 'vitest'
import {
  type EntitlementFacts,
  type Entitlements,
  type EntitlingSubscription,
  entitlementsOf,
  explainEntitlements,
  type OverdueInvoice,
  toEntitlementsView,
} from '../../src/billing/entitlements.ts'
import { writeText } from '../../src/platform/errors.ts'
import { fileQuotaBytes } from '../../src/tenants/tenants.ts'

const now = new Date('2026-03-10T12:00:00Z')
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
const rules = { graceDays: 14, freeSeats: 5, trial: { plan: 'business', seats: 20 } } as const
const paid: EntitlingSubscription = {
  source: 'stripe',
  plan: 'enterprise',
  seats: 40,
  status: 'active',
  currency: 'eur',
  trialEnd: null,
  pastDueSince: null,
  pausedAt: null,
  endedAt: null,
}
const invoice: OverdueInvoice = { number: 'IN-7', amount: 6_400n, currency: 'eur', since: ago(20) }
const of = (facts: Partial<EntitlementFacts>) =>
  entitlementsOf({ subscription: null, overdue: null, grant: null, ...facts }, rules, now)
const free = { plan: 'free', seats: 5, storageBytes: fileQuotaBytes.free }

describe('without a subscription', () => {
  it('it is the free plan', () => {
    expect(of({})).toMatchObject({
      ...free,
      state: 'free',
      reason: 'free',
      since: null,
      until: null,
    })
  })
  it('or what was granted, until the grant ends', () => {
    const grant = { plan: 'business', seats: 0, createdAt: ago(90), endsAt: ago(-1) } as const
    expect(of({ grant })).toMatchObject({
      plan: 'business',
      seats: 0,
      state: 'active',
      reason: 'grant',
      until: ago(-1),
    })
    expect(of({ grant: { ...grant, endsAt: now } })).toMatchObject({
      ...free,
      state: 'free',
      since: now,
    })
    expect(of({ grant: { ...grant, endsAt: null } }).until).toBeNull()
  })
  it('a first payment that was never made gives nothing', () => {
    for (const status of ['incomplete', 'incomplete_expired'] as const)
      expect(of({ subscription: { ...paid, status } })).toMatchObject({ ...free, state: 'free' })
  })
})

describe('with a subscription', () => {
  it('that runs it is what is paid for, whatever was granted', () => {
    const grant = { plan: 'starter', seats: 3, createdAt: ago(90), endsAt: null } as const
    expect(of({ subscription: paid, grant })).toMatchObject({
      plan: 'enterprise',
      seats: 40,
      state: 'active',
      reason: 'subscription',
    })
  })
  it('in its trial it is no more than a trial gives', () => {
    const trial = { ...paid, status: 'trialing', seats: 100_000, trialEnd: ago(-3) } as const
    expect(of({ subscription: trial })).toMatchObject({
      plan: 'business',
      seats: 20,
      state: 'active',
      reason: 'trial',
      until: ago(-3),
    })
    expect(of({ subscription: { ...trial, plan: 'starter', seats: 3 } })).toMatchObject({
      plan: 'starter',
      seats: 3,
    })
  })
  it('in a trial whose end has come or is not known, it waits for the processor', () => {
    for (const trialEnd of [ago(1), now, null])
      expect(of({ subscription: { ...paid, status: 'trialing', trialEnd } })).toMatchObject({
        state: 'active',
        reason: 'trial',
        until: null,
      })
  })
  it('that is past due it is limited after the days of grace, to the millisecond', () => {
    const behind = (days: number) =>
      of({
        subscription: { ...paid, status: 'past_due', pastDueSince: ago(days) },
        overdue: invoice,
      })
    expect(behind(13)).toMatchObject({
      plan: 'enterprise',
      state: 'grace',
      until: ago(-1),
      limitedFrom: ago(-1),
    })
    expect(behind(14)).toMatchObject({
      plan: 'enterprise',
      state: 'limited',
      since: now,
      reason: 'payment_missing',
    })
  })
  it('that the processor gave up on is limited at once, and free after as long again', () => {
    const unpaid = (days: number) =>
      of({ subscription: { ...paid, status: 'unpaid', pastDueSince: ago(days) }, overdue: invoice })
    expect(unpaid(1)).toMatchObject({ plan: 'enterprise', state: 'limited', until: ago(-27) })
    expect(unpaid(28)).toMatchObject({ ...free, state: 'limited', until: null })
    expect(unpaid(1).limitedFrom).toEqual(ago(-13))
  })
  it('that the processor gave up on keeps the higher plan of subscription and grant', () => {
    const unpaid = (plan: 'starter' | 'enterprise', days: number) =>
      of({
        subscription: { ...paid, plan, status: 'unpaid', pastDueSince: ago(days) },
        overdue: invoice,
        grant: { plan: 'business', seats: 9, createdAt: ago(90), endsAt: ago(-50) },
      })
    expect(unpaid('enterprise', 1)).toMatchObject({ plan: 'enterprise', seats: 40 })
    expect(unpaid('starter', 1)).toMatchObject({ plan: 'business', seats: 40 })
    expect(unpaid('enterprise', 28)).toMatchObject({ plan: 'business', seats: 9, until: ago(-50) })
  })
  it('in which a payment is missing since nobody knows when, is never limited by the clock', () => {
    const since = { pastDueSince: null }
    expect(of({ subscription: { ...paid, ...since, status: 'past_due' } })).toMatchObject({
      state: 'grace',
      reason: 'payment_missing',
      since: null,
      until: null,
      limitedFrom: null,
    })
    expect(of({ subscription: { ...paid, ...since, status: 'unpaid' } })).toMatchObject({
      plan: 'enterprise',
      state: 'limited',
      since: null,
      until: null,
      limitedFrom: null,
    })
  })
})

describe.each([
  ['ended', { status: 'canceled', endedAt: ago(3) }],
  ['paused', { status: 'paused', pausedAt: ago(3) }],
] as const)('after a subscription %s', (reason, over) => {
  const subscription = { ...paid, ...over }
  const longAgo = {
    ...subscription,
    endedAt: over.status === 'canceled' ? ago(14) : null,
    pausedAt: ago(14),
  }
  it('the plan stays for the days of grace, the seats do not', () => {
    expect(of({ subscription })).toMatchObject({
      plan: 'enterprise',
      seats: 5,
      state: 'grace',
      reason,
      since: ago(3),
      until: ago(-11),
    })
    expect(of({ subscription: longAgo })).toMatchObject({
      ...free,
      state: 'free',
      reason,
      since: ago(14),
      until: null,
    })
  })
  it('a trial leaves what a trial gives', () => {
    expect(of({ subscription: { ...subscription, trialEnd: ago(3) } })).toMatchObject({
      plan: 'business',
      state: 'grace',
    })
  })
  it('that outlasted its trial, what was paid for stays', () => {
    expect(of({ subscription: { ...subscription, trialEnd: ago(4) } })).toMatchObject({
      plan: 'enterprise',
      state: 'grace',
    })
  })
  it('and after a grant that is over too, the plan of the subscription stays', () => {
    const grant = { plan: 'starter', seats: 9, createdAt: ago(90), endsAt: ago(1) } as const
    expect(of({ subscription, grant })).toMatchObject({
      plan: 'enterprise',
      seats: 5,
      state: 'grace',
      reason,
    })
  })
  it('a grant comes back', () => {
    const grant = { plan: 'starter', seats: 9, createdAt: ago(90), endsAt: null } as const
    expect(of({ subscription, grant })).toMatchObject({
      plan: 'enterprise',
      seats: 9,
      state: 'grace',
    })
    expect(of({ subscription: longAgo, grant })).toMatchObject({
      plan: 'starter',
      seats: 9,
      state: 'active',
      reason: 'grant',
    })
  })
  it('a grant that gives as much or more replaces it at once', () => {
    const given = { seats: 9, createdAt: ago(90), endsAt: null }
    const business = { ...subscription, plan: 'business' } as const
    for (const plan of ['business', 'enterprise'] as const)
      expect(of({ subscription: business, grant: { ...given, plan } })).toMatchObject({
        plan,
        seats: 9,
        state: 'active',
        reason: 'grant',
      })
  })
  it('a grant that ends within the days of grace ends what is kept too', () => {
    const until = (endsAt: Date) =>
      of({ subscription, grant: { plan: 'starter', seats: 9, createdAt: ago(90), endsAt } }).until
    expect(until(ago(-2))).toEqual(ago(-2))
    expect(until(ago(-12))).toEqual(ago(-11))
  })
  it('whose end is not known, nothing is kept', () => {
    const { state, plan } = of({ subscription: { ...subscription, pausedAt: null, endedAt: null } })
    expect([state, plan]).toEqual(['free', 'free'])
  })
  it('what is granted at its end or after it counts alone', () => {
    const atOnce = { plan: 'free', seats: 1, createdAt: ago(3), endsAt: null } as const
    expect(of({ subscription, grant: atOnce })).toMatchObject({ plan: 'free', reason: 'grant' })
    const grant = { plan: 'free', seats: 1, createdAt: ago(1), endsAt: null } as const
    expect(of({ subscription, grant })).toMatchObject({
      plan: 'free',
      seats: 1,
      state: 'free',
      reason: 'grant',
      since: ago(1),
    })
    expect(of({ grant: { ...grant, seats: 0 } }).state).toBe('active')
    expect(of({ grant: { ...grant, seats: 6 } }).state).toBe('active')
  })
  it('debts stay debts', () => {
    expect(of({ subscription, overdue: invoice })).toMatchObject({
      plan: 'enterprise',
      state: 'limited',
      since: ago(6),
      overdue: invoice,
    })
    expect(of({ subscription: longAgo, overdue: invoice })).toMatchObject({
      ...free,
      state: 'limited',
    })
    expect(of({ subscription, overdue: { ...invoice, since: ago(13) } })).toMatchObject({
      state: 'grace',
      until: ago(-1),
    })
    expect(of({ overdue: invoice })).toMatchObject({ ...free, state: 'limited' })
  })
  it('debts whose grace outlasts what is kept leave its end as it is', () => {
    expect(of({ subscription, overdue: { ...invoice, since: now } })).toMatchObject({
      state: 'grace',
      until: ago(-11),
      limitedFrom: ago(-14),
    })
    expect(of({ subscription, overdue: invoice }).until).toEqual(ago(-11))
  })
})

const explained = (given: Entitlements, language: 'en' | 'de' = 'en') =>
  writeText(explainEntitlements(given), language)

it('says why, with the invoice, in sentences', () => {
  const limited = of({
    subscription: { ...paid, status: 'canceled', endedAt: ago(1) },
    overdue: invoice,
  })
  expect(explained(limited)).toBe(
    'Limited since 4 March 2026, because invoice IN-7 over €64.00 of 18 February 2026 is open. Nothing can be added until it is paid.',
  )
  expect(explained(of({ subscription: { ...paid, status: 'canceled', endedAt: ago(1) } }))).toBe(
    'The subscription ended on 9 March 2026. The Enterprise plan stays until 23 March 2026, and members can be added up to 5. ' +
      'After that, the free plan applies.',
  )
  expect(toEntitlementsView(limited, 'Because.')).toMatchObject({
    overdue: { number: 'IN-7', amountMinor: 6_400 },
    explanation: 'Because.',
  })
  expect(explained(of({}))).toBe('The free plan: up to 5 members.')
  expect(explained(limited, 'de')).toBe(
    'Eingeschränkt seit dem 4. März 2026, weil die Rechnung IN-7 über 64,00\u00a0€ vom 18. Februar 2026 offen ist. Bis zur Zahlung kann nichts hinzugefügt werden.',
  )
  expect(explained(of({}), 'de')).toBe('Kostenloser Tarif: bis zu 5 Mitglieder.')
})

it.each<[string, Entitlements, string[]]>([
  ['a subscription', of({ subscription: paid }), ['Enterprise', '40 members']],
  [
    'a trial',
    of({ subscription: { ...paid, status: 'trialing', trialEnd: ago(-3) } }),
    ['Trial', 'Business', '20 members', '13 March 2026'],
  ],
  [
    'a trial whose end is not known',
    of({ subscription: { ...paid, status: 'trialing' } }),
    ['Business', '20 members'],
  ],
  [
    'a grant',
    of({ grant: { plan: 'starter', seats: 0, createdAt: ago(9), endsAt: ago(-1) } }),
    ['Starter', 'any number of members', '11 March 2026'],
  ],
  [
    'the end of a subscription',
    of({ subscription: { ...paid, status: 'canceled', endedAt: ago(14) } }),
    ['24 February 2026', 'free plan', '5 members'],
  ],
  [
    'a pause',
    of({ subscription: { ...paid, status: 'paused', pausedAt: ago(1) } }),
    ['paused since 9 March 2026', 'Enterprise', '23 March 2026', '5'],
  ],
  [
    'a long pause',
    of({ subscription: { ...paid, status: 'paused', pausedAt: ago(14) } }),
    ['paused since 24 February 2026', 'free plan', '5 members'],
  ],
  [
    'a missing payment, while nothing is limited yet',
    of({ subscription: { ...paid, status: 'past_due', pastDueSince: ago(4) }, overdue: invoice }),
    ['IN-7', '€64.00', '20 March 2026'],
  ],
  [
    'a missing payment whose invoice is not known',
    of({ subscription: { ...paid, status: 'past_due', pastDueSince: ago(14) } }),
    ['since 10 March 2026', 'a payment is missing'],
  ],
  [
    'a missing payment whose number and amount are not known',
    of({ overdue: { ...invoice, number: null, amount: null } }),
    ['since 4 March 2026', '18 February 2026'],
  ],
])('names the plan, the seats and the days of %s', (_, given, facts) => {
  const sentence = explained(given)
  for (const fact of facts) expect(sentence).toContain(fact)
  expect(sentence).not.toMatch(/none|null|undefined/)
})

it('is shown with moments in UTC, and with null where there is none', () => {
  const grant = { plan: 'starter', seats: 3, createdAt: ago(9), endsAt: ago(-1) } as const
  expect(toEntitlementsView(of({ grant }), 'Because.')).toEqual({
    plan: 'starter',
    seats: 3,
    storageBytes: fileQuotaBytes.starter,
    state: 'active',
    reason: 'grant',
    since: '2026-03-01T12:00:00.000Z',
    until: '2026-03-11T12:00:00.000Z',
    limitedFrom: null,
    overdue: null,
    explanation: 'Because.',
  })
  expect(toEntitlementsView(of({ subscription: paid }), '').since).toBeNull()
  const owed = of({ overdue: { ...invoice, number: null, amount: null } })
  expect(toEntitlementsView(owed, '')).toMatchObject({
    since: '2026-03-04T12:00:00.000Z',
    until: null,
    limitedFrom: '2026-03-04T12:00:00.000Z',
    overdue: {
      number: null,
      amountMinor: null,
      currency: 'eur',
      since: '2026-02-18T12:00:00.000Z',
    },
  })
})
