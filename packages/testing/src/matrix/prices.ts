import { insertPrice, lockPriceVersions } from '@atrium/db/billing/prices'
import { membersPartnersOperators, operatorsOnly, type Rows, slug, type World } from './rows.ts'

const amounts = [{ currency: 'eur', unitAmount: 100 }]

function draft({ testApp }: World): Promise<string> {
  const fields = {
    ...({
      scheme: 'per_seat',
      taxBehavior: 'exclusive',
      minSeats: 1,
      maxSeats: null,
      trialDays: 0,
    } as const),
    visibleFrom: null,
    visibleUntil: null,
    partnerIds: null,
    note: null,
  }
  return testApp.database.db.transaction().execute(async (trx) => {
    await lockPriceVersions(trx, 'free', 'year')
    return insertPrice(trx, { plan: 'free', cycle: 'year', fields, amounts })
  })
}

async function onSale(world: World): Promise<string> {
  const { db } = world.testApp.database
  const id = await draft(world)
  await db
    .updateTable('prices')
    .set({ state: 'archived' })
    .where('plan', '=', 'free')
    .where('state', '=', 'active')
    .execute()
  await db.updateTable('prices').set({ state: 'active' }).where('id', '=', id).execute()
  return id
}

export const pricesRows: Rows = {
  'prices.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'prices.create': [
    { input: () => ({ plan: 'free', cycle: 'month', amounts }), expected: operatorsOnly },
  ],
  'prices.get': [{ input: async (world) => ({ id: await draft(world) }), expected: operatorsOnly }],
  'prices.update': [
    {
      input: async (world) => ({ id: await draft(world), note: 'Spring' }),
      expected: operatorsOnly,
    },
  ],
  'prices.remove': [
    { input: async (world) => ({ id: await draft(world) }), expected: operatorsOnly },
  ],
  'prices.activate': [
    { input: async (world) => ({ id: await draft(world) }), expected: operatorsOnly },
  ],
  'prices.archive': [
    {
      input: async (world) => ({ id: await onSale(world) }),
      expected: operatorsOnly,
      oneAtATime: true,
    },
  ],
  'prices.offered': [{ input: slug, expected: membersPartnersOperators }],
}
