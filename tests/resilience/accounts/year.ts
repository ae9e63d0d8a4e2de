import { readAccounts } from './books.ts'
import { newCustomer, newPartner } from './play/arrivals.ts'
import { Bank } from './play/bank.ts'
import { cycles, plans, putOnSale } from './play/catalog.ts'
import { actAsCustomer } from './play/customers.ts'
import { EventDelivery } from './play/events.ts'
import { readProcessorAccount, runJobs, runNightlyJobs } from './play/jobs.ts'
import { actAsOperator } from './play/operators.ts'
import { actOnPayout } from './play/payouts.ts'
import { type PlayedYear, Simulation } from './play/simulation.ts'
import type { SimulatedService } from './service.ts'

export interface YearOptions {
  readonly seed: number
  readonly customers: number
  readonly days: number
}

const daySeconds = 86_400

/** `end`: the last second of a day. */
const isLastOfMonth = (end: number) => new Date((end + 1) * 1000).getUTCDate() === 1

/**
 * Plays a year: customers, partners, operators and banks act at random moments, events of the
 * processor come late, repeated, in another order or never, the service and the processor have
 * outages, and jobs run late. In the end everything that can still arrive has arrived, and every
 * job has run. The seed decides who acts when. What each of them does is in `play`.
 */
export async function playYear(
  service: SimulatedService,
  { seed, customers: size, days }: YearOptions,
): Promise<PlayedYear> {
  const simulation = new Simulation(service, seed)
  const { random, customers } = simulation
  const { sandbox } = service.testApp
  const delivery = new EventDelivery(simulation)
  const bank = new Bank(simulation)
  const start = simulation.now()
  const goTo = (seconds: number) => service.goTo(new Date(seconds * 1000))

  /** `up`: whether the service can be reached. */
  async function act(up: boolean): Promise<void> {
    const kind = random.whole(100)
    if (kind < 18) {
      delivery.readLog()
      bank.act()
    } else if (!up) return
    else if (kind < 82) {
      const customer = random.one(customers)
      if (customer) await actAsCustomer(simulation, customer)
    } else if (kind < 92) await actAsOperator(simulation)
    else await actOnPayout(simulation)
  }

  /** Sometimes the processor fails or drops connections, as seen from the service. */
  async function withFaults(work: () => Promise<void>): Promise<void> {
    simulation.processorDown = random.chance(0.03)
    if (simulation.processorDown)
      sandbox.fault(
        random.chance(0.5)
          ? { system: 'payments', mode: 'error', status: 503 }
          : { system: 'payments', mode: 'reset', after: random.chance(0.5) },
      )
    await work()
    sandbox.clearFaults()
    simulation.processorDown = false
  }

  /** Everything that can still arrive arrives, and every job runs. */
  async function settle(): Promise<void> {
    const [operator] = service.operators
    for (let round = 0; round < 4; round += 1) {
      await simulation.call('replay', operator, 'POST', '/webhooks/events/replay-parked', {})
      await delivery.receive(true)
      await runJobs(simulation)
      if (round === 1) await runNightlyJobs(simulation)
    }
  }

  /** What is late by then is told and done; not every month, so that it can stay late for long. */
  async function closeMonth(): Promise<void> {
    await settle()
    const at = service.now().toISOString()
    const accounts = await readAccounts(service, simulation)
    simulation.closings.push({ ...accounts, at, events: simulation.events.length })
  }

  for (const plan of plans) for (const cycle of cycles) await putOnSale(simulation, plan, cycle, 0)
  simulation.atProcessor({ action: 'set_tax', percent: random.one([0, 19, 7.7, 20, 8.25]) ?? 0 })
  for (let n = 0; n < 3 + Math.floor(size / 60); n += 1) await newPartner(simulation, n)
  // Most come in the first two months, the others over the year.
  const arrivals = Array.from({ length: size }, () =>
    random.whole(random.chance(0.6) ? 60 : Math.max(1, days - 30)),
  ).sort((a, b) => a - b)
  /** Seconds since 1970 until which the service is down. */
  let downUntil = 0
  let lastCompared = 0

  async function playDay(day: number): Promise<void> {
    const midnight = start + day * daySeconds
    if (day === Math.floor(days / 2)) {
      simulation.atProcessor({ action: 'set_tax', percent: random.one([0, 19, 7.7, 21]) ?? 0 })
      if (downUntil < midnight)
        for (const plan of plans) await putOnSale(simulation, plan, 'month', 60)
    }
    while ((arrivals[customers.length] ?? days) <= day)
      await newCustomer(simulation, customers.length)
    if (random.chance(0.02)) downUntil = midnight + random.whole(6 * daySeconds)
    const some = customers.length * 0.055
    const acts = Math.floor(some) + (random.chance(some % 1) ? 1 : 0)
    const moments = Array.from({ length: acts + 1 }, () => midnight + random.whole(daySeconds - 1))
    for (const moment of [...new Set(moments)].sort((a, b) => a - b)) {
      await goTo(moment)
      const up = moment >= downUntil
      await withFaults(async () => {
        await act(up)
        if (up && random.chance(0.4)) await delivery.receive()
        // About once a day, however many people act.
        if (up && random.chance(Math.min(0.2, 1 / acts))) await runJobs(simulation)
      })
    }
    await endDay(day, midnight + daySeconds - 1)
  }

  async function endDay(day: number, end: number): Promise<void> {
    await goTo(end)
    delivery.readLog()
    if (end < downUntil) return
    if (random.chance(0.8)) await delivery.receive()
    if (random.chance(0.7)) await runJobs(simulation)
    // The processor lists its events for a month.
    if (random.chance(0.08) || day - lastCompared > 18) {
      await runNightlyJobs(simulation)
      lastCompared = day
    }
    if (isLastOfMonth(end) && random.chance(0.3)) await closeMonth()
  }

  for (let day = 0; day < days; day += 1) await playDay(day)
  await goTo(start + days * daySeconds)
  await settle()
  await readProcessorAccount(simulation)
  return simulation
}
