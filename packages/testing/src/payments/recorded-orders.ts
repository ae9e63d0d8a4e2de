import { randomBytes } from 'node:crypto'
import { processEvent } from '@atrium/api/billing/webhooks/process'
import { savePaymentCustomer } from '@atrium/db/billing/payment-customers'
import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import fc from 'fast-check'
import { sql } from 'kysely'
import { insertTestTenant, userIdOf } from '../records.ts'
import type { TestApp } from '../test-app.ts'
import { recordedSequences } from './payment-sequences.ts'
import type { Processor, SentEvent } from './processor.ts'

/** A tenant of its own about which a sequence goes on. */
export interface Recorded {
  tenantId: string
  word: string
  /**
   * Makes the next thing happen at the processor and returns its events. Undefined after the last
   * one.
   */
  next(): SentEvent[] | undefined
}

export interface RecordOptions {
  partnerId: string
  /** How many times the price list's amounts. */
  times?: number
}

export interface Orders {
  /**
   * A new tenant with the sequence recorded at the processor: its beginning applied, the rest still
   * to happen.
   */
  record(name: string, options: RecordOptions): Promise<Recorded>
  /** Adds an event to the inbox, once. */
  keep(event: SentEvent): Promise<void>
  /** Keeps and works on them, one after the other. */
  deliver(events: readonly SentEvent[]): Promise<void>
  /** Everything stored about the tenant except write times, without ids of the run. */
  stateOf(recorded: Recorded): Promise<unknown>
  /** The states in the inbox that these events came to. */
  inboxStates(events: readonly SentEvent[]): Promise<string[]>
}

export function ordersOf(testApp: TestApp, processor: Processor): Orders {
  const { db } = testApp.database
  const owner = userIdOf(db, 'owner@acme.test')

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
    await insertInboxEvent(db, event)
  }
  async function deliver(events: readonly SentEvent[]): Promise<void> {
    for (const event of events) {
      await keep(event)
      await processEvent(testApp.app.services, event.id)
    }
  }

  return {
    keep,
    deliver,
    async record(name, { partnerId, times = 1 }) {
      const word = randomBytes(6).toString('hex')
      const slug = `order-${word}`
      const ownerId = await owner
      const tenantId = await db.transaction().execute(async (trx) => {
        const inserted = await insertTestTenant(trx, { slug, partnerId, seats: 20, ownerId })
        await savePaymentCustomer(trx, inserted.id, `cus_${word}`)
        return inserted.id
      })
      const sequence = recordedSequences({ tenantId, customerId: `cus_${word}`, word, times }).find(
        (one) => one.name === name,
      )
      if (!sequence) throw new Error(`no sequence is called ${name}`)
      for (const happening of sequence.before) await deliver(processor.happen(happening))
      const left = [...sequence.happenings]
      return {
        tenantId,
        word,
        next() {
          const happening = left.shift()
          return happening && processor.happen(happening)
        },
      }
    },
    async stateOf({ tenantId, word }) {
      const { rows } = await sql<{ state: unknown }>`
        select jsonb_build_object(
          'tenant', (select jsonb_build_object('plan', plan, 'seats', seats, 'status', status) from tenants where id = ${tenantId}),
          'subscriptions', (select jsonb_agg(to_jsonb(s) - array['id', 'tenant_id', 'created_at', 'updated_at', 'state_since', 'version',
            'stripe_event_at', 'stripe_event_id'] order by s.stripe_subscription_id) from subscriptions s where tenant_id = ${tenantId}),
          'history', (select jsonb_agg(to_jsonb(h) - array['id', 'subscription_id', 'tenant_id', 'valid_from']) from subscription_history h
            where tenant_id = ${tenantId} and valid_to is null),
          'invoices', (select jsonb_agg(to_jsonb(i) - array['id', 'tenant_id', 'read_at'] order by i.stripe_invoice_id) from invoices i
            where tenant_id = ${tenantId}),
          'reversals', (select jsonb_agg(to_jsonb(r) - array['tenant_id', 'invoice_id', 'read_at'] order by r.id) from invoice_reversals r
            join invoices i on i.id = r.invoice_id where i.tenant_id = ${tenantId}),
          'ledger', (select jsonb_agg(jsonb_build_object('currency', l.currency, 'sum', l.sum, 'invoice', l.stripe_invoice_id)
            order by l.stripe_invoice_id) from (select e.currency, sum(e.amount) as sum, i.stripe_invoice_id from partner_ledger e
              join invoices i on i.id = e.invoice_id where e.tenant_id = ${tenantId} group by e.currency, i.stripe_invoice_id) l),
          'dunning', (select count(*) from dunning_cases where tenant_id = ${tenantId} and closed_at is null)
        ) as state`.execute(db)
      return JSON.parse(JSON.stringify(rows[0]?.state).replaceAll(word, 'word'))
    },
    async inboxStates(events) {
      const ids = events.map(({ id }) => id)
      const rows = await db
        .selectFrom('webhook_inbox')
        .select('state')
        .distinct()
        .where('id', 'in', ids)
        .execute()
      return rows.map(({ state }) => state).sort()
    },
  }
}

/** Lets all that is left happen; returns the events. */
export function everything(recorded: Recorded): SentEvent[] {
  const all: SentEvent[] = []
  for (let events = recorded.next(); events; events = recorded.next()) all.push(...events)
  return all
}

/**
 * The orders of so many events that are tried: all up to `whole` of them, else the reverse one and
 * `picked` that a fixed seed picks.
 */
export function orders(
  length: number,
  { whole, picked }: { whole: number; picked: number },
): number[][] {
  const places = Array.from({ length }, (_, index) => index)
  if (length <= whole) return permutations(places)
  const some = fc.sample(fc.shuffledSubarray(places, { minLength: length, maxLength: length }), {
    numRuns: picked,
    seed: 20_260_320,
  })
  return [places.toReversed(), ...some]
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

/**
 * Works on every item, so many at a time; they wait for the database more than for the processor.
 */
export async function severalAtOnce<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
