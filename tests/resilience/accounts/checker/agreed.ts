import type { Books, LoggedObject } from './books.ts'
import { type Equal, finalized, iso, isProration, type Log, seconds } from './log.ts'
import { priceOf } from './prices.ts'

/** Nobody is charged anything else than what was shown and agreed to. */
export function checkAgreed(books: Books, log: Log, equal: Equal): void {
  const all = finalized(log)
  for (const decision of books.decisions) {
    if (decision.what === 'quoted start') {
      const { tenant, at, totalMinor, amountDueMinor } = decision
      const started = all.filter(
        (one) =>
          log.tenantOf.get(one.customer) === tenant &&
          one.billing_reason === 'subscription_create' &&
          one.created === at,
      )
      equal(
        `${tenant}, charged for the start at ${iso(at)}`,
        // A credit note of later lowers what is due.
        started.map(({ total, amount_due, pre_payment_credit_notes_amount: credited }) => [
          total,
          amount_due + credited,
        ]),
        [[totalMinor, amountDueMinor]],
      )
    }
    if (decision.what === 'asked') {
      const { tenant, at } = decision
      const charged = all.filter(
        (one) =>
          log.tenantOf.get(one.customer) === tenant &&
          ['subscription_create', 'subscription_update'].includes(one.billing_reason) &&
          one.created === at,
      )
      equal(
        `${tenant}, charged for an order that waited for the owner at ${iso(at)}`,
        charged.map(({ number }) => number),
        [],
      )
    }
    if (decision.what !== 'quoted' || !decision.exact) continue
    const { tenant, at, effect, totalMinor } = decision
    const charged = all.filter(
      (one) =>
        log.tenantOf.get(one.customer) === tenant &&
        one.billing_reason === 'subscription_update' &&
        one.created === at,
    )
    const expected = effect === 'now' && charged.length > 0 ? [totalMinor] : []
    equal(
      `${tenant}, charged for a change at ${iso(at)}`,
      charged.map(({ total }) => total),
      expected,
    )
  }
  for (const [id, states] of log.subscriptions) {
    const tenant = log.tenantOf.get(states[0]?.object.customer) ?? ''
    const agreed = books.decisions.filter((one) => one.what === 'terms' && one.tenant === tenant)
    for (const invoice of all) {
      if (invoice.parent?.subscription_details?.subscription !== id) continue
      if (invoice.billing_reason !== 'subscription_cycle') continue
      const line = invoice.lines.data.find((one: LoggedObject) => !isProration(one))
      const decision = agreed.filter(({ at }) => at < line.period.start).at(-1)
      if (decision?.what !== 'terms' || decision.terms === null) continue
      const { terms, waits } = decision
      const due = waits !== null && seconds(waits.effectiveAt) <= line.period.start
      const expected = due ? { ...terms, ...waits } : terms
      const is = priceOf(books, line.pricing.price_details.price, line.quantity)
      equal(
        `${tenant}, renewed at ${iso(line.period.start)} as`,
        [is.plan, is.cycle, line.quantity, line.amount],
        [expected.plan, expected.cycle, expected.seats, is.amount],
      )
    }
  }
}
