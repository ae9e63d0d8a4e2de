import { ledgerEntryType, payoutStatus } from '@atrium/core/payout-states'
import type { ListLedger, ListPartnerPayouts } from '@atrium/core/payouts'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail } from '@atrium/ui/search-params'
import { z } from 'zod'

const currency = lenient(z.string().regex(/^[a-z]{3}$/))

/** What the address of the partner's billing page carries: the filters of the ledger and the way through its pages. */
export const LedgerSearch = z.object({ currency, type: lenient(ledgerEntryType), trail })
export type LedgerSearch = z.infer<typeof LedgerSearch>

/** What the address of the partner's payouts carries. */
export const PartnerPayoutsSearch = z.object({ status: lenient(payoutStatus), trail, payout: lenient(z.uuid()) })
export type PartnerPayoutsSearch = z.infer<typeof PartnerPayoutsSearch>

const perPage = 25

export function ledgerQuery(slug: string, { trail: way, ...filters }: LedgerSearch): ListLedger {
  return { slug, ...filters, cursor: currentCursor(way), limit: perPage }
}

export function payoutsQuery(slug: string, { status, trail: way }: PartnerPayoutsSearch): ListPartnerPayouts {
  return { slug, status, cursor: currentCursor(way), limit: perPage }
}
