import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp } from '../src/clean-up.ts'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

const day = 86_400_000
let now = Date.now()
let testApp: PartnersTestApp
beforeAll(async () => {
  testApp = await startPartnersTestApp({
    clock: { now: () => new Date(now) },
    env: { PORTAL_URL: 'https://portal.test', LIMITS: 'transfer_attempts_hour=1000' },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** A partner with a contact address and the subject of a manager. */
async function newPartner(fields: Record<string, unknown> = {}) {
  const partner = await testApp.newPartner(fields)
  await testApp.database.db
    .updateTable('partners')
    .set({ contact_email: `contact@${partner.slug}.test` })
    .where('id', '=', partner.id)
    .execute()
  const manager = await testApp.newPerson({ partnerId: partner.id, access: 'manager' })
  return { ...partner, subject: manager.subject, contact: `contact@${partner.slug}.test` }
}

/** A tenant, with its owner's subject and address. */
async function newCustomer(partnerId: string | null = null) {
  const tenant = await testApp.newCustomer(partnerId)
  const owner = await testApp.database.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.idp_subject_id as subject', 'u.email'])
    .where('m.tenant_id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  return { ...tenant, ...owner }
}

type Customer = Awaited<ReturnType<typeof newCustomer>>
type Partner = Awaited<ReturnType<typeof newPartner>>

/** The call of a person, whose token is signed again because tests move the clock. */
const as = async ({ subject }: { subject: string }, method: string, path: string, body?: object) =>
  testApp.call(method, path, body, await testApp.tokenOf(subject))

async function newCode(customer: Customer): Promise<string> {
  const { status, body } = await as(customer, 'POST', `/tenants/${customer.slug}/transfer-code`)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.code
}
const take = (partner: Partner, code: string) =>
  as(partner, 'POST', `/partners/${partner.slug}/transfers`, { code })
const preview = (partner: Partner, code: string) =>
  as(partner, 'POST', `/partners/${partner.slug}/transfers/preview`, { code })
const leave = (customer: Customer) => as(customer, 'DELETE', `/tenants/${customer.slug}/partner`)

const partnerOf = async ({ id }: { id: string }) =>
  (
    await testApp.database.db
      .selectFrom('tenants')
      .select('partner_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).partner_id

const mailsTo = async (address: string) =>
  (
    await testApp.database.db
      .selectFrom('outbox')
      .select('template')
      .where('recipient', '=', address)
      .orderBy('id')
      .execute()
  ).map(({ template }) => template)

async function auditOf(query: string) {
  const { body } = await testApp.call('GET', `/audit?${query}&action=partner_transfer.`)
  return body.items.map(({ action }: { action: string }) => action).reverse()
}

describe('a transfer code', () => {
  it('brings the customer to the partner that has it, once', async () => {
    const [partner, other, customer] = [await newPartner(), await newPartner(), await newCustomer()]
    const code = await newCode(customer)
    expect(code).toMatch(/^[\w-]{43}$/)
    const path = `/tenants/${customer.slug}/transfer-code`
    const shown = await as(customer, 'GET', path)
    expect(shown.body).toMatchObject({ createdBy: customer.email })
    expect(shown.body).not.toHaveProperty('code')

    const offer = await preview(partner, code)
    expect(offer.status, JSON.stringify(offer.body)).toBe(200)
    expect(offer.body).toMatchObject({
      tenant: { slug: customer.slug, name: customer.slug },
      managedElsewhere: false,
    })
    expect(await partnerOf(customer)).toBeNull()

    const taken = await take(partner, code)
    expect(taken.status, JSON.stringify(taken.body)).toBe(200)
    expect(await partnerOf(customer)).toBe(partner.id)
    expect((await take(other, code)).body.code).toBe('not_found')
    expect((await as(customer, 'GET', path)).body).toBeNull()
    expect(await mailsTo(customer.email)).toEqual(['tenant.partner_changed'])
    const log = ['partner_transfer.code_created', 'partner_transfer.accepted']
    expect(await auditOf(`tenantSlug=${customer.slug}`)).toEqual(log)
    expect(await auditOf(`partnerSlug=${partner.slug}`)).toEqual(['partner_transfer.accepted'])
  })

  it('takes the customer from its former partner, whose access ends at once', async () => {
    const [from, to] = [await newPartner(), await newPartner()]
    const customer = await newCustomer(from.id)
    const customers = (partner: Partner) =>
      as(partner, 'GET', `/partners/${partner.slug}/customers`)
    expect((await customers(from)).body.items).toHaveLength(1)
    const code = await newCode(customer)
    expect((await preview(to, code)).body).toMatchObject({ managedElsewhere: true })
    expect((await preview(from, code)).body.code).toBe('already_exists')
    expect((await take(to, code)).status).toBe(200)
    expect((await customers(from)).body.items).toEqual([])
    expect((await customers(to)).body.items).toHaveLength(1)
    const read = await as(from, 'GET', `/tenants/${customer.slug}`)
    expect(read.status).toBe(404)
    expect(await mailsTo(from.contact)).toEqual(['partner.customer_left'])
    expect(await auditOf(`partnerSlug=${from.slug}`)).toEqual(['partner_transfer.left'])
  })

  it('goes to one of eight partners that use it at once', async () => {
    const customer = await newCustomer()
    const partners = await Promise.all(Array.from({ length: 8 }, () => newPartner()))
    const code = await newCode(customer)
    const taken = await Promise.all(partners.map((partner) => take(partner, code)))
    const statuses = taken.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 404)])
    const winner = partners[taken.findIndex(({ status }) => status === 200)]
    expect(await partnerOf(customer)).toBe(winner?.id)
    expect(await mailsTo(customer.email)).toEqual(['tenant.partner_changed'])
  })

  it('is void once it was replaced, revoked, expired, or the tenant deleted', async () => {
    const [partner, customer] = [await newPartner(), await newCustomer()]
    const path = `/tenants/${customer.slug}/transfer-code`
    const replaced = await newCode(customer)
    const revoked = await newCode(customer)
    expect((await take(partner, replaced)).status).toBe(404)
    expect((await as(customer, 'DELETE', path)).status).toBe(204)
    expect((await take(partner, revoked)).status).toBe(404)
    expect((await as(customer, 'DELETE', path)).status).toBe(404)

    const expired = await newCode(customer)
    now += 7 * day
    expect((await preview(partner, expired)).status).toBe(404)
    await cleanUp(testApp.app.services)
    const kept = testApp.database.db.selectFrom('partner_transfers').select('tenant_id')
    expect(await kept.where('tenant_id', '=', customer.id).execute()).toEqual([])

    const last = await newCode(customer)
    const deleted = await as(customer, 'DELETE', `/tenants/${customer.slug}`, {})
    expect(deleted.status, JSON.stringify(deleted.body)).toBe(204)
    expect((await take(partner, last)).status).toBe(404)
    expect(await partnerOf(customer)).toBeNull()
  })

  it('is not made by an admin, nor used by staff that only reads', async () => {
    const [partner, customer] = [await newPartner(), await newCustomer()]
    const admin = await testApp.newPerson()
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: customer.id, user_id: admin.id, role: 'admin', status: 'active' })
      .execute()
    const path = `/tenants/${customer.slug}/transfer-code`
    expect((await as(admin, 'POST', path)).body.code).toBe('not_owner')
    const code = await newCode(customer)
    const viewer = await testApp.newPerson({ partnerId: partner.id, access: 'viewer' })
    const asViewer = await take({ ...partner, subject: viewer.subject }, code)
    expect(asViewer.body.code).toBe('access_level')
    expect(await partnerOf(customer)).toBeNull()
  })

  it('stays valid when the partner is suspended or the tenant is', async () => {
    const [resting, partner] = [await newPartner({ status: 'suspended' }), await newPartner()]
    const customer = await newCustomer()
    const code = await newCode(customer)
    expect((await take(resting, code)).body.code).toBe('partner_suspended')
    await testApp.call('POST', `/tenants/${customer.slug}/suspend`, {})
    expect((await take(partner, code)).body.code).toBe('tenant_suspended')
    await testApp.call('POST', `/tenants/${customer.slug}/resume`, {})
    expect((await take(partner, code)).status).toBe(200)
  })

  it('is stored as its hash alone', async () => {
    const customer = await newCustomer()
    const code = await newCode(customer)
    const rows = await testApp.database.db
      .selectFrom('partner_transfers')
      .selectAll()
      .where('tenant_id', '=', customer.id)
      .execute()
    expect(JSON.stringify(rows)).not.toContain(code)
    const { body } = await testApp.call('GET', `/audit?tenantSlug=${customer.slug}`)
    expect(JSON.stringify(body)).not.toContain(code)
  })
})

describe('the owner of a managed tenant', () => {
  it('leaves the partner, who hears of it and loses access', async () => {
    const partner = await newPartner()
    const customer = await newCustomer(partner.id)
    expect((await leave(customer)).status).toBe(204)
    expect(await partnerOf(customer)).toBeNull()
    const read = await as(partner, 'GET', `/tenants/${customer.slug}`)
    expect(read.status).toBe(404)
    expect(await mailsTo(partner.contact)).toEqual(['partner.customer_left'])
    expect(await mailsTo(customer.email)).toEqual(['tenant.partner_changed'])
    expect(await auditOf(`partnerSlug=${partner.slug}`)).toEqual(['partner_transfer.left'])
    expect((await leave(customer)).body.code).toBe('partner_unavailable')
  })

  it('cannot leave while suspended', async () => {
    const partner = await newPartner()
    const customer = await newCustomer(partner.id)
    await as(partner, 'POST', `/tenants/${customer.slug}/suspend`, {})
    expect((await leave(customer)).body.code).toBe('tenant_suspended')
    expect(await partnerOf(customer)).toBe(partner.id)
  })

  it('hears of a partner that an operator attached or detached', async () => {
    const [partner, customer] = [await newPartner(), await newCustomer()]
    const attach = (partnerId: string | null) =>
      testApp.call('PATCH', `/tenants/${customer.slug}`, { partnerId })
    const code = await newCode(customer)
    expect((await attach(partner.id)).status).toBe(200)
    expect(await mailsTo(customer.email)).toEqual(['tenant.partner_changed'])
    expect((await take(await newPartner(), code)).status).toBe(404)
    expect((await attach(partner.id)).status).toBe(200)
    expect(await mailsTo(customer.email)).toHaveLength(1)
    expect((await attach(null)).status).toBe(200)
    expect(await mailsTo(customer.email)).toHaveLength(2)
    expect(await mailsTo(partner.contact)).toEqual(['partner.customer_left'])
  })
})
