import type { Trx } from '@atrium/db/platform/connect'
import { idIn } from './companies.ts'
import type { Parts } from './parts.ts'
import { dayMs, hourMs, minuteMs, operatorActor } from './parts.ts'

/** One each night; a difference that was found and repaired. */
export async function insertReconciliations(trx: Trx, { history, made }: Parts): Promise<void> {
  const nights = Array.from(
    { length: 30 },
    (_, index) =>
      new Date(history.until.getTime() - (30 - index) * dayMs + 2 * hourMs + 43 * minuteMs),
  )
  const rows = nights.map((started_at) => ({
    started_at,
    finished_at: new Date(started_at.getTime() + 6_200),
    failed: 0,
    error: null,
    tenants: history.companies.filter(({ sale }) => sale.at < started_at).length,
  }))
  const made_ = await trx
    .insertInto('billing_reconciliations')
    .values(rows)
    .returning('id')
    .execute()
  const [subscription] = await trx
    .selectFrom('subscriptions')
    .select('stripe_subscription_id as id')
    .where('tenant_id', '=', idIn(made.tenants, 'harbour-logistics'))
    .execute()
  const night = nights[18]
  await trx
    .insertInto('billing_differences')
    .values({
      reconciliation_id: made_[18]?.id ?? '',
      tenant_id: idIn(made.tenants, 'harbour-logistics'),
      object_type: 'subscription',
      object_id: subscription?.id ?? '',
      kind: 'differs',
      fields: JSON.stringify({ seats: [19, 20] }),
      repaired: true,
      ...(night && { found_at: night }),
    })
    .execute()
}

/** What operators entered for partners by hand: in the ledger where it was decided. */
export async function insertAdjustments(
  trx: Trx,
  { history, made, operator, audit }: Parts,
): Promise<void> {
  const at = new Date(history.until.getTime() - 4 * dayMs + 10 * hourMs)
  const partner_id = idIn(made.partners, 'monte')
  const reason = 'Contribution to the trade fair.'
  const { id } = await trx
    .insertInto('ledger_adjustments')
    .values({
      partner_id,
      currency: 'eur',
      amount: 15_000,
      reason,
      state: 'pending',
      requested_by: operator.id,
      created_at: at,
      decided_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  audit.by(operatorActor(operator), at, {
    action: 'ledger.adjusted',
    resourceType: 'ledger_adjustment',
    resourceId: id,
    resourceName: 'monte EUR',
    partnerSlug: 'monte',
    metadata: { amountMinor: '15000', currency: 'eur', reason, state: 'pending' },
  })
}
