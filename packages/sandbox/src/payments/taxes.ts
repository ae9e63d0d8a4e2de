import { taxOn } from './proration.ts'
import type { Buyer, Customer, Line, TaxRate } from './records.ts'
import type { PaymentsStore } from './store.ts'
import type { PaymentsWorld } from './world.ts'

/** The lines with their taxes. Each line is rounded by itself, as Stripe's default does. */
export function withTaxes(
  world: PaymentsWorld,
  customer: Customer,
  lines: readonly Line[],
): Line[] {
  const { store } = world
  if (customer.taxExempt !== 'none' || store.taxPercent === 0)
    return lines.map((line) => ({ ...line, taxes: [] }))
  const rate = flatRate(world)
  return lines.map((line) => ({
    ...line,
    taxes: [
      {
        amount: taxOn(line.amount, rate.percentage),
        taxableAmount: line.amount,
        inclusive: false,
        rate: rate.id,
        reason: 'standard_rated',
      },
    ],
  }))
}

function flatRate(world: PaymentsWorld): TaxRate {
  const { store } = world
  const id = `txr_sandbox_${String(store.taxPercent).replace('.', '_')}`
  return (
    store.taxRates.find(id) ??
    store.taxRates.add({
      id,
      displayName: 'VAT',
      percentage: store.taxPercent,
      inclusive: false,
      country: null,
      jurisdiction: null,
      taxType: 'vat',
      active: true,
      metadata: {},
      created: world.now(),
    })
  )
}

/** The customer as an invoice shows it. */
export function buyerOf(store: PaymentsStore, customer: Customer): Buyer {
  const { name, email, address, taxExempt } = customer
  const taxIds = store.taxIds
    .all()
    .filter((one) => one.customer === customer.id)
    .map(({ type, value }) => ({ type, value }))
  return { name, email, address, taxIds, taxExempt }
}
