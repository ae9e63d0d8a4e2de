import Stripe from 'stripe'
import type { EventRecord } from './records.ts'
import type { PaymentsStore } from './store.ts'

/** A webhook as it goes over the wire. */
export interface SignedWebhook {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Hands a webhook to its receiver. Resolves to the status that came back; a rejection counts as
 * none.
 */
export type SendWebhook = (webhook: SignedWebhook) => Promise<number>

export interface SigningOptions {
  readonly secret?: string
  /** Milliseconds since 1970. */
  readonly signedAt?: number
}

export interface Delivery {
  /**
   * Events go out by themselves through this from now on, oldest first, and are retried when they
   * are not taken. Null: none go out.
   */
  sendBy(send: SendWebhook | null): void
  /** Nothing goes out by itself until `release`. */
  hold(): void
  release(): void
  /**
   * Loses what waits for delivery and whatever comes until `keep`: it is never sent again, as when
   * the receiver was away for longer than Stripe retries.
   */
  lose(): void
  keep(): void
  /** Ids of events that were neither delivered nor lost, oldest first. */
  pending(): readonly string[]
  /**
   * Sends these events now, one after the other in this order, also when they were taken before.
   * Statuses; 0 where none came back.
   */
  deliver(ids: readonly string[], options?: SigningOptions): Promise<readonly number[]>
  /** The event with a signature, for a test that sends it itself. */
  signed(id: string, options?: SigningOptions): SignedWebhook
  /** Resolves once nothing is being sent. */
  settled(): Promise<void>
  /** To be called for every new event. */
  announce(id: string): void
  /** Sends what is due again. */
  retryDue(): void
  close(): void
}

/** Waits between tries; the last one goes on. Stripe keeps trying for three days. */
const waitsMs = [2_000, 10_000, 60_000, 300_000, 1_800_000, 3_600_000]

export interface DeliveryParts {
  readonly store: PaymentsStore
  readonly secret: string
  readonly machineNow: () => number
  readonly changed: () => void
}

export function createDelivery({ store, secret, machineNow, changed }: DeliveryParts): Delivery {
  let send: SendWebhook | null = null
  let held = false
  let losing = false
  let closed = false
  let pumping = Promise.resolve()
  const queue: string[] = []

  function signed(id: string, options: SigningOptions = {}): SignedWebhook {
    const payload = store.events.get(id).body
    const timestamp = Math.floor((options.signedAt ?? machineNow()) / 1000)
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: options.secret ?? secret,
      timestamp,
    })
    return {
      body: payload,
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
    }
  }

  async function sendOne(event: EventRecord, options?: SigningOptions): Promise<number> {
    if (!send) throw new Error('Webhooks have no receiver; name one with sendBy.')
    const status = await send(signed(event.id, options)).catch(() => 0)
    event.deliveries.push({ at: new Date(machineNow()).toISOString(), status })
    const wait = waitsMs[Math.min(event.deliveries.length, waitsMs.length) - 1] ?? 0
    event.nextTry = taken(event) ? null : machineNow() + wait
    changed()
    return status
  }

  function pump(): void {
    if (closed || held || !send) return
    pumping = pumping.then(async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        if (closed || held || !send) return void queue.unshift(id)
        const event = store.events.find(id)
        if (event) await sendOne(event)
      }
    })
  }

  return {
    sendBy(next) {
      send = next
      pump()
    },
    hold() {
      held = true
    },
    release() {
      held = false
      pump()
    },
    lose() {
      losing = true
      for (const event of store.events.all()) if (!taken(event)) loseOne(event)
      queue.length = 0
    },
    keep() {
      losing = false
    },
    pending: () =>
      store.events.all().flatMap((event) => (event.lost || taken(event) ? [] : [event.id])),
    async deliver(ids, options) {
      const statuses: number[] = []
      for (const id of ids) statuses.push(await sendOne(store.events.get(id), options))
      return statuses
    },
    signed,
    settled: () => pumping,
    announce(id) {
      if (losing) return loseOne(store.events.get(id))
      queue.push(id)
      pump()
    },
    retryDue() {
      const now = machineNow()
      for (const event of store.events.all()) {
        if (event.nextTry === null || event.nextTry > now) continue
        event.nextTry = null
        queue.push(event.id)
      }
      pump()
    },
    close() {
      closed = true
    },
  }
}

function loseOne(event: EventRecord): void {
  Object.assign(event, { lost: true, nextTry: null })
}

/** Whether the receiver took it. */
export function taken(event: EventRecord): boolean {
  return event.deliveries.some(({ status }) => status >= 200 && status < 300)
}
