import type { Books, LoggedObject } from './books.ts'
import {
  day,
  disputedOf,
  type Equal,
  finalized,
  finalizedAt,
  type Log,
  paidAt,
  partnerOf,
  refundedOf,
  rounded,
  Sums,
} from './log.ts'

interface Earned {
  partner: string
  currency: string
  share: bigint
  clawedBack: bigint
  held: bigint
  availableAt: number
}

/** Who earns from an invoice, by the day of its finalization. */
export function earnerOf(
  log: Log,
  invoice: LoggedObject,
): { partner: string; basisPoints: bigint } | undefined {
  const at = finalizedAt(invoice)
  const tenant = log.tenantOf.get(invoice.customer)
  if (at === null) return undefined
  const partner = partnerOf(log, tenant, (decidedAt) => decidedAt <= at)
  if (partner === null) return undefined
  let basisPoints = 0
  const today = new Date(at * 1000).toISOString().slice(0, 10)
  let from = ''
  for (const decision of log.termsOf.get(partner) ?? []) {
    if (decision.what === 'terminated') {
      if (decision.at <= at) return undefined
      continue
    }
    if (decision.from <= today && decision.from >= from) {
      basisPoints = decision.basisPoints
      from = decision.from
    }
  }
  return { partner, basisPoints: BigInt(basisPoints) }
}

function earnedFrom(books: Books, log: Log, invoice: LoggedObject): Earned | undefined {
  const earner = earnerOf(log, invoice)
  const paid = paidAt(invoice)
  if (!earner || invoice.status !== 'paid' || paid === null) return undefined
  const [total, net, money] = [
    BigInt(invoice.total),
    BigInt(invoice.total_excluding_tax),
    BigInt(invoice.amount_paid),
  ]
  if (total <= 0n || net <= 0n || money <= 0n) return undefined
  const base = rounded(money * net, total)
  const share = rounded(base * earner.basisPoints, 10_000n)
  if (share === 0n) return undefined
  // Notes say themselves how much of them is tax, where they are about this money alone.
  const outside = [...log.notes.values()].filter(
    (note) =>
      note.invoice === invoice.id && note.status === 'issued' && (note.out_of_band_amount ?? 0) > 0,
  )
  const returned = outside.map((note) => ({
    gross: BigInt(note.out_of_band_amount),
    net: note.out_of_band_amount === note.total ? BigInt(note.total_excluding_tax) : null,
  }))
  const refunds = refundedOf(books, log, invoice.id)
  if (refunds > 0n) returned.push({ gross: refunds, net: null })
  const disputed = disputedOf(books, log, invoice.id)
  const lost = (parts: { gross: bigint; net: bigint | null }[]): bigint => {
    let [gross, known, unsplit] = [0n, 0n, 0n]
    for (const part of parts) {
      gross += part.gross
      if (part.net === null) unsplit += part.gross
      else known += part.net
    }
    const away = known + rounded(unsplit * net, total)
    return gross >= money || away >= base ? share : rounded(share * away, base)
  }
  const clawedBack = lost(returned)
  const held = lost([...returned, { gross: disputed, net: null }]) - clawedBack
  return {
    partner: earner.partner,
    currency: invoice.currency,
    share,
    clawedBack,
    held,
    availableAt: paid + books.rules.holdDays * day,
  }
}

/** Each share, what was taken of it again, and the balances that come of it. */
export function checkLedger(books: Books, log: Log, equal: Equal): void {
  const [balance, pending] = [new Sums(), new Sums()]
  const expected = new Map<string, Earned>()
  for (const invoice of finalized(log)) {
    const earned = earnedFrom(books, log, invoice)
    if (!earned) continue
    expected.set(invoice.number, earned)
    const key = `${earned.partner} ${earned.currency}`
    const left = earned.share - earned.clawedBack - earned.held
    balance.add(key, left)
    if (earned.availableAt > log.end) pending.add(key, left)
    equal(`${invoice.number}, share is at least 0`, left >= 0n, true)
  }
  for (const { partnerSlug, currency, amountMinor, state } of books.adjustments)
    if (state === 'entered') balance.add(`${partnerSlug} ${currency}`, amountMinor)
  const paidOut = new Sums()
  for (const { partnerSlug, currency, amountMinor, status } of books.payouts)
    if (status === 'paid') paidOut.add(`${partnerSlug} ${currency}`, amountMinor)
  for (const { slug, ledger, billing } of books.partners) {
    const perInvoice = new Map<string, Sums>()
    const sums = new Sums()
    for (const { type, amountMinor, currency, invoiceNumber } of ledger) {
      sums.add(currency, amountMinor)
      if (invoiceNumber === null) continue
      const own = perInvoice.get(invoiceNumber) ?? new Sums()
      perInvoice.set(invoiceNumber, own)
      own.add(
        type.startsWith('clawback') ? 'clawed' : type.startsWith('dispute') ? 'held' : type,
        amountMinor,
      )
    }
    const numbers = new Set(perInvoice.keys())
    for (const [number, { partner }] of expected) if (partner === slug) numbers.add(number)
    for (const number of numbers) {
      const [is, must] = [perInvoice.get(number) ?? new Sums(), expected.get(number)]
      const mine = must?.partner === slug ? must : undefined
      equal(
        `${slug}, ${number}`,
        { share: is.of('accrual'), clawedBack: -is.of('clawed'), held: -is.of('held') },
        { share: mine?.share ?? 0n, clawedBack: mine?.clawedBack ?? 0n, held: mine?.held ?? 0n },
      )
    }
    for (const { currency, ...is } of billing.balances) {
      const key = `${slug} ${currency}`
      const left = balance.of(key) - paidOut.of(key)
      equal(
        `${slug}, ${currency}`,
        [is.balanceMinor, is.pendingMinor, is.availableMinor, is.paidOutMinor, sums.of(currency)],
        [left, pending.of(key), left - pending.of(key), paidOut.of(key), left],
      )
    }
    for (const key of balance.keys().filter((one) => one.startsWith(`${slug} `)))
      if (balance.of(key) !== 0n)
        equal(
          `${slug} has a balance in ${key}`,
          billing.balances.some(({ currency }) => key === `${slug} ${currency}`),
          true,
        )
  }
}

/**
 * Payouts are worth their entries, pay each once, and their documents are numbered without gaps.
 */
export function checkPayouts(books: Books, equal: Equal): void {
  const [numbers, payers] = [new Map<string, number[]>(), new Map<string, string>()]
  for (const payout of books.payouts) {
    const { id, partnerSlug, amountMinor, status, statementNumber, cancellationNumber } = payout
    const worth = payout.entries.reduce((sum, entry) => sum + BigInt(entry.amountMinor), 0n)
    equal(`payout ${id}, its entries`, worth, status === 'canceled' ? 0n : BigInt(amountMinor))
    for (const entry of payout.entries) {
      equal(`entry ${entry.id}, other payouts`, payers.get(entry.id) ?? null, null)
      payers.set(entry.id, id)
      equal(`entry ${entry.id}, currency`, entry.currency, payout.currency)
    }
    if (status === 'paid') equal(`payout ${id} has a statement`, statementNumber !== null, true)
    for (const number of [statementNumber, cancellationNumber])
      if (number !== null) {
        equal(
          `${number} is of ${partnerSlug}`,
          number.startsWith(`SB-${partnerSlug.toUpperCase()}-`),
          true,
        )
        numbers.set(partnerSlug, [
          ...(numbers.get(partnerSlug) ?? []),
          Number(number.split('-').at(-1)),
        ])
      }
  }
  for (const [partner, given] of numbers)
    equal(
      `${partner}, statements`,
      given.sort((a, b) => a - b),
      given.map((_, index) => index + 1),
    )
  for (const { slug, ledger } of books.partners)
    for (const payout of books.payouts.filter(({ partnerSlug }) => partnerSlug === slug)) {
      const booked = ledger
        .filter(({ type, payoutId }) => type.startsWith('payout') && payoutId === payout.id)
        .reduce((sum, entry) => sum + BigInt(entry.amountMinor), 0n)
      equal(
        `payout ${payout.id} in the ledger`,
        booked,
        payout.status === 'paid' ? -payout.amountMinor : 0,
      )
    }
}
