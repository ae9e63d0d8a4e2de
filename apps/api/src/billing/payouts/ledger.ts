import { csvLine } from '@atrium/core/audit/audit'
import { exportTrailer } from '@atrium/core/audit/export-trailer'
import {
  type ExportLedger,
  type LedgerPage,
  type ListLedger,
  ledgerColumns,
  type PartnerBilling,
} from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { listLedger as queryLedger, readBalances } from '@atrium/db/billing/ledger'
import { findPayoutPartner, listComingMargins } from '@atrium/db/billing/payouts'
import type { OwnPartner } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { marginAt } from './margins.ts'
import { toBalance, toLedgerEntryView } from './view.ts'

const recentEntries = 10
const exportedAtOnce = 500

/** What the partner earns, has, and can be paid, per currency; the newest entries with it. */
export async function getPartnerBilling(
  { database: { db }, clock, config }: Services,
  { partner }: OwnPartner,
): Promise<PartnerBilling> {
  const now = clock.now()
  const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  const record = await findPayoutPartner(db, partner.slug)
  if (!record) throw new AppError('not_found', errorText('unknownPartnerSlug'))
  const [marginPct, comingMargins, balances, entries] = await Promise.all([
    marginAt(db, partner.id, now),
    listComingMargins(db, partner.id, now.toISOString().slice(0, 10)),
    readBalances(db, partner.id, now, monthStart),
    queryLedger(db, { partnerId: partner.id, limit: recentEntries }),
  ])
  return {
    slug: record.slug,
    name: record.name,
    marginPct,
    comingMargins,
    holdDays: config.billing.partnerHoldDays,
    selfBillingConsentAt: record.selfBillingConsentAt?.toISOString() ?? null,
    balances: balances.map(toBalance),
    recentEntries: entries.slice(0, recentEntries).map(toLedgerEntryView),
  }
}

/** Every entry, newest first, with the invoice that it comes from and the payout that pays it. */
export async function listLedger(
  { database }: Services,
  { partner }: OwnPartner,
  input: ListLedger,
): Promise<LedgerPage> {
  const { slug: _, cursor, ...filter } = input
  const { items, nextCursor } = cutPage(
    await queryLedger(database.db, { ...filter, partnerId: partner.id, before: cursor }),
    filter.limit,
  )
  return { items: items.map(toLedgerEntryView), nextCursor }
}

/** The same as CSV, in pieces, with `exportTrailer` at its end; amounts are whole minor units. */
export async function* exportLedger(
  { database }: Services,
  { partner }: OwnPartner,
  input: ExportLedger,
): AsyncGenerator<string> {
  const { slug: _, format: __, ...filter } = input
  let head = csvLine(ledgerColumns)
  let count = 0
  let before: string | undefined
  for (;;) {
    const rows = await queryLedger(database.db, {
      ...filter,
      partnerId: partner.id,
      before,
      limit: exportedAtOnce,
    })
    const { items, nextCursor } = cutPage(rows, exportedAtOnce)
    const views = items.map(toLedgerEntryView)
    yield head + views.map((view) => csvLine(ledgerColumns.map((column) => view[column]))).join('')
    head = ''
    count += views.length
    if (nextCursor === null) break
    before = nextCursor
  }
  yield exportTrailer('csv', count, ledgerColumns.length)
}
