import type { Books, Decision, LoggedObject } from './books.ts'

export const day = 86_400

export const seconds = (instant: string) => Date.parse(instant) / 1000

export const iso = (at: number | null) => (at === null ? null : new Date(at * 1000).toISOString())

export const monthOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 7)

/** A fraction as a whole number, half away from zero. */
export function rounded(over: bigint, under: bigint): bigint {
  if (under < 0n) return rounded(-over, -under)
  return over < 0n ? -((-over * 2n + under) / (under * 2n)) : (over * 2n + under) / (under * 2n)
}

export class Sums {
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

export interface Snapshot {
  at: number
  object: LoggedObject
}

export type Equal = (what: string, is: unknown, expected: unknown) => void

export interface Log {
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
  /** Who became a tenant's partner, by the tenant's slug; oldest first. */
  partnersOf: Map<string, (Decision & { what: 'partner' })[]>
  /** Margins and endings, by the partner's slug; oldest first. */
  termsOf: Map<string, (Decision & { what: 'margin' | 'terminated' })[]>
  end: number
}

export function readLog({ events, decisions, tenants, end }: Books): Log {
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const log: Log = {
    events,
    invoices: new Map(),
    notes: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    subscriptions: new Map(),
    tenantOf: new Map(),
    partnersOf: Map.groupBy(
      decisions.filter((one) => one.what === 'partner'),
      ({ tenant }) => tenant,
    ),
    termsOf: Map.groupBy(
      decisions.filter((one) => one.what === 'margin' || one.what === 'terminated'),
      ({ partner }) => partner,
    ),
    end: seconds(end),
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

/** The tenant's partner at an instant: of the last decision that `holds`. */
export function partnerOf(
  log: Log,
  tenant: string | undefined,
  holds: (decidedAt: number) => boolean,
): string | null {
  const decisions = log.partnersOf.get(tenant ?? '') ?? []
  return decisions.findLast(({ at }) => holds(at))?.partner ?? null
}

export const taxOf = (object: LoggedObject): bigint =>
  (object.total_taxes ?? []).reduce(
    (sum: bigint, tax: { amount: number }) => sum + BigInt(tax.amount),
    0n,
  )

export const finalizedAt = (invoice: LoggedObject): number | null =>
  invoice.status_transitions.finalized_at

export const paidAt = (invoice: LoggedObject): number | null => invoice.status_transitions.paid_at

export const finalized = (log: Log) =>
  [...log.invoices.values()].filter((one) => finalizedAt(one) !== null)

export const isProration = (line: LoggedObject): boolean =>
  line.parent.subscription_item_details.proration

export function refundedOf(books: Books, log: Log, invoice: string): bigint {
  return [...log.refunds.values()]
    .filter(({ id, status }) => books.invoiceOf[id] === invoice && status === 'succeeded')
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

export const movedBy = (dispute: LoggedObject): bigint =>
  dispute.balance_transactions.reduce(
    (sum: bigint, { amount }: { amount: number }) => sum + BigInt(amount),
    0n,
  )

export function disputedOf(books: Books, log: Log, invoice: string): bigint {
  return [...log.disputes.values()]
    .filter((dispute) => books.invoiceOf[dispute.id] === invoice && movedBy(dispute) < 0n)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
