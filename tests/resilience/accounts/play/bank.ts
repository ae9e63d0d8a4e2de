import type { KnownInvoice, Simulation } from './simulation.ts'

/**
 * Refunds, disputes, credit notes and payments at banks and in the processor's dashboard, which
 * know no outage of ours.
 */
export class Bank {
  readonly #simulation: Simulation
  /** Ids of what is not decided yet, and of the credit notes that were issued. */
  readonly #refunds: string[] = []
  readonly #disputes: string[] = []
  readonly #notes: string[] = []

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  act(): void {
    const { random, invoices } = this.#simulation
    const all = [...invoices.values()]
    const paid = random.one(
      all.filter(({ status, amountPaid }) => status === 'paid' && amountPaid > 0),
    )
    const owed = random.one(
      all.filter(({ status, amountRemaining }) => status === 'open' && amountRemaining > 0),
    )
    const kind = random.whole(100)
    if (kind < 30 && paid) this.#refund(paid)
    else if (kind < 45 && this.#refunds.length > 0) this.#settleRefund()
    else if (kind < 60 && paid) this.#creditPaid(paid)
    else if (kind < 66 && owed) this.#creditOpen(owed)
    else if (kind < 70 && this.#notes.length > 0)
      this.#simulation.atProcessor({
        action: 'void_credit_note',
        creditNote: this.#notes.pop() ?? '',
      })
    else if (kind < 80 && paid) this.#dispute(paid)
    else if (kind < 88 && this.#disputes.length > 0) this.#closeDispute()
    else if (owed && kind < 94)
      this.#simulation.atProcessor({ action: 'pay', invoice: owed.id, card: 'pm_card_visa' })
    else if (owed && kind < 96)
      this.#simulation.atProcessor({ action: 'mark_uncollectible', invoice: owed.id })
    else if (owed && kind < 98)
      this.#simulation.atProcessor({ action: 'void_invoice', invoice: owed.id })
  }

  /** The whole amount, or some part of it. */
  #part(whole: number): number {
    const { random } = this.#simulation
    return random.chance(0.4) ? whole : 1 + random.whole(Math.max(1, whole))
  }

  #refund({ id, amountPaid }: KnownInvoice): void {
    const { random } = this.#simulation
    const status = random.chance(0.3) ? 'pending' : 'succeeded'
    const amount = random.chance(0.3) ? {} : { amount: this.#part(amountPaid) }
    const made = this.#simulation.atProcessor({ action: 'refund', invoice: id, ...amount, status })
    if (made && status === 'pending') this.#refunds.push(String(made.id))
  }

  #settleRefund(): void {
    this.#simulation.atProcessor({
      action: 'settle_refund',
      refund: this.#refunds.shift() ?? '',
      status: this.#simulation.random.chance(0.6) ? 'succeeded' : 'failed',
    })
  }

  #creditPaid({ id, total }: KnownInvoice): void {
    const to = this.#simulation.random.one(['balance', 'card', 'outside'] as const) ?? 'balance'
    const amount = this.#part(total)
    const made = this.#simulation.atProcessor({ action: 'credit_note', invoice: id, amount, to })
    if (made) this.#notes.push(String(made.id))
  }

  #creditOpen({ id, amountRemaining }: KnownInvoice): void {
    const amount = this.#part(amountRemaining)
    this.#simulation.atProcessor({ action: 'credit_note', invoice: id, amount, to: 'balance' })
  }

  #dispute({ id, amountPaid }: KnownInvoice): void {
    const amount = this.#simulation.random.chance(0.5) ? {} : { amount: this.#part(amountPaid) }
    const made = this.#simulation.atProcessor({ action: 'dispute', invoice: id, ...amount })
    if (made) this.#disputes.push(String(made.id))
  }

  #closeDispute(): void {
    this.#simulation.atProcessor({
      action: 'close_dispute',
      dispute: this.#disputes.shift() ?? '',
      outcome: this.#simulation.random.chance(0.5) ? 'won' : 'lost',
    })
  }
}
