import { demoPeople, demoTenantSlugs } from '@atrium/core/demo/demo'
import type { DemoCompany, DemoHistory, HistoricPerson } from '@atrium/core/demo/demo-history'
import type { Trx } from '@atrium/db/platform/connect'
import { insertTenant } from '@atrium/db/tenants/tenants'

const demoAddress = JSON.stringify({
  line1: 'Musterstraße 2',
  line2: null,
  postalCode: '12345',
  city: 'Musterstadt',
  region: null,
})

/** The ids of what the history made, by slug. */
export interface Made {
  readonly tenants: ReadonlyMap<string, string>
  readonly partners: ReadonlyMap<string, string>
  /** By e-mail address, the demo people included. */
  readonly people: ReadonlyMap<string, string>
}

const dayMs = 86_400_000

/**
 * The records of partners, companies and their people, dated as they came. The demo tenants and
 * people must be there.
 */
export async function insertCompanies(
  trx: Trx,
  history: DemoHistory,
  tenantDomain: string,
): Promise<Made> {
  const partners = await insertPartners(trx, history)
  const people = new Map<string, string>()
  for (const { slug, staff, since } of history.partners) {
    const partnerId = partners.get(slug)
    await insertPeople(trx, people, staff, since, (person) => ({
      partner_id: partnerId,
      partner_access: person.role === 'owner' ? 'owner' : 'support',
    }))
  }
  const tenants = new Map<string, string>()
  for (const company of history.companies) {
    const id = await insertCompany(trx, company, { people, partners, tenantDomain })
    tenants.set(company.slug, id)
    await trx
      .updateTable('tenants')
      .set({
        created_at: company.since,
        updated_at: company.since,
        billing_company: company.name,
        billing_country: company.country,
        billing_address: demoAddress,
      })
      .where('id', '=', id)
      .execute()
    // Who earns from an invoice is decided by the partner of its day.
    await trx
      .updateTable('tenant_partners')
      .set({ valid_from: company.since })
      .where('tenant_id', '=', id)
      .execute()
  }
  await dateDemoRecords(trx, history)
  for (const { id, email } of await trx.selectFrom('users').select(['id', 'email']).execute())
    people.set(email, id)
  return { tenants, partners, people }
}

/** The demo tenants, their people and the catalog are as old as the history. */
async function dateDemoRecords(trx: Trx, { until, companies }: DemoHistory): Promise<void> {
  const started = new Date(Math.min(...companies.map(({ since }) => since.getTime())) - 10 * dayMs)
  const seen = { last_seen_at: new Date(until.getTime() - 20 * 3_600_000) }
  const dated = { created_at: started, updated_at: started }
  const demo = demoPeople.map(({ email }) => email)
  await trx
    .updateTable('users')
    .set({ ...dated, ...seen })
    .where('email', 'in', demo)
    .execute()
  await trx.updateTable('prices').set(dated).execute()
  const slugs = [...demoTenantSlugs]
  await trx
    .updateTable('tenants')
    .set(dated)
    .where('slug', 'in', slugs)
    .where('slug', '<>', 'acme')
    .execute()
  const tenantIds = (
    await trx.selectFrom('tenants').select('id').where('slug', 'in', slugs).execute()
  ).map(({ id }) => id)
  await trx.updateTable('memberships').set(dated).where('tenant_id', 'in', tenantIds).execute()
}

async function insertPartners(
  trx: Trx,
  { partners, until }: DemoHistory,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const partner of partners) {
    const columns = {
      name: partner.name,
      domain: partner.domain,
      margin_pct: partner.marginPct,
      created_at: partner.since,
      updated_at: partner.since,
      billing_company: partner.name,
      billing_country: partner.country,
      billing_address: demoAddress,
      billing_email: `billing@${partner.domain}`,
      contact_name: partner.name,
      contact_email: `hello@${partner.domain}`,
      self_billing_consent_at: partner.consentAt,
    }
    const { id } = await trx
      .insertInto('partners')
      .values({ slug: partner.slug, ...columns })
      .onConflict((conflict) => conflict.column('slug').doUpdateSet(columns))
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.set(partner.slug, id)
  }
  await trx
    .insertInto('partner_margins')
    .values({
      partner_id: idIn(ids, 'alster'),
      margin_pct: 18,
      effective_from: isoDay(new Date(until.getTime() + 40 * dayMs)),
      reason: 'Agreed for the next year.',
      created_at: new Date(until.getTime() - 12 * dayMs),
    })
    .execute()
  return ids
}

interface Known {
  readonly people: Map<string, string>
  readonly partners: ReadonlyMap<string, string>
  readonly tenantDomain: string
}

async function insertCompany(
  trx: Trx,
  company: DemoCompany,
  { people, partners, tenantDomain }: Known,
): Promise<string> {
  const { slug, since } = company
  const existing = await trx
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (existing) {
    // It pays by now; what it was given until then has ended.
    await trx
      .updateTable('plan_grants')
      .set({ created_at: since, revoked_at: company.sale.at })
      .where('tenant_id', '=', existing.id)
      .execute()
    return existing.id
  }
  await insertPeople(trx, people, company.people, since, () => ({}))
  const [owner, ...others] = company.people
  const inserted = await insertTenant(trx, {
    slug,
    name: company.name,
    plan: company.sale.plan,
    seats: company.sale.seats,
    industry: company.industry,
    brandColor: company.brandColor,
    partnerId: (company.partner && partners.get(company.partner)) ?? null,
    billing: {
      company: company.name,
      vatNumber: null,
      country: company.country,
      email: `billing@${slug}.test`,
    },
    domains: [`${slug}.${tenantDomain}`],
    platformDomain: tenantDomain,
    ownerId: idIn(people, owner?.email ?? ''),
  })
  if (!inserted) throw new Error(`the tenant ${slug} exists already`)
  const memberships = others.map(({ email, role }, index) => ({
    tenant_id: inserted.id,
    user_id: idIn(people, email),
    role,
    created_at: new Date(since.getTime() + (index + 1) * 5 * dayMs),
  }))
  await trx.insertInto('memberships').values(memberships).execute()
  const members = memberships.map(({ user_id }) => user_id)
  await trx
    .updateTable('users')
    .set({ home_tenant_id: inserted.id })
    .where('id', 'in', members)
    .execute()
  return inserted.id
}

async function insertPeople(
  trx: Trx,
  people: Map<string, string>,
  added: readonly HistoricPerson[],
  since: Date,
  more: (person: HistoricPerson) => {
    partner_id?: string | undefined
    partner_access?: 'owner' | 'support'
  },
): Promise<void> {
  if (added.length === 0) return
  const rows = await trx
    .insertInto('users')
    .values(
      added.map((person) => ({
        idp_subject_id: person.subject,
        email: person.email,
        name: person.name,
        last_seen_at: person.lastSeenAt,
        created_at: since,
        updated_at: since,
        ...more(person),
      })),
    )
    .returning(['id', 'email'])
    .execute()
  for (const { id, email } of rows) people.set(email, id)
}

export function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}

export function idIn(map: ReadonlyMap<string, string>, name: string): string {
  const id = map.get(name)
  if (id === undefined) throw new Error(`the history has no ${name}`)
  return id
}
