import { type Rows, slug, type World, who } from './rows.ts'

/** A mailbox for the caller, where the caller is a member. */
async function withMailbox({ testApp, tenantId, self }: World): Promise<void> {
  if (!self) return
  await testApp.database.db
    .updateTable('memberships')
    .set({ mailbox_address: `${self}@example.test` })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', self)
    .execute()
}

export const mailProfileRows: Rows = {
  'mailProfile.get': [
    {
      input: slug,
      expected: who([], 'not_member', {
        member: 'not_found',
        admin: 'not_found',
        owner: 'not_found',
        operator: 'not_found',
      }),
    },
    {
      input: async (world) => {
        await withMailbox(world)
        return slug(world)
      },
      expected: who(['member', 'admin', 'owner'], 'not_member', { operator: 'not_found' }),
    },
  ],
}
