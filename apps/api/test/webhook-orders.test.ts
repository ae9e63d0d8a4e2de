import { randomBytes } from 'node:crypto'
import { savePaymentCustomer } from '@atrium/db/payment-customers'
import { insertTenant } from '@atrium/db/tenants'
import { insertInboxEvent } from '@atrium/db/webhook-inbox'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processEvent } from '../src/webhooks/process.ts'
import { openHouse, type TestHouse } from './house.ts'
import { recordedSequences, type Sequence } from './payment-sequences.ts'
import { createProcessor, type Processor, type SentEvent } from './processor.ts'

/** All orders of sequences up to this length are tried, of longer ones as many picked ones; every order with ATRIUM_ALL_ORDERS=1. */
const longestWhole = process.env.ATRIUM_ALL_ORDERS === '1' ? 7 : 4
const picked = 20
const now = new Date('2040-03-20T12:00:00Z')

let house: TestHouse
let north: string
let owner: string
let processor: Processor
let withKeys = true

beforeAll(async () => {
  processor = createProcessor()
  house = await openHouse({
    provisioned: false,
    clock: { now: () => now },
    integrations: (integrations) => ({
      ...integrations,
      get payments() {
        return withKeys ? processor.payments : null
      },
    }),
  })
  const { db } = house.database
  north = (await db.selectFrom('partners').select('id').where('slug', '=', 'north').executeTakeFirstOrThrow()).id
  owner = (await db.selectFrom('users').select('id').where('email', '=', 'owner@acme.test').executeTakeFirstOrThrow()).id
  await db.updateTable('partners').set({ margin_pct: 20 }).where('id', '=', north).execute()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

interface Recorded {
  tenantId: string
  events: SentEvent[]
  /** Lets the next thing happen; answers its events. */
  next(): SentEvent[] | undefined
}

/** A tenant of its own with the sequence recorded at the processor: its beginning applied, the rest still to happen. */
async function record(name: string): Promise<Recorded> {
  const { db } = house.database
  const word = randomBytes(6).toString('hex')
  const slug = `order-${word}`
  const tenantId = await db.transaction().execute(async (trx) => {
    const inserted = await insertTenant(trx, {
      ...{ slug, name: slug, plan: 'free', partnerId: north, seats: 20, industry: null, brandColor: null, ownerId: owner },
      ...{
        billing: { company: null, vatNumber: null, country: null, email: null },
        domains: [`${slug}.tenants.local`],
        platformDomain: 'tenants.local',
      },
    })
    if (!inserted) throw new Error('the name is taken')
    await savePaymentCustomer(trx, inserted.id, `cus_${word}`)
    return inserted.id
  })
  const sequence = recordedSequences({ tenantId, customerId: `cus_${word}`, word }).find((one) => one.name === name)
  if (!sequence) throw new Error(`no sequence is called ${name}`)
  for (const happening of sequence.before) await deliver(processor.happen(happening))
  const left = [...sequence.happenings]
  return {
    tenantId,
    events: [],
    next() {
      const happening = left.shift()
      return happening && processor.happen(happening)
    },
  }
}

async function keep({ id, type, objectId, created, payload }: SentEvent): Promise<void> {
  const event = {
    id,
    type,
    objectId,
    created,
    apiVersion: null,
    livemode: false,
    payload: JSON.stringify(payload),
    state: 'received',
  } as const
  await insertInboxEvent(house.database.db, event)
}

async function deliver(events: readonly SentEvent[]): Promise<void> {
  for (const event of events) {
    await keep(event)
    await processEvent(house.app.house, event.id)
  }
}

/** Everything that stands about the tenant but when it was written, with ids of the run taken out. */
async function stateOf(tenantId: string): Promise<unknown> {
  const { rows } = await sql<{ state: unknown }>`
    select jsonb_build_object(
      'tenant', (select jsonb_build_object('plan', plan, 'seats', seats, 'status', status) from tenants where id = ${tenantId}),
      'subscriptions', (select jsonb_agg(to_jsonb(s) - array['id', 'tenant_id', 'created_at', 'updated_at', 'state_since', 'version',
        'stripe_event_at', 'stripe_event_id'] order by s.stripe_subscription_id) from subscriptions s where tenant_id = ${tenantId}),
      'history', (select jsonb_agg(to_jsonb(h) - array['id', 'subscription_id', 'tenant_id', 'valid_from']) from subscription_history h
        where tenant_id = ${tenantId} and valid_to is null),
      'invoices', (select jsonb_agg(to_jsonb(i) - array['id', 'tenant_id', 'read_at'] order by i.stripe_invoice_id) from invoices i
        where tenant_id = ${tenantId}),
      'reversals', (select jsonb_agg(to_jsonb(r) - array['invoice_id', 'read_at'] order by r.id) from invoice_reversals r
        join invoices i on i.id = r.invoice_id where i.tenant_id = ${tenantId}),
      'ledger', (select jsonb_agg(jsonb_build_object('currency', l.currency, 'sum', l.sum, 'invoice', l.stripe_invoice_id)
        order by l.stripe_invoice_id) from (select e.currency, sum(e.amount) as sum, i.stripe_invoice_id from partner_ledger e
          join invoices i on i.id = e.invoice_id where e.tenant_id = ${tenantId} group by e.currency, i.stripe_invoice_id) l),
      'dunning', (select count(*) from dunning_cases where tenant_id = ${tenantId} and closed_at is null)
    ) as state`.execute(house.database.db)
  const word = await house.database.db.selectFrom('tenants').select('slug').where('id', '=', tenantId).executeTakeFirstOrThrow()
  return JSON.parse(JSON.stringify(rows[0]?.state).replaceAll(word.slug.replace('order-', ''), 'word'))
}

async function inState(tenantEvents: readonly SentEvent[]): Promise<string[]> {
  const ids = tenantEvents.map(({ id }) => id)
  const rows = await house.database.db.selectFrom('webhook_inbox').select('state').distinct().where('id', 'in', ids).execute()
  return rows.map(({ state }) => state).sort()
}

async function everything(recorded: Recorded): Promise<SentEvent[]> {
  const all: SentEvent[] = []
  for (let events = recorded.next(); events; events = recorded.next()) all.push(...events)
  return all
}

/** The state after each event came at once and in order. */
async function expected(name: string): Promise<{ state: unknown; length: number }> {
  const recorded = await record(name)
  let length = 0
  for (let events = recorded.next(); events; events = recorded.next()) {
    await deliver(events)
    length += events.length
  }
  return { state: await stateOf(recorded.tenantId), length }
}

function orders(length: number): number[][] {
  const places = Array.from({ length }, (_, index) => index)
  if (length <= longestWhole) return permutations(places)
  return [
    places.toReversed(),
    ...fc.sample(fc.shuffledSubarray(places, { minLength: length, maxLength: length }), { numRuns: picked, seed: 20_260_320 }),
  ]
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

const sequences: Sequence[] = recordedSequences({ tenantId: '', customerId: '', word: '' })

describe.each(sequences.map(({ name }) => name))('%s', (name) => {
  it('ends in the same state in every order, also when everything comes twice', { timeout: 300_000 }, async () => {
    const { state, length } = await expected(name)
    expect(state).toMatchObject({
      subscriptions: [{ source: 'stripe' }],
      ledger: expect.arrayContaining([{ currency: 'eur', sum: expect.any(Number), invoice: 'in_word' }]),
    })
    for (const order of orders(length)) {
      const recorded = await record(name)
      const events = await everything(recorded)
      const shuffled = order.flatMap((place) => events[place] ?? [])
      await deliver(shuffled)
      expect({ order, state: await stateOf(recorded.tenantId) }).toEqual({ order, state })
      const [first] = shuffled
      if (first) await deliver([{ ...first, id: `${first.id}_again` }])
      expect({ order, again: await stateOf(recorded.tenantId) }).toEqual({ order, again: state })
      expect(await inState(events)).not.toContain('failed')
    }
  })

  it('ends in the same state when events come while it goes on, late, doubled and several at once', { timeout: 120_000 }, async () => {
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
          const taken = Array.from({ length: 1 + (roll() % 3) }, () => waiting.splice(roll() % Math.max(1, waiting.length), 1)).flat()
          await Promise.all(taken.map(keep))
          await Promise.all(taken.flatMap(({ id }) => [processEvent(house.app.house, id), processEvent(house.app.house, id)]))
        }
        expect(await stateOf(recorded.tenantId)).toEqual(state)
      }),
      { numRuns: 4, seed: 7 },
    )
  })
})

describe.each(sequences.filter(({ shownWhole }) => shownWhole).map(({ name }) => name))('%s, without keys', (name) => {
  it('ends in the same state in every order, from what the events show', { timeout: 300_000 }, async () => {
    const { state, length } = await expected(name)
    for (const order of orders(length)) {
      withKeys = false
      try {
        const recorded = await record(name)
        const events = await everything(recorded)
        await deliver(order.flatMap((place) => events[place] ?? []))
        expect({ order, state: await stateOf(recorded.tenantId) }).toEqual({ order, state })
      } finally {
        withKeys = true
      }
    }
  })
})
