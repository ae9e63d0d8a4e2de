import { checkAgreed } from './agreed.ts'
import { checkBalances, checkPaidTime } from './balances.ts'
import { checkBookkeeping } from './bookkeeping.ts'
import type { Books } from './books.ts'
import { checkClosings } from './closings.ts'
import { checkDocuments } from './documents.ts'
import { checkEntitlements } from './entitlements.ts'
import { checkInvoices, checkOverview, checkProcessor, checkTaxes } from './invoices.ts'
import { checkLedger, checkPayouts } from './ledger.ts'
import { readLog } from './log.ts'
import { checkMails } from './mails.ts'
import { checkRecurringRevenue } from './reports.ts'
import { checkInvoicedRevenue } from './revenue.ts'

/**
 * The accountant: computes what the books of a year must say from the log of the payment processor
 * and from what people decided, with whole numbers and by rules of its own, and compares. The rules
 * are docs/reference/contract.md. The files of this folder import nothing but each other, so that
 * they share no mistake with the product or with what plays the year.
 */

/** Every difference between what the books say and what they must say. None: an empty list. */
export function differencesOf(books: Books): string[] {
  const found: string[] = []
  const equal = (what: string, is: unknown, expected: unknown) => {
    const [a, b] = [text(is), text(expected)]
    if (a !== b) found.push(`${what}: ${a} instead of ${b}`)
  }
  const log = readLog(books)
  checkProcessor(log, equal)
  checkInvoices(books, log, equal)
  checkTaxes(books, log, equal)
  checkDocuments(books, log, equal)
  checkBalances(books, log, equal)
  checkPaidTime(log, equal)
  checkAgreed(books, log, equal)
  checkLedger(books, log, equal)
  checkPayouts(books, equal)
  checkInvoicedRevenue(books, log, equal)
  checkRecurringRevenue(books, log, equal)
  checkOverview(books, log, equal)
  checkEntitlements(books, log, equal)
  checkBookkeeping(books, log, equal)
  checkMails(books, log, equal)
  checkClosings(books, equal)
  return found
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)) ??
    'nothing'
  )
}
