import { randomBytes } from 'node:crypto'
import { insertTestTenant, partnerIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refreshAllHealth, refreshHealth } from '../src/health-scores/compute.ts'

const dayMs = 24 * 3600 * 1000
const now = new Date()
const before = (days: number) => new Date(now.getTime() - days * dayMs)
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

let clock = now
let testApp: TestApp
let operator: string
let pia: string
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, clock: { now: () => clock } })
  operator = await testApp.token('operator@atrium.test')
  pia = await testApp.token('partner@north.test')
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})

const db = () => testApp.database.db
const read = (path: string, token = operator) => testApp.request('GET', path, { token })
const partnerId = (slug: string) => partnerIdOf(db(), slug)

/** A tenant of ninety days with ten seats, everything provisioned. */
async function tenant(
  partner: string | null = null,
): Promise<{ id: string; slug: string; owner: string }> {
  const slug = `t-${randomBytes(6).toString('hex')}`
  const owner = await person(before(1))
  const made = await db()
    .transaction()
    .execute((trx) =>
      insertTestTenant(trx, {
        slug,
        plan: 'business',
        partnerId: partner,
        seats: 10,
        ownerId: owner,
        domains: [`${slug}.example`],
      }),
    )
  await db()
    .updateTable('tenants')
    .set({ created_at: before(90), status: 'active' })
    .where('id', '=', made.id)
    .execute()
  await db()
    .updateTable('provisioning_steps')
    .set({ state: 'ok', changed_at: before(90) })
    .where('tenant_id', '=', made.id)
    .execute()
  return { ...made, owner }
}

async function person(lastSeenAt: Date | null): Promise<string> {
  const subject = randomBytes(32).toString('hex')
  const { id } = await db()
    .insertInto('users')
    .values({
      idp_subject_id: subject,
      email: `${subject.slice(0, 20)}@example.test`,
      name: 'Person',
      last_seen_at: lastSeenAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function join(tenantId: string, users: number, lastSeenAt: Date | null): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: users }, () => person(lastSeenAt)))
  for (const id of ids)
    await db()
      .insertInto('memberships')
      .values({ tenant_id: tenantId, user_id: id, role: 'member' })
      .execute()
  return ids
}

async function enroll(users: readonly string[], enrolled: boolean): Promise<void> {
  for (const id of users) {
    await db()
      .insertInto('user_readings')
      .values({
        user_id: id,
        kind: 'second_factors',
        value: JSON.stringify({ enrolled, factors: {} }),
        failure: null,
        read_at: now,
      })
      .execute()
  }
}

const subscribe = (
  tenantId: string,
  fields: { status?: 'active' | 'unpaid' | 'past_due'; currency?: string; seats?: number } = {},
) =>
  db()
    .insertInto('subscriptions')
    .values({
      tenant_id: tenantId,
      source: 'manual',
      plan: 'business',
      cycle: 'month',
      currency: fields.currency ?? 'eur',
      per_seat_amount: 800,
      seats: fields.seats ?? 10,
      status: fields.status ?? 'active',
      past_due_since: null,
    })
    .execute()

async function publish(tenantId: string, verdict: 'ok' | 'missing', purpose = 'mx'): Promise<void> {
  const record = { type: 'MX', name: 'x', value: 'y', required: true, found: [], reason: null }
  const verdicts = ['mx', 'spf', 'dkim', 'dmarc'].map((one) => ({
    ...record,
    purpose: one,
    verdict: one === purpose ? verdict : 'ok',
  }))
  await db()
    .updateTable('domains')
    .set({ verdicts: JSON.stringify(verdicts), verified_at: before(80), last_checked_at: now })
    .where('tenant_id', '=', tenantId)
    .execute()
}

const valuesOf = (health: { factors: { signal: string; value: number }[] }) =>
  Object.fromEntries(health.factors.map(({ signal, value }) => [signal, value]))

describe('the health of a tenant', () => {
  it('looks at payment, seats, activity, provisioning, mail and second factors', async () => {
    const { id, slug, owner } = await tenant()
    const people = await join(id, 7, before(5))
    await subscribe(id)
    await publish(id, 'ok')
    await enroll([owner, ...people], true)
    const { status, body } = await read(`/tenants/${slug}/health`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ score: 100, band: 'healthy', unknown: [], days: [] })
    expect(valuesOf(body)).toEqual({
      payment: 1,
      seatUse: 1,
      activity: 1,
      provisioning: 1,
      mailTrust: 1,
      security: 1,
    })
  })

  it('gives its reasons in the language of the caller, also those that the hourly run stored', async () => {
    const { id, slug } = await tenant()
    await subscribe(id, { status: 'unpaid' })
    await refreshHealth(testApp.app.services, [id])
    const hintIn = async (at: string, language: string) => {
      const { body } = await testApp.request('GET', at, {
        token: operator,
        headers: { 'accept-language': language },
      })
      const { factors } = body.items?.find((one: { slug: string }) => one.slug === slug) ?? body
      return factors.find(({ signal }: { signal: string }) => signal === 'payment')
    }
    const german = 'Das Abonnement ist unbezahlt. Bezahlen Sie die offene Rechnung.'
    const english = 'The subscription is unpaid. Pay the open invoice.'
    const [live, stored] = [`/tenants/${slug}/health`, '/reports/health/rows?limit=100']
    for (const at of [live, stored]) {
      expect((await hintIn(at, 'de')).hint).toBe(german)
      expect(await hintIn(at, 'en')).toEqual({
        signal: 'payment',
        value: 0,
        points: 0,
        hint: english,
      })
    }
    // As a version without reasons stored it.
    await db()
      .updateTable('tenant_health')
      .set({
        factors: JSON.stringify([{ signal: 'payment', value: 0, points: 0, hint: 'As it was.' }]),
      })
      .where('tenant_id', '=', id)
      .execute()
    expect((await hintIn(stored, 'de')).hint).toBe('As it was.')
  })

  it('says what is not known, and counts it neither way', async () => {
    const { id, slug } = await tenant()
    await join(id, 4, before(60))
    const { body } = await read(`/tenants/${slug}/health`)
    expect(body.unknown).toEqual(['payment', 'mailTrust', 'security'])
    expect(valuesOf(body)).toEqual({ seatUse: 0.5, activity: 0, provisioning: 1 })
    expect(body).toMatchObject({ score: Math.round((100 * (10 + 15)) / 55), band: 'at_risk' })
  })

  it('is poor with an unpaid subscription, an MX that is gone, and an admin without a second factor', async () => {
    const { id, slug, owner } = await tenant()
    await join(id, 7, before(5))
    await subscribe(id, { status: 'unpaid' })
    await publish(id, 'missing')
    await enroll([owner], false)
    const { body } = await read(`/tenants/${slug}/health`)
    expect(body).toMatchObject({ score: 25, band: 'at_risk' })
    expect(valuesOf(body)).toMatchObject({ payment: 0, mailTrust: 0, security: 0 })
    await publish(id, 'missing', 'spf')
    expect(valuesOf((await read(`/tenants/${slug}/health`)).body)).toMatchObject({ mailTrust: 0.5 })
  })

  it('is the same on the tenant once the run went by, and keeps one day of each', async () => {
    const { id, slug } = await tenant()
    await join(id, 7, before(5))
    await subscribe(id)
    expect((await read(`/tenants/${slug}`)).body.health).toMatchObject({
      score: null,
      band: 'unknown',
    })
    clock = new Date(now.getTime() - 2 * 60_000)
    await refreshHealth(testApp.app.services, [id])
    clock = now
    await refreshHealth(testApp.app.services, [id])
    const tenantView = (await read(`/tenants/${slug}`)).body
    expect(tenantView.health).toMatchObject({ score: 100, band: 'healthy' })
    expect(valuesOf(tenantView.health)).toEqual({
      payment: 1,
      seatUse: 1,
      activity: 1,
      provisioning: 1,
    })
    const listed = (await read(`/tenants?q=${slug}`)).body.items[0]
    expect(listed.health).toEqual(tenantView.health)
    const { days } = (await read(`/tenants/${slug}/health`)).body
    expect(days.at(-1)).toEqual({ day: dayOf(now), score: 100, band: 'healthy' })
    expect(new Set(days.map(({ day }: { day: string }) => day)).size).toBe(days.length)
  })

  it('is not overwritten by what was computed earlier and comes later', async () => {
    const { id } = await tenant()
    await refreshHealth(testApp.app.services, [id])
    clock = before(0.01)
    await refreshHealth(testApp.app.services, [id])
    clock = now
    const row = await db()
      .selectFrom('tenant_health')
      .select('computed_at')
      .where('tenant_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.computed_at).toEqual(now)
  })
})

describe('the hourly run', () => {
  it('reaches every tenant, once an hour, also when two processes run at once', async () => {
    await tenant()
    await Promise.all([
      refreshAllHealth(testApp.app.services),
      refreshAllHealth(testApp.app.services),
    ])
    const { missing } = await db()
      .selectFrom('tenants')
      .leftJoin('tenant_health', 'tenant_health.tenant_id', 'tenants.id')
      .select((select) => select.fn.countAll<number>().as('missing'))
      .where('tenant_health.tenant_id', 'is', null)
      .executeTakeFirstOrThrow()
    expect(Number(missing)).toBe(0)
    expect(await refreshAllHealth(testApp.app.services)).toBe(0)
    clock = new Date(now.getTime() + 3600_000)
    expect(await refreshAllHealth(testApp.app.services)).toBeGreaterThan(0)
    clock = now
  })

  it('looks at a tenant again at once when its payment or a domain changed', async () => {
    const { id, slug } = await tenant()
    await subscribe(id)
    await refreshAllHealth(testApp.app.services)
    expect(await refreshAllHealth(testApp.app.services)).toBe(0)
    await db()
      .updateTable('subscriptions')
      .set({ status: 'unpaid' })
      .where('tenant_id', '=', id)
      .execute()
    expect(await refreshAllHealth(testApp.app.services)).toBe(1)
    expect(valuesOf((await read(`/tenants/${slug}`)).body.health)).toMatchObject({ payment: 0 })
    await db()
      .updateTable('domains')
      .set({ state: 'failing' })
      .where('tenant_id', '=', id)
      .execute()
    expect(await refreshAllHealth(testApp.app.services)).toBe(1)
  })
})

describe('the health report', () => {
  it('counts a partner’s customers and revenue by band, against thirty days before, and shows who they are', async () => {
    const south = await db()
      .insertInto('partners')
      .values({ slug: `s-${randomBytes(4).toString('hex')}`, name: 'South' })
      .returning(['id', 'slug'])
      .executeTakeFirstOrThrow()
    const good = await tenant(south.id)
    await join(good.id, 7, before(5))
    await subscribe(good.id, { seats: 3 })
    const bad = await tenant(south.id)
    await join(bad.id, 7, before(90))
    await subscribe(bad.id, { status: 'unpaid' })
    await db()
      .insertInto('health_summaries')
      .values(
        [null, south.id].map((partner) => ({
          day: dayOf(before(30)),
          partner_id: partner,
          band: 'healthy' as const,
          tenants: 2,
          mrr: '[]',
          computed_at: before(30),
        })),
      )
      .execute()
    await refreshAllHealth(testApp.app.services)
    const { body } = await read(`/partners/${south.slug}/reports/health`)
    const row = (band: string) => body.rows.find((one: { band: string }) => one.band === band)
    expect(body.comparedWith).toBe(dayOf(before(30)))
    expect(row('healthy')).toEqual({
      band: 'healthy',
      tenants: 1,
      tenantsBefore: 2,
      change: -1,
      mrr: [{ currency: 'eur', mrrMinor: 2_400 }],
    })
    expect(row('at_risk')).toEqual({
      band: 'at_risk',
      tenants: 1,
      tenantsBefore: 0,
      change: 1,
      mrr: [],
    })
    expect(row('watch')).toMatchObject({ tenants: 0, tenantsBefore: 0 })
    const rows = await read(`/partners/${south.slug}/reports/health/rows?band=at_risk`)
    expect(rows.body.items).toMatchObject([{ slug: bad.slug, score: 25, band: 'at_risk' }])
    expect(rows.body.items[0].factors.length).toBeGreaterThan(2)
    expect(
      (await read('/reports/health')).body.rows.reduce(
        (sum: number, one: { tenants: number }) => sum + one.tenants,
        0,
      ),
    ).toBeGreaterThan(2)
  })

  it('is computed by whoever asks where no run keeps it up to date', async () => {
    const total = async () => {
      const { asOf, rows } = (await read('/reports/health')).body
      return {
        asOf,
        tenants: rows.reduce((sum: number, one: { tenants: number }) => sum + one.tenants, 0),
      }
    }
    await refreshAllHealth(testApp.app.services)
    const first = await total()
    await tenant()
    expect(await total()).toEqual(first)
    const quarter = new Date(now.getTime() - 16 * 60_000)
    await db()
      .updateTable('health_summaries')
      .set({ computed_at: quarter })
      .where('day', '=', dayOf(now))
      .execute()
    expect(await total()).toEqual({ asOf: first.asOf, tenants: first.tenants + 1 })
  })

  it('is the partner’s own, says nothing of days that nobody knows, and not to support', async () => {
    await db().deleteFrom('health_summaries').where('computed_at', '<', before(1)).execute()
    const own = await read('/partners/north/reports/health', pia)
    expect(own.status).toBe(200)
    for (const { tenantsBefore, change } of own.body.rows)
      expect([tenantsBefore, change]).toEqual([null, null])
    const north = await partnerId('north')
    await db()
      .updateTable('users')
      .set({ partner_access: 'support' })
      .where('partner_id', '=', north)
      .execute()
    expect((await read('/partners/north/reports/health', pia)).body).toMatchObject({
      code: 'access_level',
    })
    await db()
      .updateTable('users')
      .set({ partner_access: 'owner' })
      .where('partner_id', '=', north)
      .execute()
  })
})
