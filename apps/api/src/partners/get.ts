import type {
  ListPartners,
  ListPartnerTenants,
  PartnerMargins,
  PartnerPage,
  PartnerView,
} from '@atrium/core/partners/partners'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import type { TenantPage } from '@atrium/core/tenants/tenants'
import {
  findPartnerBySlug,
  listMargins,
  listPartners as queryPartners,
  yearlyRevenueOfPartners,
} from '@atrium/db/partners/partners'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { listTenants } from '../tenants/list.ts'
import { dayOf, readPartnerView, toPartnerView } from './view.ts'

export function getPartner(
  { services }: Context,
  { partner, access }: OwnPartner,
): Promise<PartnerView> {
  return readPartnerView(services, partner.id, access)
}

/** Partners under the filters, newest first; revenue of the whole page is one statement. */
export async function listPartners(
  { services }: Context,
  input: ListPartners,
): Promise<PartnerPage> {
  const { cursor, limit, ...filter } = input
  const { db } = services.database
  const rows = await queryPartners(
    db,
    { ...filter, before: cursor, limit },
    dayOf(services.clock.now()),
  )
  const { items, nextCursor } = cutPage(rows, limit)
  const revenue = await yearlyRevenueOfPartners(
    db,
    items.map(({ id }) => id),
  )
  return { items: items.map((row) => toPartnerView(row, revenue, null)), nextCursor }
}

/** The tenants that are attached to the partner, as operators see them. */
export async function listPartnerTenants(
  ctx: Context,
  caller: Caller,
  { slug, ...input }: ListPartnerTenants,
): Promise<TenantPage> {
  const partner = isSlugShaped(slug)
    ? await findPartnerBySlug(ctx.services.database.db, slug)
    : undefined
  if (!partner) throw new AppError('not_found', errorText('unknownPartnerSlug'))
  return listTenants(ctx, caller, { ...input, partnerSlug: slug })
}

/**
 * Every margin with its first day, latest first. Before the earliest the partner earns what its
 * record says, usually nothing.
 */
export async function listPartnerMargins(
  { services }: Context,
  { partner }: OwnPartner,
): Promise<PartnerMargins> {
  const today = dayOf(services.clock.now())
  const rows = await listMargins(services.database.db, partner.id)
  const current = rows.find(({ effectiveFrom }) => effectiveFrom <= today)
  return {
    items: rows.map((row) => ({
      marginPct: row.marginPct,
      effectiveFrom: row.effectiveFrom,
      state:
        row === current
          ? ('current' as const)
          : row.effectiveFrom > today
            ? ('upcoming' as const)
            : ('past' as const),
      setBy: row.setBy,
      reason: row.reason,
      createdAt: row.createdAt.toISOString(),
    })),
  }
}
