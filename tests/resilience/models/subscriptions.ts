import { randomBytes } from 'node:crypto'
import { applyDueSubscriptions } from '@atrium/api/billing/subscriptions/due'
import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims } from '@atrium/testing/issuer'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import type { TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import type { Slice } from './slice.ts'

/** A monthly subscription at a price per seat that the operator made. */
interface ModelSubscription {
  seats: number
  status: 'active' | 'canceled'
  /** Seats from the end of the period on. */
  pending: number | null
  cancelAtPeriodEnd: boolean
  version: number
  anchor: Date
  /** Periods that are over since the anchor. */
  periods: number
}

interface Model {
  now: Date
  subscription: ModelSubscription | undefined
  /** The tenant's members, each of whom needs a seat. */
  members: number
  tenantSeats: number
  /** What is left after the end of the subscription. */
  freeSeats: number
  quote: { seats: number; version: number; at: Date } | undefined
}

interface Real {
  slug: string
  tenantId: string
  subscriptionId: string | undefined
  quote: { seats: number; quote: object } | undefined
  now: Date
}

type Act =
  | { act: 'subscribe' | 'quote' | 'quote as owner' | 'correct'; seats: number }
  | {
      act:
        | 'change as quoted'
        | 'cancel'
        | 'keep'
        | 'discard what waits'
        | 'end now'
        | 'add a member'
    }
  | { act: 'time passes'; minutes: number }

const day = 24 * 60
const seats = fc.integer({ min: 1, max: 8 })
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('quote'), seats }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('quote as owner'), seats }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('change as quoted') }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('subscribe', 'correct'), seats }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('cancel', 'keep', 'discard what waits') }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('end now', 'add a member') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('time passes'),
      minutes: fc.constantFrom(9, 11, 10 * day, 31 * day),
    }),
  },
)

/**
 * The same day some months later, or the last one of a month that has no such day. Counted by the
 * calendar, UTC.
 */
function monthsAfter(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months]
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const time = anchor.getTime() % (day * 60_000)
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), days)) + time)
}
const periodEnd = ({ anchor, periods }: ModelSubscription) => monthsAfter(anchor, periods + 1)

function subscribe(model: Model, requested: number): string {
  if (model.subscription?.status === 'active') return 'subscription_exists'
  if (requested < model.members) return 'invalid_input'
  const fresh = {
    status: 'active',
    pending: null,
    cancelAtPeriodEnd: false,
    version: 1,
    anchor: model.now,
    periods: 0,
  } as const
  model.subscription = { ...fresh, seats: requested }
  model.tenantSeats = requested
  return 'ok'
}

/** Why a change to so many seats is rejected, quote aside. */
function rejection({ subscription, members }: Model, requested: number): string | undefined {
  if (!subscription) return 'not_found'
  if (subscription.status === 'canceled') return 'subscription_ended'
  if (subscription.cancelAtPeriodEnd) return 'uncancel_first'
  return requested === subscription.seats || (requested < subscription.seats && requested < members)
    ? 'invalid_input'
    : undefined
}

function changeAsQuoted(model: Model): string {
  const { quote, subscription } = model
  if (!quote) return 'none'
  const rejected = rejection(model, quote.seats)
  if (!subscription || (rejected && rejected !== 'invalid_input')) return rejected ?? 'not_found'
  const old = model.now.getTime() - quote.at.getTime() > 10 * 60_000
  if (old || quote.version !== subscription.version) return 'quote_expired'
  if (rejected) return rejected
  subscription.version++
  if (quote.seats < subscription.seats) {
    subscription.pending = quote.seats
    return 'ok scheduled'
  }
  subscription.pending = null
  subscription.seats = quote.seats
  model.tenantSeats = quote.seats
  return 'ok applied'
}

function correct(model: Model, requested: number): string {
  const { subscription } = model
  if (!subscription) return 'none'
  if (subscription.status === 'canceled') return 'subscription_ended'
  if (requested < subscription.seats && requested < model.members) return 'invalid_input'
  // It takes the place of a change that waits for the end of the period.
  subscription.pending = null
  subscription.seats = requested
  subscription.version++
  model.tenantSeats = requested
  return 'ok'
}

function onRunning(model: Model, act: 'cancel' | 'keep' | 'discard what waits'): string {
  const { subscription } = model
  if (!subscription) return 'not_found'
  if (subscription.status === 'canceled') return 'subscription_ended'
  if (act === 'discard what waits') {
    if (subscription.pending === null) return 'not_found'
    subscription.pending = null
  } else {
    const cancels = act === 'cancel'
    if (subscription.cancelAtPeriodEnd === cancels) return 'ok'
    subscription.cancelAtPeriodEnd = cancels
    if (cancels) subscription.pending = null
  }
  subscription.version++
  return 'ok'
}

function endNow(model: Model): string {
  const { subscription } = model
  if (!subscription) return 'none'
  if (subscription.status === 'canceled') return 'subscription_ended'
  Object.assign(subscription, {
    status: 'canceled',
    pending: null,
    version: subscription.version + 1,
  })
  model.tenantSeats = model.freeSeats
  return 'ok'
}

function settle(model: Model): void {
  const { subscription } = model
  while (subscription?.status === 'active' && periodEnd(subscription) <= model.now) {
    subscription.version++
    if (subscription.cancelAtPeriodEnd) {
      Object.assign(subscription, { status: 'canceled', pending: null })
      model.tenantSeats = model.freeSeats
      return
    }
    subscription.periods++
    if (subscription.pending === null) continue
    subscription.seats = Math.max(subscription.pending, Math.min(model.members, subscription.seats))
    subscription.pending = null
    model.tenantSeats = subscription.seats
  }
}

function expected(model: Model, act: Act): string {
  switch (act.act) {
    case 'subscribe':
      return subscribe(model, act.seats)
    case 'quote': {
      const rejected = rejection(model, act.seats)
      if (!rejected && model.subscription)
        model.quote = { seats: act.seats, version: model.subscription.version, at: model.now }
      return rejected ?? 'ok'
    }
    case 'quote as owner': {
      // What was agreed by hand is changed by operators alone.
      const { subscription } = model
      if (!subscription) return 'not_found'
      return subscription.status === 'canceled' ? 'subscription_ended' : 'operator_managed'
    }
    case 'change as quoted':
      return changeAsQuoted(model)
    case 'correct':
      return correct(model, act.seats)
    case 'end now':
      return endNow(model)
    case 'add a member':
      model.members++
      return 'ok'
    case 'time passes':
      model.now = new Date(model.now.getTime() + act.minutes * 60_000)
      settle(model)
      return 'ok'
    default:
      return onRunning(model, act.act)
  }
}

/** A clock that the workplace goes by and that the slice moves. */
export interface MovableClock {
  now: Date
}

/**
 * The subscription of one tenant over the REST API, and the job that ends its periods, against
 * docs/reference/contract.md, subscriptions.
 */
export function subscriptionsSlice(
  testApp: TestApp,
  issuer: Issuer,
  clock: MovableClock,
): Slice<Model, Real, Act> {
  const { db } = testApp.database
  // Months of 31, 28 and 30 days follow.
  const beginning = new Date('2027-01-31T10:00:00Z')

  async function carryOut(real: Real, act: Act): Promise<string> {
    clock.now = real.now
    const [owner, operator] = await Promise.all([
      issuer.sign(personClaims('owner@acme.test')),
      issuer.sign({ ...personClaims('operator@atrium.test'), aud: demoClients.operator.clientId }),
    ])
    const send = async (method: string, path: string, token: string, body?: object) => {
      const response = await testApp.request(method, path, { token, ...(body ? { body } : {}) })
      return { ...response, said: response.status < 300 ? 'ok' : String(response.body.code) }
    }
    const own = `/tenants/${real.slug}/subscription`
    switch (act.act) {
      case 'subscribe': {
        const terms = {
          tenantSlug: real.slug,
          plan: 'business',
          cycle: 'month',
          currency: 'eur',
          seats: act.seats,
        }
        const { status, body, said } = await send('POST', '/subscriptions', operator, terms)
        if (status === 201) real.subscriptionId = body.id
        return said
      }
      case 'quote': {
        const { status, body, said } = await send('POST', `${own}/preview`, operator, {
          seats: act.seats,
        })
        if (status === 200) real.quote = { seats: act.seats, quote: body.quote }
        return said
      }
      case 'quote as owner':
        return (await send('POST', `${own}/preview`, owner, { seats: act.seats })).said
      case 'change as quoted': {
        if (!real.quote) return 'none'
        const { body, said } = await send('POST', `${own}/change`, operator, real.quote)
        return said === 'ok' ? `ok ${body.outcome}` : said
      }
      case 'correct':
        if (!real.subscriptionId) return 'none'
        return (
          await send('PATCH', `/subscriptions/${real.subscriptionId}`, operator, {
            seats: act.seats,
          })
        ).said
      case 'end now':
        if (!real.subscriptionId) return 'none'
        return (await send('DELETE', `/subscriptions/${real.subscriptionId}?when=now`, operator))
          .said
      case 'discard what waits':
        return (await send('DELETE', `${own}/pending`, owner)).said
      case 'add a member':
        await addMember(real)
        return 'ok'
      case 'time passes':
        real.now = new Date(real.now.getTime() + act.minutes * 60_000)
        clock.now = real.now
        await applyDueSubscriptions(testApp.app.services)
        return 'ok'
      default:
        return (await send('POST', `${own}/${act.act}`, owner, {})).said
    }
  }

  async function addMember({ slug, tenantId }: Real): Promise<void> {
    const address = `${randomBytes(6).toString('hex')}@${slug}.tenants.local`
    const person = {
      idp_subject_id: randomBytes(32).toString('hex'),
      email: address,
      name: 'Somebody',
    }
    const { id } = await db
      .insertInto('users')
      .values(person)
      .returning('id')
      .executeTakeFirstOrThrow()
    const membership = {
      tenant_id: tenantId,
      user_id: id,
      role: 'member',
      status: 'active',
      mailbox_address: address,
    } as const
    await db.insertInto('memberships').values(membership).execute()
  }

  return {
    name: 'subscriptions: quote, change, correct, cancel, keep, periods, seats',
    acts,
    async setup() {
      clock.now = beginning
      const slug = `model-${randomBytes(6).toString('hex')}`
      const ownerId = await userIdOf(db, 'owner@acme.test')
      const tenant = await db
        .transaction()
        .execute((trx) => insertTestTenant(trx, { slug, ownerId }))
      return {
        model: {
          now: beginning,
          subscription: undefined,
          // The owner.
          members: 1,
          tenantSeats: 1,
          quote: undefined,
          freeSeats: testApp.config.billing.freeSeats,
        },
        real: {
          slug,
          tenantId: tenant.id,
          subscriptionId: undefined,
          quote: undefined,
          now: beginning,
        },
      }
    },
    expected,
    carryOut: (real, act) => carryOut(real, act),
    async compare({ subscription, tenantSeats }, { tenantId, subscriptionId }) {
      const row = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .executeTakeFirst()
      const tenant = await db
        .selectFrom('tenants')
        .select('seats')
        .where('id', '=', tenantId)
        .executeTakeFirstOrThrow()
      const found = row && {
        id: row.id,
        seats: row.seats,
        status: row.status,
        pending: row.pending?.seats ?? null,
        version: row.version,
        cancels: row.cancel_at_period_end,
        ends: row.current_period_end,
      }
      const modelled = subscription && {
        id: subscriptionId,
        seats: subscription.seats,
        status: subscription.status,
        pending: subscription.pending,
        version: subscription.version,
        cancels: subscription.cancelAtPeriodEnd,
        ends: periodEnd(subscription),
      }
      return { modelled: [tenantSeats, modelled], found: [tenant.seats, found] }
    },
  }
}
