import { lockIsWaitedFor } from '@atrium/testing/postgres/lock-waits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

let now = new Date('2027-03-15T12:00:00.000Z')
let testApp: PartnersTestApp
beforeAll(async () => {
  testApp = await startPartnersTestApp({ clock: { now: () => now } })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** A running subscription; the history's current row is written by the database. */
async function subscribe(
  tenantId: string,
  fields: { currency?: string; amount: number; seats: number; cycle?: 'month' | 'year' },
) {
  await testApp.database.db
    .insertInto('subscriptions')
    .values({
      tenant_id: tenantId,
      source: 'manual',
      plan: 'business',
      status: 'active',
      currency: fields.currency ?? 'eur',
      per_seat_amount: fields.amount,
      seats: fields.seats,
      cycle: fields.cycle ?? 'month',
    })
    .execute()
}

async function audit(
  slug: string,
): Promise<{ action: string; metadata: Record<string, unknown>; actorType: string }[]> {
  const { body } = await testApp.call('GET', `/audit?partnerSlug=${slug}`)
  return body.items.reverse()
}

/** Connections of the API's pool. */
const pooled = 8

describe('creating a partner', () => {
  it('keeps every field, and its margin holds from today', async () => {
    const fields = {
      name: 'West Cloud',
      slug: 'west-cloud',
      domain: 'WEST-cloud.test.',
      marginPct: 17.25,
      contactInfo: { name: 'Wes', email: 'WES@west-cloud.test', phone: '+49 30 123456' },
      billingInfo: {
        company: 'West Cloud GmbH',
        vatNumber: 'de 136 695 976',
        country: 'DE',
        email: 'bills@west-cloud.test',
      },
    }
    const { status, body } = await testApp.call('POST', '/partners', fields)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({
      slug: 'west-cloud',
      name: 'West Cloud',
      domain: 'west-cloud.test',
      status: 'active',
      marginPct: 17.25,
      nextMargin: null,
      customers: 0,
      staff: 0,
      mrr: [],
      access: null,
      vatStatus: 'unverified',
      warnings: [],
      suspendedReason: null,
      terminatedAt: null,
      contactInfo: { name: 'Wes', email: 'wes@west-cloud.test', phone: '+49 30 123456' },
      billingInfo: {
        company: 'West Cloud GmbH',
        vatNumber: 'DE136695976',
        country: 'DE',
        email: 'bills@west-cloud.test',
      },
    })
    expect((await testApp.call('GET', '/partners/west-cloud')).body).toEqual(body)
    expect((await testApp.call('GET', '/partners/west-cloud/margins')).body.items).toMatchObject([
      {
        marginPct: 17.25,
        effectiveFrom: '2027-03-15',
        state: 'current',
        setBy: 'operator@atrium.test',
      },
    ])
    expect(await audit('west-cloud')).toMatchObject([
      { action: 'partner.created', actorType: 'operator', metadata: { marginPct: 17.25 } },
    ])
  })

  it('makes the slug from the name, once', async () => {
    expect((await testApp.call('POST', '/partners', { name: 'Größte Höhe' })).body).toMatchObject({
      slug: 'grosste-hohe',
    })
    expect(await testApp.call('POST', '/partners', { name: 'Größte Höhe' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists', issues: [{ path: 'name' }] },
    })
    expect(
      await testApp.call('POST', '/partners', { name: 'Other', slug: 'grosste-hohe' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'already_exists', issues: [{ path: 'slug' }] },
    })
  })

  it.each([
    [{ name: 'A', marginPct: 100.01 }, 'marginPct'],
    [{ name: 'A', marginPct: -1 }, 'marginPct'],
    [{ name: 'A', marginPct: 12.345 }, 'marginPct'],
    [{ name: 'A', slug: 'admin' }, 'slug'],
    [{ name: 'Partner Staff' }, 'slug'],
    [{ name: '株式会社' }, 'slug'],
    [{ name: '' }, 'name'],
    [{ name: 'A', domain: 'co.uk' }, 'domain'],
    [{ name: 'A', contactInfo: { email: 'no address' } }, 'contactInfo.email'],
    [{ name: 'Ab', billingInfo: { vatNumber: 'DE12', country: 'DE' } }, 'billingInfo.vatNumber'],
    [{ name: 'Ab', status: 'active' }, 'status'],
  ])('refuses %j at its field', async (body, path) => {
    const response = await testApp.call('POST', '/partners', body)
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(response.body.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
  })

  it('lets no two live partners have one domain', async () => {
    const first = await testApp.newPartner({ domain: 'shared.test' })
    const conflict = { status: 409, body: { code: 'already_exists', issues: [{ path: 'domain' }] } }
    expect(
      await testApp.call('POST', '/partners', { name: 'Second', domain: 'shared.test' }),
    ).toMatchObject(conflict)
    const other = await testApp.newPartner()
    expect(
      await testApp.call('PATCH', `/partners/${other.slug}`, { domain: 'shared.test' }),
    ).toMatchObject(conflict)
    await testApp.call('DELETE', `/partners/${first.slug}`)
    expect(
      await testApp.call('PATCH', `/partners/${other.slug}`, { domain: 'shared.test' }),
    ).toMatchObject({ status: 200 })
  })
})

describe('the list of partners', () => {
  it('counts customers and adds up revenue per currency, in one statement for the page', async () => {
    const [rich, poor] = [await testApp.newPartner(), await testApp.newPartner()]
    const customers = [
      await testApp.newCustomer(rich.id),
      await testApp.newCustomer(rich.id),
      await testApp.newCustomer(rich.id),
    ]
    const [one, two, gone] = customers.map(({ id }) => id) as [string, string, string]
    // 7.00 a year and 10.00 a month for 3 seats: (700 + 36000) / 12 = 3058.33 of the minor unit.
    await subscribe(one, { amount: 700, seats: 1, cycle: 'year' })
    await subscribe(two, { amount: 1000, seats: 3 })
    await subscribe(gone, { amount: 500, seats: 2, currency: 'usd' })
    await testApp.call('DELETE', `/tenants/${customers[2]?.slug}`)
    const { body } = await testApp.call('GET', '/partners?q=PARTNER-')
    const row = (slug: string) => body.items.find((item: { slug: string }) => item.slug === slug)
    expect(row(rich.slug)).toMatchObject({
      customers: 2,
      // The deletion of a customer ends its subscription.
      mrr: [{ currency: 'eur', mrrMinor: 3058 }],
    })
    expect(row(poor.slug)).toMatchObject({ customers: 0, mrr: [] })
  })

  it('is searched by words and status and read page by page, newest first', async () => {
    const word = `needle${Date.now()}`
    const slugs: string[] = []
    for (const name of ['one', 'two', 'three'])
      slugs.push((await testApp.newPartner({ name: `${word} ${name}` })).slug)
    const list = async (query: string) => (await testApp.call('GET', `/partners?${query}`)).body
    expect((await list(`q=${word}`)).items.map((item: { slug: string }) => item.slug)).toEqual(
      [...slugs].reverse(),
    )
    const first = await list(`q=${word}&limit=2`)
    expect(await list(`q=${word}&limit=2&cursor=${first.nextCursor}`)).toMatchObject({
      items: [{ slug: slugs[0] }],
      nextCursor: null,
    })
    await testApp.call('PATCH', `/partners/${slugs[1]}`, { status: 'suspended' })
    expect((await list(`q=${word}&status=suspended`)).items).toMatchObject([{ slug: slugs[1] }])
    expect((await list('q=%25')).items).toEqual([])
  })
})

describe('changing a partner', () => {
  it('changes what is given, keeps the rest, and records it', async () => {
    const { slug } = await testApp.newPartner({
      contact_name: 'Before',
      contact_email: 'before@example.test',
    })
    const response = await testApp.call('PATCH', `/partners/${slug}`, {
      name: 'After',
      contactInfo: { name: null, phone: '+44 20 7946 0000' },
    })
    expect(response).toMatchObject({
      status: 200,
      body: {
        name: 'After',
        contactInfo: { name: null, email: 'before@example.test', phone: '+44 20 7946 0000' },
      },
    })
    expect(await audit(slug)).toMatchObject([
      {
        action: 'partner.updated',
        metadata: { changes: { name: [slug, 'After'], 'contactInfo.name': ['Before', null] } },
      },
    ])
    await testApp.call('PATCH', `/partners/${slug}`, { name: 'After' })
    expect(await audit(slug)).toHaveLength(1)
  })

  it('suspends with a reason and resumes', async () => {
    const { slug } = await testApp.newPartner()
    expect(
      await testApp.call('PATCH', `/partners/${slug}`, {
        status: 'suspended',
        reason: 'Under review',
      }),
    ).toMatchObject({
      body: {
        status: 'suspended',
        suspendedReason: 'Under review',
        suspendedAt: now.toISOString(),
      },
    })
    expect(await testApp.call('PATCH', `/partners/${slug}`, { status: 'active' })).toMatchObject({
      body: { status: 'active', suspendedReason: null, suspendedAt: null },
    })
    expect((await audit(slug)).map(({ action }) => action)).toEqual([
      'partner.suspended',
      'partner.resumed',
    ])
    expect((await audit(slug))[0]?.metadata).toMatchObject({
      reason: 'Under review',
      changes: { status: ['active', 'suspended'] },
    })
  })

  it('does not know who was never made, and rejects the unknown', async () => {
    expect(await testApp.call('PATCH', '/partners/never-made', { name: 'A' })).toMatchObject({
      status: 404,
    })
    expect(await testApp.call('PATCH', '/partners/%00', { name: 'A' })).toMatchObject({
      status: 404,
    })
    const { slug } = await testApp.newPartner()
    for (const body of [
      {},
      { reason: 'alone' },
      { status: 'terminated' },
      { margin: 3 },
      { marginEffectiveFrom: '2027-05-01' },
    ])
      expect(
        await testApp.call('PATCH', `/partners/${slug}`, body),
        JSON.stringify(body),
      ).toMatchObject({ status: 400 })
  })
})

describe('margins', () => {
  const margins = async (slug: string) =>
    (await testApp.call('GET', `/partners/${slug}/margins`)).body.items
  const set = (slug: string, body: object) => testApp.call('PATCH', `/partners/${slug}`, body)

  it('holds from the first of next month unless another first of a month is named, and keeps what was', async () => {
    const { body } = await testApp.call('POST', '/partners', {
      name: 'Dated margins',
      marginPct: 10,
    })
    const { slug } = body
    expect((await set(slug, { marginPct: 12.5, reason: 'Growing' })).body).toMatchObject({
      marginPct: 10,
      nextMargin: { marginPct: 12.5, effectiveFrom: '2027-04-01' },
    })
    await set(slug, { marginPct: 15, marginEffectiveFrom: '2027-06-01' })
    now = new Date('2027-04-01T00:00:00.000Z')
    expect((await testApp.call('GET', `/partners/${slug}`)).body).toMatchObject({
      marginPct: 12.5,
      nextMargin: { marginPct: 15, effectiveFrom: '2027-06-01' },
    })
    expect(await margins(slug)).toMatchObject([
      { marginPct: 15, effectiveFrom: '2027-06-01', state: 'upcoming' },
      { marginPct: 12.5, effectiveFrom: '2027-04-01', state: 'current', reason: 'Growing' },
      { marginPct: 10, effectiveFrom: '2027-03-15', state: 'past' },
    ])
    now = new Date('2027-03-15T12:00:00.000Z')
    expect(
      (await audit(slug)).filter(({ action }) => action === 'partner.margin_changed'),
    ).toMatchObject([
      {
        metadata: {
          changes: { marginPct: [10, 12.5] },
          effectiveFrom: '2027-04-01',
          reason: 'Growing',
        },
      },
      { metadata: { changes: { marginPct: [12.5, 15] }, effectiveFrom: '2027-06-01' } },
    ])
  })

  it('may change what does not hold yet, and nothing that holds', async () => {
    const { body } = await testApp.call('POST', '/partners', {
      name: 'Second thoughts',
      marginPct: 10,
    })
    const { slug } = body
    await set(slug, { marginPct: 20 })
    expect((await set(slug, { marginPct: 11 })).body).toMatchObject({
      nextMargin: { marginPct: 11, effectiveFrom: '2027-04-01' },
    })
    const rejected = { status: 400, body: { issues: [{ path: 'marginEffectiveFrom' }] } }
    for (const marginEffectiveFrom of ['2027-03-15', '2027-03-01', '2027-05-02', '2027-03-16'])
      expect(
        await set(slug, { marginPct: 30, marginEffectiveFrom }),
        marginEffectiveFrom,
      ).toMatchObject(rejected)
    expect(await set(slug, { marginPct: 30, marginEffectiveFrom: 'soon' })).toMatchObject(rejected)
    now = new Date('2027-04-01T10:00:00.000Z')
    expect(await set(slug, { marginPct: 30, marginEffectiveFrom: '2027-04-01' })).toMatchObject(
      rejected,
    )
    now = new Date('2027-03-15T12:00:00.000Z')
    expect(await margins(slug)).toHaveLength(2)
  })

  it('of a partner that had none may hold from today', async () => {
    const { slug } = await testApp.newPartner()
    expect((await set(slug, { marginPct: 8 })).body).toMatchObject({
      marginPct: 8,
      nextMargin: null,
    })
    expect(await margins(slug)).toMatchObject([{ effectiveFrom: '2027-03-15', state: 'current' }])
  })

  it('stay in one piece when two operators set them at once', async () => {
    const { slug } = await testApp.newPartner()
    const responses = await Promise.all([5, 6, 7].map((marginPct) => set(slug, { marginPct })))
    // The first becomes today's; for the others it holds already, so theirs begins next month.
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(
      (await margins(slug)).map((one: { effectiveFrom: string }) => one.effectiveFrom),
    ).toEqual(['2027-04-01', '2027-03-15'])
  })
})

describe('terminating a partner', () => {
  it('is final, ends the access of its staff with the next request, and leaves the tenants attached', async () => {
    const partner = await testApp.newPartner()
    const staff = await testApp.newPerson({ partnerId: partner.id, access: 'owner' })
    const customer = await testApp.newCustomer(partner.id)
    expect(
      await testApp.call('GET', `/tenants/${customer.slug}`, undefined, staff.token),
    ).toMatchObject({ status: 200 })
    expect(
      await testApp.call('DELETE', `/partners/${partner.slug}?reason=Contract+ended`),
    ).toMatchObject({ status: 204 })
    expect(
      await testApp.call('GET', `/tenants/${customer.slug}`, undefined, staff.token),
    ).toMatchObject({ status: 404 })
    expect(
      await testApp.call('GET', `/partners/${partner.slug}`, undefined, staff.token),
    ).toMatchObject({
      status: 403,
      body: { code: 'operator_required' },
    })
    expect(
      (await testApp.call('GET', '/users/me', undefined, staff.token)).body.partner,
    ).toMatchObject({ status: 'terminated' })
    expect((await testApp.call('GET', `/tenants/${customer.slug}`)).body).toMatchObject({
      partnerSlug: partner.slug,
    })
    expect((await testApp.call('GET', `/partners/${partner.slug}`)).body).toMatchObject({
      status: 'terminated',
      terminatedAt: now.toISOString(),
      customers: 1,
    })
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['PATCH', '', { name: 'Back' }],
      ['PATCH', '/settings', { supportEmail: null }],
      ['POST', `/customers/${customer.slug}/suspend`, {}],
    ] as const) {
      expect(
        await testApp.call(method, `/partners/${partner.slug}${path}`, body),
        path,
      ).toMatchObject({
        status: 409,
        body: { code: 'partner_terminated' },
      })
    }
    expect((await audit(partner.slug)).at(-1)).toMatchObject({
      action: 'partner.terminated',
      metadata: { changes: { status: ['active', 'terminated'] }, reason: 'Contract ended' },
    })
  })

  it('rejects what its staff began before it and had not finished', async () => {
    const partner = await testApp.newPartner()
    const staff = await testApp.newPerson({ partnerId: partner.id, access: 'owner' })
    const [customer, other] = [
      await testApp.newCustomer(partner.id),
      await testApp.newCustomer(partner.id),
    ]
    const colleague = await testApp.newPerson({ partnerId: partner.id, access: 'viewer' })
    const path = `/partners/${partner.slug}`
    const started = await testApp.database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('partners')
        .set({ status: 'terminated', terminated_at: now })
        .where('id', '=', partner.id)
        .execute()
      // Their guards see the partner as it was; they wait for it to be decided, on every connection
      // of the pool but the one of this transaction, or for one of these.
      const calls = [
        testApp.call('PATCH', `${path}/settings`, { supportEmail: 'a@example.test' }, staff.token),
        testApp.call('PUT', `${path}/branding`, { productName: 'Late' }, staff.token),
        testApp.call('POST', `${path}/saved-reports`, { name: 'Late', kind: 'mrr' }, staff.token),
        testApp.call('DELETE', `${path}/users/${colleague.id}`, undefined, staff.token),
        testApp.call(
          'POST',
          `${path}/users`,
          { name: 'Late', email: 'late@example.test', access: 'viewer' },
          staff.token,
        ),
        testApp.call('POST', `${path}/customers/${customer.slug}/suspend`, {}, staff.token),
        testApp.call('PATCH', `/tenants/${other.slug}`, { name: 'Late' }, staff.token),
        testApp.call('POST', `${path}/payouts`, { currency: 'eur' }, staff.token),
        testApp.call('POST', `${path}/self-billing-consent`, { agreed: true }, staff.token),
      ]
      await lockIsWaitedFor(testApp.env.DATABASE_URL, pooled - 1)
      return { calls }
    })
    for (const { status, body } of await Promise.all(started.calls))
      expect([status, body.code]).toEqual([409, 'partner_terminated'])
    expect((await testApp.call('GET', `/tenants/${other.slug}`)).body.name).toBe(other.slug)
    expect((await audit(partner.slug)).filter(({ actorType }) => actorType === 'partner')).toEqual(
      [],
    )
  })

  it('takes no tenant after it', async () => {
    for (let round = 0; round < 5; round++) {
      const [partner, tenant] = [await testApp.newPartner(), await testApp.newCustomer(null)]
      const [, attached] = await Promise.all([
        testApp.call('DELETE', `/partners/${partner.slug}`),
        testApp.call('PATCH', `/tenants/${tenant.slug}`, { partnerId: partner.id }),
      ])
      expect([200, 409]).toContain(attached.status)
      expect(
        await testApp.call('PATCH', `/tenants/${tenant.slug}`, { partnerId: null }),
      ).toMatchObject({ status: 200 })
      expect(
        await testApp.call('PATCH', `/tenants/${tenant.slug}`, { partnerId: partner.id }),
      ).toMatchObject({
        status: 409,
        body: { code: 'partner_unavailable' },
      })
    }
  })
})

describe('which partner a tenant had', () => {
  it('is kept for every moment', async () => {
    const [first, second] = [await testApp.newPartner(), await testApp.newPartner()]
    const tenant = await testApp.newCustomer(first.id)
    await testApp.call('PATCH', `/tenants/${tenant.slug}`, { partnerId: second.id })
    await testApp.call('PATCH', `/tenants/${tenant.slug}`, { partnerId: null })
    const rows = await testApp.database.db
      .selectFrom('tenant_partners')
      .select(['partner_id', 'valid_from', 'valid_to'])
      .where('tenant_id', '=', tenant.id)
      .orderBy('valid_from')
      .execute()
    expect(rows.map((row) => row.partner_id)).toEqual([first.id, second.id])
    expect(rows[0]?.valid_to).toEqual(rows[1]?.valid_from)
    expect(rows[1]?.valid_to).toBeInstanceOf(Date)
  })
})
