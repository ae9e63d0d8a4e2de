import { createProcessor, type Processor, type SentEvent } from '@atrium/testing/payments/processor'
import {
  everything,
  type Orders,
  orders,
  ordersOf,
  type Recorded,
  severalAtOnce,
} from '@atrium/testing/payments/recorded-orders'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerTestApp, startLedgerTestApp } from './ledger-test-app.ts'

/**
 * Every order of the events at every place among the acts with ATRIUM_ALL_ORDERS=1, else as many
 * picked ones.
 */
const all = process.env.ATRIUM_ALL_ORDERS === '1'
const picked = 8
const atOnce = 4
/**
 * 2,000 times this is an invoice without tax in minor units; the partner earns a fifth: 80.00 EUR.
 */
const times = 20
const accrual = (2_000 * times) / 5
/** After the hold of everything that is paid here. */
const now = '2040-06-20T12:00:00Z'

let ledger: LedgerTestApp
let processor: Processor
let recorder: Orders
beforeAll(async () => {
  processor = createProcessor()
  ledger = await startLedgerTestApp({
    integrations: (integrations) => ({ ...integrations, payments: processor.payments }),
  })
  ledger.goTo(now)
  recorder = ordersOf(ledger.testApp, processor)
}, 60_000)
afterAll(() => ledger[Symbol.asyncDispose]())

/** What the partner loses of the 80.00 in the end. */
const sequences = [
  { name: 'refund', lost: accrual },
  { name: 'refund that fails', lost: 0 },
  { name: 'dispute lost', lost: accrual },
  { name: 'dispute won', lost: 0 },
  { name: 'credit note', lost: accrual / 2 },
]

interface Scene {
  slug: string
  recorded: Recorded
  /**
   * Has earned 160.00 that nobody takes back, and earns as much again when its renewal is
   * delivered.
   */
  steady: Recorded
  payout(): Promise<void>
  approve(): Promise<void>
  pay(): Promise<void>
  /** What was transferred, in order. */
  paid: number[]
}

/** A partner with two customers who have paid. */
async function scene(name: string): Promise<Scene> {
  const { id: partnerId, slug } = await ledger.partner()
  const recorded = await recorder.record(name, { partnerId, times })
  const steady = await recorder.record('renew', { partnerId, times: 2 * times })
  let payout = { id: '', amountMinor: 0 }
  const paid: number[] = []
  const act = async (path: string, person: LedgerTestApp['olive'], body: object) => {
    const response = await ledger.post(path, person, body)
    expect(response, `${path} ${JSON.stringify(response.body)}`).toMatchObject({
      status: expect.toBeOneOf([200, 201]),
    })
    return response.body
  }
  async function request() {
    payout = await act(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
  }
  /** What was clawed back meanwhile is not paid: then a new payout is made of what is left. */
  async function step(name: string, person: LedgerTestApp['olive'], body: object) {
    const path = () => `/billing/payouts/${payout.id}`
    const response = await ledger.post(`${path()}/${name}`, person, body)
    if (response.body.code !== 'payout_held') {
      expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 })
      return
    }
    await act(`${path()}/void`, ledger.olive, { reason: 'Clawed back.' })
    await request()
    if (name === 'pay') await act(`${path()}/approve`, ledger.gero, {})
    await act(`${path()}/${name}`, person, body)
  }
  return {
    slug,
    recorded,
    steady,
    paid,
    payout: request,
    approve: () => step('approve', ledger.gero, {}),
    async pay() {
      await step('pay', ledger.olive, { reference: 'SEPA' })
      paid.push(payout.amountMinor)
    },
  }
}

const balancesOf = async (slug: string) =>
  (await ledger.read(`/partners/${slug}/billing`, ledger.olive)).body.balances

/**
 * After the events and the first payout: the next payout settles everything, and the ledger is
 * even.
 */
async function expectEven(
  where: object,
  { slug, recorded, steady, payout, approve, pay, paid }: Scene,
  lost: number,
): Promise<void> {
  const [first = 0] = paid
  expect({ ...where, balance: (await balancesOf(slug))[0]?.balanceMinor }).toEqual({
    ...where,
    balance: 3 * accrual - lost - first,
  })
  await recorder.deliver(everything(steady))
  await payout()
  await approve()
  await pay()
  expect({ ...where, paid: paid.reduce((sum, amount) => sum + amount, 0) }).toEqual({
    ...where,
    paid: 5 * accrual - lost,
  })
  expect(paid[1]).toBe(5 * accrual - lost - first)
  expect(await balancesOf(slug)).toMatchObject([
    {
      balanceMinor: 0,
      availableMinor: 0,
      reservedMinor: 0,
      payableMinor: 0,
      paidOutMinor: 5 * accrual - lost,
      openPayout: null,
    },
  ])
  const { rows } = await sql<{ kind: string; entries: string; linked: string; sum: string }>`
    select case when e.type in ('payout', 'payout_reversal') then 'transfers' else 'earnings' end as kind, count(*) as entries,
      count(l.entry_id) as linked, sum(e.amount) as sum
    from partner_ledger e join partners p on p.id = e.partner_id left join payout_entries l on l.entry_id = e.id
    where p.slug = ${slug} group by 1 order by 1`.execute(ledger.testApp.database.db)
  const [earnings, transfers] = rows.map(({ entries, linked, sum }) => ({
    entries: Number(entries),
    linked: Number(linked),
    sum: Number(sum),
  }))
  // Every earning and every claw-back is in exactly one payout, and what was transferred is their
  // sum.
  expect({ ...where, earnings }).toMatchObject({
    ...where,
    earnings: { linked: earnings?.entries, sum: 5 * accrual - lost },
  })
  expect({ ...where, transfers }).toMatchObject({
    ...where,
    transfers: { entries: 2, sum: lost - 5 * accrual },
  })
  const claws = await ledger.testApp.database.db
    .selectFrom('partner_ledger')
    .select(({ fn }) => fn.sum('amount').as('sum'))
    .where('tenant_id', '=', recorded.tenantId)
    .where('type', '<>', 'accrual')
    .executeTakeFirst()
  expect({ ...where, kept: lost + Number(claws?.sum ?? 0) }).toEqual({ ...where, kept: 0 })
}

/**
 * Every way to put three acts among so many events: for each act, how many events come before it.
 */
function placements(events: number): number[][] {
  const places: number[][] = []
  for (let a = 0; a <= events; a++)
    for (let b = a; b <= events; b++) for (let c = b; c <= events; c++) places.push([a, b, c])
  return places
}

describe.each(sequences)(
  '$name, with a payout made, approved and paid before, between or after the events',
  ({ name, lost }) => {
    it('takes back what was paid from the next payout, in every order', {
      timeout: all ? 7_200_000 : 300_000,
    }, async () => {
      const { length } = everything(await recorder.record(name, { partnerId: ledger.north, times }))
      const ways = orders(length, { whole: 7, picked: 0 }).flatMap((order) =>
        placements(length).map((acts) => ({ order, acts })),
      )
      // With everything after the transfer in any case: then nothing but the next payout can make
      // up for it.
      const late = orders(length, { whole: 7, picked: 0 }).map((order) => ({
        order,
        acts: [0, 0, 0],
      }))
      const some = fc.sample(fc.constantFrom(...ways), { numRuns: picked, seed: 20_401_122 })
      await severalAtOnce(atOnce, all ? ways : [...late, ...some], async ({ order, acts }) => {
        const played = await scene(name)
        const events = everything(played.recorded)
        const due = [played.payout, played.approve, played.pay]
        for (let done = 0; done <= length; done++) {
          while (due.length > 0 && acts[3 - due.length] === done) await due.shift()?.()
          const event = events[order[done] ?? length]
          if (event) await recorder.deliver([event])
        }
        await expectEven({ order, acts }, played, lost)
      })
    })

    it('comes to the same while it goes on, with events late and acts in between', {
      timeout: 300_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.nat(99)), async (dice) => {
          const roll = () => dice.next().value ?? 0
          const played = await scene(name)
          const waiting: SentEvent[] = []
          const due = [played.payout, played.approve, played.pay]
          const log: string[] = []
          for (let more = true; more || waiting.length > 0 || due.length > 0; ) {
            const thrown = roll()
            if (thrown < 30 && due.length > 0) {
              await due.shift()?.()
              log.push('act')
            } else if (thrown < 60 && more) {
              const events = played.recorded.next()
              more = events !== undefined
              waiting.push(...(events ?? []))
              log.push('happens')
            } else {
              const [event] = waiting.splice(roll() % Math.max(1, waiting.length), 1)
              if (event) await recorder.deliver([event])
              log.push(event?.type ?? 'nothing')
            }
          }
          await expectEven({ log }, played, lost)
        }),
        { numRuns: all ? 100 : 4, seed: 11 },
      )
    })
  },
)
