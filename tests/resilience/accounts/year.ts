import { randomBytes } from 'node:crypto'
import { issuePendingDocuments } from '@atrium/api/billing/documents/issue-pending'
import { followDueEntitlements } from '@atrium/api/billing/entitlements/follow'
import { runDunning } from '@atrium/api/billing/invoices/dunning'
import { reconcileBilling } from '@atrium/api/billing/invoices/reconcile'
import { carryOutCorrections } from '@atrium/api/billing/operator-invoices/carry-out'
import { createMonthlyPayouts } from '@atrium/api/billing/payouts/create'
import { applyDueSubscriptions } from '@atrium/api/billing/subscriptions/due'
import { refreshReports } from '@atrium/api/reports/jobs'
import { insertTenant } from '@atrium/db/tenants/tenants'
import type { TestResponse } from '@atrium/testing/test-app'
import type { Act, Decision, PendingTerms, Terms } from './checker/books.ts'
import type { LoggedEvent, Person, SimulatedService } from './service.ts'

export interface Customer {
  readonly slug: string
  readonly id: string
  readonly owner: Person
  readonly currency: string
  readonly country: string
}

export interface Partner {
  readonly slug: string
  readonly id: string
  readonly owner: Person
}

export interface PlayedYear {
  readonly customers: readonly Customer[]
  readonly partners: readonly Partner[]
  /** Everything that the processor told, in the order in which it happened. */
  readonly events: readonly LoggedEvent[]
  /** What people decided and the service accepted. */
  readonly decisions: readonly Decision[]
  /** How often each act had which outcome. */
  readonly outcomes: ReadonlyMap<string, number>
}

export interface YearOptions {
  readonly seed: number
  readonly customers: number
  readonly days: number
}

const daySeconds = 86_400
const operatorMoves = ['approve', 'send', 'pay', 'hold', 'reopen', 'fail', 'void'] as const
/** What an operator does with a payout in this state, more often than not. */
const usualMoves: Readonly<Record<string, readonly string[]>> = {
  draft: ['approve', 'approve', 'approve', 'hold', 'void'],
  held: ['reopen', 'reopen', 'void'],
  approved: ['pay', 'pay', 'send', 'void'],
  in_transit: ['pay', 'pay', 'fail'],
  failed: ['reopen', 'void'],
  paid: ['fail'],
}
const badCards = ['pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'] as const
const goodCards = ['pm_card_visa', 'pm_card_mastercard', 'pm_card_visa_debit'] as const
/** Six countries, five currencies; amounts of dinars end in 0, as the processor asks. */
const countries = [
  { country: 'DE', currency: 'eur' },
  { country: 'FR', currency: 'eur' },
  { country: 'AU', currency: 'usd' },
  { country: 'GB', currency: 'gbp' },
  { country: 'JP', currency: 'jpy' },
  { country: 'KW', currency: 'kwd' },
] as const
const currencies = ['eur', 'usd', 'gbp', 'jpy', 'kwd'] as const
/** What documents need. */
const address = { line1: 'Main Street 1', postalCode: '10115', city: 'Town' }
const plans = ['starter', 'business', 'enterprise'] as const
const cycles = ['month', 'year'] as const

/** Numbers that look random and are the same for the same seed (xorshift, 32 bits). */
function randomOf(seed: number) {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 4_294_967_296
  }
  for (let n = 0; n < 20; n += 1) next()
  const whole = (most: number) => Math.floor(next() * most)
  return {
    whole,
    chance: (probability: number) => next() < probability,
    one: <Item>(items: readonly Item[]): Item | undefined => items[whole(items.length)],
    /** The same items in another order. */
    shuffled<Item>(items: readonly Item[]): Item[] {
      return items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item)
    },
  }
}

/** The part of a subscription that people agree on. */
interface Agreed extends Terms {
  readonly pending: PendingTerms | null
}

interface Waiting {
  readonly event: LoggedEvent
  /** Seconds since 1970 from which on it may arrive. */
  readonly from: number
}

/** The last that the log says of an invoice. */
interface KnownInvoice {
  readonly id: string
  readonly customer: string
  readonly status: string
  readonly amountPaid: number
  readonly amountRemaining: number
  readonly total: number
}

/**
 * Plays a year: customers, partners, operators and banks act at random moments, events of the
 * processor come late, repeated, in another order or never, the service and the processor have
 * outages, and jobs run late. In the end everything that can still arrive has arrived, and every
 * job has run. The same seed plays the same year.
 */
export async function playYear(
  service: SimulatedService,
  { seed, customers: size, days }: YearOptions,
): Promise<PlayedYear> {
  const random = randomOf(seed)
  const { testApp } = service
  const { payments } = testApp.sandbox
  const { services } = testApp.app
  const [olive, gero] = service.operators
  const start = service.now().getTime() / 1000
  const events: LoggedEvent[] = []
  const decisions: Decision[] = []
  const outcomes = new Map<string, number>()
  const invoices = new Map<string, KnownInvoice>()
  /** Tenants with a subscription that has not ended, by the processor's log. */
  const running = new Set<string>()
  const open = { refunds: [] as string[], disputes: [] as string[], notes: [] as string[] }
  let waiting: Waiting[] = []
  let inbox: string[] = []
  let processorDown = false

  const seconds = () => Math.floor(service.now().getTime() / 1000)
  const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
  const decide = (decided: Act) => void decisions.push({ ...decided, at: seconds() })

  /** A call of the service; what it rejects is an outcome, an internal error is none. */
  async function call(
    what: string,
    person: Person,
    method: string,
    path: string,
    body?: object,
  ): Promise<TestResponse & { ok: boolean }> {
    const response = await service.call(person, method, path, body)
    const ok = response.status < 300
    count(`${what}: ${ok ? 'ok' : response.body?.code}`)
    const upstream = response.status === 502 || response.status === 503
    if (response.status >= 500 && !(upstream && processorDown))
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(response.body)}`)
    return { ...response, ok }
  }

  /** What happens at the bank or in the processor's dashboard; it rejects what cannot be. */
  function atProcessor(
    action: Parameters<typeof payments.act>[0],
  ): Record<string, unknown> | undefined {
    try {
      const done = payments.act(action)
      count(`${action.action} at the processor: ok`)
      return { ...done }
    } catch (error) {
      if (!(error instanceof Error) || !('status' in error)) throw error
      count(`${action.action} at the processor: rejected`)
      return undefined
    }
  }

  /** Reads the processor's log on, and decides when and how often each event will arrive. */
  function readLog(): void {
    for (const event of service.newEvents()) {
      events.push(event)
      const { object } = JSON.parse(event.body).data
      if (object.object === 'invoice' && object.id)
        invoices.set(object.id, {
          id: object.id,
          customer: object.customer,
          status: object.status,
          amountPaid: object.amount_paid,
          amountRemaining: object.amount_remaining,
          total: object.total,
        })
      if (object.object === 'subscription') {
        if (object.ended_at === null && object.status !== 'incomplete_expired')
          running.add(object.metadata.tenantId)
        else running.delete(object.metadata.tenantId)
      }
      // Stripe gives up after three days: the nightly comparison has to find what is lost for good.
      if (random.chance(0.02)) continue
      const late = () => {
        if (random.chance(0.75)) return 0
        return random.chance(0.8) ? random.whole(daySeconds) : random.whole(3 * daySeconds)
      }
      waiting.push({ event, from: seconds() + late() })
      if (random.chance(0.08)) waiting.push({ event, from: seconds() + late() })
    }
  }

  /** Delivers what may arrive by now, in some order, and works on what was kept. */
  async function receive(all = false): Promise<void> {
    readLog()
    const due = waiting.filter(({ from }) => all || from <= seconds())
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { event } of random.chance(0.5) ? random.shuffled(due) : due) {
      await service.deliver(event)
      inbox.push(event.id)
    }
    const tries = random.chance(0.3) ? random.shuffled(inbox) : inbox
    inbox = []
    for (const id of tries) if (!(await service.work(id))) inbox.push(id)
  }

  async function runJobs(): Promise<void> {
    await applyDueSubscriptions(services)
    await runDunning(services)
    await followDueEntitlements(services)
    await createMonthlyPayouts(services)
    await service.endWaits()
    await carryOutCorrections(services)
    if (random.chance(0.1)) await refreshReports(services)
  }

  async function runNightlyJobs(): Promise<void> {
    await reconcileBilling(services)
    await issuePendingDocuments(services)
  }

  const unit = (currency: string, base: number) =>
    currency === 'kwd' ? base * 10 : currency === 'jpy' ? base : base + currency.charCodeAt(0)
  async function putOnSale(plan: string, cycle: string, raise: number): Promise<void> {
    const base =
      (plan === 'starter' ? 433 : plan === 'business' ? 877 : 1_451) * (cycle === 'year' ? 10 : 1) +
      raise
    const scheme =
      plan === 'starter'
        ? 'per_seat'
        : plan === 'business'
          ? cycle === 'month'
            ? 'graduated'
            : 'volume'
          : cycle === 'month'
            ? 'flat'
            : 'per_seat'
    const tiered = scheme === 'graduated' || scheme === 'volume'
    const amounts = currencies.map((currency) => {
      const amount = unit(currency, base)
      const tiers = [
        { upTo: 5, unitAmount: amount, flatAmount: 0 },
        { upTo: 12, unitAmount: unit(currency, Math.floor(base * 0.9)), flatAmount: 50 },
        { upTo: null, unitAmount: unit(currency, Math.floor(base * 0.7)), flatAmount: 130 },
      ]
      return tiered ? { currency, unitAmount: 0, tiers } : { currency, unitAmount: amount }
    })
    const trialDays = cycle === 'month' && plan !== 'enterprise' ? 14 : 0
    await call('put a price on sale', olive, 'POST', '/prices', {
      plan,
      cycle,
      scheme,
      amounts,
      trialDays,
      state: 'active',
    })
  }

  const consent = ({ slug, owner }: Partner) =>
    call('consent', owner, 'POST', `/partners/${slug}/self-billing-consent`, { agreed: true })

  async function newPartner(n: number): Promise<Partner> {
    const marginPct = random.one([20, 12.5, 33.33, 7.25]) ?? 20
    const { body } = await call('create a partner', olive, 'POST', '/partners', {
      name: `Partner ${n}`,
      slug: `partner-${n}`,
      marginPct,
    })
    const subject = randomBytes(32).toString('hex')
    await testApp.database.db
      .updateTable('partners')
      .set({
        billing_company: `Partner ${n}`,
        billing_country: 'DE',
        billing_vat_number: 'DE129273398',
        billing_email: `owner@partner-${n}.test`,
      })
      .where('id', '=', body.id)
      .execute()
    await testApp.database.db
      .insertInto('users')
      .values({
        idp_subject_id: subject,
        email: `owner@partner-${n}.test`,
        name: `Owner ${n}`,
        partner_id: body.id,
        partner_access: 'owner',
      })
      .execute()
    const owner: Person = { subject, app: 'portal' }
    await call('set an address', owner, 'PUT', `/partners/${body.slug}/billing-address`, address)
    if (random.chance(0.6)) await consent({ slug: body.slug, id: body.id, owner })
    decide({
      what: 'margin',
      partner: body.slug,
      basisPoints: Math.round(marginPct * 100),
      from: '',
    })
    return { slug: body.slug, id: body.id, owner }
  }

  async function newCustomer(n: number, partner: Partner | undefined): Promise<Customer> {
    const { country, currency } = random.one(countries) ?? countries[0]
    const slug = `customer-${n}`
    const subject = randomBytes(32).toString('hex')
    const email = `owner@${slug}.test`
    const made = await testApp.database.db.transaction().execute(async (trx) => {
      const { id: ownerId } = await trx
        .insertInto('users')
        .values({ idp_subject_id: subject, email, name: `Owner ${n}` })
        .returning('id')
        .executeTakeFirstOrThrow()
      return insertTenant(trx, {
        slug,
        name: slug,
        plan: 'free',
        partnerId: partner?.id ?? null,
        seats: 5,
        industry: null,
        brandColor: null,
        ownerId,
        billing: { company: slug, vatNumber: null, country, email },
        domains: [`${slug}.tenants.local`],
        platformDomain: 'tenants.local',
      })
    })
    if (!made) throw new Error(`${slug} is taken`)
    const owner: Person = { subject, app: 'portal' }
    await call('set an address', owner, 'PUT', `/tenants/${slug}/billing-address`, address)
    if (partner) decide({ what: 'partner', tenant: slug, partner: partner.slug })
    return { slug, id: made.id, owner, currency, country }
  }

  for (const plan of plans) for (const cycle of cycles) await putOnSale(plan, cycle, 0)
  atProcessor({ action: 'set_tax', percent: random.one([0, 19, 7.7, 20, 8.25]) ?? 0 })
  const partners: Partner[] = []
  for (let n = 0; n < 3 + Math.floor(size / 60); n += 1) partners.push(await newPartner(n))
  const customers: Customer[] = []
  // Most come in the first two months, the others over the year.
  const arrivals = Array.from({ length: size }, () =>
    random.whole(random.chance(0.6) ? 60 : Math.max(1, days - 30)),
  ).sort((a, b) => a - b)

  const one = <Item>(items: readonly Item[]): Item | undefined => random.one(items)
  const subscriptionOf = (slug: string) => `/tenants/${slug}/subscription`

  async function enterCard(customer: Customer): Promise<void> {
    const path = `/tenants/${customer.slug}/billing`
    const intent = await call('begin a card', customer.owner, 'POST', `${path}/setup-intent`, {})
    if (!intent.ok) return
    const card = one(random.chance(0.8) ? goodCards : badCards) ?? 'pm_card_visa'
    const [setupIntent = ''] = String(intent.body.clientSecret).split('_secret_')
    const confirmed = atProcessor({ action: 'confirm_setup', setupIntent, card })
    if (!confirmed) return
    await call('set the card', customer.owner, 'PUT', `${path}/payment-method`, {
      paymentMethodId: String(confirmed.payment_method),
    })
  }

  const someTerms = () => ({
    ...(random.chance(0.7) ? { seats: 1 + random.whole(20) } : {}),
    ...(random.chance(0.4) ? { plan: one(plans) } : {}),
    ...(random.chance(0.15) ? { cycle: one(cycles) } : {}),
  })

  /** What holds for the customer after a call that may have changed it. */
  function agree({ slug }: Customer, { ok, view }: { ok: boolean; view: Agreed | null }): void {
    if (!ok && !processorDown) return
    const waits = view?.pending ?? null
    const terms = view && { plan: view.plan, cycle: view.cycle, seats: view.seats }
    decide({ what: 'terms', tenant: slug, terms, waits })
  }

  async function changeTerms(customer: Customer): Promise<void> {
    const fields = someTerms()
    if (Object.keys(fields).length === 0) return
    const path = subscriptionOf(customer.slug)
    const preview = await call('preview', customer.owner, 'POST', `${path}/preview`, fields)
    if (!preview.ok || random.chance(0.1)) return
    const change = { ...fields, quote: preview.body.quote }
    const changed = await call('change', customer.owner, 'POST', `${path}/change`, change)
    const unpaid = changed.body.outcome === 'awaiting_payment'
    if (unpaid) decide({ what: 'terms', tenant: customer.slug, terms: null, waits: null })
    else agree(customer, { ok: changed.ok, view: changed.body.subscription ?? null })
    if (!changed.ok) return
    count(`change: ${changed.body.outcome}`)
    const { effect, exact, totalMinor } = preview.body
    decide({ what: 'quoted', tenant: customer.slug, effect, exact, totalMinor })
  }

  async function subscribe(customer: Customer): Promise<void> {
    if (random.chance(0.85)) await enterCard(customer)
    const path = subscriptionOf(customer.slug)
    const terms = {
      plan: one(plans),
      cycle: random.chance(0.75) ? 'month' : 'year',
      currency: customer.currency,
      seats: 1 + random.whole(20),
    }
    const quote = await call(
      'preview a start',
      customer.owner,
      'POST',
      `${path}/start-preview`,
      terms,
    )
    const { ok, body } = await call('subscribe', customer.owner, 'POST', path, terms)
    if (ok && quote.ok && body.subscription.createdAt) {
      const { totalMinor, amountDueMinor } = quote.body
      decide({ what: 'quoted start', tenant: customer.slug, totalMinor, amountDueMinor })
    }
    agree(customer, { ok, view: body.subscription ?? null })
  }

  async function payOpen(customer: Customer): Promise<void> {
    const path = `/tenants/${customer.slug}/invoices`
    const { ok, body } = await call('list invoices', customer.owner, 'GET', path)
    const owed =
      ok &&
      body.items.find(
        (invoice: { amountRemainingMinor: number; status: string }) =>
          invoice.amountRemainingMinor > 0 &&
          ['open', 'overdue', 'uncollectible'].includes(invoice.status),
      )
    if (owed) await call('pay', customer.owner, 'POST', `${path}/${owed.id}/pay`, {})
  }

  async function byCustomer(customer: Customer): Promise<void> {
    const path = subscriptionOf(customer.slug)
    if (!running.has(customer.id) && random.chance(0.7)) return subscribe(customer)
    const kind = random.whole(100)
    if (kind < 8) await subscribe(customer)
    else if (kind < 62) await changeTerms(customer)
    else if (kind < 74) await enterCard(customer)
    else if (kind < 86) {
      const what = kind < 80 ? 'cancel' : 'keep'
      const { ok, body } = await call(what, customer.owner, 'POST', `${path}/${what}`, {})
      agree(customer, { ok, view: ok ? body : null })
    } else if (kind < 90) {
      const { ok } = await call('discard', customer.owner, 'DELETE', `${path}/pending`)
      const after = ok ? await service.call(customer.owner, 'GET', path) : undefined
      agree(customer, { ok, view: after?.body ?? null })
    } else if (kind < 98) await payOpen(customer)
    else
      await call(
        'remove the card',
        customer.owner,
        'DELETE',
        `/tenants/${customer.slug}/billing/payment-method`,
      )
  }

  async function runningOf({ slug }: Customer): Promise<string | undefined> {
    const { body } = await service.call(olive, 'GET', `/subscriptions?tenantSlug=${slug}`)
    return body.items?.[0]?.id
  }

  /** An operator corrects an invoice; large corrections wait for the other one. */
  async function correctInvoice(): Promise<void> {
    const corrections = '/billing/invoice-corrections'
    if (random.chance(0.3)) {
      const { body } = await service.call(gero, 'GET', `${corrections}?state=pending`)
      const id = body.items?.[0]?.id
      const decision = random.chance(0.8) ? 'approve' : 'reject'
      if (id)
        await call(`${decision} a correction`, gero, 'POST', `${corrections}/${id}/${decision}`, {})
      return
    }
    const { body } = await service.call(olive, 'GET', '/billing/invoices?limit=50')
    const invoice = one(
      body.items as {
        id: string
        status: string
        amountRemainingMinor: number
        amountPaidMinor: number
        currency: string
      }[],
    )
    if (!invoice) return
    const owed = invoice.amountRemainingMinor
    const kind = owed > 0 ? (one(['credit', 'transfer', 'write_off', 'void']) ?? 'void') : 'credit'
    const most = owed > 0 ? owed : invoice.amountPaidMinor
    const step = invoice.currency === 'kwd' ? 10 : 1
    const part = Math.max(step, Math.floor(random.whole(most + 1) / step) * step)
    const requestId = [8, 4, 4, 4, 12]
      .map((length, index) => {
        const digits = Array.from({ length }, () => random.whole(16).toString(16)).join('')
        return index === 2 ? `4${digits.slice(1)}` : index === 3 ? `8${digits.slice(1)}` : digits
      })
      .join('-')
    await call(
      `correct an invoice, ${kind}`,
      olive,
      'POST',
      `/billing/invoices/${invoice.id}/corrections`,
      {
        requestId,
        kind,
        reason: 'As agreed with the customer',
        ...(kind === 'credit' ? { amountMinor: part } : {}),
        ...(kind === 'credit' && owed === 0
          ? { destination: one(['card', 'balance', 'outside']) }
          : {}),
        ...(kind === 'transfer'
          ? {
              amountMinor: owed,
              reference: 'TRANSFER',
              paidOn: service.now().toISOString().slice(0, 10),
            }
          : {}),
      },
    )
  }

  async function byOperator(): Promise<void> {
    if (random.chance(0.25)) return correctInvoice()
    const customer = one(customers)
    if (!customer) return
    const kind = random.whole(100)
    if (kind < 15) {
      const id = await runningOf(customer)
      if (!id) return
      const seats = 1 + random.whole(20)
      const { ok, body } = await call('correct', olive, 'PATCH', `/subscriptions/${id}`, { seats })
      agree(customer, { ok, view: ok ? body : null })
    } else if (kind < 22) {
      const id = await runningOf(customer)
      const when = random.chance(0.5) ? 'now' : 'period_end'
      if (id) await call('end', olive, 'DELETE', `/subscriptions/${id}?when=${when}`)
    } else if (kind < 45) {
      const partner = random.chance(0.75) ? one(partners) : undefined
      const moved = await call('give to a partner', olive, 'PATCH', `/tenants/${customer.slug}`, {
        partnerId: partner?.id ?? null,
      })
      if (moved.ok)
        decide({ what: 'partner', tenant: customer.slug, partner: partner?.slug ?? null })
    } else if (kind < 60) {
      const plan = one(['free', ...plans]) ?? 'free'
      const seats = plan === 'free' ? 5 : 1 + random.whole(30)
      const granted = await call('grant', olive, 'PATCH', `/tenants/${customer.slug}`, {
        plan,
        seats,
      })
      if (granted.ok) decide({ what: 'grant', tenant: customer.slug, plan, seats })
    } else if (kind < 63) {
      const deleted = await call(
        'delete a tenant',
        olive,
        'DELETE',
        `/tenants/${customer.slug}`,
        {},
      )
      if (deleted.ok) decide({ what: 'deleted', tenant: customer.slug })
    } else await aboutPartner()
  }

  async function aboutPartner(): Promise<void> {
    const partner = one(partners)
    if (!partner) return
    const path = `/partners/${partner.slug}`
    const kind = random.whole(100)
    if (kind < 30) {
      const marginPct = one([0, 5, 12.5, 17.35, 33.33, 50, 100]) ?? 20
      const changed = await call('margin', olive, 'PATCH', path, { marginPct, reason: 'As agreed' })
      if (!changed.ok) return
      const at = service.now()
      const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1))
      decide({
        what: 'margin',
        partner: partner.slug,
        basisPoints: Math.round(marginPct * 100),
        from: from.toISOString().slice(0, 10),
      })
    } else if (kind < 50)
      await call('partner status', olive, 'PATCH', path, {
        status: random.chance(0.3) ? 'suspended' : 'active',
        reason: 'As agreed',
      })
    else if (kind < 53) {
      const ended = await call('terminate a partner', olive, 'DELETE', path, {
        reason: 'The contract ended',
      })
      if (ended.ok) decide({ what: 'terminated', partner: partner.slug })
    } else if (kind < 75) {
      const currency = one(currencies) ?? 'eur'
      const amountMinor =
        (random.chance(0.5) ? 1 : -1) * (1 + random.whole(currency === 'jpy' ? 900 : 40_000))
      await call('adjust', olive, 'POST', '/billing/ledger-adjustments', {
        partnerSlug: partner.slug,
        currency,
        amountMinor,
        reason: 'A correction as agreed',
      })
    } else
      await call('consent', partner.owner, 'POST', `${path}/self-billing-consent`, { agreed: true })
  }

  async function aboutPayout(): Promise<void> {
    const partner = one(partners)
    if (!partner) return
    if (random.chance(0.15)) {
      await call('request a payout', partner.owner, 'POST', `/partners/${partner.slug}/payouts`, {
        currency: one(currencies),
      })
      return
    }
    const path = `/billing/payouts?partnerSlug=${partner.slug}&limit=20`
    const { body } = await service.call(olive, 'GET', path)
    const all = (body.items as { id: string; status: string }[]).filter(
      ({ status }) => status !== 'canceled' && (status !== 'paid' || random.chance(0.1)),
    )
    const payout = one(all)
    if (!payout) return
    const usual = usualMoves[payout.status] ?? []
    const move = one(random.chance(0.85) ? usual : operatorMoves) ?? 'approve'
    const person = random.chance(0.5) ? olive : gero
    await call(`payout ${move}`, person, 'POST', `/billing/payouts/${payout.id}/${move}`, {
      ...(move === 'pay' ? { reference: 'TRANSFER' } : {}),
      ...(['hold', 'fail', 'void'].includes(move) ? { reason: 'As the bank said' } : {}),
    })
  }

  /** Banks and the processor's dashboard, which know no outage of ours. */
  function atBank(): void {
    readLog()
    const all = [...invoices.values()]
    const paid = one(all.filter(({ status, amountPaid }) => status === 'paid' && amountPaid > 0))
    const owed = one(
      all.filter(({ status, amountRemaining }) => status === 'open' && amountRemaining > 0),
    )
    const part = (whole: number) =>
      random.chance(0.4) ? whole : 1 + random.whole(Math.max(1, whole))
    const kind = random.whole(100)
    if (kind < 30 && paid) {
      const status = random.chance(0.3) ? 'pending' : 'succeeded'
      const amount = random.chance(0.3) ? {} : { amount: part(paid.amountPaid) }
      const made = atProcessor({ action: 'refund', invoice: paid.id, ...amount, status })
      if (made && status === 'pending') open.refunds.push(String(made.id))
    } else if (kind < 45 && open.refunds.length > 0) {
      const refund = open.refunds.shift() ?? ''
      atProcessor({
        action: 'settle_refund',
        refund,
        status: random.chance(0.6) ? 'succeeded' : 'failed',
      })
    } else if (kind < 60 && paid) {
      const to = one(['balance', 'card', 'outside'] as const) ?? 'balance'
      const made = atProcessor({
        action: 'credit_note',
        invoice: paid.id,
        amount: part(paid.total),
        to,
      })
      if (made) open.notes.push(String(made.id))
    } else if (kind < 66 && owed) {
      atProcessor({
        action: 'credit_note',
        invoice: owed.id,
        amount: part(owed.amountRemaining),
        to: 'balance',
      })
    } else if (kind < 70 && open.notes.length > 0) {
      atProcessor({ action: 'void_credit_note', creditNote: open.notes.pop() ?? '' })
    } else if (kind < 80 && paid) {
      const made = atProcessor({
        action: 'dispute',
        invoice: paid.id,
        ...(random.chance(0.5) ? {} : { amount: part(paid.amountPaid) }),
      })
      if (made) open.disputes.push(String(made.id))
    } else if (kind < 88 && open.disputes.length > 0) {
      const dispute = open.disputes.shift() ?? ''
      atProcessor({
        action: 'close_dispute',
        dispute,
        outcome: random.chance(0.5) ? 'won' : 'lost',
      })
    } else if (owed && kind < 94)
      atProcessor({ action: 'pay', invoice: owed.id, card: 'pm_card_visa' })
    else if (owed && kind < 96) atProcessor({ action: 'mark_uncollectible', invoice: owed.id })
    else if (owed && kind < 98) atProcessor({ action: 'void_invoice', invoice: owed.id })
  }

  async function act(up: boolean): Promise<void> {
    const kind = random.whole(100)
    if (kind < 18) atBank()
    else if (!up) return
    else if (kind < 82) {
      const customer = one(customers)
      if (customer) await byCustomer(customer)
    } else if (kind < 92) await byOperator()
    else await aboutPayout()
  }

  let downUntil = 0
  let arrived = 0
  let compared = 0
  for (let day = 0; day < days; day += 1) {
    const midnight = start + day * daySeconds
    if (day === Math.floor(days / 2)) {
      atProcessor({ action: 'set_tax', percent: random.one([0, 19, 7.7, 21]) ?? 0 })
      if (downUntil < midnight) for (const plan of plans) await putOnSale(plan, 'month', 60)
    }
    while ((arrivals[arrived] ?? days) <= day) {
      customers.push(await newCustomer(arrived, random.chance(0.6) ? one(partners) : undefined))
      arrived += 1
    }
    if (random.chance(0.02)) downUntil = midnight + random.whole(6 * daySeconds)
    const some = customers.length * 0.055
    const acts = Math.floor(some) + (random.chance(some % 1) ? 1 : 0)
    const moments = Array.from({ length: acts + 1 }, () => midnight + random.whole(daySeconds - 1))
    for (const moment of [...new Set(moments)].sort((a, b) => a - b)) {
      await service.goTo(new Date(moment * 1000))
      const up = moment >= downUntil
      // Another outage: of the processor, as seen from here.
      processorDown = random.chance(0.03)
      if (processorDown)
        testApp.sandbox.fault(
          random.chance(0.5)
            ? { system: 'payments', mode: 'error', status: 503 }
            : { system: 'payments', mode: 'reset', after: random.chance(0.5) },
        )
      await act(up)
      if (up && random.chance(0.4)) await receive()
      if (up && random.chance(0.2)) await runJobs()
      testApp.sandbox.clearFaults()
      processorDown = false
    }
    const end = midnight + daySeconds - 1
    await service.goTo(new Date(end * 1000))
    readLog()
    if (end < downUntil) continue
    if (random.chance(0.8)) await receive()
    if (random.chance(0.7)) await runJobs()
    // The processor lists its events for a month.
    if (random.chance(0.08) || day - compared > 18) {
      await runNightlyJobs()
      compared = day
    }
  }

  await service.goTo(new Date((start + days * daySeconds) * 1000))
  for (let round = 0; round < 4; round += 1) {
    await call('replay', olive, 'POST', '/webhooks/events/replay-parked', {})
    await receive(true)
    await runJobs()
    if (round === 1) await runNightlyJobs()
  }
  return { customers, partners, events, decisions, outcomes }
}
