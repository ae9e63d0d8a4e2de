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
  /** The customer gave a VAT number when it came; the register said whether it is valid. */
  | { what: 'VAT number'; tenant: string; valid: boolean }
  /** The customer saw this amount and agreed to it. */
  | { what: 'quoted'; tenant: string; effect: string; exact: boolean; totalMinor: number }
  | { what: 'quoted start'; tenant: string; totalMinor: number; amountDueMinor: number }
  /** The partner ordered something, and the owner was asked. */
  | { what: 'asked'; tenant: string }
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
  /** Why and how each part is taxed, by the codes of EN 16931; `AE` is a reverse charge. */
  taxCategories: string[] | null
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
    creditedMinor: number
    collectedMinor: number
    refundedMinor: number
    disputedMinor: number
    recognizedMinor: number
  }[]
}

/** A movement of the account at the processor, as the processor has it; `fee` lowers it. */
export interface Movement {
  id: string
  type: string
  category: string
  currency: string
  amount: number
  fee: number
  created: number
}

/** A month as the service exports it for the bookkeeping. */
export interface BookedMonth {
  month: string
  balances: {
    currency: string
    openingMinor: number
    paymentsMinor: number
    refundsMinor: number
    disputesMinor: number
    feesMinor: number
    otherMinor: number
    payoutsMinor: number
    closingMinor: number
  }[]
  /** What the service itself cannot make agree. */
  differences: { kind: string; reference: string }[]
  /** Of the CSV file. */
  rows: BookedRow[]
}

export interface BookedRow {
  kind: string
  document: string
  currency: string
  netMinor: number
  taxMinor: number
  grossMinor: number
  debit: string
  credit: string
  reference: string
}

interface Tier {
  upTo: number | null
  unitAmount: number
  flatAmount: number
}

/** What the service says at a moment at which it knows everything that has happened. */
export interface Accounts {
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
      credits: Money[]
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
    documents: Pick<DocumentBook, 'cancels' | 'number' | 'totals'>[]
    entries: LedgerEntry[]
  }[]
  adjustments: { partnerSlug: string; currency: string; amountMinor: number; state: string }[]
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

export interface Books extends Accounts {
  end: string
  rules: {
    graceDays: number
    freeSeats: number
    holdDays: number
    trial: { plan: string; seats: number }
    /** By country, 0 for others; null where it is not decided here. */
    taxPercents: Record<string, number> | null
    /** Countries whose customers owe the tax themselves where they have a valid VAT number. */
    reverseCharged: string[]
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
  scopes: Scope[]
  /** As the months of the year closed; `events` of the log had happened by then. */
  closings: (Accounts & { at: string; events: number })[]
  /** About payments, refunds and credit notes; `digits`: those of the amount in the text. */
  mails: { tenantId: string; template: string; number: string; digits: number }[]
  movements: Movement[]
  bookkeeping: {
    accounts: { clearing: string; bank: string; receivables: string }
    months: BookedMonth[]
  }
}
