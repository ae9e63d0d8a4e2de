/**
 * The accountant: computes what the books of a year must say from the log of the payment processor
 * and from what people decided, with whole numbers and by rules of its own, and compares. The rules
 * are docs/reference/contract.md. This file imports nothing, so that it shares no mistake with the
 * product or with what plays the year.
 */

/** An object of the processor, as its log shows it. */
// biome-ignore lint/suspicious/noExplicitAny: the log has objects of many kinds, read field by field
type LoggedObject = any

/** What people decided. */
export type Act =
  | { what: 'partner'; tenant: string; partner: string | null }
  /** Holds from that day on; the first one of a partner from the beginning. */
  | { what: 'margin'; partner: string; basisPoints: number; from: string }
  | { what: 'terminated'; partner: string }
  | { what: 'grant'; tenant: string; plan: string; seats: number }
  | { what: 'deleted'; tenant: string }
  /** The customer saw this amount and agreed to it. */
  | { what: 'quoted'; tenant: string; effect: string; exact: boolean; totalMinor: number }
  | { what: 'quoted start'; tenant: string; totalMinor: number; amountDueMinor: number }
  /** What was agreed from now on. Null: an upstream failure left it open. */
  | { what: 'terms'; tenant: string; terms: Terms | null; waits: PendingTerms | null }
/** `at`: seconds since 1970. */
export type Decision = Act & { at: number }
export interface Terms {
  plan: string
  cycle: string
  seats: number
}
export interface PendingTerms extends Partial<Terms> {
  effectiveAt: string
}

interface Money {
  currency: string
  amountMinor: number
}
interface InvoiceBook extends Record<string, unknown> {
  number: string
}
interface StateBook extends Record<string, unknown> {
  currency: string
}
interface GrowthBook {
  month: string
  currency: string
  startArrMinor: number
  endArrMinor: number
}
interface LedgerEntry {
  id: string
  type: string
  currency: string
  amountMinor: number
  invoiceNumber: string | null
  payoutId: string | null
  availableAt: string
  createdAt: string
}
interface Scope {
  /** Null: the whole platform. */
  partner: string | null
  mrr: { at: string; currencies: StateBook[] }[]
  byPlan: (StateBook & { plan: string; cycle: string })[]
  growth: GrowthBook[]
  invoiced: {
    currency: string
    month: string
    invoices: number
    billedMinor: number
    collectedMinor: number
  }[]
}
interface Tier {
  upTo: number | null
  unitAmount: number
  flatAmount: number
}
export interface Books {
  end: string
  rules: {
    graceDays: number
    freeSeats: number
    holdDays: number
    trial: { plan: string; seats: number }
    /** By country, 0 for others; null where it is not decided here. */
    taxPercents: Record<string, number> | null
  }
  events: { type: string; created: number; object: LoggedObject }[]
  /** The invoice behind a refund or a dispute, by its id. */
  invoiceOf: Record<string, string>
  decisions: Decision[]
  prices: {
    plan: string
    cycle: string
    scheme: string
    amounts: {
      currency: string
      unitAmount: number
      tiers: Tier[] | null
      stripePriceId: string | null
    }[]
  }[]
  tenants: {
    slug: string
    id: string
    country: string
    plan: string
    seats: number
    status: string
    invoices: InvoiceBook[]
    billing: {
      state: string
      entitlements: { plan: string; seats: number; state: string; reason: string }
      due: (Money & { invoices: number })[]
      subscription: { status: string; seats: number; plan: string } | null
    }
    nextInvoice: { exact: boolean; balanceMinor: number } | null
  }[]
  partners: {
    slug: string
    billing: {
      balances: {
        currency: string
        balanceMinor: number
        availableMinor: number
        pendingMinor: number
        reservedMinor: number
        paidOutMinor: number
      }[]
    }
    ledger: LedgerEntry[]
  }[]
  payouts: {
    id: string
    partnerSlug: string
    currency: string
    amountMinor: number
    status: string
    statementNumber: string | null
    cancellationNumber: string | null
    entries: LedgerEntry[]
  }[]
  adjustments: { partnerSlug: string; currency: string; amountMinor: number; state: string }[]
  scopes: Scope[]
  overview: {
    currencies: {
      currency: string
      openMinor: number
      overdueMinor: number
      paidLast30DaysMinor: number
      openInvoices: number
      overdueInvoices: number
    }[]
  }
}

const day = 86_400
const seconds = (instant: string) => Date.parse(instant) / 1000
const iso = (at: number | null) => (at === null ? null : new Date(at * 1000).toISOString())
const monthOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 7)

/** A fraction as a whole number, half away from zero. */
function rounded(over: bigint, under: bigint): bigint {
  if (under < 0n) return rounded(-over, -under)
  return over < 0n ? -((-over * 2n + under) / (under * 2n)) : (over * 2n + under) / (under * 2n)
}

class Sums {
  readonly #sums = new Map<string, bigint>()
  add(key: string, amount: bigint | number): void {
    this.#sums.set(key, this.of(key) + BigInt(amount))
  }
  of(key: string): bigint {
    return this.#sums.get(key) ?? 0n
  }
  keys(): string[] {
    return [...this.#sums.keys()]
  }
}

interface Snapshot {
  at: number
  object: LoggedObject
}

/** Every difference between what the books say and what they must say. None: an empty list. */
export function differencesOf(books: Books): string[] {
  const found: string[] = []
  const equal = (what: string, is: unknown, expected: unknown) => {
    const [a, b] = [text(is), text(expected)]
    if (a !== b) found.push(`${what}: ${a} instead of ${b}`)
  }
  const log = readLog(books)
  checkProcessor(log, equal)
  checkInvoices(books, log, equal)
  checkTaxes(books, log, equal)
  checkBalances(books, log, equal)
  checkPaidTime(log, equal)
  checkAgreed(books, log, equal)
  checkLedger(books, log, equal)
  checkPayouts(books, equal)
  checkInvoicedRevenue(books, log, equal)
  checkRecurringRevenue(books, log, equal)
  checkOverview(books, log, equal)
  checkEntitlements(books, log, equal)
  return found
}
type Equal = (what: string, is: unknown, expected: unknown) => void

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)) ??
    'nothing'
  )
}

interface Log {
  events: Books['events']
  /** The last that is known of each, by id. */
  invoices: Map<string, LoggedObject>
  notes: Map<string, LoggedObject>
  refunds: Map<string, LoggedObject>
  disputes: Map<string, LoggedObject>
  /** Every state of each, oldest first. */
  subscriptions: Map<string, Snapshot[]>
  /** Slug of the tenant by the processor's customer. */
  tenantOf: Map<string, string>
  end: number
}

function readLog({ events, tenants, end }: Books): Log {
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const log: Log = {
    ...{ events, invoices: new Map(), notes: new Map(), refunds: new Map(), disputes: new Map() },
    ...{ subscriptions: new Map(), tenantOf: new Map(), end: seconds(end) },
  }
  for (const { created, object } of events) {
    if (object.object === 'customer') {
      const slug = slugs.get(object.metadata.tenantId)
      if (slug !== undefined) log.tenantOf.set(object.id, slug)
    }
    if (object.object === 'invoice' && object.id) log.invoices.set(object.id, object)
    if (object.object === 'credit_note') log.notes.set(object.id, object)
    if (object.object === 'refund') log.refunds.set(object.id, object)
    if (object.object === 'dispute') log.disputes.set(object.id, object)
    if (object.object === 'subscription') {
      const states = log.subscriptions.get(object.id) ?? []
      log.subscriptions.set(object.id, [...states, { at: created, object }])
    }
  }
  return log
}

const taxOf = (object: LoggedObject): bigint =>
  (object.total_taxes ?? []).reduce(
    (sum: bigint, tax: { amount: number }) => sum + BigInt(tax.amount),
    0n,
  )
const finalizedAt = (invoice: LoggedObject): number | null =>
  invoice.status_transitions.finalized_at
const paidAt = (invoice: LoggedObject): number | null => invoice.status_transitions.paid_at
const finalized = (log: Log) =>
  [...log.invoices.values()].filter((one) => finalizedAt(one) !== null)

/** Accounts of the processor that must hold whatever we make of them. */
function checkProcessor(log: Log, equal: Equal): void {
  const numbers: number[] = []
  for (const invoice of finalized(log)) {
    const name = `invoice ${invoice.number}`
    const lines = invoice.lines.has_more
      ? BigInt(invoice.subtotal)
      : invoice.lines.data.reduce(
          (sum: bigint, line: { amount: number }) => sum + BigInt(line.amount),
          0n,
        )
    equal(`${name}, lines`, invoice.subtotal, lines)
    equal(`${name}, total`, invoice.total, lines + taxOf(invoice))
    equal(`${name}, net`, invoice.total_excluding_tax, lines)
    const used = BigInt(invoice.ending_balance) - BigInt(invoice.starting_balance)
    equal(
      `${name}, due`,
      invoice.amount_due,
      BigInt(invoice.total) - used - BigInt(invoice.pre_payment_credit_notes_amount),
    )
    if (invoice.status === 'paid') equal(`${name}, paid`, invoice.amount_paid, invoice.amount_due)
    numbers.push(Number(String(invoice.number).split('-').at(-1)))
  }
  numbers.sort((a, b) => a - b)
  for (const [index, number] of numbers.entries()) equal('invoice numbers', number, index + 1)
}

/** Each line by the rate of the customer's country, rounded by itself. */
function checkTaxes(books: Books, log: Log, equal: Equal): void {
  const countries = new Map(books.tenants.map(({ slug, country }) => [slug, country]))
  for (const invoice of finalized(log)) {
    let sum = 0n
    const country = countries.get(log.tenantOf.get(invoice.customer) ?? '') ?? ''
    for (const { amount, taxes } of invoice.lines.data) {
      const tax = taxOf({ total_taxes: taxes })
      sum += tax
      const percent = books.rules.taxPercents?.[country] ?? 0
      if (books.rules.taxPercents !== null)
        equal(
          `invoice ${invoice.number}, tax of ${amount} in ${country}`,
          tax,
          rounded(BigInt(amount) * BigInt(percent * 100), 10_000n),
        )
    }
    if (!invoice.lines.has_more)
      equal(`invoice ${invoice.number}, tax of its lines`, taxOf(invoice), sum)
  }
}

function refundedOf(books: Books, log: Log, invoice: string): bigint {
  return [...log.refunds.values()]
    .filter(({ id, status }) => books.invoiceOf[id] === invoice && status === 'succeeded')
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
const movedBy = (dispute: LoggedObject): bigint =>
  dispute.balance_transactions.reduce(
    (sum: bigint, { amount }: { amount: number }) => sum + BigInt(amount),
    0n,
  )
function disputedOf(books: Books, log: Log, invoice: string): bigint {
  return [...log.disputes.values()]
    .filter((dispute) => books.invoiceOf[dispute.id] === invoice && movedBy(dispute) < 0n)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** Invoices as customers read them. */
function checkInvoices(books: Books, log: Log, equal: Equal): void {
  for (const { slug, invoices, billing } of books.tenants) {
    const own = finalized(log).filter(({ customer }) => log.tenantOf.get(customer) === slug)
    const expected = own.map((invoice) => {
      const [refunded, disputed] = [
        refundedOf(books, log, invoice.id),
        disputedOf(books, log, invoice.id),
      ]
      return {
        number: invoice.number,
        status: statusOf(invoice, refunded, disputed),
        currency: invoice.currency,
        subtotalMinor: invoice.subtotal,
        taxMinor: taxOf(invoice),
        totalMinor: invoice.total,
        amountDueMinor: invoice.amount_due,
        amountPaidMinor: invoice.amount_paid,
        amountRemainingMinor: invoice.amount_remaining,
        creditedMinor:
          BigInt(invoice.pre_payment_credit_notes_amount) +
          BigInt(invoice.post_payment_credit_notes_amount),
        refundedMinor: refunded,
        disputedMinor: disputed,
        attemptCount: invoice.attempt_count,
        finalizedAt: iso(finalizedAt(invoice)),
        paidAt: iso(paidAt(invoice)),
      }
    })
    for (const wanted of expected) {
      const is = invoices.find(({ number }) => number === wanted.number)
      const same = is && Object.fromEntries(Object.keys(wanted).map((key) => [key, is[key]]))
      equal(`${slug}, invoice ${wanted.number}`, same, wanted)
    }
    equal(`${slug}, number of invoices`, invoices.length, expected.length)
    const due = new Sums()
    for (const { status, amount_remaining, currency } of own)
      if (status === 'open') due.add(currency, amount_remaining)
    for (const currency of new Set([...due.keys(), ...billing.due.map((one) => one.currency)]))
      equal(
        `${slug}, due in ${currency}`,
        billing.due.find((one) => one.currency === currency)?.amountMinor ?? 0,
        due.of(currency),
      )
  }
}

function statusOf(invoice: LoggedObject, refunded: bigint, disputed: bigint): string {
  if (invoice.status === 'void') return 'void'
  const paid = BigInt(invoice.amount_paid)
  if (paid > 0n && refunded >= paid) return 'refunded'
  if (refunded > 0n) return 'partially_refunded'
  if (disputed > 0n) return 'disputed'
  if (invoice.status !== 'open') return invoice.status
  return invoice.attempt_count > 0 ? 'overdue' : 'open'
}

/** Credit of customers: given by credit notes and endings, spent by invoices, shown as it is. */
function checkBalances(books: Books, log: Log, equal: Equal): void {
  const balances = new Sums()
  const [notes, settled] = [new Map<string, bigint>(), new Set<string>()]
  for (const { type, object } of log.events) {
    if (type === 'invoice.finalized' && !settled.has(object.id)) {
      settled.add(object.id)
      const slug = log.tenantOf.get(object.customer) ?? object.customer
      equal(`${slug}, balance before ${object.number}`, object.starting_balance, balances.of(slug))
      balances.add(slug, BigInt(object.ending_balance) - BigInt(object.starting_balance))
    }
    if (object.object === 'credit_note') {
      const slug = log.tenantOf.get(object.customer) ?? object.customer
      const back = object.refunds.reduce(
        (sum: bigint, one: { amount_refunded: number }) => sum + BigInt(one.amount_refunded),
        0n,
      )
      const given =
        object.status === 'issued'
          ? BigInt(object.post_payment_amount) - BigInt(object.out_of_band_amount ?? 0) - back
          : 0n
      balances.add(slug, (notes.get(object.id) ?? 0n) - given)
      notes.set(object.id, given)
    }
  }
  for (const { slug, nextInvoice } of books.tenants)
    if (nextInvoice?.exact)
      equal(`${slug}, balance`, nextInvoice.balanceMinor, -balances.of(slug) || 0n)
}

/**
 * At no moment has a subscription been paid for twice: what a later line charges of a time that was
 * paid already is credited first.
 */
function checkPaidTime(log: Log, equal: Equal): void {
  for (const subscription of log.subscriptions.keys()) {
    const edges: { at: number; by: number }[] = []
    for (const invoice of log.invoices.values()) {
      if (invoice.parent?.subscription_details?.subscription !== subscription) continue
      if (invoice.status !== 'paid' || invoice.lines.has_more) continue
      for (const line of invoice.lines.data) {
        const { amount, period, description } = line
        const proration = isProration(line)
        if (period.start === period.end || (!proration && amount === 0)) continue
        const by = proration && String(description).startsWith('Unused') ? -1 : 1
        edges.push({ at: period.start, by }, { at: period.end, by: -by })
      }
    }
    edges.sort((a, b) => a.at - b.at || a.by - b.by)
    let times = 0
    for (const [index, { at, by }] of edges.entries()) {
      times += by
      if (edges[index + 1]?.at !== at && times > 1)
        equal(`${subscription}, times paid for at ${iso(at)}`, times, 1)
    }
  }
}

const isProration = (line: LoggedObject): boolean => line.parent.subscription_item_details.proration

/** What a whole period costs, by the catalog. */
function priceOf(
  books: Books,
  stripePriceId: string,
  seats: number,
): {
  plan: string
  cycle: string
  amount: bigint
} {
  for (const { plan, cycle, scheme, amounts } of books.prices) {
    const amount = amounts.find((one) => one.stripePriceId === stripePriceId)
    if (!amount) continue
    const [unit, n] = [BigInt(amount.unitAmount), BigInt(seats)]
    if (scheme === 'flat') return { plan, cycle, amount: unit }
    if (scheme === 'per_seat' || !amount.tiers) return { plan, cycle, amount: unit * n }
    if (scheme === 'volume') {
      const tier = amount.tiers.find(({ upTo }) => upTo === null || seats <= upTo)
      return {
        plan,
        cycle,
        amount: tier ? BigInt(tier.unitAmount) * n + BigInt(tier.flatAmount) : 0n,
      }
    }
    let [sum, below] = [0n, 0]
    for (const { upTo, unitAmount, flatAmount } of amount.tiers) {
      if (seats <= below) break
      const top = upTo === null || upTo > seats ? seats : upTo
      sum += BigInt(top - below) * BigInt(unitAmount) + BigInt(flatAmount)
      below = top
    }
    return { plan, cycle, amount: sum }
  }
  throw new Error(`no price is ${stripePriceId}`)
}

/** Nobody is charged anything else than what was shown and agreed to. */
function checkAgreed(books: Books, log: Log, equal: Equal): void {
  const all = finalized(log)
  for (const decision of books.decisions) {
    if (decision.what === 'quoted start') {
      const { tenant, at, totalMinor, amountDueMinor } = decision
      const started = all.filter(
        (one) =>
          log.tenantOf.get(one.customer) === tenant &&
          one.billing_reason === 'subscription_create' &&
          one.created === at,
      )
      equal(
        `${tenant}, charged for the start at ${iso(at)}`,
        started.map(({ total, amount_due }) => [total, amount_due]),
        [[totalMinor, amountDueMinor]],
      )
    }
    if (decision.what !== 'quoted' || !decision.exact) continue
    const { tenant, at, effect, totalMinor } = decision
    const charged = all.filter(
      (one) =>
        log.tenantOf.get(one.customer) === tenant &&
        one.billing_reason === 'subscription_update' &&
        one.created === at,
    )
    const expected = effect === 'now' && charged.length > 0 ? [totalMinor] : []
    equal(
      `${tenant}, charged for a change at ${iso(at)}`,
      charged.map(({ total }) => total),
      expected,
    )
  }
  for (const [id, states] of log.subscriptions) {
    const tenant = log.tenantOf.get(states[0]?.object.customer) ?? ''
    const agreed = books.decisions.filter((one) => one.what === 'terms' && one.tenant === tenant)
    for (const invoice of all) {
      if (invoice.parent?.subscription_details?.subscription !== id) continue
      if (invoice.billing_reason !== 'subscription_cycle') continue
      const line = invoice.lines.data.find((one: LoggedObject) => !isProration(one))
      const decision = agreed.filter(({ at }) => at < line.period.start).at(-1)
      if (decision?.what !== 'terms' || decision.terms === null) continue
      const { terms, waits } = decision
      const due = waits !== null && seconds(waits.effectiveAt) <= line.period.start
      const expected = due ? { ...terms, ...waits } : terms
      const is = priceOf(books, line.pricing.price_details.price, line.quantity)
      equal(
        `${tenant}, renewed at ${iso(line.period.start)} as`,
        [is.plan, is.cycle, line.quantity, line.amount],
        [expected.plan, expected.cycle, expected.seats, is.amount],
      )
    }
  }
}

interface Earned {
  partner: string
  currency: string
  share: bigint
  clawedBack: bigint
  held: bigint
  availableAt: number
}

/** Who earns from an invoice, by the day of its finalization. */
function earnerOf(
  books: Books,
  log: Log,
  invoice: LoggedObject,
): { partner: string; basisPoints: bigint } | undefined {
  const at = finalizedAt(invoice)
  const tenant = log.tenantOf.get(invoice.customer)
  if (at === null) return undefined
  let partner: string | null = null
  let basisPoints = 0
  for (const decision of books.decisions)
    if (decision.what === 'partner' && decision.tenant === tenant && decision.at <= at)
      partner = decision.partner
  if (partner === null) return undefined
  const today = new Date(at * 1000).toISOString().slice(0, 10)
  let from = ''
  for (const decision of books.decisions) {
    if (decision.what === 'terminated' && decision.partner === partner && decision.at <= at)
      return undefined
    if (decision.what !== 'margin' || decision.partner !== partner) continue
    if (decision.from <= today && decision.from >= from) {
      basisPoints = decision.basisPoints
      from = decision.from
    }
  }
  return { partner, basisPoints: BigInt(basisPoints) }
}

function earnedFrom(books: Books, log: Log, invoice: LoggedObject): Earned | undefined {
  const earner = earnerOf(books, log, invoice)
  const paid = paidAt(invoice)
  if (!earner || invoice.status !== 'paid' || paid === null) return undefined
  const [total, net, money] = [
    BigInt(invoice.total),
    BigInt(invoice.total_excluding_tax),
    BigInt(invoice.amount_paid),
  ]
  if (total <= 0n || net <= 0n || money <= 0n) return undefined
  const base = rounded(money * net, total)
  const share = rounded(base * earner.basisPoints, 10_000n)
  if (share === 0n) return undefined
  // Notes say themselves how much of them is tax, where they are about this money alone.
  const outside = [...log.notes.values()].filter(
    (note) =>
      note.invoice === invoice.id && note.status === 'issued' && (note.out_of_band_amount ?? 0) > 0,
  )
  const returned = outside.map((note) => ({
    gross: BigInt(note.out_of_band_amount),
    net: note.out_of_band_amount === note.total ? BigInt(note.total_excluding_tax) : null,
  }))
  const refunds = refundedOf(books, log, invoice.id)
  if (refunds > 0n) returned.push({ gross: refunds, net: null })
  const disputed = disputedOf(books, log, invoice.id)
  const lost = (parts: { gross: bigint; net: bigint | null }[]): bigint => {
    let [gross, known, unsplit] = [0n, 0n, 0n]
    for (const part of parts) {
      gross += part.gross
      if (part.net === null) unsplit += part.gross
      else known += part.net
    }
    const away = known + rounded(unsplit * net, total)
    return gross >= money || away >= base ? share : rounded(share * away, base)
  }
  const clawedBack = lost(returned)
  const held = lost([...returned, { gross: disputed, net: null }]) - clawedBack
  return {
    ...{ partner: earner.partner, currency: invoice.currency, share, clawedBack, held },
    availableAt: paid + books.rules.holdDays * day,
  }
}

/** Each share, what was taken of it again, and the balances that come of it. */
function checkLedger(books: Books, log: Log, equal: Equal): void {
  const [balance, pending] = [new Sums(), new Sums()]
  const expected = new Map<string, Earned>()
  for (const invoice of finalized(log)) {
    const earned = earnedFrom(books, log, invoice)
    if (!earned) continue
    expected.set(invoice.number, earned)
    const key = `${earned.partner} ${earned.currency}`
    const left = earned.share - earned.clawedBack - earned.held
    balance.add(key, left)
    if (earned.availableAt > log.end) pending.add(key, left)
    equal(`${invoice.number}, share is at least 0`, left >= 0n, true)
  }
  for (const { partnerSlug, currency, amountMinor, state } of books.adjustments)
    if (state === 'entered') balance.add(`${partnerSlug} ${currency}`, amountMinor)
  const paidOut = new Sums()
  for (const { partnerSlug, currency, amountMinor, status } of books.payouts)
    if (status === 'paid') paidOut.add(`${partnerSlug} ${currency}`, amountMinor)
  for (const { slug, ledger, billing } of books.partners) {
    const perInvoice = new Map<string, Sums>()
    const sums = new Sums()
    for (const { type, amountMinor, currency, invoiceNumber } of ledger) {
      sums.add(currency, amountMinor)
      if (invoiceNumber === null) continue
      const own = perInvoice.get(invoiceNumber) ?? new Sums()
      perInvoice.set(invoiceNumber, own)
      own.add(
        type.startsWith('clawback') ? 'clawed' : type.startsWith('dispute') ? 'held' : type,
        amountMinor,
      )
    }
    const numbers = new Set(perInvoice.keys())
    for (const [number, { partner }] of expected) if (partner === slug) numbers.add(number)
    for (const number of numbers) {
      const [is, must] = [perInvoice.get(number) ?? new Sums(), expected.get(number)]
      const mine = must?.partner === slug ? must : undefined
      equal(
        `${slug}, ${number}`,
        { share: is.of('accrual'), clawedBack: -is.of('clawed'), held: -is.of('held') },
        { share: mine?.share ?? 0n, clawedBack: mine?.clawedBack ?? 0n, held: mine?.held ?? 0n },
      )
    }
    for (const { currency, ...is } of billing.balances) {
      const key = `${slug} ${currency}`
      const left = balance.of(key) - paidOut.of(key)
      equal(
        `${slug}, ${currency}`,
        [is.balanceMinor, is.pendingMinor, is.availableMinor, is.paidOutMinor, sums.of(currency)],
        [left, pending.of(key), left - pending.of(key), paidOut.of(key), left],
      )
    }
    for (const key of balance.keys().filter((one) => one.startsWith(`${slug} `)))
      if (balance.of(key) !== 0n)
        equal(
          `${slug} has a balance in ${key}`,
          billing.balances.some(({ currency }) => key === `${slug} ${currency}`),
          true,
        )
  }
}

/** Payouts are worth their entries, pay each once, and their documents are numbered without gaps. */
function checkPayouts(books: Books, equal: Equal): void {
  const [numbers, payers] = [new Map<string, number[]>(), new Map<string, string>()]
  for (const payout of books.payouts) {
    const { id, partnerSlug, amountMinor, status, statementNumber, cancellationNumber } = payout
    const worth = payout.entries.reduce((sum, entry) => sum + BigInt(entry.amountMinor), 0n)
    equal(`payout ${id}, its entries`, worth, status === 'canceled' ? 0n : BigInt(amountMinor))
    for (const entry of payout.entries) {
      equal(`entry ${entry.id}, other payouts`, payers.get(entry.id) ?? null, null)
      payers.set(entry.id, id)
      equal(`entry ${entry.id}, currency`, entry.currency, payout.currency)
    }
    if (status === 'paid') equal(`payout ${id} has a statement`, statementNumber !== null, true)
    for (const number of [statementNumber, cancellationNumber])
      if (number !== null) {
        equal(
          `${number} is of ${partnerSlug}`,
          number.startsWith(`SB-${partnerSlug.toUpperCase()}-`),
          true,
        )
        numbers.set(partnerSlug, [
          ...(numbers.get(partnerSlug) ?? []),
          Number(number.split('-').at(-1)),
        ])
      }
  }
  for (const [partner, given] of numbers)
    equal(
      `${partner}, statements`,
      given.sort((a, b) => a - b),
      given.map((_, index) => index + 1),
    )
  for (const { slug, ledger } of books.partners)
    for (const payout of books.payouts.filter(({ partnerSlug }) => partnerSlug === slug)) {
      const booked = ledger
        .filter(({ type, payoutId }) => type.startsWith('payout') && payoutId === payout.id)
        .reduce((sum, entry) => sum + BigInt(entry.amountMinor), 0n)
      equal(
        `payout ${payout.id} in the ledger`,
        booked,
        payout.status === 'paid' ? -payout.amountMinor : 0,
      )
    }
}

/** What was billed, by the day of the invoice, and collected, by that of the payment; without tax. */
function checkInvoicedRevenue(books: Books, log: Log, equal: Equal): void {
  for (const { partner, invoiced } of books.scopes) {
    const [collected, billed, counts] = [new Sums(), new Sums(), new Sums()]
    for (const invoice of finalized(log)) {
      if (partner !== null && earnerOf(books, log, invoice)?.partner !== partner) continue
      const { finalized_at: issued, voided_at: voided } = invoice.status_transitions
      const issuedKey = `${monthOf(issued ?? 0)} ${invoice.currency}`
      counts.add(issuedKey, 1)
      billed.add(issuedKey, invoice.total_excluding_tax)
      if (invoice.status === 'void' && voided !== null)
        billed.add(`${monthOf(voided)} ${invoice.currency}`, -invoice.total_excluding_tax)
      const at = paidAt(invoice)
      if (invoice.status !== 'paid' || at === null) continue
      const key = `${monthOf(at)} ${invoice.currency}`
      const total = BigInt(invoice.total)
      const net =
        total === 0n
          ? 0n
          : rounded(BigInt(invoice.amount_paid) * BigInt(invoice.total_excluding_tax), total)
      collected.add(key, net)
    }
    const is = new Map(invoiced.map((row) => [`${row.month} ${row.currency}`, row]))
    for (const key of new Set([...billed.keys(), ...collected.keys(), ...is.keys()]))
      equal(
        `invoiced revenue of ${partner ?? 'all'} in ${key}`,
        [
          is.get(key)?.invoices ?? 0,
          is.get(key)?.billedMinor ?? 0,
          is.get(key)?.collectedMinor ?? 0,
        ],
        [counts.of(key), billed.of(key), collected.of(key)],
      )
  }
}

/** Recurring revenue at many moments of the year, from the states that subscriptions were in then. */
function checkRecurringRevenue(books: Books, log: Log, equal: Equal): void {
  for (const { partner, mrr, byPlan, growth } of books.scopes) {
    const scope = partner ?? 'all'
    for (const [index, { at, currencies }] of mrr.entries()) {
      const sums = new Sums()
      const names = new Set(currencies.map(({ currency }) => currency))
      for (const states of log.subscriptions.values()) {
        const state = states.filter((one) => one.at < seconds(at)).at(-1)?.object
        if (!state) continue
        const tenant = log.tenantOf.get(state.customer)
        if (partner !== null && partnerAt(books, tenant, seconds(at)) !== partner) continue
        const [item] = state.items.data
        const price = priceOf(books, item.price.id, item.quantity)
        const yearly = price.cycle === 'year' ? price.amount : price.amount * 12n
        const add = (what: string, amount: bigint) => sums.add(`${state.currency} ${what}`, amount)
        if (state.status === 'trialing') add('trial', yearly)
        if (state.status === 'paused') add('paused', yearly)
        if (state.status !== 'active' && state.status !== 'past_due') continue
        names.add(state.currency)
        add('arr', yearly)
        if (state.status === 'past_due') add('risk', yearly)
        if (!state.cancel_at_period_end) add('committed', yearly)
        if (yearly > 0n) add('tenants', 1n)
        add('seats', yearly > 0n ? BigInt(item.quantity) : 0n)
        if (index === mrr.length - 1) add(`${price.plan} ${price.cycle}`, yearly)
      }
      const monthly = (currency: string, what: string) =>
        rounded(sums.of(`${currency} ${what}`), 12n)
      for (const currency of names) {
        const is = currencies.find((one) => one.currency === currency)
        equal(
          `recurring revenue of ${scope} in ${currency} at ${at}`,
          {
            arr: is?.arrMinor ?? 0,
            mrr: is?.mrrMinor ?? 0,
            trial: is?.trialMrrMinor ?? 0,
            tenants: is?.payingTenants ?? 0,
            seats: is?.paidSeats ?? 0,
          },
          {
            arr: sums.of(`${currency} arr`),
            mrr: monthly(currency, 'arr'),
            trial: monthly(currency, 'trial'),
            tenants: sums.of(`${currency} tenants`),
            seats: sums.of(`${currency} seats`),
          },
        )
      }
      if (index < mrr.length - 1) continue
      for (const row of byPlan)
        equal(
          `revenue of ${scope} by plan, ${row.currency} ${row.plan} ${row.cycle}`,
          row.arrMinor,
          sums.of(`${row.currency} ${row.plan} ${row.cycle}`),
        )
    }
    for (const { month, currency, startArrMinor } of growth) {
      const start = mrr.find((one) => one.at.startsWith(`${month}-01`))
      if (!start) continue
      const arr = start.currencies.find((one) => one.currency === currency)?.arrMinor ?? 0
      equal(`growth of ${scope} in ${currency}, start of ${month}`, startArrMinor, arr)
    }
  }
}

function partnerAt(books: Books, tenant: string | undefined, at: number): string | null {
  let partner: string | null = null
  for (const decision of books.decisions)
    if (decision.what === 'partner' && decision.tenant === tenant && decision.at < at)
      partner = decision.partner
  return partner
}

/** Whether a debt is overdue: a charge of it was tried, and it is no mere offer to begin. */
function isOverdue(log: Log, invoice: LoggedObject): boolean {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return false
  if (invoice.amount_remaining === 0 || invoice.attempt_count === 0) return false
  if (invoice.billing_reason === 'subscription_create') return false
  const subscription = log.subscriptions
    .get(invoice.parent?.subscription_details?.subscription)
    ?.at(-1)?.object
  return !(subscription?.status === 'paused' && subscription.latest_invoice === invoice.id)
}

function checkOverview(books: Books, log: Log, equal: Equal): void {
  const sums = new Sums()
  for (const invoice of finalized(log)) {
    const { currency, status, attempt_count: tries } = invoice
    const left = BigInt(invoice.amount_remaining)
    if (status === 'open' && left > 0n) {
      sums.add(`${currency} open`, left)
      sums.add(`${currency} opens`, 1)
      if (tries > 0) sums.add(`${currency} overdue`, left)
    }
    if ((paidAt(invoice) ?? 0) > log.end - 30 * day)
      sums.add(`${currency} paid`, invoice.amount_paid)
  }
  for (const row of books.overview.currencies) {
    const { currency } = row
    equal(
      `overview in ${currency}`,
      [row.openMinor, row.openInvoices, row.overdueMinor, row.paidLast30DaysMinor],
      ['open', 'opens', 'overdue', 'paid'].map((what) => sums.of(`${currency} ${what}`)),
    )
  }
}

const ranks = ['free', 'starter', 'business', 'enterprise']
const higher = (a: string, b: string) => (ranks.indexOf(a) >= ranks.indexOf(b) ? a : b)
const lower = (a: string, b: string) => (ranks.indexOf(a) <= ranks.indexOf(b) ? a : b)

/** Plan, seats and state of each tenant at the end, by docs/reference/contract.md, entitlements. */
function checkEntitlements(books: Books, log: Log, equal: Equal): void {
  const { graceDays, freeSeats, trial } = books.rules
  const grace = graceDays * day
  for (const { slug, status, plan, seats, billing } of books.tenants) {
    if (status === 'deleted') continue
    const own = [...log.subscriptions.values()]
      .filter(([first]) => log.tenantOf.get(first?.object.customer) === slug)
      .filter((states) =>
        states.some(
          ({ object }) =>
            !object.status.startsWith('incomplete') &&
            object.status !== 'canceled' &&
            object.status !== 'paused',
        ),
      )
      .map((states) => ({ states, last: states.at(-1)?.object }))
      .filter(({ last }) => !last.status.startsWith('incomplete'))
    const subscription =
      own.find(({ last }) => last.status !== 'canceled') ??
      own.sort((a, b) => a.last.ended_at - b.last.ended_at).at(-1)
    const grants = books.decisions.filter((one) => one.what === 'grant' && one.tenant === slug)
    const grant = grants.at(-1)
    const given = grant?.what === 'grant' && grant.plan !== 'free' ? grant : undefined
    const base = given
      ? { plan: given.plan, seats: given.seats, state: 'active' }
      : { plan: 'free', seats: freeSeats, state: 'free' }
    const debts = finalized(log)
      .filter((one) => log.tenantOf.get(one.customer) === slug && isOverdue(log, one))
      .map((one) => finalizedAt(one) ?? 0)
      .sort((a, b) => a - b)
    const owing = (provided: typeof base, since: number | undefined) =>
      since === undefined
        ? provided
        : { ...provided, state: since + grace <= log.end ? 'limited' : 'grace' }
    let expected: typeof base = owing(base, debts[0])
    if (subscription) {
      const { last, states } = subscription
      const [item] = last.items.data
      const bought = {
        plan: priceOf(books, item.price.id, item.quantity).plan,
        seats: item.quantity as number,
      }
      const inTrial = {
        plan: lower(bought.plan, trial.plan),
        seats: Math.min(bought.seats, trial.seats),
      }
      // The period that was not paid began with the first state of the stretch without payment.
      const missed = states.findLastIndex(
        ({ object }) => object.status !== 'past_due' && object.status !== 'unpaid',
      )
      const missedAt: number = states[missed + 1]?.object.items.data[0].current_period_start ?? 0
      if (last.status === 'active') expected = { ...bought, state: 'active' }
      else if (last.status === 'trialing') expected = { ...inTrial, state: 'active' }
      else if (last.status === 'past_due')
        expected = owing({ ...bought, state: 'active' }, missedAt)
      else if (last.status === 'unpaid') {
        const over = missedAt + 2 * grace <= log.end
        expected = {
          ...(over ? base : { ...bought, plan: higher(bought.plan, base.plan) }),
          state: 'limited',
        }
      } else {
        const endedAt: number =
          last.status === 'paused'
            ? (states.find(({ object }) => object.status === 'paused')?.at ?? 0)
            : last.ended_at
        const wasTrial = last.trial_end !== null && endedAt <= last.trial_end
        const held = wasTrial ? inTrial.plan : bought.plan
        const newer = given !== undefined && given.at >= endedAt
        const keeps = !newer && endedAt + grace > log.end && higher(base.plan, held) !== base.plan
        const left = keeps ? { plan: held, seats: base.seats, state: 'grace' } : base
        expected = owing(left, debts[0])
      }
    }
    equal(
      `${slug}, entitlements`,
      [
        billing.entitlements.plan,
        billing.entitlements.seats,
        billing.entitlements.state,
        plan,
        seats,
      ],
      [expected.plan, expected.seats, expected.state, expected.plan, expected.seats],
    )
    equal(`${slug}, subscription`, billing.subscription?.status ?? null, lastStatus(log, slug))
  }
}

/** Of the subscription that runs, else of the one that began last. */
function lastStatus(log: Log, slug: string): string | null {
  const own = [...log.subscriptions.values()]
    .filter(([first]) => log.tenantOf.get(first?.object.customer) === slug)
    .map((states) => states.at(-1)?.object)
  const running = own.find(({ status }) => status !== 'canceled' && status !== 'incomplete_expired')
  return (running ?? own.at(-1))?.status ?? null
}
