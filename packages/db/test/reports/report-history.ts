import { sql } from 'kysely'
import type { Db } from '../../src/platform/connect.ts'

/** A state of a subscription, as the history keeps it. */
export interface Span {
  tenantId: string
  partnerId: string | null
  currency: string
  plan: string
  cycle: 'month' | 'year'
  status: string
  cancelAtPeriodEnd: boolean
  seats: number
  perSeat: number
  from: number
  to: number | null
}

export async function readSpans(db: Db): Promise<Span[]> {
  const { rows } = await sql<Omit<Span, 'from' | 'to'> & { from: Date; to: Date | null }>`
    select tenant_id as "tenantId", partner_id as "partnerId", currency, plan, cycle, status, cancel_at_period_end as "cancelAtPeriodEnd",
      seats, per_seat_amount as "perSeat", valid_from as "from", valid_to as "to" from subscription_history`.execute(
    db,
  )
  return rows.map((row) => ({ ...row, from: row.from.getTime(), to: row.to?.getTime() ?? null }))
}

/**
 * Counts `reports` again from the states themselves, one by one: what the sums have to agree with.
 */
export function recompute(all: readonly Span[], scope: string | null, now: number) {
  const spans = all.filter(
    (span) =>
      (scope === null || span.partnerId === scope) && span.from <= now && span.from !== span.to,
  )
  const yearly = ({ perSeat, seats, cycle }: Span) => perSeat * seats * (cycle === 'year' ? 1 : 12)
  const arrOf = (span: Span) =>
    span.status === 'active' || span.status === 'past_due' ? yearly(span) : 0
  /** In force just before a moment; a moment after now is now, with all that began by then. */
  const inForce = (at: number) =>
    spans.filter(({ from, to }) =>
      at > now ? to === null || to > now : from < at && (to === null || to >= at),
    )
  const sum = (of: readonly Span[], amount: (span: Span) => number) =>
    of.reduce((total, span) => total + amount(span), 0)
  const paying = spans.filter((span) => arrOf(span) > 0)
  const tenants = [...new Set(paying.map((span) => span.tenantId))]
  const currencies = [...new Set(paying.map((span) => span.currency))]
  const firstPaid = new Map(
    tenants.map((id) => [
      id,
      Math.min(...paying.filter((one) => one.tenantId === id).map((one) => one.from)),
    ]),
  )
  const arrAt = (at: number, tenantId: string, currency: string) =>
    sum(
      inForce(at).filter((span) => span.tenantId === tenantId && span.currency === currency),
      arrOf,
    )

  function state(at: number, keyOf: (span: Span) => string) {
    const groups = [...Map.groupBy(inForce(at), keyOf)].map(([key, of]) => {
      const paid = of.filter((span) => arrOf(span) > 0)
      const figures = {
        arr: sum(of, arrOf),
        at_risk_arr: sum(of, (span) => (span.status === 'past_due' ? arrOf(span) : 0)),
        committed_arr: sum(of, (span) => (span.cancelAtPeriodEnd ? 0 : arrOf(span))),
        trial_arr: sum(of, (span) => (span.status === 'trialing' ? yearly(span) : 0)),
        paused_arr: sum(of, (span) => (span.status === 'paused' ? yearly(span) : 0)),
        tenants: new Set(paid.map((span) => span.tenantId)).size,
        seats: sum(paid, (span) => span.seats),
      }
      return [key, figures] as const
    })
    return Object.fromEntries(
      groups.filter(([, figures]) => Object.values(figures).some((figure) => figure !== 0)),
    )
  }

  function movements(start: number, end: number) {
    const found: {
      currency: string
      tenantId: string
      movement: string
      start: number
      end: number
    }[] = []
    for (const tenantId of tenants) {
      const moves = currencies.flatMap((currency) => {
        const [a0, a1] = [arrAt(start, tenantId, currency), arrAt(end, tenantId, currency)]
        if (a0 === a1) return []
        const before = (firstPaid.get(tenantId) ?? Number.POSITIVE_INFINITY) < start
        const movement =
          a0 === 0
            ? before
              ? 'reactivation'
              : 'new'
            : a1 === 0
              ? 'churn'
              : a1 > a0
                ? 'expansion'
                : 'contraction'
        return [{ currency, tenantId, movement, start: a0, end: a1 }]
      })
      const both = ['churn', 'reactivation'].every((kind) =>
        moves.some((move) => move.movement === kind),
      )
      const switched: Record<string, string> = { churn: 'switch_out', reactivation: 'switch_in' }
      found.push(
        ...moves.map((move) => ({
          ...move,
          movement: (both && switched[move.movement]) || move.movement,
        })),
      )
    }
    return found
  }

  return { state, movements, firstPaid, currencies, arrAt, inForce, arrOf }
}
