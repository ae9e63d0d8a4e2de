import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureCustomer } from '@atrium/api/billing/invoices/customer'
import { processEvent } from '@atrium/api/billing/webhooks/process'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { recordedSequences } from '@atrium/testing/payments/payment-sequences'
import { createProcessor } from '@atrium/testing/payments/processor'
import {
  everything,
  orders,
  ordersOf,
  severalAtOnce,
} from '@atrium/testing/payments/recorded-orders'
import { insertTestTenant, partnerIdOf, userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, expect, it } from 'vitest'
import { everyPoint, killEverywhere, rehearse, spread, type Write } from './kills.ts'

const testApps: TestApp[] = []
afterAll(async () => {
  for (const testApp of testApps) await testApp[Symbol.asyncDispose]()
})

async function northOf({ database: { db } }: TestApp): Promise<string> {
  const id = await partnerIdOf(db, 'north')
  await db.updateTable('partners').set({ margin_pct: 20 }).where('id', '=', id).execute()
  return id
}

it('what the payment processor tells ends in one state in every order, doubled and several at once', async () => {
  const processor = createProcessor()
  const now = new Date('2040-03-20T12:00:00Z')
  const testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => now },
    integrations: (integrations) => ({ ...integrations, payments: processor.payments }),
  })
  testApps.push(testApp)
  const recorder = ordersOf(testApp, processor)
  const partnerId = await northOf(testApp)
  const names = recordedSequences({ tenantId: '', customerId: '', word: '' }).map(
    ({ name }) => name,
  )
  const deviations: string[] = []
  let tried = 0
  for (const name of spread(names, rounds(3, names.length))) {
    const plain = await recorder.record(name, { partnerId })
    const events = everything(plain)
    await recorder.deliver(events)
    const state = JSON.stringify(await recorder.stateOf(plain))
    await severalAtOnce(
      4,
      orders(events.length, { whole: rounds(2, 5), picked: rounds(3, 40) }),
      async (order) => {
        const recorded = await recorder.record(name, { partnerId })
        const happened = everything(recorded)
        const shuffled = order.flatMap((place) => happened[place] ?? [])
        const doubled = [
          ...shuffled,
          ...shuffled.map((event) => ({ ...event, id: `${event.id}_again` })),
        ]
        for (let n = 0; n < doubled.length; n += 3) {
          const few = doubled.slice(n, n + 3)
          await Promise.all(few.map(recorder.keep))
          await Promise.all(
            few.flatMap(({ id }) => [
              processEvent(testApp.app.services, id),
              processEvent(testApp.app.services, id),
            ]),
          )
        }
        tried += 1
        const found = JSON.stringify(await recorder.stateOf(recorded))
        if (found !== state) deviations.push(`${name} ${order}: ${found} instead of ${state}`)
      },
    )
  }
  await recordMeasurement({
    target: 'R6',
    what: 'orders, each event twice, three at once and each worked on by two',
    measured: `${rounds(3, names.length)} of ${names.length} sequences, ${tried} orders, ${deviations.length} other final states`,
    reached: deviations.length === 0,
  })
  expect(names.length).toBeGreaterThan(5)
  expect(tried).toBeGreaterThan(5)
  expect(deviations).toEqual([])
})

interface Sale {
  tenantId: string
  eventIds: readonly string[]
}

/** A purchase with its refund, whose events wait at the payment processor until they are sent. */
function saleEvents(testApp: TestApp, partnerId: string, token: string): Write<Sale> {
  const { db } = testApp.database
  async function inbox(eventIds: readonly string[]) {
    return db
      .selectFrom('webhook_inbox')
      .select('state')
      .where('id', 'in', [...eventIds])
      .orderBy('id')
      .execute()
  }
  const settled = async ({ eventIds }: Sale) =>
    (await inbox(eventIds)).every(({ state }) => state !== 'received' && state !== 'failed')
  return {
    name: 'events of a sale',
    async prepare() {
      const before = new Set(testApp.webhooks.pending())
      const tenantId = await sell(testApp, partnerId, token)
      return { tenantId, eventIds: testApp.webhooks.pending().filter((id) => !before.has(id)) }
    },
    // The intake is this process; who works on what it kept is the one that is killed.
    async call(send, target) {
      const statuses = await testApp.webhooks.deliver(target.eventIds)
      while (!(await settled(target))) {
        // Rejects when the process is gone.
        await send('GET', '/health', '')
        await delay(50)
      }
      return { status: Math.max(...statuses), body: undefined }
    },
    settled,
    async state({ tenantId, eventIds }) {
      const states = new Set(
        (await inbox(eventIds)).map(({ state }) =>
          ['applied', 'skipped', 'stale'].includes(state) ? 'done' : state,
        ),
      )
      const invoices = await db
        .selectFrom('invoices')
        .select(['id', 'status'])
        .where('tenant_id', '=', tenantId)
        .execute()
      const ids = invoices.map(({ id }) => id)
      const reversals =
        ids.length === 0
          ? []
          : await db
              .selectFrom('invoice_reversals')
              .select(['kind', 'effective'])
              .where('invoice_id', 'in', ids)
              .execute()
      const ledger = await db
        .selectFrom('partner_ledger')
        .select(['type', 'amount'])
        .where('tenant_id', '=', tenantId)
        .orderBy('id')
        .execute()
      const mails = await db
        .selectFrom('outbox')
        .select('template')
        .where('tenant_id', '=', tenantId)
        .orderBy('template')
        .execute()
      const tenant = await db
        .selectFrom('tenants')
        .select(['plan', 'seats'])
        .where('id', '=', tenantId)
        .executeTakeFirst()
      return {
        states: [...states],
        invoices: invoices.map(({ status }) => status),
        reversals,
        ledger,
        mails,
        tenant,
      }
    },
    async passLeases() {
      const lapsed = new Date(Date.now() - 1_000)
      await db
        .updateTable('webhook_inbox')
        .set({ lease_until: lapsed })
        .where('lease_until', 'is not', null)
        .execute()
    },
  }
}

async function sell(testApp: TestApp, partnerId: string, token: string): Promise<string> {
  const { db } = testApp.database
  const { payments } = testApp.app.services.systems
  if (!payments) throw new Error('this test app has a payment processor')
  const slug = `sold-${randomBytes(5).toString('hex')}`
  const ownerId = await userIdOf(db, 'owner@acme.test')
  const made = await db
    .transaction()
    .execute((trx) => insertTestTenant(trx, { slug, partnerId, ownerId }))
  // Who earns is decided as of the second in which an invoice was made, and the partner's part
  // begins with the tenant.
  await delay(1_100)
  const customer = await ensureCustomer(testApp.app.services, payments, made.id)
  testApp.sandbox.payments.act({ action: 'attach_card', customer, card: 'pm_card_visa' })
  const terms = { plan: 'starter', cycle: 'month', currency: 'eur', seats: 5 }
  const { status, body } = await testApp.request('POST', `/tenants/${slug}/subscription`, {
    token,
    body: terms,
  })
  if (status !== 201) throw new Error(`no subscription: ${status} ${JSON.stringify(body)}`)
  const [invoice] = await payments.listInvoices(customer)
  testApp.sandbox.payments.act({ action: 'refund', invoice: invoice?.id ?? '' })
  return made.id
}

it('killed at every await of the work on events, each has its effect once', async () => {
  const testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
  testApps.push(testApp)
  testApp.sandbox.payments.webhooks.hold()
  const write = saleEvents(testApp, await northOf(testApp), await testApp.token('owner@acme.test'))
  const rehearsal = await rehearse(testApp, write)
  const points = spread(everyPoint(rehearsal.crossings), rounds(3, 60))
  const kills = await killEverywhere(testApp, write, rehearsal, points)
  const faults = kills.flatMap((kill) =>
    kill.faults.map((fault) => `killed ${kill.point}: ${fault}`),
  )
  await recordMeasurement({
    target: 'R6',
    what: 'killed between: a sale with its refund',
    measured: `${rehearsal.crossings.length} awaits, ${kills.length} kills, ${faults.length} lost or doubled`,
    reached: faults.length === 0,
  })
  expect(rehearsal.crossings.length).toBeGreaterThan(20)
  expect(faults).toEqual([])
})
