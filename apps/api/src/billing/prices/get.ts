import type { ListPrices, OfferedPrices, PricePage, PriceView } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  findPrice,
  listOfferedPrices,
  type PriceRow,
  listPrices as queryPrices,
} from '@atrium/db/billing/prices'
import { countMembers } from '@atrium/db/members/members'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { mayHaveTrial } from '../subscriptions/trials.ts'
import { toOfferedPrice, toPriceView } from './view.ts'

/** The catalog, newest first. */
export async function listPrices(
  { database }: Services,
  { cursor, ...filter }: ListPrices,
): Promise<PricePage> {
  const rows = await queryPrices(database.db, { ...filter, before: cursor })
  const { items, nextCursor } = cutPage(rows, filter.limit)
  return { items: items.map(toPriceView), nextCursor }
}

/** Throws AppError `not_found` when there is no such price. */
export async function getPrice(services: Services, id: string): Promise<PriceView> {
  return toPriceView(await readPrice(services, id))
}

export async function readPrice({ database }: Services, id: string): Promise<PriceRow> {
  const row = await findPrice(database.db, id)
  if (!row) throw noSuchPrice()
  return row
}

/**
 * What the tenant can buy now: on sale, visible, and offered to everybody or to its partner's
 * tenants; and how many seats it needs. `trialDays` is 0 where the tenant gets no trial any more.
 */
export async function listOffered(
  { database, clock }: Services,
  { tenant }: Access,
): Promise<OfferedPrices> {
  const [rows, assignedSeats, trial] = await Promise.all([
    listOfferedPrices(database.db, { partnerId: tenant.partnerId, at: clock.now() }),
    countMembers(database.db, tenant.id),
    mayHaveTrial(database.db, tenant.id),
  ])
  return {
    items: rows.map((row) => toOfferedPrice(trial ? row : { ...row, trialDays: 0 })),
    assignedSeats,
  }
}

export const noSuchPrice = () => new AppError('not_found', errorText('unknownPrice'))
