import { randomBytes } from 'node:crypto'
import { adminsOrOperators, membersOrOperators, type Rows, slug, type World } from './rows.ts'

async function withList({
  testApp,
  slug: name,
  tenantId,
}: World): Promise<{ slug: string; listId: string }> {
  const { id } = await testApp.database.db
    .insertInto('mail_lists')
    .values({
      tenant_id: tenantId,
      address: `team-${randomBytes(4).toString('hex')}@${name}.tenants.local`,
      name: 'Team',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await testApp.database.db
    .insertInto('mail_list_recipients')
    .values({ list_id: id, address: 'anna@elsewhere.example' })
    .execute()
  return { slug: name, listId: id }
}

export const listsRows: Rows = {
  'lists.list': [{ input: slug, expected: membersOrOperators }],
  'lists.get': [{ input: withList, expected: membersOrOperators }],
  'lists.create': [
    {
      input: (world) => ({
        ...slug(world),
        address: 'team',
        name: 'Team',
        recipients: ['anna@elsewhere.example'],
      }),
      expected: adminsOrOperators,
    },
  ],
  'lists.update': [
    {
      input: async (world) => ({ ...(await withList(world)), name: 'Crew' }),
      expected: adminsOrOperators,
    },
  ],
  'lists.remove': [{ input: withList, expected: adminsOrOperators }],
  'lists.retry': [{ input: withList, expected: adminsOrOperators }],
}
