import { insertWebhookEndpoint } from '../webhook-endpoints.ts'
import { adminsOrOperators, type Rows, slug, type World, who } from './rows.ts'

const admins = who(['admin', 'owner'], 'not_found', {
  member: 'not_admin',
  partnerStaff: 'not_admin',
  operator: 'not_admin',
})

const endpoint = async (world: World) => ({
  ...slug(world),
  id: await insertWebhookEndpoint(world.testApp, { kind: 'tenant', tenantId: world.tenantId }),
})

export const webhookEndpointsRows: Rows = {
  'webhookEndpoints.list': [{ input: slug, expected: adminsOrOperators }],
  'webhookEndpoints.create': [
    {
      input: (world) => ({ ...slug(world), url: 'https://hooks.example.test/atrium' }),
      expected: admins,
    },
  ],
  'webhookEndpoints.update': [
    {
      input: async (world) => ({ ...(await endpoint(world)), description: 'Directory' }),
      expected: admins,
    },
  ],
  'webhookEndpoints.rotate': [{ input: endpoint, expected: admins }],
  'webhookEndpoints.remove': [{ input: endpoint, expected: adminsOrOperators }],
  'webhookEndpoints.deliveries': [{ input: endpoint, expected: adminsOrOperators }],
  'webhookEndpoints.test': [{ input: endpoint, expected: admins }],
  'webhookEndpoints.replay': [
    {
      input: async (world) => ({
        ...(await endpoint(world)),
        since: new Date(Date.now() - 60_000).toISOString(),
      }),
      expected: admins,
    },
  ],
}
