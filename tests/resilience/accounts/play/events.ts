import type { LoggedEvent } from '../service.ts'
import type { Simulation } from './simulation.ts'

const daySeconds = 86_400

interface Waiting {
  readonly event: LoggedEvent
  /** Seconds since 1970 from which on it may arrive. */
  readonly from: number
}

/** Events of the processor: late, repeated, in another order, or never. */
export class EventDelivery {
  readonly #simulation: Simulation
  #waiting: Waiting[] = []
  /** Kept by the service, and not worked on to the end. */
  #inbox: LoggedEvent[] = []

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  /** Reads the processor's log on, and decides when and how often each event will arrive. */
  readLog(): void {
    const { random, service, events } = this.#simulation
    const now = this.#simulation.now()
    for (const event of service.newEvents()) {
      events.push(event)
      this.#remember(event)
      // Stripe gives up after three days: the nightly comparison has to find what is lost for good.
      if (random.chance(0.02)) continue
      const late = () => {
        if (random.chance(0.75)) return 0
        return random.chance(0.8) ? random.whole(daySeconds) : random.whole(3 * daySeconds)
      }
      this.#waiting.push({ event, from: now + late() })
      if (random.chance(0.08)) this.#waiting.push({ event, from: now + late() })
    }
  }

  #remember({ object }: LoggedEvent): void {
    const { invoices, running } = this.#simulation
    if (object.object === 'invoice' && object.id)
      invoices.set(object.id, {
        id: object.id,
        customer: object.customer,
        status: object.status,
        amountPaid: object.amount_paid,
        amountRemaining: object.amount_remaining,
        total: object.total,
      })
    if (object.object === 'subscription') {
      if (object.ended_at === null && object.status !== 'incomplete_expired')
        running.add(object.metadata.tenantId)
      else running.delete(object.metadata.tenantId)
    }
  }

  /** Delivers what may arrive by now, in some order, and works on what was kept. */
  async receive(all = false): Promise<void> {
    this.readLog()
    const { random, service } = this.#simulation
    const now = this.#simulation.now()
    const arrives = ({ from }: Waiting) => all || from <= now
    const due = this.#waiting.filter(arrives)
    this.#waiting = this.#waiting.filter((one) => !arrives(one))
    const arriving = (random.chance(0.5) ? random.shuffled(due) : due).map(({ event }) => event)
    await service.deliver(arriving)
    this.#inbox.push(...arriving)
    const tries = random.chance(0.3) ? random.shuffled(this.#inbox) : this.#inbox
    this.#inbox = await service.work(tries)
  }
}
