import { adminsOrOperators, membersOrOperators, type Rows, slug, type World, who } from './rows.ts'

const mailAddress = 'calendar@example.org'
/** An address on a domain of the tenant: admins can name no other one. */
const calendarOf = ({ slug: named }: World) => `calendar@${named}.tenants.local`

/** A host who is not the caller. */
async function host({
  testApp,
  slug: named,
  tenantId,
  colleague,
}: World): Promise<{ slug: string; hostId: string }> {
  const { id } = await testApp.database.db
    .insertInto('hosts')
    .values({
      tenant_id: tenantId,
      user_id: colleague,
      slug: 'colleague',
      name: 'Colleague',
      zone: 'Europe/Berlin',
      mail_address: mailAddress,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { slug: named, hostId: id }
}

/** A host who is the caller. */
async function ownHost({
  testApp,
  slug: named,
  tenantId,
  self,
  colleague,
}: World): Promise<{ slug: string; hostId: string }> {
  const { id } = await testApp.database.db
    .insertInto('hosts')
    .values({
      tenant_id: tenantId,
      user_id: self ?? colleague,
      slug: 'own',
      name: 'Own',
      zone: 'Europe/Berlin',
      mail_address: mailAddress,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { slug: named, hostId: id }
}

const range = { from: '2027-01-04T00:00:00Z', to: '2027-01-05T00:00:00Z' }
const hosts = ['member', 'admin', 'owner', 'operator'] as const
const allTold = (code: string) => ({
  ...membersOrOperators,
  ...Object.fromEntries(hosts.map((caller) => [caller, code])),
})
const adminsTold = (code: string) => ({
  ...adminsOrOperators,
  admin: code,
  owner: code,
  operator: code,
})

export const schedulingHostsRows: Rows = {
  'scheduling.hosts.list': [{ input: slug, expected: membersOrOperators }],
  'scheduling.hosts.create': [
    {
      input: (world) => ({
        ...slug(world),
        userId: world.colleague,
        zone: 'Europe/Berlin',
        mailAddress: calendarOf(world),
      }),
      expected: adminsOrOperators,
    },
    {
      input: (world) => ({
        ...slug(world),
        userId: world.self ?? world.colleague,
        zone: 'Europe/Berlin',
        mailAddress: calendarOf(world),
      }),
      // Members name an address of their own, and an operator is no member.
      expected: who(['admin', 'owner'], 'not_member', {
        member: 'invalid_input',
        operator: 'invalid_input',
      }),
    },
  ],
  'scheduling.hosts.get': [{ input: host, expected: membersOrOperators }],
  'scheduling.hosts.update': [
    {
      input: async (world) => ({ ...(await host(world)), version: 1, title: 'Adviser' }),
      expected: adminsOrOperators,
    },
    {
      input: async (world) => ({ ...(await ownHost(world)), version: 1, title: 'Adviser' }),
      expected: membersOrOperators,
    },
  ],
  'scheduling.hosts.remove': [
    { input: host, expected: adminsOrOperators },
    { input: ownHost, expected: membersOrOperators },
  ],
  'scheduling.hosts.connect': [
    {
      input: async (world) => ({ ...(await host(world)), mode: 'mint' }),
      expected: adminsTold('mailbox_missing'),
    },
  ],
  'scheduling.hosts.disconnect': [{ input: host, expected: adminsOrOperators }],
  'scheduling.hosts.check': [{ input: host, expected: adminsTold('host_not_connected') }],
  'scheduling.hosts.freeBusy': [
    {
      input: async (world) => ({ ...(await host(world)), ...range }),
      expected: allTold('host_not_connected'),
    },
  ],
  'scheduling.hosts.page': [{ input: slug, expected: membersOrOperators }],
  'scheduling.hosts.updatePage': [
    {
      input: (world) => ({ ...slug(world), version: 0, headline: 'Meet us' }),
      expected: adminsOrOperators,
    },
  ],
}
