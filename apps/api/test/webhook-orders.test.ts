import { recordedSequences, type Sequence } from '@atrium/testing/payments/payment-sequences'
import { createProcessor, type Processor, type SentEvent } from '@atrium/testing/payments/processor'
import {
  everything,
  type Orders,
  orders,
  ordersOf,
  severalAtOnce,
} from '@atrium/testing/payments/recorded-orders'
import { partnerIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processEvent } from '../src/billing/webhooks/process.ts'

/**
 * All orders of sequences up to this length are tried, of longer ones as many picked ones; every
 * order with ATRIUM_ALL_ORDERS=1.
 */
const tried = { whole: process.env.ATRIUM_ALL_ORDERS === '1' ? 7 : 5, picked: 20 }
const atOnce = 4
const now = new Date('2040-03-20T12:00:00Z')

let testApp: TestApp
let north: string
let processor: Processor
let recorder: Orders
let withKeys = true

beforeAll(async () => {
  processor = createProcessor()
  testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => now },
    integrations: (integrations) => ({
      ...integrations,
      get payments() {
        return withKeys ? processor.payments : null
      },
    }),
  })
  const { db } = testApp.database
  north = await partnerIdOf(db, 'north')
  await db.updateTable('partners').set({ margin_pct: 20 }).where('id', '=', north).execute()
  recorder = ordersOf(testApp, processor)
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const record = (name: string) => recorder.record(name, { partnerId: north })

/** The state after each event came at once and in order. */
async function expected(name: string): Promise<{ state: unknown; length: number }> {
  const recorded = await record(name)
  let length = 0
  for (let events = recorded.next(); events; events = recorded.next()) {
    await recorder.deliver(events)
    length += events.length
  }
  return { state: await recorder.stateOf(recorded), length }
}

const sequences: Sequence[] = recordedSequences({ tenantId: '', customerId: '', word: '' })

describe.each(sequences.map(({ name }) => name))('%s', (name) => {
  it('ends in the same state in every order, also when everything comes twice', {
    timeout: 300_000,
  }, async () => {
    const { state, length } = await expected(name)
    expect(state).toMatchObject({
      subscriptions: [{ source: 'stripe' }],
      ledger: expect.arrayContaining([
        { currency: 'eur', sum: expect.any(Number), invoice: 'in_word' },
      ]),
    })
    await severalAtOnce(atOnce, orders(length, tried), async (order) => {
      const recorded = await record(name)
      const events = everything(recorded)
      const shuffled = order.flatMap((place) => events[place] ?? [])
      await recorder.deliver(shuffled)
      expect({ order, state: await recorder.stateOf(recorded) }).toEqual({ order, state })
      const [first] = shuffled
      if (first) await recorder.deliver([{ ...first, id: `${first.id}_again` }])
      expect({ order, again: await recorder.stateOf(recorded) }).toEqual({ order, again: state })
      expect(await recorder.inboxStates(events)).not.toContain('failed')
    })
  })

  it('ends in the same state when events come while it goes on, late, doubled and several at once', {
    timeout: 120_000,
  }, async () => {
    const { state } = await expected(name)
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(99)), async (dice) => {
        const roll = () => dice.next().value ?? 0
        const recorded = await record(name)
        const waiting: SentEvent[] = []
        for (let more = true; more || waiting.length > 0; ) {
          if (more && (waiting.length === 0 || roll() < 50)) {
            const events = recorded.next()
            more = events !== undefined
            waiting.push(...(events ?? []))
            continue
          }
          const taken = Array.from({ length: 1 + (roll() % 3) }, () =>
            waiting.splice(roll() % Math.max(1, waiting.length), 1),
          ).flat()
          await Promise.all(taken.map(recorder.keep))
          await Promise.all(
            taken.flatMap(({ id }) => [
              processEvent(testApp.app.services, id),
              processEvent(testApp.app.services, id),
            ]),
          )
        }
        expect(await recorder.stateOf(recorded)).toEqual(state)
      }),
      { numRuns: 4, seed: 7 },
    )
  })
})

describe.each(sequences.filter(({ shownWhole }) => shownWhole).map(({ name }) => name))(
  '%s, without keys',
  (name) => {
    it('ends in the same state in every order, from what the events show', {
      timeout: 300_000,
    }, async () => {
      const { state, length } = await expected(name)
      withKeys = false
      try {
        await severalAtOnce(atOnce, orders(length, tried), async (order) => {
          const recorded = await record(name)
          const events = everything(recorded)
          await recorder.deliver(order.flatMap((place) => events[place] ?? []))
          expect({ order, state: await recorder.stateOf(recorded) }).toEqual({ order, state })
        })
      } finally {
        withKeys = true
      }
    })
  },
)
