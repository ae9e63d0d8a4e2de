import { checkBalances } from './balances.ts'
import type { Books } from './books.ts'
import { checkDocuments } from './documents.ts'
import { checkEntitlements } from './entitlements.ts'
import { checkInvoices, checkOverview } from './invoices.ts'
import { checkLedger, checkPayouts } from './ledger.ts'
import { type Equal, readLog, seconds } from './log.ts'

/**
 * Months within the year: by the log and the decisions of until then, everything must already have
 * been right.
 */
export function checkClosings(books: Books, equal: Equal): void {
  for (const { at, events, ...accounts } of books.closings) {
    const then: Books = {
      ...books,
      ...accounts,
      end: at,
      events: books.events.slice(0, events),
      decisions: books.decisions.filter((one) => one.at <= seconds(at)),
    }
    const log = readLog(then)
    const equalThen: Equal = (what, is, expected) => equal(`at ${at}: ${what}`, is, expected)
    checkInvoices(then, log, equalThen)
    checkDocuments(then, log, equalThen)
    checkBalances(then, log, equalThen)
    checkLedger(then, log, equalThen)
    checkPayouts(then, equalThen)
    checkOverview(then, log, equalThen)
    checkEntitlements(then, log, equalThen)
  }
}
