import { randomBytes } from 'node:crypto'
import { missing } from './faults.ts'
import {
  type BalanceTransaction,
  type CreditNote,
  type Customer,
  type Dispute,
  type EventRecord,
  type Invoice,
  type PaymentMethod,
  type Payout,
  type PortalSession,
  type Price,
  type Product,
  type Refund,
  type Replay,
  Saved,
  type Schedule,
  type SetupIntent,
  type Subscription,
  type TaxId,
  type TaxRate,
} from './records.ts'

/** Events and idempotency keys beyond this are forgotten, oldest first. */
const kept = 2_000

/** The records of one kind by id, in the order in which they were made. */
export class Table<T extends { id: string }> {
  readonly #kind: string
  readonly #rows = new Map<string, T>()

  constructor(kind: string) {
    this.#kind = kind
  }

  add(row: T): T {
    this.#rows.set(row.id, row)
    return row
  }

  find(id: string): T | undefined {
    return this.#rows.get(id)
  }

  /** Throws 404 `resource_missing`, naming the parameter that named it. */
  get(id: string, param = 'id'): T {
    const row = this.#rows.get(id)
    if (!row) throw missing(this.#kind, id, param)
    return row
  }

  remove(id: string): void {
    this.#rows.delete(id)
  }

  /** Oldest first. */
  all(): T[] {
    return [...this.#rows.values()]
  }

  fill(rows: readonly T[]): void {
    this.#rows.clear()
    for (const row of rows) this.#rows.set(row.id, row)
  }

  keepNewest(count: number): void {
    for (const id of [...this.#rows.keys()].slice(0, Math.max(0, this.#rows.size - count)))
      this.#rows.delete(id)
  }
}

export function createStore() {
  const tables = {
    customers: new Table<Customer>('customer'),
    taxIds: new Table<TaxId>('tax_id'),
    paymentMethods: new Table<PaymentMethod>('PaymentMethod'),
    setupIntents: new Table<SetupIntent>('setupintent'),
    products: new Table<Product>('product'),
    prices: new Table<Price>('price'),
    taxRates: new Table<TaxRate>('tax rate'),
    subscriptions: new Table<Subscription>('subscription'),
    schedules: new Table<Schedule>('subscription schedule'),
    invoices: new Table<Invoice>('invoice'),
    refunds: new Table<Refund>('refund'),
    creditNotes: new Table<CreditNote>('credit note'),
    disputes: new Table<Dispute>('dispute'),
    balanceTransactions: new Table<BalanceTransaction>('balance transaction'),
    payouts: new Table<Payout>('payout'),
    portalSessions: new Table<PortalSession>('session'),
    events: new Table<EventRecord>('event'),
  }
  const store = {
    ...tables,
    /** How far the clock of the payments is ahead of the machine's. */
    offsetMs: 0,
    /** Added to every new invoice, in percent with at most two decimals. */
    taxPercent: 0,
    invoiceCount: 0,
    creditNoteCount: 0,
    waitingLines: [] as Saved['waitingLines'],
    replays: new Map<string, Replay>(),
    trim() {
      tables.events.keepNewest(kept)
      for (const key of [...store.replays.keys()].slice(0, Math.max(0, store.replays.size - kept)))
        store.replays.delete(key)
    },
    clear() {
      for (const table of Object.values(tables)) table.fill([])
      Object.assign(store, {
        offsetMs: 0,
        taxPercent: 0,
        invoiceCount: 0,
        creditNoteCount: 0,
        waitingLines: [],
      })
      store.replays.clear()
    },
    save(): Saved {
      const { offsetMs, taxPercent, invoiceCount, creditNoteCount, waitingLines } = store
      return {
        offsetMs,
        taxPercent,
        invoiceCount,
        creditNoteCount,
        waitingLines,
        customers: tables.customers.all(),
        taxIds: tables.taxIds.all(),
        paymentMethods: tables.paymentMethods.all(),
        setupIntents: tables.setupIntents.all(),
        products: tables.products.all(),
        prices: tables.prices.all(),
        taxRates: tables.taxRates.all(),
        subscriptions: tables.subscriptions.all(),
        schedules: tables.schedules.all(),
        invoices: tables.invoices.all(),
        refunds: tables.refunds.all(),
        creditNotes: tables.creditNotes.all(),
        disputes: tables.disputes.all(),
        balanceTransactions: tables.balanceTransactions.all(),
        payouts: tables.payouts.all(),
        portalSessions: tables.portalSessions.all(),
        events: tables.events.all(),
        replays: [...store.replays],
      }
    },
    load(saved: unknown) {
      const {
        offsetMs,
        taxPercent,
        invoiceCount,
        creditNoteCount,
        waitingLines,
        replays,
        ...rows
      } = Saved.parse(saved)
      Object.assign(store, {
        offsetMs,
        taxPercent,
        invoiceCount,
        creditNoteCount,
        waitingLines,
        replays: new Map(replays),
      })
      tables.customers.fill(rows.customers)
      tables.taxIds.fill(rows.taxIds)
      tables.paymentMethods.fill(rows.paymentMethods)
      tables.setupIntents.fill(rows.setupIntents)
      tables.products.fill(rows.products)
      tables.prices.fill(rows.prices)
      tables.taxRates.fill(rows.taxRates)
      tables.subscriptions.fill(rows.subscriptions)
      tables.schedules.fill(rows.schedules)
      tables.invoices.fill(rows.invoices)
      tables.refunds.fill(rows.refunds)
      tables.creditNotes.fill(rows.creditNotes)
      tables.disputes.fill(rows.disputes)
      tables.balanceTransactions.fill(rows.balanceTransactions)
      tables.payouts.fill(rows.payouts)
      tables.portalSessions.fill(rows.portalSessions)
      tables.events.fill(rows.events)
    },
  }
  return store
}

export type PaymentsStore = ReturnType<typeof createStore>

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

let seeded: (() => number) | undefined

/**
 * Runs work that makes ids from these numbers (0 to 1) instead of random ones, so that the same
 * work makes the same ids.
 */
export function withSeededIds<T>(numbers: () => number, work: () => T): T {
  const before = seeded
  seeded = numbers
  try {
    return work()
  } finally {
    seeded = before
  }
}

/** An id as Stripe makes them: `cus_` and letters and digits. */
export function newId(prefix: string, length = 24): string {
  const numbers = seeded
  const bytes = numbers
    ? Array.from({ length }, () => Math.floor(numbers() * 256))
    : [...randomBytes(length)]
  return `${prefix}_${bytes.map((byte) => alphabet[byte % alphabet.length]).join('')}`
}

/** A secret that a browser may hold, beginning with the id that it belongs to. */
export function newSecret(id: string): string {
  return `${id}_${newId('secret', 25)}`
}
