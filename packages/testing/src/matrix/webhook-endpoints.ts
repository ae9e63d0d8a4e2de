import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { insertWebhookEndpoint } from '../webhook-endpoints.ts'
import {
  adminsOrOperators,
  type Expected,
  operatorsOnly,
  partnersOrOperators,
  type Rows,
  slug,
  type World,
  who,
} from './rows.ts'

const admins = who(['admin', 'owner'], 'not_found', {
  member: 'not_admin',
  partnerStaff: 'not_admin',
  operator: 'not_admin',
})

const created = { url: 'https://hooks.example.test/atrium' }

/**
 * The procedures of one kind of owner: `suffix` ends their names, `at` is what names the owner in a
 * call.
 */
function rowsOf(
  suffix: string,
  at: (world: World) => Record<string, unknown>,
  owner: (world: World) => TokenOwner,
  { readers, writers, removers }: Record<'readers' | 'writers' | 'removers', Expected>,
): Rows {
  const endpoint = async (world: World) => ({
    ...at(world),
    id: await insertWebhookEndpoint(world.testApp, owner(world)),
  })
  const changed = async (world: World) => ({
    ...(await endpoint(world)),
    description: 'Directory',
  })
  const since = async (world: World) => ({
    ...(await endpoint(world)),
    since: new Date(Date.now() - 60_000).toISOString(),
  })
  return {
    [`webhookEndpoints.list${suffix}`]: [{ input: at, expected: readers }],
    [`webhookEndpoints.create${suffix}`]: [
      { input: (world) => ({ ...at(world), ...created }), expected: writers },
    ],
    [`webhookEndpoints.update${suffix}`]: [{ input: changed, expected: writers }],
    [`webhookEndpoints.rotate${suffix}`]: [{ input: endpoint, expected: writers }],
    [`webhookEndpoints.remove${suffix}`]: [{ input: endpoint, expected: removers }],
    [`webhookEndpoints.deliveries${suffix}`]: [{ input: endpoint, expected: readers }],
    [`webhookEndpoints.test${suffix}`]: [{ input: endpoint, expected: writers }],
    [`webhookEndpoints.replay${suffix}`]: [{ input: since, expected: writers }],
  }
}

const all = (expected: Expected) => ({
  readers: expected,
  writers: expected,
  removers: expected,
})

export const webhookEndpointsRows: Rows = {
  ...rowsOf('', slug, ({ tenantId }) => ({ kind: 'tenant', tenantId }), {
    readers: adminsOrOperators,
    writers: admins,
    removers: adminsOrOperators,
  }),
  ...rowsOf(
    'OfPartner',
    ({ partnerSlug }) => ({ slug: partnerSlug }),
    ({ partnerId }) => ({ kind: 'partner', partnerId }),
    all(partnersOrOperators),
  ),
  ...rowsOf(
    'OfPlatform',
    () => ({}),
    () => ({ kind: 'platform' }),
    all(operatorsOnly),
  ),
}
