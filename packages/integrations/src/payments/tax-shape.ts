import { type TaxabilityReason, taxabilityReasons } from '@atrium/core/billing/taxes'
import type Stripe from 'stripe'
import type { Call, StripeCalls } from './client.ts'
import { everyPage, listOf } from './pages.ts'
import type { InvoiceTax, Payments, TaxRate, TaxRateInput } from './port.ts'
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

/** How the tax of one line or document reads once its rate is known. */
function withRate(tax: InvoiceTax, known: KnownRate | undefined): InvoiceTax {
  if (!known) return tax
  // Stripe gives no reason with rates of one's own. Ours say what they were made for.
  const reason = tax.reason === 'not_available' ? (known.reason ?? tax.reason) : tax.reason
  return { ...tax, reason, rate: known.rate }
}

interface KnownRate {
  rate: TaxRate
  reason: TaxabilityReason | null
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
function knownRateOf(response: Stripe.TaxRate): KnownRate {
  const rate = objectOf(response, 'tax_rate')
  return {
    rate: {
      id: text(rate.id, 'id'),
      percent: percentOf(rate.effective_percentage ?? rate.percentage),
      country: rate.country,
      displayName: text(rate.display_name, 'display_name'),
      jurisdiction: rate.jurisdiction,
    },
    reason: taxabilityReasons.find((known) => known === rate.metadata?.reason) ?? null,
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
  /** The id of a rate of our own, which is created when there is none like it. */
  ensure(call: Call, input: TaxRateInput): Promise<string>
}

/** Reads each rate once: percentage and country of a rate never change. */
export function taxRates(): TaxRates {
  const known = new Map<string, KnownRate>()
  const ours = new Map<string, string>()

  async function find({ find: read }: Call, id: string): Promise<KnownRate | undefined> {
    const before = known.get(id)
    if (before) return before
    const rate = await read(
      'GET /v1/tax_rates/:id',
      (stripe) => stripe.taxRates.retrieve(id),
      knownRateOf,
    )
    if (rate && known.size < mostRates) known.set(id, rate)
    return rate
  }

  return {
    async resolve(call, taxed) {
      const all = [...taxed.taxes, ...taxed.lines.flatMap(({ taxes }) => taxes)]
      const ids = new Set(all.flatMap(({ rateId }) => (rateId === null ? [] : [rateId])))
      if (ids.size === 0) return taxed
      const rates = new Map<string, KnownRate | undefined>()
      for (const id of ids) rates.set(id, await find(call, id))
      const filled = (taxes: readonly InvoiceTax[]) =>
        taxes.map((tax) => withRate(tax, rates.get(tax.rateId ?? '')))
      return {
        ...taxed,
        taxes: filled(taxed.taxes),
        lines: taxed.lines.map((line) => ({ ...line, taxes: filled(line.taxes) })),
      }
    },

    async ensure(call, input) {
      const key = keyOf(input)
      const before = ours.get(key)
      if (before !== undefined) return before
      const rates = await everyPage(
        (after) =>
          call.send(
            'GET /v1/tax_rates',
            (stripe) =>
              stripe.taxRates.list({
                active: true,
                limit: 100,
                ...(after !== undefined && { starting_after: after }),
              }),
            listOf,
          ),
        (rate) => objectOf(rate, 'tax_rate'),
      )
      const found = rates.find(({ metadata }) => metadata?.atrium === key)
      const id = found
        ? text(found.id, 'id')
        : await call.send(
            'POST /v1/tax_rates',
            (stripe) =>
              stripe.taxRates.create(rateParameters(input, key), {
                idempotencyKey: `tax-rate:${key}`,
              }),
            (rate) => text(objectOf(rate, 'tax_rate').id, 'id'),
          )
      if (ours.size < mostRates) ours.set(key, id)
      return id
    },
  }
}

export function taxRateCalls(
  { call }: StripeCalls,
  rates: TaxRates,
): Pick<Payments, 'ensureTaxRate'> {
  return {
    ensureTaxRate: (input, options) =>
      call('ensureTaxRate', options, (current) => rates.ensure(current, input)),
  }
}

/** Rates of our own are found again by this in their metadata. */
function keyOf({ country, percent, behavior, reason }: TaxRateInput): string {
  return `${country}:${percent}:${behavior}:${reason}`
}

function rateParameters(
  { country, percent, behavior, reason }: TaxRateInput,
  key: string,
): Stripe.TaxRateCreateParams {
  return {
    display_name: 'VAT',
    country,
    jurisdiction: country,
    percentage: percent,
    inclusive: behavior === 'inclusive',
    tax_type: 'vat',
    metadata: { atrium: key, reason },
    ...(reason === 'reverse_charge' && { description: 'Reverse charge' }),
  }
}
