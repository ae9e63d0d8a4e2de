import { drainWebhooks } from '@atrium/api/billing/webhooks/process'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { eventBody, post, signature, webhookSecret } from '@atrium/testing/webhooks-test-app'
import { everythingWritten } from '@atrium/testing/written'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Forgery, forgeries } from './forged-events.ts'

const now = new Date('2026-03-10T12:00:00Z')
const seconds = now.getTime() / 1000

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => now },
    env: { STRIPE_WEBHOOK_SECRET: webhookSecret },
  })
})
afterAll(() => testApp[Symbol.asyncDispose]())

async function send({ body, header }: Forgery) {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const value of header) headers.append('stripe-signature', value)
  const response = await testApp.app.fetch(
    new Request('http://api.test/webhooks/stripe', {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
    }),
    {},
  )
  return { status: response.status, body: await response.text() }
}

it('takes no forged event', async () => {
  const before = await everythingWritten(testApp)
  const taken: string[] = []
  const odd: string[] = []
  let sent = 0
  for (let round = 0; round < rounds(1, 50); round++) {
    const [one, other] = [eventBody(), eventBody({ type: 'invoice.paid' })]
    for (const forgery of forgeries(one.body, other.body, seconds)) {
      const answer = await send(forgery)
      sent += 1
      if (answer.status < 300) taken.push(forgery.what)
      else if (answer.status !== 400 || answer.body.includes('prod_1'))
        odd.push(`${forgery.what}: ${answer.status} ${answer.body}`)
    }
  }
  const kinds = forgeries(eventBody().body, eventBody().body, seconds).length
  await recordMeasurement({
    target: 'S6',
    what: `${kinds} kinds of forged payment events`,
    measured: `${sent} sent, ${taken.length} accepted${taken.length > 0 ? ` (${[...new Set(taken)].join('; ')})` : ''}`,
    reached: kinds >= 40 && taken.length === 0,
  })
  expect([taken, odd]).toEqual([[], []])
  expect(kinds).toBeGreaterThanOrEqual(40)
  expect(await everythingWritten(testApp)).toEqual(before)
  // Who rejects everything has proven nothing.
  const { body } = eventBody()
  expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
})

it('returns 200 for a repeated event, and does nothing', async () => {
  const repeats = rounds(40, 1_000)
  const { id, body } = eventBody({
    type: 'customer.updated',
    object: { id: 'cus_nobody', object: 'customer' },
  })
  expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
  await drainWebhooks(testApp.app.services)
  const stateOf = () =>
    testApp.database.db.selectFrom('webhook_inbox').selectAll().where('id', '=', id).execute()
  const settled = await stateOf()
  const before = await everythingWritten(testApp)
  const responses: number[] = []
  for (let sent = 0; sent < repeats; sent += 20) {
    const batch = Array.from({ length: 20 }, (_, n) =>
      post(testApp, body, signature(body, seconds - ((sent + n) % 300))),
    )
    responses.push(...(await Promise.all(batch)).map(({ status }) => status))
  }
  await drainWebhooks(testApp.app.services)
  const after = await everythingWritten(testApp)
  const unchanged =
    JSON.stringify(await stateOf()) === JSON.stringify(settled) &&
    JSON.stringify(after) === JSON.stringify(before)
  const fine = responses.filter((status) => status === 200).length
  await recordMeasurement({
    target: 'S6',
    what: 'one event again and again, signed anew each time',
    measured: `${fine} of ${responses.length} answered 200, ${unchanged ? 'nothing changed' : 'something changed'}`,
    reached: fine === responses.length && unchanged,
  })
  expect(responses).toEqual(Array(repeats).fill(200))
  expect(await stateOf()).toEqual(settled)
  expect(after).toEqual(before)
})

it('keeps an event of the other mode without acting on it', async () => {
  const { id, body } = eventBody({
    livemode: true,
    type: 'invoice.paid',
    object: { id: 'in_1', object: 'invoice' },
  })
  expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
  const calls = testApp.sandbox.state().payments.calls.length
  await drainWebhooks(testApp.app.services)
  const row = await testApp.database.db
    .selectFrom('webhook_inbox')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirst()
  const asked = testApp.sandbox.state().payments.calls.length - calls
  await recordMeasurement({
    target: 'S6',
    what: 'a genuine event of the other mode',
    measured: `kept as ${row?.state}, ${asked} calls to the processor`,
    reached: row?.state === 'ignored_mode' && asked === 0,
  })
  expect([row?.state, asked]).toEqual(['ignored_mode', 0])
})
