import { z } from 'zod'
import { reportMonth } from '../reports/reports.ts'
import type { DocumentTax, VatCategory } from './documents/document.ts'
import { currencyCode, minorAmount } from './money.ts'
import { isEuCountry } from './taxes.ts'

export const bookkeepingKinds = [
  'invoice',
  'void',
  'credit_note',
  'write_off',
  'payment',
  'refund',
  'dispute',
  'conversion',
  'fee',
  'payout',
  'other',
  'partner_share',
  'partner_payout',
] as const
export type BookkeepingKind = (typeof bookkeepingKinds)[number]

/** An account of the chart, and the DATEV tax key where the account does not imply the tax. */
export interface Account {
  number: string
  taxKey: string | null
}

/** What each account is for; docs/how-to/bookkeeping.md describes them. */
export const accountNames = [
  'receivables',
  'clearing',
  'bank',
  'conversion',
  'suspense',
  'fees',
  'writeOffs',
  'partnerCosts',
  'partnerPayables',
  'revenueStandard',
  'revenueReduced',
  'revenueOther',
  'revenueOss',
  'revenueReverseCharge',
  'revenueAbroad',
  'revenueExempt',
] as const
export type AccountName = (typeof accountNames)[number]
export type Accounts = Readonly<Record<AccountName, Account>>

export const charts = ['skr03', 'skr04'] as const
export type Chart = (typeof charts)[number]

/** Numbers of DATEV's standard charts of accounts, in both. */
const numbers: Readonly<Record<AccountName, readonly [skr03: string, skr04: string]>> = {
  receivables: ['1410', '1210'],
  clearing: ['1360', '1460'],
  bank: ['1200', '1800'],
  // Free numbers beside those of money in transit.
  conversion: ['1361', '1461'],
  suspense: ['1590', '1370'],
  fees: ['4970', '6855'],
  writeOffs: ['2400', '6930'],
  partnerCosts: ['4760', '6770'],
  partnerPayables: ['1610', '3310'],
  revenueStandard: ['8400', '4400'],
  revenueReduced: ['8300', '4300'],
  revenueOther: ['8200', '4200'],
  revenueOss: ['8331', '4331'],
  revenueReverseCharge: ['8336', '4336'],
  revenueAbroad: ['8338', '4338'],
  revenueExempt: ['8195', '4185'],
}

/** The accounts of a chart, with these in place of its own. */
export function accountsOf(chart: Chart, own: Partial<Record<AccountName, Account>>): Accounts {
  const index = charts.indexOf(chart)
  return Object.fromEntries(
    accountNames.map((name) => [
      name,
      own[name] ?? { number: numbers[name][index] ?? '', taxKey: null },
    ]),
  ) as Record<AccountName, Account>
}

/** Rates of Germany that have a revenue account of their own in the charts. */
const standardRate = 19
const reducedRate = 7

/** The revenue account of a tax. `country`: the buyer's; `home`: the seller's. */
export function revenueAccountOf(
  { category, ratePercent, country }: TaxOfRow,
  home: string | null,
): AccountName {
  if (category === 'AE') return 'revenueReverseCharge'
  if (category === 'O') return 'revenueAbroad'
  if (category === 'E' || category === 'Z') return 'revenueExempt'
  if (country !== null && country !== home && isEuCountry(country)) return 'revenueOss'
  if (ratePercent === standardRate) return 'revenueStandard'
  return ratePercent === reducedRate ? 'revenueReduced' : 'revenueOther'
}

interface TaxOfRow {
  category: VatCategory
  /** Null where no document says it. */
  ratePercent: number | null
  country: string | null
}

/**
 * One booking: `grossMinor` is debited to one account and credited to the other; the other way
 * round where it is negative. Amounts in minor units of `currency`.
 */
export interface BookkeepingRow {
  /** In UTC. */
  date: string
  kind: BookkeepingKind
  /** The number of the invoice or the credit note. */
  document: string | null
  tenantSlug: string | null
  currency: string
  netMinor: number | null
  taxMinor: number | null
  taxPercent: number | null
  taxCategory: VatCategory | null
  taxCountry: string | null
  vatNumber: string | null
  /** In the buyer's country, by the One Stop Shop. */
  taxedAbroad: boolean
  grossMinor: number
  debit: Account
  credit: Account
  /** From the currency of the payment to that of the balance. */
  exchangeRate: string | null
  /** The processor's id of what is booked; ours of a partner's share. */
  reference: string
}

const noTax = {
  netMinor: null,
  taxMinor: null,
  taxPercent: null,
  taxCategory: null,
  taxCountry: null,
  vatNumber: null,
  taxedAbroad: false,
}

/** An invoice, what cancels one, or a credit note, as the books and its document have it. */
export interface BookedDocument {
  kind: 'invoice' | 'void' | 'credit_note'
  date: string
  number: string | null
  tenantSlug: string
  reference: string
  currency: string
  /** As it changes what the customer owes: those of a credit note are negative. */
  netMinor: number
  grossMinor: number
  /** What the issued document says; null while there is none. */
  document: {
    /** Its amounts are what it gives back. */
    credit: boolean
    currency: string
    taxes: readonly DocumentTax[]
    country: string | null
    vatNumber: string | null
  } | null
}

/** The taxes of the document with the sign of the books; null where the two do not agree. */
export function taxesOfDocument(booked: BookedDocument): readonly DocumentTax[] | null {
  const { document, netMinor, grossMinor } = booked
  if (document === null || document.currency !== booked.currency) return null
  const sign = document.credit ? -1 : 1
  const taxes = document.taxes.map((tax) => ({
    ...tax,
    netMinor: sign * tax.netMinor,
    taxMinor: sign * tax.taxMinor,
  }))
  const net = taxes.reduce((sum, tax) => sum + tax.netMinor, 0)
  const gross = taxes.reduce((sum, tax) => sum + tax.netMinor + tax.taxMinor, 0)
  return net === netMinor && gross === grossMinor ? taxes : null
}

/** One row per tax. Without a document that agrees, one row for everything, without a rate. */
export function documentRows(
  booked: BookedDocument,
  accounts: Accounts,
  home: string | null,
): BookkeepingRow[] {
  const { document, netMinor, grossMinor } = booked
  const taxMinor = grossMinor - netMinor
  const known = taxesOfDocument(booked)
  const whole = {
    category: taxMinor === 0 ? ('O' as const) : ('S' as const),
    ratePercent: null,
    netMinor,
    taxMinor,
  }
  return (known ?? [whole]).map((tax) => {
    const country = document?.country ?? null
    const revenue = revenueAccountOf({ ...tax, country }, home)
    return {
      date: booked.date,
      kind: booked.kind,
      document: booked.number,
      tenantSlug: booked.tenantSlug,
      currency: booked.currency,
      netMinor: tax.netMinor,
      taxMinor: tax.taxMinor,
      taxPercent: tax.ratePercent,
      taxCategory: known ? tax.category : null,
      taxCountry: country,
      vatNumber: document?.vatNumber ?? null,
      taxedAbroad: revenue === 'revenueOss',
      grossMinor: tax.netMinor + tax.taxMinor,
      debit: accounts.receivables,
      credit: accounts[revenue],
      exchangeRate: null,
      reference: booked.reference,
    }
  })
}

/** A movement of the processor's balance, with the invoice that it belongs to. */
export interface BookedTransaction {
  id: string
  type: string
  category: string
  date: string
  currency: string
  amountMinor: number
  feeMinor: number
  exchangeRate: string | null
  sourceCurrency: string | null
  /** Without a sign. */
  sourceMinor: number | null
  document: string | null
  tenantSlug: string | null
  /** It belongs to an invoice of ours. */
  ours: boolean
}

const transactionKinds: Readonly<Record<string, BookkeepingKind>> = {
  charge: 'payment',
  payment: 'payment',
  refund: 'refund',
  payment_refund: 'refund',
  refund_failure: 'refund',
  payment_failure_refund: 'refund',
  payout: 'payout',
  payout_cancel: 'payout',
  payout_failure: 'payout',
  payout_reversal: 'payout',
  stripe_fee: 'fee',
  stripe_fx_fee: 'fee',
  tax_fee: 'fee',
}

export function kindOfTransaction({
  type,
  category,
}: Pick<BookedTransaction, 'type' | 'category'>): BookkeepingKind {
  if (category === 'dispute' || category === 'dispute_reversal') return 'dispute'
  return transactionKinds[type] ?? 'other'
}

/**
 * What a movement of the balance books. The clearing account moves by exactly its net. What was
 * paid in another currency passes through the conversion account, once in each of the two.
 */
export function transactionRows(booked: BookedTransaction, accounts: Accounts): BookkeepingRow[] {
  const kind = kindOfTransaction(booked)
  const { amountMinor, feeMinor, currency, sourceCurrency, sourceMinor } = booked
  const row = (part: Pick<BookkeepingRow, 'kind' | 'grossMinor' | 'debit' | 'credit'>) => ({
    ...noTax,
    date: booked.date,
    document: booked.document,
    tenantSlug: booked.tenantSlug,
    currency,
    exchangeRate: booked.exchangeRate,
    reference: booked.id,
    ...part,
  })
  const { clearing, conversion, fees, bank, suspense, receivables } = accounts
  const fee = row({ kind: 'fee', grossMinor: feeMinor, debit: fees, credit: clearing })
  const withFee = (rows: BookkeepingRow[]) => (feeMinor === 0 ? rows : [...rows, fee])
  const moved = (credit: Account, as = kind) =>
    row({ kind: as, grossMinor: amountMinor, debit: clearing, credit })
  if (kind === 'payout')
    return withFee([row({ kind, grossMinor: -amountMinor, debit: bank, credit: clearing })])
  if (kind === 'fee')
    return withFee([row({ kind, grossMinor: -amountMinor, debit: fees, credit: clearing })])
  const contra = booked.ours && kind !== 'other' ? receivables : suspense
  if (sourceCurrency === null || sourceMinor === null || sourceCurrency === currency)
    return withFee([moved(contra)])
  const grossMinor = amountMinor < 0 ? -sourceMinor : sourceMinor
  const paid = row({ kind, grossMinor, debit: conversion, credit: contra })
  return withFee([{ ...paid, currency: sourceCurrency }, moved(conversion, 'conversion')])
}

/** Money that did not pass the processor, or nothing at all: transfers and write-offs. */
export interface BookedElsewhere {
  kind: 'payment' | 'refund' | 'write_off'
  date: string
  document: string | null
  tenantSlug: string
  currency: string
  grossMinor: number
  reference: string
}

export function elsewhereRow(
  booked: BookedElsewhere,
  { bank, writeOffs, receivables }: Accounts,
): BookkeepingRow {
  const debit = booked.kind === 'write_off' ? writeOffs : bank
  return { ...noTax, ...booked, debit, credit: receivables, exchangeRate: null }
}

/** An entry of a partner's ledger. */
export interface BookedShare {
  date: string
  payout: boolean
  document: string | null
  tenantSlug: string | null
  currency: string
  /** As in the ledger: what the partner gets more. */
  amountMinor: number
  reference: string
}

export function shareRow(
  { payout, amountMinor, ...booked }: BookedShare,
  { partnerCosts, partnerPayables, bank }: Accounts,
): BookkeepingRow {
  return {
    ...noTax,
    ...booked,
    kind: payout ? 'partner_payout' : 'partner_share',
    grossMinor: payout ? -amountMinor : amountMinor,
    debit: payout ? partnerPayables : partnerCosts,
    credit: payout ? bank : partnerPayables,
    exchangeRate: null,
  }
}

/** The columns of the CSV, in order. */
export const bookkeepingColumns = [
  'date',
  'kind',
  'document',
  'tenantSlug',
  'currency',
  'netMinor',
  'taxMinor',
  'taxPercent',
  'taxCategory',
  'taxCountry',
  'vatNumber',
  'grossMinor',
  'debitAccount',
  'creditAccount',
  'exchangeRate',
  'reference',
] as const

export function bookkeepingCells({ debit, credit, ...row }: BookkeepingRow): unknown[] {
  const cells = { ...row, debitAccount: debit.number, creditAccount: credit.number }
  return bookkeepingColumns.map((column) => cells[column])
}

export const ReadBookkeeping = z.strictObject({ month: reportMonth })
export type ReadBookkeeping = z.infer<typeof ReadBookkeeping>

export const bookkeepingFormats = ['csv', 'datev'] as const
export const ExportBookkeeping = z.strictObject({
  month: reportMonth,
  format: z.enum(bookkeepingFormats).default('csv'),
  /** DATEV: one batch per currency. CSV: only rows of this one. */
  currency: currencyCode.optional(),
  /** DATEV: a batch holds 99,999 rows; the second one goes on after them. */
  part: z.coerce.number().int().min(1).max(1_000).default(1),
})
export type ExportBookkeeping = z.infer<typeof ExportBookkeeping>

export const differenceKinds = [
  'payout_sum',
  'processor_balance',
  'payment_without_transaction',
  'payment_amount',
  'transaction_without_invoice',
  'refund_without_transaction',
  'refund_unknown',
  'dispute_without_transaction',
  'dispute_unknown',
  'refund_without_credit_note',
  'document_missing',
  'document_currency',
  'document_amount',
  'document_tax',
] as const

/** What does not agree: what the books say, and what the processor or the document says. */
export const BookkeepingDifference = z.object({
  kind: z.enum(differenceKinds),
  /**
   * The payout, transaction, invoice, refund or dispute that it is about; a currency of a balance.
   */
  reference: z.string(),
  tenantSlug: z.string().nullable(),
  currency: z.string(),
  booksMinor: minorAmount.nullable(),
  processorMinor: minorAmount.nullable(),
  /** What the issued document says: the gross amount; the tax where that is what differs. */
  document: z.object({ currency: z.string(), amountMinor: minorAmount }).nullable(),
})
export type BookkeepingDifference = z.infer<typeof BookkeepingDifference>

/** The processor's balance in one currency over the month: `opening` + everything = `closing`. */
export const BookkeepingBalance = z.object({
  currency: z.string(),
  openingMinor: minorAmount,
  paymentsMinor: minorAmount,
  refundsMinor: minorAmount,
  disputesMinor: minorAmount,
  feesMinor: minorAmount,
  otherMinor: minorAmount,
  payoutsMinor: minorAmount,
  closingMinor: minorAmount,
})
export type BookkeepingBalance = z.infer<typeof BookkeepingBalance>

export const Bookkeeping = z.object({
  month: reportMonth,
  /** Currencies that have something to book in the month. */
  currencies: z.array(z.string()),
  /** What DATEV can take: of each of these currencies the parts from 1 to `parts`. */
  datevBatches: z.array(z.object({ currency: z.string(), parts: z.int().min(1) })),
  balances: z.array(BookkeepingBalance),
  /** At most 100 of each kind. */
  differences: z.array(BookkeepingDifference),
  /** Up to when the processor's balance is known; null before the first reading. */
  readUntil: z.iso.datetime().nullable(),
  readError: z.string().nullable(),
})
export type Bookkeeping = z.infer<typeof Bookkeeping>
