import { AppError } from '@atrium/core/errors'
import type { BookingPageView, UpdateBookingPage } from '@atrium/core/hosts'
import { type BookingPageRow, readBookingPage, saveBookingPage } from '@atrium/db/booking-page-settings'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'
import { refuseFormerAdmin } from '../members/act.ts'
import { lockOpenTenant } from '../tenants/open.ts'
import { publicAddress } from './public-address.ts'

/** The settings of the tenant's booking page; what holds without any, at version 0. */
export async function getBookingPage({ house }: Context, { tenant }: Access): Promise<BookingPageView> {
  return toView(house, tenant.slug, await readBookingPage(house.database.db, tenant.id))
}

/** Changes them. Throws AppError `version_conflict`. */
export async function updateBookingPage(ctx: Context, access: Access, input: UpdateBookingPage): Promise<BookingPageView> {
  const { house } = ctx
  const { slug: _, version, ...given } = input
  const tenant = await house.database.db.transaction().execute(async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await refuseFormerAdmin(trx, access)
    const { version: now, ...before } = await readBookingPage(trx, open.id)
    if (now !== version) throw new AppError('version_conflict', `The settings are at version ${now} now. Read them again.`)
    const { enabled = before.enabled, headline = before.headline, intro = before.intro, embedOrigins = before.embedOrigins } = given
    await saveBookingPage(trx, open.id, { enabled, headline, intro, embedOrigins: [...new Set(embedOrigins)] })
    return open
  })
  await house.audit.record(ctx, access.caller, {
    action: 'booking_page.updated',
    resourceType: 'booking_page',
    resourceId: tenant.id,
    resourceName: tenant.slug,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { fields: Object.keys(given), ...(given.enabled === undefined ? {} : { enabled: given.enabled }) },
  })
  return getBookingPage(ctx, access)
}

function toView({ config }: House, slug: string, page: BookingPageRow): BookingPageView {
  return { ...page, publicUrl: publicAddress(config, slug) }
}
