import { type TaxabilityReason, taxabilityReasons } from '@atrium/core/billing/taxes'
import type Stripe from 'stripe'
import type { Call } from './client.ts'
import type { InvoiceTax, TaxRate } from './port.ts'
import { objectOf, optionalWhole, text, whole } from './shapes.ts'

/** Rates that were read, by id. Fewer exist than this; a wrong answer must not fill the memory. */
const mostRates = 1_000

export function taxesOf(taxes: readonly Stripe.InvoiceLineItem.Tax[] | null): InvoiceTax[] {
  return (taxes ?? []).map((tax) => ({
    amount: whole(tax.amount, 'tax'),
    taxableAmount: optionalWhole(tax.taxable_amount, 'taxable_amount'),
    behavior: tax.tax_behavior === 'inclusive' ? 'inclusive' : 'exclusive',
    reason: reasonOf(tax.taxability_reason),
    rateId: tax.tax_rate_details?.tax_rate ?? null,
    rate: null,
  }))
}

export function sumOfTaxes(taxes: readonly InvoiceTax[]): number {
  return taxes.reduce((sum, { amount }) => sum + amount, 0)
}

function reasonOf(word: string | null | undefined): TaxabilityReason {
  return taxabilityReasons.find((known) => known === word) ?? 'unknown'
}

/**
 * The percentage and the country of an applied rate. For Stripe Tax `effective_percentage` is what
 * was applied; a rate of our own has it equal to `percentage`.
 */
export function taxRateOf(response: Stripe.TaxRate): TaxRate {
  const rate = objectOf(response, 'tax_rate')
  return {
    id: text(rate.id, 'id'),
    percent: percentOf(rate.effective_percentage ?? rate.percentage),
    country: rate.country,
    displayName: text(rate.display_name, 'display_name'),
    jurisdiction: rate.jurisdiction,
  }
}

function percentOf(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError('a percentage is a number')
  return value
}

/** Whatever has taxes: an invoice or a credit note with its lines, or a preview. */
interface Taxed {
  taxes: readonly InvoiceTax[]
  lines: readonly { taxes: readonly InvoiceTax[] }[]
}

export interface TaxRates {
  /** Fills in the rates that the taxes name. A rate that is gone stays null. */
  resolve<T extends Taxed>(call: Call, taxed: T): Promise<T>
}

/** Reads each rate once: percentage and country of a rate never change. */
export function taxRates(): TaxRates {
  const known = new Map<string, TaxRate>()

  async function find({ find: read }: Call, id: string): Promise<TaxRate | undefined> {
    const before = known.get(id)
    if (before) return before
    const rate = await read(
      'GET /v1/tax_rates/:id',
      (stripe) => stripe.taxRates.retrieve(id),
      taxRateOf,
    )
    if (rate && known.size < mostRates) known.set(id, rate)
    return rate
  }

  return {
    async resolve(call, taxed) {
      const all = [...taxed.taxes, ...taxed.lines.flatMap(({ taxes }) => taxes)]
      const ids = new Set(all.flatMap(({ rateId }) => (rateId === null ? [] : [rateId])))
      if (ids.size === 0) return taxed
      const rates = new Map<string, TaxRate | undefined>()
      for (const id of ids) rates.set(id, await find(call, id))
      const filled = (taxes: readonly InvoiceTax[]) =>
        taxes.map((tax) => ({ ...tax, rate: rates.get(tax.rateId ?? '') ?? null }))
      return {
        ...taxed,
        taxes: filled(taxed.taxes),
        lines: taxed.lines.map((line) => ({ ...line, taxes: filled(line.taxes) })),
      }
    },
  }
}
