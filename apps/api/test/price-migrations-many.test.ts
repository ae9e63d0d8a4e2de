import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { advancePriceMigrations } from '../src/billing/price-migrations/advance.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

/** More than two batches. docs/reference/performance.md has the figures of 10,000. */
const subscribers = Number(process.env.PRICE_MIGRATION_SUBSCRIBERS ?? 450)
const mostSteps = Math.max(300, subscribers / 5)
const day = 86_400_000
const measured = process.env.PRICE_MIGRATION_SUBSCRIBERS !== undefined

// Whoever measures many waits for them.
vi.setConfig({ testTimeout: measured ? 7_200_000 : 240_000 })

let world: PaidSubscriptionsTestApp
beforeAll(async () => {
  // A step holds the only connection: one that asked for a second would wait for ever.
  world = await openPaidSubscriptions({ poolSize: 1 })
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/**
 * Subscribers on the terms of one that the payment processor has, with a billing contact each. The
 * processor does not know them.
 */
async function multiply(subscriptionId: string): Promise<void> {
  const { db } = world.testApp.database
  const own = ['id', 'tenant_id', 'stripe_subscription_id', 'stripe_item_id', 'current_period_end']
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = 'subscriptions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and not attname = any(${own})`.execute(db)
  const same = sql.join(rows.map(({ name }) => sql.ref(name)))
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into tenants (slug, name, status, billing_email)
      select 'many-' || n, 'Many ' || n, 'active', 'billing@many-' || n || '.example'
      from generate_series(1, ${subscribers}::int) n`.execute(trx)
    await sql`
      insert into memberships (tenant_id, user_id, role)
      select t.id, m.user_id, 'owner' from tenants t, subscriptions s
      join memberships m on m.tenant_id = s.tenant_id and m.role = 'owner'
      where t.slug like 'many-%' and s.id = ${subscriptionId}`.execute(trx)
    await sql`
      insert into subscriptions (tenant_id, stripe_subscription_id, stripe_item_id, current_period_end, ${same})
      select t.id, 'sub_' || t.slug, 'si_' || t.slug, ${new Date(world.started.getTime() + 45 * day)}, ${same}
      from subscriptions s, (select id, slug from tenants where slug like 'many-%') t
      where s.id = ${subscriptionId}`.execute(trx)
  })
}

/** The ids on each page of a list. */
async function readPages(path: string): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = `?limit=200${cursor && `&cursor=${cursor}`}`
    const { body } = await world.testApp.request('GET', path + query, { token: world.operator })
    pages.push(body.items.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  }
  return pages
}

const residentMiB = () => Math.round(process.memoryUsage.rss() / 2 ** 20)

/** Of a hundred reads one after the other, in milliseconds. */
async function p95(path: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 100; i += 1) {
    const began = performance.now()
    const { status } = await world.testApp.request('GET', path, { token: world.operator })
    times.push(performance.now() - began)
    expect(status).toBe(200)
  }
  return Math.round(times.sort((a, b) => a - b)[94] ?? Number.NaN)
}

it('many subscribers are moved in bounded runs, each told and scheduled once', async () => {
  const { testApp, operator, started } = world
  const { services } = testApp.app
  const { slug, stripeId } = await world.subscribed()
  const [{ id }] = await world.rows(slug)
  await multiply(id)
  const { items } = (
    await testApp.request('GET', '/prices?plan=business&cycle=month&state=active', {
      token: operator,
    })
  ).body
  const raised = await testApp.request('PATCH', `/prices/${items[0].id}`, {
    token: operator,
    body: {
      expectedVersion: items[0].editVersion,
      amounts: items[0].amounts.map(
        ({ currency, unitAmount }: { currency: string; unitAmount: number }) => ({
          currency,
          unitAmount: unitAmount + 100,
        }),
      ),
    },
  })
  expect(raised.status).toBe(200)
  const migration = await testApp.request('POST', `/prices/${items[0].id}/migrations`, {
    token: operator,
    body: {
      from: new Date(started.getTime() + 40 * day).toISOString().slice(0, 10),
      reason: 'Costs went up this year.',
    },
  })
  expect(migration.body.subscribers.waiting).toBeGreaterThan(subscribers)

  if (measured)
    for (const path of [
      `/prices/${items[0].id}/migration-preview`,
      `/price-migrations?priceId=${items[0].id}`,
      `/price-migrations/${migration.body.id}/subscribers`,
      `/price-migrations/${migration.body.id}/subscribers?state=waiting`,
    ])
      console.info(`${path}: p95 ${await p95(path)} ms`)

  const known = await world.read(stripeId)
  const scheduled = new Map<string, number>()
  let calls = 0
  // The process is told to end at one call, and the processor takes no more requests at another.
  const [endsAt, limitedAt] = [Math.floor(subscribers / 3), Math.floor(subscribers / 2)]
  const spied = vi.spyOn(world.processor(), 'scheduleChange')
  spied.mockImplementation(async (change: Parameters<Payments['scheduleChange']>[0]) => {
    calls += 1
    if (calls === limitedAt)
      throw new UpstreamError({
        system: 'payments',
        call: 'scheduleChange',
        kind: 'rate_limited',
      })
    scheduled.set(change.subscriptionId, (scheduled.get(change.subscriptionId) ?? 0) + 1)
    const at = new Date(started.getTime() + 45 * day)
    return {
      ...known,
      id: change.subscriptionId,
      itemId: 'si_many',
      currentPeriodEnd: at,
      scheduleId: `sub_sched_${change.subscriptionId}`,
      scheduled: { priceId: change.priceId, seats: change.seats, at },
    }
  })
  let cut = true
  const ending = vi
    .spyOn(services.background, 'ending', 'get')
    .mockImplementation(() => cut && calls >= endsAt)
  const states = async () =>
    (await testApp.request('GET', `/price-migrations/${migration.body.id}`, { token: operator }))
      .body.subscribers
  const steps = async () => {
    const { told } = await testApp.database.db
      .selectFrom('price_moves')
      .select(({ fn }) => fn.count<number>('notified_at').as('told'))
      .executeTakeFirstOrThrow()
    return calls + Number(told)
  }
  const run = async () => {
    const [before, began] = [await steps(), performance.now()]
    await advancePriceMigrations(services, { mostMs: Number.POSITIVE_INFINITY, mostSteps })
    const [made, ms] = [(await steps()) - before, performance.now() - began]
    expect(made, 'steps of one run').toBeLessThanOrEqual(mostSteps)
    if (measured) console.info(`${made} steps in ${Math.round(ms)} ms, ${residentMiB()} MiB`)
  }

  while (calls < endsAt) await run()
  expect(calls, 'ends with the process').toBe(endsAt)
  cut = false
  while (calls < limitedAt) await run()
  expect(calls, 'ends when the processor takes no more').toBe(limitedAt)
  while (scheduled.size < subscribers - 1) await run()
  await world.at(new Date(started.getTime() + 3_600_000), run)
  ending.mockRestore()
  spied.mockRestore()

  expect(await states()).toMatchObject({ waiting: 0, scheduled: subscribers })
  expect(scheduled.size).toBe(subscribers)
  expect([...scheduled.values()].every((times) => times === 1)).toBe(true)
  const { rows } = await sql<{ mails: number; tenants: number }>`
  select count(*)::int as mails, count(distinct tenant_id)::int as tenants from outbox
  where template = 'subscription.price_change' and recipient like 'billing@many-%'`.execute(
    testApp.database.db,
  )
  expect(rows).toEqual([{ mails: subscribers, tenants: subscribers }])

  const pages = await readPages(`/price-migrations/${migration.body.id}/subscribers`)
  expect(Math.max(...pages.map((page) => page.length))).toBe(200)
  expect(new Set(pages.flat()).size).toBe(subscribers + 1)
  expect(pages.flat()).toHaveLength(subscribers + 1)
})
