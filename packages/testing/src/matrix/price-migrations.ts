import { randomBytes, randomUUID } from 'node:crypto'
import { insertPriceMigration, updateMove } from '@atrium/db/billing/price-migrations'
import { insertPrice, lockPriceVersions, type PriceFields } from '@atrium/db/billing/prices'
import { insertSubscription } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import { insertTestTenant } from '../records.ts'
import {
  adminsOrOperators,
  membersOrOperators,
  operatorsOnly,
  type Rows,
  slug,
  type World,
} from './rows.ts'

const fields: PriceFields = {
  scheme: 'per_seat',
  taxBehavior: 'exclusive',
  minSeats: 1,
  maxSeats: null,
  trialDays: 0,
  visibleFrom: null,
  visibleUntil: null,
  partnerIds: null,
  note: null,
}

/** A price, and a newer version of it that is on sale. */
async function versions(trx: Trx) {
  await lockPriceVersions(trx, 'free', 'year')
  const amounts = [{ currency: 'eur', unitAmount: 100 }]
  const make = () => insertPrice(trx, { plan: 'free', cycle: 'year', fields, amounts })
  const [from, to] = [await make(), await make()]
  await trx
    .updateTable('prices')
    .set({ state: 'archived' })
    .where('plan', '=', 'free')
    .where('cycle', '=', 'year')
    .execute()
  await trx.updateTable('prices').set({ state: 'active' }).where('id', '=', to).execute()
  await trx
    .updateTable('price_amounts')
    .set({ stripe_price_id: `price_${to}` })
    .where('price_id', '=', to)
    .execute()
  return { from, to }
}

const subscription = (tenantId: string, priceId: string) => ({
  ...({
    tenant_id: tenantId,
    source: 'stripe',
    plan: 'free',
    cycle: 'year',
    currency: 'eur',
  } as const),
  stripe_subscription_id: `sub_${randomUUID()}`,
  price_id: priceId,
  seats: 1,
  per_seat_amount: 100,
  current_period_end: new Date(),
})

/** A price with a subscriber in a tenant of its own. */
async function priceWithSubscriber({ testApp }: World): Promise<string> {
  return testApp.database.db.transaction().execute(async (trx) => {
    const { from } = await versions(trx)
    const name = `moves-${randomBytes(6).toString('hex')}`
    const owner = await trx.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const made = await insertTestTenant(trx, { slug: name, ownerId: owner.id })
    const { id } = made
    await insertSubscription(trx, { ...subscription(id, from), status: 'active' })
    return from
  })
}

/** A migration of one announced move, of a subscription of the tenant that has ended by now. */
async function migration({ testApp, tenantId }: World) {
  return testApp.database.db.transaction().execute(async (trx) => {
    const { from, to } = await versions(trx)
    await trx
      .updateTable('price_moves')
      .set({ state: 'left' })
      .where('tenant_id', '=', tenantId)
      .execute()
    const ended = {
      ...subscription(tenantId, from),
      status: 'canceled',
      ended_at: new Date(),
    } as const
    const subscriptionId = await insertSubscription(trx, ended)
    const id = await insertPriceMigration(trx, {
      target: { priceId: to, currencies: ['eur'], minSeats: 1, maxSeats: null },
      fromPriceId: from,
      from: '2099-01-01',
      mayKeep: true,
      reason: 'Costs went up.',
      requestedBy: 'somebody',
      now: new Date(),
    })
    await trx
      .insertInto('price_moves')
      .values({
        migration_id: id,
        subscription_id: subscriptionId,
        tenant_id: tenantId,
        currency: 'eur',
        state: 'notified',
        next_at: new Date('2099-01-01'),
      })
      .execute()
    await updateMove(
      trx,
      { migrationId: id, subscriptionId },
      { old_amount: 100n, new_amount: 200n, effective_at: new Date('2099-01-01') },
    )
    return { id, subscriptionId }
  })
}

const reason = { reason: 'It was a mistake.' }
const ofMigration = (more: Record<string, unknown> = {}) => [
  {
    input: async (world: World) => ({ id: (await migration(world)).id, ...more }),
    expected: operatorsOnly,
  },
]

export const priceMigrationsRows: Rows = {
  'priceMigrations.preview': [
    {
      input: async (world) => ({ id: await priceWithSubscriber(world) }),
      expected: operatorsOnly,
      oneAtATime: true,
    },
  ],
  'priceMigrations.start': [
    {
      input: async (world) => ({
        id: await priceWithSubscriber(world),
        from: '2099-01-01',
        ...reason,
      }),
      expected: operatorsOnly,
      oneAtATime: true,
    },
  ],
  'priceMigrations.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'priceMigrations.get': ofMigration(),
  'priceMigrations.subscribers': ofMigration({ limit: 1 }),
  'priceMigrations.stop': ofMigration(reason),
  'priceMigrations.stopSubscriber': [
    {
      input: async (world) => ({ ...(await migration(world)), ...reason }),
      expected: operatorsOnly,
      oneAtATime: true,
    },
  ],
  'priceMigrations.coming': [{ input: slug, expected: membersOrOperators }],
  'priceMigrations.keep': [
    {
      input: async (world) => {
        await migration(world)
        return slug(world)
      },
      expected: adminsOrOperators,
      oneAtATime: true,
    },
  ],
}
