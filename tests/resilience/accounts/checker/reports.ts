import type { Books } from './books.ts'
import { type Equal, type Log, partnerOf, rounded, Sums, seconds } from './log.ts'
import { priceOf } from './prices.ts'

/**
 * Recurring revenue at many moments of the year, from the states that subscriptions were in then.
 */
export function checkRecurringRevenue(books: Books, log: Log, equal: Equal): void {
  for (const { partner, mrr, byPlan, growth } of books.scopes) {
    const scope = partner ?? 'all'
    for (const [index, { at, currencies }] of mrr.entries()) {
      const sums = new Sums()
      const moment = seconds(at)
      const names = new Set(currencies.map(({ currency }) => currency))
      for (const states of log.subscriptions.values()) {
        const state = states.findLast((one) => one.at < moment)?.object
        if (!state) continue
        const tenant = log.tenantOf.get(state.customer)
        if (
          partner !== null &&
          partnerOf(log, tenant, (decidedAt) => decidedAt < moment) !== partner
        )
          continue
        const [item] = state.items.data
        const price = priceOf(books, item.price.id, item.quantity)
        const yearly = price.cycle === 'year' ? price.amount : price.amount * 12n
        const add = (what: string, amount: bigint) => sums.add(`${state.currency} ${what}`, amount)
        if (state.status === 'trialing') add('trial', yearly)
        if (state.status === 'paused') add('paused', yearly)
        if (state.status !== 'active' && state.status !== 'past_due') continue
        names.add(state.currency)
        add('arr', yearly)
        if (state.status === 'past_due') add('risk', yearly)
        if (!state.cancel_at_period_end) add('committed', yearly)
        if (yearly > 0n) add('tenants', 1n)
        add('seats', yearly > 0n ? BigInt(item.quantity) : 0n)
        if (index === mrr.length - 1) add(`${price.plan} ${price.cycle}`, yearly)
      }
      const monthly = (currency: string, what: string) =>
        rounded(sums.of(`${currency} ${what}`), 12n)
      for (const currency of names) {
        const is = currencies.find((one) => one.currency === currency)
        equal(
          `recurring revenue of ${scope} in ${currency} at ${at}`,
          {
            arr: is?.arrMinor ?? 0,
            mrr: is?.mrrMinor ?? 0,
            trial: is?.trialMrrMinor ?? 0,
            tenants: is?.payingTenants ?? 0,
            seats: is?.paidSeats ?? 0,
          },
          {
            arr: sums.of(`${currency} arr`),
            mrr: monthly(currency, 'arr'),
            trial: monthly(currency, 'trial'),
            tenants: sums.of(`${currency} tenants`),
            seats: sums.of(`${currency} seats`),
          },
        )
      }
      if (index < mrr.length - 1) continue
      for (const row of byPlan)
        equal(
          `revenue of ${scope} by plan, ${row.currency} ${row.plan} ${row.cycle}`,
          row.arrMinor,
          sums.of(`${row.currency} ${row.plan} ${row.cycle}`),
        )
    }
    for (const { month, currency, startArrMinor } of growth) {
      const start = mrr.find((one) => one.at.startsWith(`${month}-01`))
      if (!start) continue
      const arr = start.currencies.find((one) => one.currency === currency)?.arrMinor ?? 0
      equal(`growth of ${scope} in ${currency}, start of ${month}`, startArrMinor, arr)
    }
  }
}
