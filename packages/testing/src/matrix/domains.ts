import {
  adminsOrOperators,
  membersOrOperators,
  type Row,
  type Rows,
  slug,
  type World,
} from './rows.ts'

const own = ({ slug: named }: World) => ({ slug: named, domain: `${named}.tenants.local` })

/** A second domain, proven, that is not the primary one. */
async function second(world: World): Promise<{ slug: string; domain: string }> {
  const domain = `${world.slug}-second.test`
  await world.testApp.database.db
    .insertInto('domains')
    .values({ tenant_id: world.tenantId, name: domain, verified_at: new Date() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return { slug: world.slug, domain }
}

const changes = (input: Row['input']): Row[] => [{ input, expected: adminsOrOperators }]
const reads = (input: Row['input']): Row[] => [{ input, expected: membersOrOperators }]

export const domainsRows: Rows = {
  'domains.list': reads(slug),
  'domains.get': reads(own),
  'domains.history': reads(own),
  'domains.add': changes((world) => ({ ...slug(world), domain: `${world.slug}-added.test` })),
  'domains.recheck': changes(own),
  'domains.setDmarc': changes((world) => ({ ...own(world), policy: 'reject' })),
  'domains.makePrimary': changes(second),
  'domains.remove': changes(second),
}
