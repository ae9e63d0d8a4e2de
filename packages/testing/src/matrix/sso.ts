import { randomBytes } from 'node:crypto'
import { adminsOrOperators, membersOrOperators, type Rows, slug, type World } from './rows.ts'

/**
 * The tenants of the matrix are not provisioned: a group of theirs has to be there before an
 * application can be bound to it.
 */
async function withGroup({ testApp, slug: name, tenantId }: World) {
  const { identity } = testApp.app.services.systems
  if (!identity) throw new Error('the test app has no identity provider')
  const group = await identity.ensureGroup({ name, attributes: { tenant: name } })
  await testApp.database.db
    .updateTable('tenants')
    .set({ identity_group_id: group.id })
    .where('id', '=', tenantId)
    .execute()
}

async function storedApp({ testApp, tenantId }: World): Promise<string> {
  const { id } = await testApp.database.db
    .insertInto('sso_apps')
    .values({
      tenant_id: tenantId,
      name: `Stored ${randomBytes(6).toString('hex')}`,
      slug: `stored-${randomBytes(6).toString('hex')}`,
      state: 'active',
      provider_id: '999999',
      client_id: randomBytes(20).toString('hex'),
      redirect_uris: ['https://app.example.test/callback'],
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const ssoRows: Rows = {
  'sso.list': [{ input: slug, expected: membersOrOperators }],
  'sso.create': [
    {
      input: async (world) => {
        await withGroup(world)
        return { ...slug(world), name: 'App', redirectUris: ['https://app.example.test/callback'] }
      },
      expected: adminsOrOperators,
    },
  ],
  'sso.remove': [
    {
      input: async (world) => ({ ...slug(world), appId: await storedApp(world) }),
      expected: adminsOrOperators,
    },
  ],
}
