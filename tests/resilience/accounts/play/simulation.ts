import type { TestResponse } from '@atrium/testing/test-app'
import type { Act, Books, Decision, PendingTerms, Terms } from '../checker/books.ts'
import type { LoggedEvent, Person, SimulatedService } from '../service.ts'
import { type Random, randomOf } from './random.ts'

export interface Customer {
  readonly slug: string
  readonly id: string
  readonly owner: Person
  readonly currency: string
  readonly country: string
}

export interface Partner {
  readonly slug: string
  readonly id: string
  readonly owner: Person
}

/** The last that the log says of an invoice. */
export interface KnownInvoice {
  readonly id: string
  readonly customer: string
  readonly status: string
  readonly amountPaid: number
  readonly amountRemaining: number
  readonly total: number
}

/** The part of a subscription that people agree on. */
export interface Agreed extends Terms {
  readonly pending: PendingTerms | null
}

type ProcessorAction = Parameters<SimulatedService['testApp']['sandbox']['payments']['act']>[0]

/** What everybody who acts in a year shares: the service, chance, and what has happened so far. */
export class Simulation {
  readonly service: SimulatedService
  readonly random: Random
  readonly customers: Customer[] = []
  readonly partners: Partner[] = []
  /** Everything that the processor told, in the order in which it happened. */
  readonly events: LoggedEvent[] = []
  /** What people decided and the service accepted. */
  readonly decisions: Decision[] = []
  /** What the service said as months closed. */
  readonly closings: Books['closings'] = []
  /** How often each act had which outcome. */
  readonly outcomes = new Map<string, number>()
  readonly invoices = new Map<string, KnownInvoice>()
  /** Tenants with a subscription that has not ended, by the processor's log. */
  readonly running = new Set<string>()
  /** As seen from the service; banks and the dashboard know nothing of it. */
  processorDown = false

  constructor(service: SimulatedService, seed: number) {
    this.service = service
    this.random = randomOf(seed)
  }

  /** Seconds since 1970. */
  now(): number {
    return Math.floor(this.service.now().getTime() / 1000)
  }

  count(what: string): void {
    this.outcomes.set(what, (this.outcomes.get(what) ?? 0) + 1)
  }

  partnerOf({ slug }: Customer): Partner | undefined {
    const decision = this.decisions.findLast((one) => one.what === 'partner' && one.tenant === slug)
    return this.partners.find(
      (one) => decision?.what === 'partner' && one.slug === decision.partner,
    )
  }

  decide(decided: Act): void {
    this.decisions.push({ ...decided, at: this.now() })
  }

  /** What holds for the customer after a call that may have changed it. */
  agree({ slug }: Customer, { ok, view }: { ok: boolean; view: Agreed | null }): void {
    if (!ok && !this.processorDown) return
    const waits = view?.pending ?? null
    const terms = view && { plan: view.plan, cycle: view.cycle, seats: view.seats }
    this.decide({ what: 'terms', tenant: slug, terms, waits })
  }

  /** A call of the service; what it rejects is an outcome, an internal error is none. */
  async call(
    what: string,
    person: Person,
    method: string,
    path: string,
    body?: object,
  ): Promise<TestResponse & { ok: boolean }> {
    const response = await this.service.call(person, method, path, body)
    const ok = response.status < 300
    this.count(`${what}: ${ok ? 'ok' : response.body?.code}`)
    const upstream = response.status === 502 || response.status === 503
    if (response.status >= 500 && !(upstream && this.processorDown))
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(response.body)}`)
    return { ...response, ok }
  }

  /** What happens at the bank or in the processor's dashboard; it rejects what cannot be. */
  atProcessor(action: ProcessorAction): Record<string, unknown> | undefined {
    try {
      const done = this.service.testApp.sandbox.payments.act(action)
      this.count(`${action.action} at the processor: ok`)
      return { ...done }
    } catch (error) {
      if (!(error instanceof Error) || !('status' in error)) throw error
      this.count(`${action.action} at the processor: rejected`)
      return undefined
    }
  }
}

export type PlayedYear = Pick<
  Simulation,
  'customers' | 'partners' | 'events' | 'decisions' | 'closings' | 'outcomes'
>
