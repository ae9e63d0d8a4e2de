import type { Books } from './books.ts'
import { isOverdue } from './invoices.ts'
import { day, type Equal, finalized, finalizedAt, type Log } from './log.ts'
import { priceOf } from './prices.ts'

const ranks = ['free', 'starter', 'business', 'enterprise']

const higher = (a: string, b: string) => (ranks.indexOf(a) >= ranks.indexOf(b) ? a : b)

const lower = (a: string, b: string) => (ranks.indexOf(a) <= ranks.indexOf(b) ? a : b)

/** Plan, seats and state of each tenant at the end, by docs/reference/contract.md, entitlements. */
export function checkEntitlements(books: Books, log: Log, equal: Equal): void {
  const { graceDays, freeSeats, trial } = books.rules
  const grace = graceDays * day
  for (const { slug, status, plan, seats, billing } of books.tenants) {
    if (status === 'deleted') continue
    const own = [...log.subscriptions.values()]
      .filter(([first]) => log.tenantOf.get(first?.object.customer) === slug)
      .filter((states) =>
        states.some(
          ({ object }) =>
            !object.status.startsWith('incomplete') &&
            object.status !== 'canceled' &&
            object.status !== 'paused',
        ),
      )
      .map((states) => ({ states, last: states.at(-1)?.object }))
      .filter(({ last }) => !last.status.startsWith('incomplete'))
    const subscription =
      own.find(({ last }) => last.status !== 'canceled') ??
      own.sort((a, b) => a.last.ended_at - b.last.ended_at).at(-1)
    const grants = books.decisions.filter((one) => one.what === 'grant' && one.tenant === slug)
    const grant = grants.at(-1)
    const given = grant?.what === 'grant' && grant.plan !== 'free' ? grant : undefined
    const base = given
      ? { plan: given.plan, seats: given.seats, state: 'active' }
      : { plan: 'free', seats: freeSeats, state: 'free' }
    const debts = finalized(log)
      .filter((one) => log.tenantOf.get(one.customer) === slug && isOverdue(log, one))
      .map((one) => finalizedAt(one) ?? 0)
      .sort((a, b) => a - b)
    const owing = (provided: typeof base, since: number | undefined) =>
      since === undefined
        ? provided
        : { ...provided, state: since + grace <= log.end ? 'limited' : 'grace' }
    let expected: typeof base = owing(base, debts[0])
    if (subscription) {
      const { last, states } = subscription
      const [item] = last.items.data
      const bought = {
        plan: priceOf(books, item.price.id, item.quantity).plan,
        seats: item.quantity as number,
      }
      const inTrial = {
        plan: lower(bought.plan, trial.plan),
        seats: Math.min(bought.seats, trial.seats),
      }
      // The period that was not paid began with the first state of the stretch without payment.
      const missed = states.findLastIndex(
        ({ object }) => object.status !== 'past_due' && object.status !== 'unpaid',
      )
      const missedAt: number = states[missed + 1]?.object.items.data[0].current_period_start ?? 0
      if (last.status === 'active') expected = { ...bought, state: 'active' }
      else if (last.status === 'trialing') expected = { ...inTrial, state: 'active' }
      else if (last.status === 'past_due')
        expected = owing({ ...bought, state: 'active' }, missedAt)
      else if (last.status === 'unpaid') {
        const over = missedAt + 2 * grace <= log.end
        expected = {
          ...(over ? base : { ...bought, plan: higher(bought.plan, base.plan) }),
          state: 'limited',
        }
      } else {
        const endedAt: number =
          last.status === 'paused'
            ? (states.find(({ object }) => object.status === 'paused')?.at ?? 0)
            : last.ended_at
        const wasTrial = last.trial_end !== null && endedAt <= last.trial_end
        const held = wasTrial ? inTrial.plan : bought.plan
        // Also the free plan, if it was given.
        const newer = grant !== undefined && grant.at >= endedAt
        const keeps = !newer && endedAt + grace > log.end && higher(base.plan, held) !== base.plan
        const left = keeps ? { plan: held, seats: base.seats, state: 'grace' } : base
        expected = owing(left, debts[0])
      }
    }
    equal(
      `${slug}, entitlements`,
      [
        billing.entitlements.plan,
        billing.entitlements.seats,
        billing.entitlements.state,
        plan,
        seats,
      ],
      [expected.plan, expected.seats, expected.state, expected.plan, expected.seats],
    )
    equal(`${slug}, subscription`, billing.subscription?.status ?? null, lastStatus(log, slug))
  }
}

/** Of the subscription that runs, else of the one that began last. */
function lastStatus(log: Log, slug: string): string | null {
  const own = [...log.subscriptions.values()]
    .filter(([first]) => log.tenantOf.get(first?.object.customer) === slug)
    .map((states) => states.at(-1)?.object)
  const running = own.find(({ status }) => status !== 'canceled' && status !== 'incomplete_expired')
  return (running ?? own.at(-1))?.status ?? null
}
