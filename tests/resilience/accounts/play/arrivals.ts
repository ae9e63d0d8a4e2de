import { randomBytes } from 'node:crypto'
import { insertTestTenant } from '@atrium/testing/records'
import type { Person } from '../service.ts'
import { countries } from './catalog.ts'
import type { Customer, Partner, Simulation } from './simulation.ts'

/** What documents need. */
const address = { line1: 'Main Street 1', postalCode: '10115', city: 'Town' }

/** A partner signs the contract; not every one agrees to self-billing at once. */
export async function newPartner(simulation: Simulation, n: number): Promise<void> {
  const { service, random } = simulation
  const { db } = service.testApp.database
  const marginPct = random.one([20, 12.5, 33.33, 7.25]) ?? 20
  const [operator] = service.operators
  const { body } = await simulation.call('create a partner', operator, 'POST', '/partners', {
    name: `Partner ${n}`,
    slug: `partner-${n}`,
    marginPct,
  })
  const subject = randomBytes(32).toString('hex')
  await db
    .updateTable('partners')
    .set({
      billing_company: `Partner ${n}`,
      billing_country: 'DE',
      billing_vat_number: 'DE129273398',
      billing_email: `owner@partner-${n}.test`,
    })
    .where('id', '=', body.id)
    .execute()
  await db
    .insertInto('users')
    .values({
      idp_subject_id: subject,
      email: `owner@partner-${n}.test`,
      name: `Owner ${n}`,
      partner_id: body.id,
      partner_access: 'owner',
    })
    .execute()
  const owner: Person = { subject, app: 'portal' }
  const partner = { slug: body.slug, id: body.id, owner }
  const path = `/partners/${partner.slug}`
  await simulation.call('set an address', owner, 'PUT', `${path}/billing-address`, address)
  if (random.chance(0.6)) await agreeToSelfBilling(simulation, partner)
  simulation.decide({
    what: 'margin',
    partner: partner.slug,
    basisPoints: Math.round(marginPct * 100),
    from: '',
  })
  simulation.partners.push(partner)
}

export async function agreeToSelfBilling(
  simulation: Simulation,
  { slug, owner }: Partner,
): Promise<void> {
  const path = `/partners/${slug}/self-billing-consent`
  await simulation.call('consent', owner, 'POST', path, { agreed: true })
}

/** A workplace on the free plan, more often than not by a partner. */
export async function newCustomer(simulation: Simulation, n: number): Promise<void> {
  const { service, random } = simulation
  const partner = random.chance(0.6) ? random.one(simulation.partners) : undefined
  const { country, currency } = random.one(countries) ?? countries[0]
  const slug = `customer-${n}`
  const subject = randomBytes(32).toString('hex')
  const email = `owner@${slug}.test`
  const made = await service.testApp.database.db.transaction().execute(async (trx) => {
    const { id: ownerId } = await trx
      .insertInto('users')
      .values({ idp_subject_id: subject, email, name: `Owner ${n}` })
      .returning('id')
      .executeTakeFirstOrThrow()
    return insertTestTenant(trx, {
      slug,
      partnerId: partner?.id ?? null,
      seats: 5,
      ownerId,
      billing: { company: slug, vatNumber: null, country, email },
    })
  })
  const owner: Person = { subject, app: 'portal' }
  const customer: Customer = { slug, id: made.id, owner, currency, country }
  const path = `/tenants/${slug}`
  await simulation.call('set an address', owner, 'PUT', `${path}/billing-address`, address)
  if (partner) simulation.decide({ what: 'partner', tenant: slug, partner: partner.slug })
  if (country === 'FR' && random.chance(0.7)) await giveVatNumber(simulation, customer)
  simulation.customers.push(customer)
}

/** A business in another country of the EU; the register does not know every number. */
async function giveVatNumber(simulation: Simulation, { slug, owner }: Customer): Promise<void> {
  const valid = simulation.random.chance(0.7)
  const vatNumber = valid ? 'FR40303265045' : 'FR83404833048'
  const { vies } = simulation.service.testApp.sandbox
  vies.put(vatNumber, { valid })
  const path = `/tenants/${slug}/billing-info`
  const { ok } = await simulation.call('give a VAT number', owner, 'PATCH', path, { vatNumber })
  if (ok) simulation.decide({ what: 'VAT number', tenant: slug, valid })
}
