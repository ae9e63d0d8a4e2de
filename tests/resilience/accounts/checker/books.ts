/** What the books of a year are: what the service said, and what the checker knows besides. */

/** An object of the processor, as its log shows it. */
// biome-ignore lint/suspicious/noExplicitAny: the log has objects of many kinds
export type LoggedObject = any

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

/** A legal document as it was issued; `totals` is null while it waits. */
export interface DocumentBook {
  source: string
  kind: string
  cancels: boolean
  number: string | null
  totals: { netMinor: number; taxMinor: number; grossMinor: number } | null
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
    documents: DocumentBook[]
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
    documents: Omit<DocumentBook, 'source' | 'kind'>[]
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
