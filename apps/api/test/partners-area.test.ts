import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PartnersTestApp, type Person, startPartnersTestApp } from './partners-test-app.ts'

let testApp: PartnersTestApp
let partner: { id: string; slug: string }
let manager: Person
beforeAll(async () => {
  testApp = await startPartnersTestApp()
  partner = await testApp.newPartner()
  manager = await testApp.newPerson({ partnerId: partner.id, access: 'manager' })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const call = (method: string, path: string, body?: object) =>
  testApp.call(method, `/partners/${partner.slug}${path}`, body, manager.token)
async function lastAudit(action: string) {
  return (await testApp.call('GET', `/audit?partnerSlug=${partner.slug}&action=${action}`)).body
    .items[0]
}

describe('customers', () => {
  it('are listed with what a partner runs them by, searched, filtered and paged', async () => {
    const own = await testApp.newPartner()
    const { token } = await testApp.newPerson({ partnerId: own.id, access: 'viewer' })
    const list = async (query = '') =>
      (await testApp.call('GET', `/partners/${own.slug}/customers?${query}`, undefined, token)).body
    const slugs = [
      (await testApp.newCustomer(own.id)).slug,
      (await testApp.newCustomer(own.id, { plan: 'business', seats: 5 })).slug,
    ]
    await testApp.newCustomer(null)
    const { items } = await list()
    expect(items.map((item: { slug: string }) => item.slug)).toEqual([...slugs].reverse())
    expect(items[0]).toMatchObject({
      plan: 'business',
      seats: 5,
      members: 1,
      status: 'pending',
      mrr: [],
      suspendedReason: null,
      health: { band: expect.any(String) },
      owner: { email: expect.any(String) },
      primaryDomain: `${slugs[1]}.tenants.local`,
    })
    const first = await list('limit=1')
    expect(await list(`limit=1&cursor=${first.nextCursor}`)).toMatchObject({
      items: [{ slug: slugs[0] }],
      nextCursor: null,
    })
    expect((await list(`q=${slugs[0]}`)).items).toHaveLength(1)
    await testApp.call('DELETE', `/tenants/${slugs[0]}`)
    expect((await list()).items).toHaveLength(1)
    expect((await list('status=deleted')).items).toMatchObject([{ slug: slugs[0] }])
  })

  it('are changed, suspended with a reason and resumed, on the record of partner and tenant', async () => {
    const { slug } = await testApp.newCustomer(partner.id)
    const path = `/customers/${slug}`
    expect(
      await call('PATCH', path, {
        plan: 'starter',
        seats: 12,
        name: 'Renamed',
        industry: 'Law',
        brandColor: '#AA0000',
      }),
    ).toMatchObject({
      status: 200,
      body: {
        plan: 'starter',
        seats: 12,
        name: 'Renamed',
        industry: 'Law',
        brandColor: '#aa0000',
      },
    })
    expect(await lastAudit('tenant.updated')).toMatchObject({
      actorType: 'partner',
      tenantSlug: slug,
      actorEmail: manager.email,
    })
    expect(await call('POST', `${path}/suspend`, { reason: 'Unpaid' })).toMatchObject({
      status: 200,
      body: { status: 'suspended', suspendedReason: 'Unpaid' },
    })
    expect(await call('POST', `${path}/suspend`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_suspended' },
    })
    expect(await lastAudit('tenant.suspended')).toMatchObject({
      metadata: { reason: 'Unpaid' },
      tenantSlug: slug,
    })
    expect(await call('POST', `${path}/resume`, {})).toMatchObject({
      status: 200,
      body: { suspendedReason: null },
    })
    expect(await call('POST', `${path}/resume`, {})).toMatchObject({
      status: 409,
      body: { code: 'not_suspended' },
    })
    for (const body of [
      {},
      { seats: -1 },
      { seats: 1.5 },
      { plan: 'gold' },
      { domains: ['a.test'] },
      { brandColor: 'red' },
    ])
      expect(await call('PATCH', path, body), JSON.stringify(body)).toMatchObject({ status: 400 })
  })

  it('made by the staff belong to the partner and begin with what its settings say', async () => {
    await call('PATCH', '/settings', { defaultPlan: 'business', defaultSeats: 25 })
    const made = await testApp.call(
      'POST',
      '/tenants',
      { name: 'Made by staff', respondAsync: true },
      manager.token,
    )
    expect(made.body).toMatchObject({ partnerSlug: partner.slug, plan: 'business', seats: 25 })
    const chosen = await testApp.call(
      'POST',
      '/tenants',
      { name: 'Made by staff', seats: 1, plan: 'free', respondAsync: true },
      manager.token,
    )
    expect(chosen.body).toMatchObject({ plan: 'free', seats: 1 })
    await call('PATCH', '/settings', { defaultPlan: null, defaultSeats: null })
  })
})

describe('settings', () => {
  it('keep what is given, go back to the standard with null, and are recorded', async () => {
    const fields = {
      supportEmail: 'HELP@example.test',
      supportPhone: '+49 30 1234',
      supportUrl: 'https://help.example.test/',
      noticeEmail: 'a@example.test',
    }
    expect((await call('PATCH', '/settings', fields)).body).toMatchObject({
      ...fields,
      supportEmail: 'help@example.test',
      defaultPlan: 'free',
    })
    expect((await call('PATCH', '/settings', { supportPhone: null })).body).toMatchObject({
      supportPhone: null,
      supportUrl: fields.supportUrl,
    })
    expect((await call('GET', '/settings')).body).toMatchObject({
      supportEmail: 'help@example.test',
      supportPhone: null,
      defaultSeats: 0,
    })
    expect(await lastAudit('partner_settings.updated')).toMatchObject({
      metadata: { changes: { supportPhone: ['+49 30 1234', null] } },
    })
  })

  it('tell the people of a customer whom to turn to, and strangers nothing', async () => {
    const { id, slug } = await testApp.newCustomer(partner.id)
    const member = await testApp.newPerson()
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: id, user_id: member.id, role: 'member' })
      .execute()
    await call('PATCH', '/settings', {
      supportEmail: 'help@example.test',
      supportUrl: null,
      supportPhone: null,
    })
    const support = (token: string) =>
      testApp.call('GET', `/tenants/${slug}/support`, undefined, token)
    const shown = {
      name: partner.slug,
      supportEmail: 'help@example.test',
      supportPhone: null,
      supportUrl: null,
    }
    expect((await support(member.token)).body).toEqual({ partner: shown })
    expect(await support((await testApp.newPerson()).token)).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    await testApp.call('PATCH', `/tenants/${slug}`, { partnerId: null })
    expect((await support(member.token)).body).toEqual({ partner: null })
  })

  it.each([
    {},
    { supportUrl: 'http://help.example.test' },
    { supportUrl: 'javascript:alert(1)' },
    { supportEmail: 'x' },
    { defaultSeats: -1 },
    { theme: 1 },
  ])('refuse %j', async (body) => {
    expect(await call('PATCH', '/settings', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
  })

  it('of two people who change different fields at once both stand', async () => {
    await Promise.all([
      call('PATCH', '/settings', { supportEmail: 'one@example.test' }),
      call('PATCH', '/settings', { noticeEmail: 'two@example.test' }),
    ])
    expect((await call('GET', '/settings')).body).toMatchObject({
      supportEmail: 'one@example.test',
      noticeEmail: 'two@example.test',
    })
  })
})

describe('branding', () => {
  it('says what is used where nothing is set, and warns of colours that are hard to see', async () => {
    expect((await call('GET', '/branding')).body).toMatchObject({
      productName: null,
      accentColor: null,
      warnings: [],
      effective: { productName: partner.slug, accentColor: '#1f6feb' },
    })
    const { body } = await call('PUT', '/branding', {
      productName: 'North Workplace',
      accentColor: '#FFFF00',
    })
    expect(body).toMatchObject({
      productName: 'North Workplace',
      accentColor: '#ffff00',
      effective: { productName: 'North Workplace', accentColor: '#ffff00' },
      warnings: [{ check: 'light_page' }],
    })
    expect(await lastAudit('branding.updated')).toMatchObject({
      resourceType: 'partner',
      metadata: { changes: { productName: [null, 'North Workplace'] } },
    })
    expect((await call('PUT', '/branding', { accentColor: null })).body).toMatchObject({
      accentColor: null,
      productName: 'North Workplace',
    })
  })

  it('stands for customers that have set none', async () => {
    const { slug } = await testApp.newCustomer(partner.id)
    await call('PUT', '/branding', { productName: 'North Workplace', accentColor: '#0a5c36' })
    const effective = async () =>
      (await testApp.call('GET', `/tenants/${slug}/branding`)).body.effective
    expect(await effective()).toMatchObject({
      productName: 'North Workplace',
      accentColor: '#0a5c36',
    })
    await testApp.call('PATCH', `/tenants/${slug}`, { brandColor: '#112233' })
    await testApp.call('PUT', `/tenants/${slug}/branding`, { productName: 'Own' })
    expect(await effective()).toMatchObject({ productName: 'Own', accentColor: '#112233' })
    await testApp.call('PATCH', `/tenants/${slug}`, { partnerId: null, brandColor: null })
    await testApp.call('PUT', `/tenants/${slug}/branding`, { productName: null })
    expect(await effective()).toMatchObject({ productName: slug, accentColor: '#1f6feb' })
  })

  it.each([
    {},
    { accentColor: 'yellow' },
    { logoUrl: 'https://north.test/logo.svg' },
    { productName: '' },
  ])('refuses %j', async (body) => {
    expect(await call('PUT', '/branding', body)).toMatchObject({ status: 400 })
  })
})

describe('saved reports', () => {
  it('are kept with parameters, listed by name, and deleted', async () => {
    const kept = await call('POST', '/saved-reports', {
      name: 'zebra',
      kind: 'top-customers',
      params: { limit: 5, currency: 'EUR' },
    })
    expect(kept).toMatchObject({
      status: 201,
      body: { name: 'zebra', kind: 'top-customers', createdBy: { id: manager.id, name: 'Person' } },
    })
    await call('POST', '/saved-reports', {
      name: 'Alpha',
      kind: 'signup-cohorts',
      params: { from: '2027-01', to: '2027-06' },
    })
    expect(
      (await call('GET', '/saved-reports')).body.items.map(({ name }: { name: string }) => name),
    ).toEqual(['Alpha', 'zebra'])
    expect(await call('POST', '/saved-reports', { name: 'ZEBRA', kind: 'mrr' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists', issues: [{ path: 'name' }] },
    })
    expect(await lastAudit('partner.report_saved')).toMatchObject({
      metadata: { name: 'Alpha', kind: 'signup-cohorts' },
    })
    expect(await call('DELETE', `/saved-reports/${kept.body.id}`)).toMatchObject({ status: 204 })
    expect(await call('DELETE', `/saved-reports/${kept.body.id}`)).toMatchObject({ status: 404 })
    expect(await lastAudit('partner.report_deleted')).toMatchObject({ metadata: { name: 'zebra' } })
  })

  it.each([
    [{ name: 'A', kind: 'profit' }, 'kind'],
    [{ name: '', kind: 'mrr' }, 'name'],
    [{ name: 'A', kind: 'mrr', params: { limit: 3 } }, 'params.limit'],
    [{ name: 'A', kind: 'top-customers', params: { limit: 0 } }, 'params.limit'],
    [{ name: 'A', kind: 'churn-cohorts', params: { from: '2027-13' } }, 'params.from'],
    [{ name: 'A', kind: 'health', params: { band: 'fine' } }, 'params.band'],
    [{ name: 'A', kind: 'mrr', params: 'all' }, 'params'],
  ])('refuse %j', async (body, path) => {
    const response = await call('POST', '/saved-reports', body)
    expect(response).toMatchObject({ status: 400 })
    expect(response.body.issues[0].path).toContain(path)
  })

  it('of one partner are none of another', async () => {
    const { body } = await call('POST', '/saved-reports', { name: 'Private', kind: 'mrr' })
    const other = await testApp.newPartner()
    const { token } = await testApp.newPerson({ partnerId: other.id, access: 'owner' })
    expect(
      await testApp.call(
        'DELETE',
        `/partners/${other.slug}/saved-reports/${body.id}`,
        undefined,
        token,
      ),
    ).toMatchObject({
      status: 404,
    })
    expect((await call('GET', '/saved-reports')).body.items).toHaveLength(2)
  })

  it('are at most a hundred, also when several are saved at once', async () => {
    const full = await testApp.newPartner()
    const values = Array.from({ length: 98 }, (_, n) => ({
      partner_id: full.id,
      name: `Report ${n}`,
      kind: 'mrr' as const,
    }))
    await testApp.database.db.insertInto('saved_reports').values(values).execute()
    const { token } = await testApp.newPerson({ partnerId: full.id, access: 'owner' })
    const responses = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        testApp.call(
          'POST',
          `/partners/${full.slug}/saved-reports`,
          { name: `New ${n}`, kind: 'mrr' },
          token,
        ),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  })
})

describe('the overview', () => {
  it('counts customers by status and health, adds up what the month earned, and names what needs somebody', async () => {
    const own = await testApp.newPartner()
    const { token } = await testApp.newPerson({ partnerId: own.id, access: 'owner' })
    const { db } = testApp.database
    const [late, broken, paused, fine] = [
      await testApp.newCustomer(own.id, { seats: 5 }),
      await testApp.newCustomer(own.id, { seats: 5 }),
      await testApp.newCustomer(own.id, { seats: 5 }),
      await testApp.newCustomer(own.id, { seats: 5 }),
    ]
    const full = await testApp.newCustomer(own.id, { seats: 1 })
    await db
      .updateTable('tenants')
      .set({ status: 'active' })
      .where('id', 'in', [late.id, broken.id, fine.id, full.id])
      .execute()
    await testApp.call('POST', `/tenants/${paused.slug}/suspend`, {})
    await db
      .updateTable('provisioning_steps')
      .set({ state: 'error', error: 'The mail server did not answer.' })
      .where('tenant_id', '=', broken.id)
      .where('step', '=', 'mail')
      .execute()
    await db
      .insertInto('subscriptions')
      .values({
        tenant_id: late.id,
        source: 'manual',
        plan: 'business',
        status: 'past_due',
        cycle: 'month',
        currency: 'eur',
        per_seat_amount: 900,
        seats: 5,
      })
      .execute()
    const entry = (
      type: 'accrual' | 'clawback' | 'adjustment' | 'payout',
      amount: number,
      days: number,
    ) => ({
      partner_id: own.id,
      currency: 'eur',
      type,
      amount,
      source_type: 'manual' as const,
      source_id: `${type}-${amount}`,
      available_at: new Date(),
      created_at: new Date(Date.now() - days * 86_400_000),
    })
    await db
      .insertInto('partner_ledger')
      .values([
        entry('accrual', 1750, 0),
        entry('clawback', -583, 0),
        entry('adjustment', 5000, 0),
        entry('payout', -100, 0),
        entry('accrual', 900, 62),
      ])
      .execute()
    const { body } = await testApp.call('GET', `/partners/${own.slug}/overview`, undefined, token)
    expect(body).toEqual({
      customers: { total: 5, active: 4, pending: 0, suspended: 1 },
      health: { healthy: 0, watch: 0, atRisk: 0, unscored: 4 },
      mrr: [{ currency: 'eur', mrrMinor: 4500 }],
      earnedThisMonth: [{ currency: 'eur', amountMinor: 1167 }],
      attention: [
        { reason: 'past_due', tenantSlug: late.slug, name: late.slug },
        { reason: 'provisioning_failed', tenantSlug: broken.slug, name: broken.slug },
        { reason: 'suspended', tenantSlug: paused.slug, name: paused.slug },
        { reason: 'seats_exhausted', tenantSlug: full.slug, name: full.slug },
      ],
    })
  })
})
