import type { Books } from './books.ts'
import { type Equal, iso, isProration, type Log, Sums } from './log.ts'

/** Credit of customers: given by credit notes and endings, spent by invoices, shown as it is. */
export function checkBalances(books: Books, log: Log, equal: Equal): void {
  const balances = new Sums()
  const [notes, settled, voided] = [new Map<string, bigint>(), new Set<string>(), new Set<string>()]
  for (const { type, object } of log.events) {
    if (type === 'invoice.finalized' && !settled.has(object.id)) {
      settled.add(object.id)
      const slug = log.tenantOf.get(object.customer) ?? object.customer
      equal(`${slug}, balance before ${object.number}`, object.starting_balance, balances.of(slug))
      balances.add(slug, BigInt(object.ending_balance) - BigInt(object.starting_balance))
    }
    // What the balance had paid of a void invoice is there again.
    if (type === 'invoice.voided' && !voided.has(object.id)) {
      voided.add(object.id)
      const slug = log.tenantOf.get(object.customer) ?? object.customer
      balances.add(slug, BigInt(object.starting_balance) - BigInt(object.ending_balance))
    }
    if (object.object === 'credit_note') {
      const slug = log.tenantOf.get(object.customer) ?? object.customer
      const back = object.refunds.reduce(
        (sum: bigint, one: { amount_refunded: number }) => sum + BigInt(one.amount_refunded),
        0n,
      )
      const given =
        object.status === 'issued'
          ? BigInt(object.post_payment_amount) - BigInt(object.out_of_band_amount ?? 0) - back
          : 0n
      balances.add(slug, (notes.get(object.id) ?? 0n) - given)
      notes.set(object.id, given)
    }
  }
  for (const { slug, nextInvoice, billing } of books.tenants) {
    const credit = -balances.of(slug) || 0n
    const shown = billing.credits.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n)
    equal(`${slug}, credit`, shown, credit)
    if (nextInvoice?.exact) equal(`${slug}, balance`, nextInvoice.balanceMinor, credit)
  }
}

/**
 * At no moment has a subscription been paid for twice: what a later line charges of a time that was
 * paid already is credited first.
 */
export function checkPaidTime(log: Log, equal: Equal): void {
  for (const subscription of log.subscriptions.keys()) {
    const edges: { at: number; by: number }[] = []
    for (const invoice of log.invoices.values()) {
      if (invoice.parent?.subscription_details?.subscription !== subscription) continue
      if (invoice.status !== 'paid' || invoice.lines.has_more) continue
      for (const line of invoice.lines.data) {
        const { amount, period, description } = line
        const proration = isProration(line)
        if (period.start === period.end || (!proration && amount === 0)) continue
        const by = proration && String(description).startsWith('Unused') ? -1 : 1
        edges.push({ at: period.start, by }, { at: period.end, by: -by })
      }
    }
    edges.sort((a, b) => a.at - b.at || a.by - b.by)
    let times = 0
    for (const [index, { at, by }] of edges.entries()) {
      times += by
      if (edges[index + 1]?.at !== at && times > 1)
        equal(`${subscription}, times paid for at ${iso(at)}`, times, 1)
    }
  }
}
