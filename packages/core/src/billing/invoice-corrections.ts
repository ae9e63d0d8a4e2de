import { z } from 'zod'
import { correctionKinds, correctionStates, creditDestinations } from '../platform/choices.ts'
import { issueText } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import type { InvoiceStatus } from './billing.ts'
import { minorAmount } from './money.ts'
import { thousandthsOf } from './payouts.ts'

export const correctionKind = z.enum(correctionKinds)
export type CorrectionKind = z.infer<typeof correctionKind>
export const creditDestination = z.enum(creditDestinations)
export type CreditDestination = z.infer<typeof creditDestination>
export const correctionState = z.enum(correctionStates)
export type CorrectionState = z.infer<typeof correctionState>

/** Why a credit note is issued, in the words of the payment processor. */
export const creditReasons = [
  'duplicate',
  'fraudulent',
  'order_change',
  'product_unsatisfactory',
] as const
export const creditReason = z.enum(creditReasons)
export type CreditReason = z.infer<typeof creditReason>

/**
 * What one operator may correct for a tenant within a day alone, in all currencies together; more
 * needs a second operator. The limit of adjustments of partner ledgers, in the same thousandths of
 * a unit.
 */
export const mostCorrectedAlone = 1_000_000n

/** Whether these corrections of one operator together need a second one. */
export function needsSecondOperator(
  corrections: readonly { amount: bigint; currency: string }[],
): boolean {
  const together = corrections.reduce(
    (sum, { amount, currency }) => sum + thousandthsOf(amount, currency),
    0n,
  )
  return together > mostCorrectedAlone
}

/** What is known of the money of an invoice, in minor units, before another correction. */
export interface InvoiceMoney {
  status: InvoiceStatus
  total: bigint
  amountPaid: bigint
  amountRemaining: bigint
  /** Of all credit notes that stand. */
  credited: bigint
  /** Of all refunds that did not fail, also those on their way. */
  refunded: bigint
  /** What of `refunded` belongs to credit notes. */
  refundedByNotes: bigint
  /** What credit notes gave back outside of the payment processor. */
  outside: bigint
  /** What the bank took back. */
  disputed: bigint
  /** Paid by transfer: there is no card to refund. */
  paidByTransfer: boolean
  /** Corrections that are neither done nor given up. */
  waiting: readonly {
    kind: CorrectionKind
    destination: CreditDestination | null
    amount: bigint
  }[]
}

/** What corrections may do to an invoice now, in minor units; 0 and false where not at all. */
export interface AllowedCorrections {
  /** A credit note that lowers what is due. */
  dueReduction: bigint
  card: bigint
  balance: bigint
  outside: bigint
  writeOff: boolean
  void: boolean
  /** The amount that a transfer has to have. */
  transfer: bigint
}

const positive = (amount: bigint) => (amount > 0n ? amount : 0n)
const least = (a: bigint, b: bigint) => (a < b ? a : b)

/**
 * Never more than was paid or is left: what waits counts as if it were done, a refund without
 * credit note counts against both, and disputed money is not given back a second time.
 */
export function allowedCorrections(money: InvoiceMoney): AllowedCorrections {
  const none: AllowedCorrections = {
    dueReduction: 0n,
    card: 0n,
    balance: 0n,
    outside: 0n,
    writeOff: false,
    void: false,
    transfer: 0n,
  }
  const { status, waiting, disputed } = money
  const sumOf = (counts: (one: InvoiceMoney['waiting'][number]) => boolean) =>
    waiting.filter(counts).reduce((sum, { amount }) => sum + amount, 0n)
  const reserved = sumOf(({ kind }) => kind === 'credit')
  const free = waiting.length === 0
  if (status === 'open' || status === 'uncollectible') {
    // Ending the invoice and lowering it exclude each other.
    const ending = waiting.some(({ kind }) => kind !== 'credit')
    const open = status === 'open'
    return {
      ...none,
      dueReduction: open && !ending ? positive(money.amountRemaining - reserved) : 0n,
      writeOff: open && free,
      void: free && money.amountPaid === 0n,
      transfer: free ? money.amountRemaining : 0n,
    }
  }
  if (status !== 'paid') return none
  const withoutNote = positive(money.refunded - money.refundedByNotes)
  const left = positive(money.total - money.credited - withoutNote - disputed - reserved)
  const moneyOut = sumOf(({ destination }) => destination === 'card' || destination === 'outside')
  const kept = positive(money.amountPaid - money.refunded - money.outside - disputed - moneyOut)
  const back = least(left, kept)
  return {
    ...none,
    card: money.paidByTransfer || disputed > 0n ? 0n : back,
    balance: left,
    outside: back,
  }
}

/** How much of the allowed a credit note to this destination has; null lowers what is due. */
export function creditLimit(
  allowed: AllowedCorrections,
  destination: CreditDestination | null,
): bigint {
  return destination === null ? allowed.dueReduction : allowed[destination]
}

const fields = {
  credit: { needs: ['amountMinor'], takes: ['destination', 'category'] },
  transfer: { needs: ['amountMinor', 'reference', 'paidOn'], takes: [] },
  write_off: { needs: [], takes: [] },
  void: { needs: [], takes: [] },
} as const satisfies Record<CorrectionKind, { needs: readonly Field[]; takes: readonly Field[] }>
type Field = 'amountMinor' | 'destination' | 'category' | 'reference' | 'paidOn'
const optionalFields = ['amountMinor', 'destination', 'category', 'reference', 'paidOn'] as const

/** Any text, so that an impossible id returns 404 like an unknown one. */
const id = z
  .string()
  .max(200)
  .transform((text) =>
    z.uuid().safeParse(text).success ? text.toLowerCase() : '00000000-0000-0000-0000-000000000000',
  )

export const OperatorInvoicePath = z.strictObject({ id })
export type OperatorInvoicePath = z.infer<typeof OperatorInvoicePath>

/** Fields that the other kinds need are rejected, so that nothing is read and then ignored. */
export const CorrectInvoice = z
  .strictObject({
    id,
    /** Made by the caller: the same correction again answers what the first one made. */
    requestId: z.uuid(),
    kind: correctionKind,
    /** With tax. */
    amountMinor: z.number().int().min(1).max(999_999_999_999).optional(),
    /** Of a paid invoice. */
    destination: creditDestination.optional(),
    category: creditReason.optional(),
    /** Of the transfer, as the bank shows it. */
    reference: line(140).optional(),
    /** The day on which the transfer arrived. */
    paidOn: calendarDate().optional(),
    /** For the audit log. */
    reason: line(500, 10),
  })
  .superRefine((input, check) => {
    const { needs, takes } = fields[input.kind]
    for (const field of optionalFields) {
      const needed = (needs as readonly Field[]).includes(field)
      const taken = needed || (takes as readonly Field[]).includes(field)
      if (needed && input[field] === undefined)
        check.addIssue({ code: 'custom', path: [field], message: issueText('required') })
      if (!taken && input[field] !== undefined)
        check.addIssue({
          code: 'custom',
          path: [field],
          message: issueText('unknownField', { value: field }),
        })
    }
  })
  .meta({
    openapi: {
      oneOf: [
        { properties: { kind: { const: 'credit' } }, required: ['amountMinor'] },
        {
          properties: { kind: { const: 'transfer' } },
          required: ['amountMinor', 'reference', 'paidOn'],
        },
        { properties: { kind: { enum: ['write_off', 'void'] } } },
      ],
    },
  })
export type CorrectInvoice = z.infer<typeof CorrectInvoice>

export const CorrectionView = z.object({
  id: z.uuid(),
  invoiceId: z.uuid(),
  invoiceNumber: z.string().nullable(),
  tenantSlug: z.string(),
  tenantName: z.string(),
  kind: correctionKind,
  destination: creditDestination.nullable(),
  category: creditReason.nullable(),
  currency: z.string(),
  amountMinor: minorAmount,
  reason: z.string(),
  reference: z.string().nullable(),
  paidOn: z.iso.date().nullable(),
  state: correctionState,
  /** Why the payment processor has not carried it out. */
  error: z.string().nullable(),
  creditNoteNumber: z.string().nullable(),
  requestedBy: z.string().nullable(),
  decidedBy: z.string().nullable(),
  createdAt: instant,
  decidedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})
export type CorrectionView = z.infer<typeof CorrectionView>
export const CorrectionPage = page(CorrectionView)
export type CorrectionPage = z.infer<typeof CorrectionPage>

export const ListCorrections = z.strictObject({
  state: correctionState.optional(),
  tenantSlug: slugFilter.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListCorrections = z.infer<typeof ListCorrections>

export const CorrectionPath = z.strictObject({ id })
export type CorrectionPath = z.infer<typeof CorrectionPath>
