import type { Db, Trx } from '@atrium/db/platform/connect'
import { insertTenant, type NewTenant } from '@atrium/db/tenants/tenants'

/** Inserts a tenant of the free plan with one seat, named after its slug, but for `fields`. */
export async function insertTestTenant(
  trx: Trx,
  { slug, ...fields }: Pick<NewTenant, 'slug'> & Partial<NewTenant>,
): Promise<{ id: string; slug: string }> {
  const tenant = await insertTenant(trx, {
    slug,
    name: slug,
    plan: 'free',
    partnerId: null,
    seats: 1,
    industry: null,
    brandColor: null,
    ownerId: null,
    billing: { company: null, vatNumber: null, country: null, email: null },
    domains: [`${slug}.tenants.local`],
    platformDomain: 'tenants.local',
    ...fields,
  })
  if (!tenant) throw new Error(`the slug ${slug} is taken`)
  return tenant
}

export async function userIdOf(db: Db | Trx, email: string): Promise<string> {
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return id
}

export async function tenantIdOf(db: Db | Trx, slug: string): Promise<string> {
  const { id } = await db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return id
}

export async function partnerIdOf(db: Db | Trx, slug: string): Promise<string> {
  const { id } = await db
    .selectFrom('partners')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return id
}
