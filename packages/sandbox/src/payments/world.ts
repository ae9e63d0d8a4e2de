import type { Seconds } from './periods.ts'
import { newId, type PaymentsStore } from './store.ts'

export interface PaymentsSettings {
  /** Days after a failed try at which an invoice is retried. */
  readonly retryDays: readonly number[]
  /** What becomes of the subscription when the last try failed. */
  readonly afterRetries: 'unpaid' | 'canceled' | 'past_due'
}

export const defaultSettings: PaymentsSettings = { retryDays: [3, 5, 7], afterRetries: 'unpaid' }

/** What every part of the payments stand-in works with. */
export interface PaymentsWorld {
  readonly store: PaymentsStore
  readonly settings: PaymentsSettings
  /**
   * The moment on the payments' own clock; while passed time is made up for, the moment at which
   * the thing that is made up was due.
   */
  now(): Seconds
  /** Runs work at a moment of the past that is being made up for. */
  at<T>(moment: Seconds, work: () => T): T
  /** Emits an event with the current object. */
  emit(type: string, object: object & { readonly id?: string | undefined }): void
  /** To be called after each change of the records. */
  changed(): void
  origin(): string
}

export interface WorldParts {
  readonly store: PaymentsStore
  readonly settings: PaymentsSettings
  /** Milliseconds since 1970 of the machine. */
  readonly machineNow: () => number
  readonly changed: () => void
  readonly origin: () => string
  readonly announce: (eventId: string) => void
}

export function createWorld(
  { store, settings, machineNow, changed, origin, announce }: WorldParts,
  apiVersion: string,
): PaymentsWorld {
  let madeUp: Seconds | undefined
  const world: PaymentsWorld = {
    store,
    settings,
    changed,
    origin,
    now: () => madeUp ?? Math.floor((machineNow() + store.offsetMs) / 1000),
    at(moment, work) {
      const before = madeUp
      madeUp = moment
      try {
        return work()
      } finally {
        madeUp = before
      }
    },
    emit(type, object) {
      const id = newId('evt')
      const created = world.now()
      const body = JSON.stringify({
        id,
        object: 'event',
        api_version: apiVersion,
        created,
        data: { object },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      })
      store.events.add({
        id,
        type,
        created,
        objectId: object.id ?? null,
        body,
        deliveries: [],
        nextTry: null,
        lost: false,
      })
      announce(id)
    },
  }
  return world
}
