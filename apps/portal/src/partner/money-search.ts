import type { ListLedger, ListPartnerPayouts } from '@atrium/core/billing/payouts'
import { ledgerEntryTypes, payoutStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, recordId, searchReader, shaped } from '@atrium/ui/search-params'

const currency = shaped(/^[a-z]{3}$/)

/**
 * What the address of the partner's billing page carries: the filters of the ledger and the way
 * through its pages.
 */
export const readLedgerSearch = searchReader({ currency, type: oneOf(ledgerEntryTypes), cursors })
export type LedgerSearch = ReturnType<typeof readLedgerSearch>

/** What the address of the partner's payouts carries. */
export const readPartnerPayoutsSearch = searchReader({
  status: oneOf(payoutStatuses),
  cursors,
  payout: recordId,
})
export type PartnerPayoutsSearch = ReturnType<typeof readPartnerPayoutsSearch>

const perPage = 25

export function ledgerQuery(
  slug: string,
  { cursors: cursorHistory, ...filters }: LedgerSearch,
): ListLedger {
  return { slug, ...filters, cursor: currentCursor(cursorHistory), limit: perPage }
}

export function payoutsQuery(
  slug: string,
  { status, cursors: cursorHistory }: PartnerPayoutsSearch,
): ListPartnerPayouts {
  return { slug, status, cursor: currentCursor(cursorHistory), limit: perPage }
}
