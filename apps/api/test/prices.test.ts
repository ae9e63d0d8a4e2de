import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const started = new Date()
let testApp: TestApp
let operator: string
let owner: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => started },
    env: { BILLING_PAYMENTS_ENABLED: 'false' },
  })
  operator = await testApp.token('operator@atrium.test')
  owner = await testApp.token('owner@acme.test')
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await testApp.database.db.deleteFrom('prices').where('plan', '=', 'free').execute()
})

const day = 86_400_000
const base = { plan: 'free', cycle: 'month', amounts: [{ currency: 'EUR', unitAmount: 100 }] }
async function create(fields: Record<string, unknown> = {}) {
  const { status, body } = await testApp.request('POST', '/prices', {
    token: operator,
    body: { ...base, ...fields },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const act = (id: string, verb: 'activate' | 'archive') =>
  testApp.request('POST', `/prices/${id}/${verb}`, { token: operator, body: {} })
const patch = (id: string, body: Record<string, unknown>) =>
  testApp.request('PATCH', `/prices/${id}`, { token: operator, body })
const read = async (id: string) =>
  (await testApp.request('GET', `/prices/${id}`, { token: operator })).body
const offered = async (slug = 'acme', token = owner) => {
  const { body } = await testApp.request('GET', `/tenants/${slug}/prices`, { token })
  return body.items.filter(({ plan }: { plan: string }) => plan === 'free')
}

describe('a price', () => {
  it('is a draft with the next version, which nobody can buy', async () => {
    const [first, second] = [await create(), await create({ note: 'Spring' })]
    expect(first).toMatchObject({
      version: 1,
      state: 'draft',
      scheme: 'per_seat',
      minSeats: 1,
      maxSeats: null,
      trialDays: 0,
      subscriptions: 0,
      partnerSlugs: null,
      amounts: [
        { currency: 'eur', unitAmount: 100, tiers: null, stripePriceId: null, error: null },
      ],
    })
    expect(second).toMatchObject({ version: 2, note: 'Spring' })
    expect(await offered()).toEqual([])
  })

  it('has versions in a row, also of many at once', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create()))
    expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('on sale takes the place of the one before, also of two at once', async () => {
    const first = await create({ state: 'active' })
    const [second, third] = [await create(), await create()]
    await Promise.all([act(second.id, 'activate'), act(third.id, 'activate')])
    const states = [await read(first.id), await read(second.id), await read(third.id)].map(
      ({ state }) => state,
    )
    expect(states[0]).toBe('archived')
    expect(states.slice(1).sort()).toEqual(['active', 'archived'])
    expect(await offered()).toHaveLength(1)
  })

  it('is shown to whom and when it is meant to be', async () => {
    const { id } = await create({
      state: 'active',
      partnerSlugs: ['north'],
      trialDays: 14,
      minSeats: 2,
      maxSeats: 50,
    })
    expect(await offered()).toMatchObject([
      {
        id,
        trialDays: 14,
        minSeats: 2,
        maxSeats: 50,
        amounts: [{ currency: 'eur', payable: false }],
      },
    ])
    expect(await offered('globex', await testApp.token('owner@globex.test'))).toEqual([])
    await patch(id, {
      partnerSlugs: null,
      visibleFrom: new Date(started.getTime() + day).toISOString(),
    })
    expect(await offered()).toEqual([])
    await patch(id, {
      visibleFrom: new Date(started.getTime() - day).toISOString(),
      visibleUntil: started.toISOString(),
    })
    expect(await offered()).toEqual([])
    await patch(id, { visibleUntil: new Date(started.getTime() + 1).toISOString() })
    expect(await offered('globex', await testApp.token('owner@globex.test'))).toMatchObject([
      { id },
    ])
  })

  it('with other amounts is a new version; who subscribed keeps the old one', async () => {
    const first = await create({ state: 'active' })
    const globex = await testApp.database.db
      .selectFrom('tenants')
      .select('id')
      .where('slug', '=', 'globex')
      .executeTakeFirstOrThrow()
    const current = testApp.database.db
      .updateTable('subscriptions')
      .where('tenant_id', '=', globex.id)
    const before = await testApp.database.db
      .selectFrom('subscriptions')
      .select('price_id')
      .where('tenant_id', '=', globex.id)
      .executeTakeFirstOrThrow()
    await current.set({ price_id: first.id }).execute()
    const { body: second } = await patch(first.id, {
      amounts: [
        { currency: 'eur', unitAmount: 120 },
        { currency: 'usd', unitAmount: 130 },
      ],
    })
    expect(second).toMatchObject({
      version: 2,
      state: 'active',
      amounts: [{ unitAmount: 120 }, { currency: 'usd' }],
      subscriptions: 0,
    })
    expect(second.id).not.toBe(first.id)
    expect(await read(first.id)).toMatchObject({
      state: 'archived',
      amounts: [{ unitAmount: 100 }],
      subscriptions: 1,
    })
    await current.set({ price_id: before.price_id }).execute()
  })

  it('with other words or dates stays the same version, and a draft is changed in place', async () => {
    const { id } = await create({ state: 'active' })
    expect((await patch(id, { note: 'Same', amounts: base.amounts })).body).toMatchObject({
      id,
      version: 1,
      note: 'Same',
    })
    const draft = await create()
    const tiers = [
      { upTo: 10, unitAmount: 90, flatAmount: 0 },
      { upTo: null, unitAmount: 80, flatAmount: 5 },
    ]
    const { body } = await patch(draft.id, {
      scheme: 'volume',
      amounts: [{ currency: 'eur', unitAmount: 0, tiers }],
    })
    expect(body).toMatchObject({
      id: draft.id,
      version: 2,
      state: 'draft',
      scheme: 'volume',
      amounts: [{ tiers }],
    })
  })

  it('is rejected with a reason per field', async () => {
    const rejected = async (fields: Record<string, unknown>) => {
      const { status, body } = await testApp.request('POST', '/prices', {
        token: operator,
        body: { ...base, ...fields },
      })
      expect(status).toBe(400)
      return body.issues.map(({ path }: { path: string }) => path)
    }
    const tiers = [
      { upTo: 5, unitAmount: 1, flatAmount: 0 },
      { upTo: 5, unitAmount: 1, flatAmount: 0 },
      { upTo: null, unitAmount: 1, flatAmount: 0 },
    ]
    expect(await rejected({ scheme: 'graduated' })).toEqual(['amounts.0.tiers'])
    expect(
      await rejected({ scheme: 'graduated', amounts: [{ currency: 'eur', unitAmount: 0, tiers }] }),
    ).toEqual(['amounts.0.tiers.1.upTo'])
    expect(await rejected({ partnerSlugs: ['north', 'nobody-here'] })).toEqual(['partnerSlugs.1'])
    expect(await rejected({ minSeats: 5, maxSeats: 2 })).toEqual(['maxSeats'])
    expect(await rejected({ amounts: [{ currency: 'eur', unitAmount: -1 }] })).toEqual([
      'amounts.0.unitAmount',
    ])
    expect(await rejected({ currency: 'eur' })).toEqual(['currency'])
  })

  it('has only amounts that the payment processor can charge', async () => {
    const rejected = async (currency: string, unitAmount: number, more = {}) => {
      const { status, body } = await testApp.request('POST', '/prices', {
        token: operator,
        body: { ...base, amounts: [{ currency, unitAmount }], ...more },
      })
      expect(status, `${currency} ${unitAmount}`).toBe(400)
      return body.issues
    }
    expect(await rejected('zzz', 1000)).toMatchObject([{ path: 'amounts.0.currency' }])
    expect(await rejected('xau', 1000)).toMatchObject([{ path: 'amounts.0.currency' }])
    expect(await rejected('kwd', 1234)).toMatchObject([
      { path: 'amounts.0.unitAmount', message: expect.stringContaining('0.010') },
    ])
    expect(await rejected('isk', 1050)).toMatchObject([{ path: 'amounts.0.unitAmount' }])
    expect(await rejected('eur', 49)).toMatchObject([{ path: 'amounts.0.unitAmount' }])
    expect(await rejected('huf', 3000, { minSeats: 5 })).toHaveLength(1)
    expect(
      await rejected('eur', 1_000_000_000, { minSeats: 1_000_000, maxSeats: 1_000_000 }),
    ).toMatchObject([{ path: 'amounts.0.unitAmount' }])
    await create({
      minSeats: 6,
      amounts: [
        { currency: 'huf', unitAmount: 3000 },
        { currency: 'kwd', unitAmount: 1230 },
        { currency: 'isk', unitAmount: 100_000 },
        { currency: 'eur', unitAmount: 0 },
      ],
    })
  })

  it('leaves a currency out only when that is confirmed', async () => {
    const both = [
      { currency: 'eur', unitAmount: 100 },
      { currency: 'usd', unitAmount: 110 },
    ]
    const onlyEuro = [{ currency: 'eur', unitAmount: 120 }]
    const first = await create({ state: 'active', amounts: both })
    const refused = await patch(first.id, { amounts: onlyEuro })
    expect(refused).toMatchObject({ status: 409, body: { code: 'currency_dropped' } })
    expect(refused.body.issues).toMatchObject([
      { path: 'leaveOut', message: expect.stringContaining('USD') },
    ])
    const created = await testApp.request('POST', '/prices', {
      token: operator,
      body: { ...base, amounts: onlyEuro, state: 'active' },
    })
    expect(created.body.code).toBe('currency_dropped')
    const draft = await create({ amounts: onlyEuro })
    expect((await act(draft.id, 'activate')).body.code).toBe('currency_dropped')
    expect(await read(first.id)).toMatchObject({ state: 'active' })
    const put = await testApp.request('POST', `/prices/${draft.id}/activate`, {
      token: operator,
      body: { leaveOut: ['usd'] },
    })
    expect(put).toMatchObject({ status: 200, body: { state: 'active' } })
    expect(await read(first.id)).toMatchObject({ state: 'archived' })
  })

  it('is found in the list, newest first, page by page', async () => {
    const made = [
      await create(),
      await create({ cycle: 'year' }),
      await create({ state: 'active' }),
    ]
    const list = async (query: string) =>
      (await testApp.request('GET', `/prices?plan=free&${query}`, { token: operator })).body
    const ids = async (query: string) =>
      (await list(query)).items.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual(made.map(({ id }) => id).reverse())
    expect(await ids('cycle=year')).toEqual([made[1].id])
    expect(await ids('state=active')).toEqual([made[2].id])
    const page = await list('limit=2')
    expect(await ids(`limit=2&cursor=${page.nextCursor}`)).toEqual([made[0].id])
  })
})

describe('taking a price away', () => {
  it('deletes a draft', async () => {
    const { id } = await create()
    expect((await testApp.request('DELETE', `/prices/${id}`, { token: operator })).status).toBe(204)
    expect(await read(id)).toMatchObject({ code: 'not_found' })
    expect((await testApp.request('DELETE', `/prices/${id}`, { token: operator })).status).toBe(404)
  })

  it('archives what was on sale, and rejects everything else', async () => {
    const draft = await create()
    expect((await act(draft.id, 'archive')).body.code).toBe('price_state')
    const { id } = await create({ state: 'active' })
    const deleted = await testApp.request('DELETE', `/prices/${id}`, { token: operator })
    expect(deleted).toMatchObject({ status: 409, body: { code: 'price_in_use' } })
    expect(await act(id, 'archive')).toMatchObject({ status: 200, body: { state: 'archived' } })
    expect(await offered()).toEqual([])
    expect((await act(id, 'archive')).status).toBe(200)
    expect((await act(id, 'activate')).body.code).toBe('price_state')
    expect((await patch(id, { note: 'Late' })).body.code).toBe('price_state')
    expect((await testApp.request('DELETE', `/prices/${id}`, { token: operator })).body.code).toBe(
      'price_in_use',
    )
  })

  it('rejects a draft that somebody subscribed at', async () => {
    const { id } = await create()
    const globex = await testApp.database.db
      .selectFrom('subscriptions')
      .select(['id', 'price_id'])
      .executeTakeFirstOrThrow()
    const rows = testApp.database.db.updateTable('subscriptions').where('id', '=', globex.id)
    await rows.set({ price_id: id }).execute()
    expect((await testApp.request('DELETE', `/prices/${id}`, { token: operator })).body.code).toBe(
      'price_in_use',
    )
    await rows.set({ price_id: globex.price_id }).execute()
  })

  it('is told in the audit log, as are the other acts', async () => {
    const { id } = await create({ state: 'active' })
    const { body: second } = await patch(id, { amounts: [{ currency: 'eur', unitAmount: 55 }] })
    await act(second.id, 'archive')
    const draft = await create()
    await act(draft.id, 'activate')
    const { body } = await testApp.request('GET', '/audit?action=price.*&limit=10', {
      token: operator,
    })
    const [activated, created, archived, updated] = body.items
    expect([activated, created, archived, updated].map(({ action }) => action)).toEqual([
      ...['price.activated', 'price.created', 'price.archived', 'price.updated'],
    ])
    expect(updated).toMatchObject({
      resourceType: 'price',
      resourceId: second.id,
      actorType: 'operator',
      metadata: {
        replaces: 1,
        version: 2,
        changes: {
          amounts: [[expect.stringContaining('100')], [expect.stringContaining('"unitAmount":55')]],
        },
      },
    })
  })
})
