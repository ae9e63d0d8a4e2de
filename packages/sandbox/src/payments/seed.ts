import { demoPrices } from '@atrium/core/demo/demo'
import type { PaymentsStore } from './store.ts'

/** The demo catalog, under the ids that the seed of the database knows. */
export function seedPayments(store: PaymentsStore, seed: 'demo' | 'empty', now: number): void {
  if (seed === 'empty') return
  const created = Math.floor(now / 1000)
  for (const { plan, cycle, currency, unitAmount, stripePriceId } of demoPrices) {
    const product = `atrium_plan_${plan}`
    if (!store.products.find(product)) {
      store.products.add({
        id: product,
        name: `${plan} plan`,
        metadata: { plan },
        active: true,
        created,
      })
    }
    store.prices.add({
      id: stripePriceId,
      product,
      currency,
      unitAmount,
      tiersMode: null,
      tiers: [],
      interval: cycle,
      active: true,
      lookupKey: `${plan}:${cycle}:${currency}`,
      taxBehavior: 'exclusive',
      metadata: { plan },
      created,
    })
  }
}
