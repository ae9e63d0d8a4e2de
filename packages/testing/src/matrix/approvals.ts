import { findPendingApproval, insertApproval } from '@atrium/db/billing/approvals'
import { lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import { type Rows, readers, slug, type World, who } from './rows.ts'

/** What the partner of the tenant under test asked for: three seats of the starter plan. */
export async function approval({ testApp, tenantId, partnerId }: World): Promise<string> {
  const { db } = testApp.database
  const price = await db
    .selectFrom('prices as p')
    .innerJoin('price_amounts as a', 'a.price_id', 'p.id')
    .select(['p.id', 'a.unit_amount as unitAmount'])
    .where('p.plan', '=', 'starter')
    .where('p.cycle', '=', 'month')
    .where('p.state', '=', 'active')
    .where('a.currency', '=', 'eur')
    .executeTakeFirstOrThrow()
  const now = testApp.app.services.clock.now()
  const total = Number(price.unitAmount) * 3
  return db.transaction().execute(async (trx) => {
    await lockSubscriptionsOf(trx, tenantId)
    const there = await findPendingApproval(trx, tenantId)
    if (there) return there.id
    return insertApproval(trx, {
      tenantId,
      partnerId,
      kind: 'start',
      status: 'pending',
      currency: 'eur',
      before: null,
      after: { plan: 'starter', cycle: 'month', seats: 3, totalMinor: total },
      priceId: price.id,
      addedAmount: BigInt(total),
      requestedBy: null,
      requestedAt: now,
      expiresAt: new Date(now.getTime() + 86_400_000),
    })
  })
}

const seesTenant = who(
  readers.filter((caller) => caller !== 'member'),
  'not_found',
  { member: 'not_admin' },
)
const owners = who(['owner', 'operator'], 'not_found', {
  member: 'not_owner',
  admin: 'not_owner',
  partnerStaff: 'not_owner',
})
const asked = async (world: World) => ({ slug: world.slug, id: await approval(world) })

export const approvalsRows: Rows = {
  'approvals.list': [{ input: slug, expected: seesTenant }],
  'approvals.approve': [
    { input: async (world) => ({ ...(await asked(world)), version: 1 }), expected: owners },
  ],
  'approvals.decline': [{ input: asked, expected: owners }],
  'approvals.getLimit': [{ input: slug, expected: seesTenant }],
  'approvals.setLimit': [
    {
      input: (world) => ({ slug: world.slug, currency: 'eur', amountMinor: 10_000 }),
      expected: owners,
    },
  ],
  'approvals.removeLimit': [{ input: slug, expected: owners }],
}
