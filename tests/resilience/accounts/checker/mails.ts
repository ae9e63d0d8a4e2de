import type { Books } from './books.ts'
import { type Equal, finalized, type Log } from './log.ts'

/**
 * Customers are told once of each payment, of each refund that went through and of each credit
 * note, with its amount. One that was voided may have been told of before.
 */
export function checkMails(books: Books, log: Log, equal: Equal): void {
  for (const { slug, status, id } of books.tenants) {
    if (status === 'deleted') continue
    const own = finalized(log).filter(({ customer }) => log.tenantOf.get(customer) === slug)
    const numbers = new Map<string, string>(own.map((one) => [one.id, one.number]))
    const expected: string[] = []
    for (const { number, status: state, amount_paid: paid } of own)
      if (state === 'paid' && paid > 0) expected.push(`paid ${number} ${paid}`)
    for (const { id: refund, status: state, amount } of log.refunds.values()) {
      const number = numbers.get(books.invoiceOf[refund] ?? '')
      if (number !== undefined && state === 'succeeded')
        expected.push(`refunded ${number} ${amount}`)
    }
    const voided: string[] = []
    for (const { invoice, status: state, total } of log.notes.values()) {
      const number = numbers.get(invoice)
      if (number === undefined) continue
      const list = state === 'issued' ? expected : voided
      list.push(`credited ${number} ${total}`)
    }
    const sent = books.mails
      .filter(({ tenantId }) => tenantId === id)
      .map(({ template, number, digits }) => `${template.split('.')[1]} ${number} ${digits}`)
    for (const mail of voided) {
      const extra = count(sent, mail) > count(expected, mail) ? sent.indexOf(mail) : -1
      if (extra >= 0) sent.splice(extra, 1)
    }
    equal(`${slug}, mails`, sent.sort(), expected.sort())
  }
}

const count = (mails: readonly string[], mail: string) => mails.filter((one) => one === mail).length
