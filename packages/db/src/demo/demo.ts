import { billingEngineFlag } from '@atrium/core/billing/billing'
import { demoPeople } from '@atrium/core/demo/demo'
import { type FlagSettings, offFlag } from '@atrium/core/flags/flags'
import { sql } from 'kysely'
import { insertFlag, insertFlagChange, notifyFlags } from '../flags/flags.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { insertTenant } from '../tenants/tenants.ts'
import { seedManualSubscription, seedPrices } from './demo-subscriptions.ts'

interface DemoTenant {
  slug: string
  name: string
  plan: 'business' | 'starter'
  seats: number
  industry: string
  brandColor: string
  partner: string | null
  /** Has a subscription that the payment processor knows nothing of. */
  subscribed: boolean
  members: readonly { email: string; role: 'owner' | 'admin' | 'member' }[]
}

const tenants: readonly DemoTenant[] = [
  {
    slug: 'acme',
    name: 'Acme Engineering',
    plan: 'business',
    seats: 4,
    industry: 'Manufacturing',
    brandColor: '#b4391f',
    partner: 'north',
    subscribed: false,
    members: [
      { email: 'owner@acme.test', role: 'owner' },
      { email: 'admin@acme.test', role: 'admin' },
      { email: 'member@acme.test', role: 'member' },
    ],
  },
  {
    slug: 'globex',
    name: 'Globex',
    plan: 'starter',
    seats: 5,
    industry: 'Logistics',
    brandColor: '#1f6f5c',
    partner: null,
    subscribed: true,
    members: [{ email: 'owner@globex.test', role: 'owner' }],
  },
]

const operatorEmail = 'operator@atrium.test'
const partnerStaff = {
  email: 'partner@north.test',
  partner: { slug: 'north', name: 'North Cloud Services', margin_pct: 20 },
}

/**
 * The records of the demo people and their two tenants, for a local workplace and for tests. The
 * tenants start `pending`: they are provisioned for real, like any other. Does nothing where a
 * tenant exists already. Returns the ids of the tenants it made. The subscription of one of them
 * began at `soldAt`, which is now when absent.
 */
export async function seedDemo(
  db: Db,
  tenantDomain: string,
  soldAt = new Date(),
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('seed_demo'))`.execute(trx)
    const { any } = await trx
      .selectFrom('tenants')
      .select(sql<boolean>`count(*) > 0`.as('any'))
      .executeTakeFirstOrThrow()
    if (any) return []
    const people = await seedPeople(trx)
    await seedPrices(trx)
    await seedBillingFlag(trx)
    const made: string[] = []
    for (const tenant of tenants) {
      const partner = tenant.partner ? await partnerId(trx, tenant.partner) : null
      const owner = people.get(
        tenant.members.find((member) => member.role === 'owner')?.email ?? '',
      )
      if (!owner) throw new Error(`the demo tenant ${tenant.slug} has no owner`)
      const inserted = await insertTenant(trx, {
        slug: tenant.slug,
        name: tenant.name,
        plan: tenant.plan,
        partnerId: partner,
        seats: tenant.seats,
        industry: tenant.industry,
        brandColor: tenant.brandColor,
        billing: { company: null, vatNumber: null, country: null, email: null },
        domains: [`${tenant.slug}.${tenantDomain}`],
        platformDomain: tenantDomain,
        ownerId: owner,
      })
      if (!inserted) continue
      for (const member of tenant.members) {
        const user = people.get(member.email)
        if (!user || member.role === 'owner') continue
        await trx
          .insertInto('memberships')
          .values({ tenant_id: inserted.id, user_id: user, role: member.role })
          .execute()
        await trx
          .updateTable('users')
          .set({ home_tenant_id: inserted.id })
          .where('id', '=', user)
          .execute()
      }
      if (!tenant.subscribed) await seedGrant(trx, inserted.id, tenant)
      if (tenant.subscribed)
        await seedManualSubscription(trx, inserted.id, {
          plan: tenant.plan,
          seats: tenant.seats,
          soldAt,
          now: new Date(),
        })
      made.push(inserted.id)
    }
    return made
  })
}

/**
 * What the partner gave to its customer: without it a tenant that does not pay has the free plan.
 */
async function seedGrant(trx: Trx, tenantId: string, { plan, seats }: DemoTenant): Promise<void> {
  await trx
    .insertInto('plan_grants')
    .values({ tenant_id: tenantId, plan, seats, given_by: 'partner' })
    .execute()
}

/** Everyone except the newcomer, who has never signed in. */
/**
 * Billing is open for every demo tenant; turning the flag off shows what a closed one looks like.
 */
async function seedBillingFlag(trx: Trx): Promise<void> {
  const settings: FlagSettings = {
    ...offFlag,
    description: 'Subscriptions, cards and invoices through the payment processor.',
    state: 'on',
  }
  const change = { key: billingEngineFlag, note: 'Part of the demo data.' }
  if (!(await insertFlag(trx, { ...change, salt: null, settings, updatedBy: null }))) return
  await insertFlagChange(trx, {
    ...change,
    version: 1,
    kind: 'created',
    actorId: null,
    actorEmail: null,
    before: null,
    after: settings,
  })
  await notifyFlags(trx, billingEngineFlag)
}

async function seedPeople(trx: Trx): Promise<Map<string, string>> {
  await trx
    .insertInto('partners')
    .values(partnerStaff.partner)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const north = await partnerId(trx, partnerStaff.partner.slug)
  const people = new Map<string, string>()
  for (const person of demoPeople.filter((one) => one.email !== 'newcomer@example.test')) {
    const { id } = await trx
      .insertInto('users')
      .values({
        idp_subject_id: person.subject,
        email: person.email,
        name: person.name,
        platform_admin: person.email === operatorEmail,
        partner_id: person.email === partnerStaff.email ? north : null,
        partner_access: person.email === partnerStaff.email ? 'owner' : null,
      })
      .onConflict((conflict) =>
        conflict.column('idp_subject_id').doUpdateSet({ email: person.email }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    people.set(person.email, id)
  }
  return people
}

async function partnerId(trx: Trx, slug: string): Promise<string> {
  const { id } = await trx
    .selectFrom('partners')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return id
}
