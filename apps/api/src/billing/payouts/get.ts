import {
  type ListPartnerPayouts,
  type ListPayouts,
  type PartnerPayoutDetail,
  type PartnerPayoutPage,
  type PartnerPayoutPath,
  type PayoutDetail,
  type PayoutPage,
  payoutMoves,
} from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { listPayoutEntries } from '@atrium/db/billing/ledger'
import { findPayout, type PayoutRow, listPayouts as queryPayouts } from '@atrium/db/billing/payouts'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { z } from 'zod'
import type { OwnPartner } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { toLedgerEntryView, toPartnerPayoutView, toPayoutView } from './view.ts'

export const unknownPayout = () => new AppError('not_found', errorText('unknownPayout'))

/** Newest first. */
export async function listPayouts(
  { database }: Services,
  { cursor, ...filter }: ListPayouts,
): Promise<PayoutPage> {
  const { items, nextCursor } = cutPage(
    await queryPayouts(database.db, { ...filter, before: cursor }),
    filter.limit,
  )
  return { items: items.map(toPayoutView), nextCursor }
}

/** Throws AppError `not_found`. */
export async function getPayout({ database: { db } }: Services, id: string): Promise<PayoutDetail> {
  const row = await readPayout(db, id)
  const entries = await listPayoutEntries(db, row.id)
  return {
    ...toPayoutView(row),
    entries: entries.map(toLedgerEntryView),
    moves: [...payoutMoves[row.status]],
    selfBillingConsentAt: row.selfBillingConsentAt?.toISOString() ?? null,
  }
}

/** Throws AppError `not_found`, for a text that is no id as well. */
export async function readPayout(
  db: Db | Trx,
  id: string,
  find: typeof findPayout = findPayout,
): Promise<PayoutRow> {
  const row = z.uuid().safeParse(id).success ? await find(db, id) : undefined
  if (!row) throw unknownPayout()
  return row
}

/** The partner's own, newest first. */
export async function listPartnerPayouts(
  { database }: Services,
  { partner }: OwnPartner,
  { slug: _, cursor, ...filter }: ListPartnerPayouts,
): Promise<PartnerPayoutPage> {
  const rows = await queryPayouts(database.db, { ...filter, partnerId: partner.id, before: cursor })
  const { items, nextCursor } = cutPage(rows, filter.limit)
  return { items: items.map(toPartnerPayoutView), nextCursor }
}

/** Throws AppError `not_found`, for another partner's payout as well. */
export async function getPartnerPayout(
  services: Services,
  own: OwnPartner,
  input: PartnerPayoutPath,
): Promise<PartnerPayoutDetail> {
  const row = await readPartnerPayout(services, own, input.payoutId)
  const entries = await listPayoutEntries(services.database.db, row.id)
  return { ...toPartnerPayoutView(row), entries: entries.map(toLedgerEntryView) }
}

export async function readPartnerPayout(
  { database }: Services,
  { partner }: OwnPartner,
  id: string,
): Promise<PayoutRow> {
  const row = await readPayout(database.db, id)
  if (row.partnerId !== partner.id) throw unknownPayout()
  return row
}
