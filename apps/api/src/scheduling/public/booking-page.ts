import { changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { BookingPageView, UpdateBookingPage } from '@atrium/core/scheduling/hosts'
import {
  type BookingPageRow,
  readBookingPage,
  saveBookingPage,
} from '@atrium/db/scheduling/booking-page-settings'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import type { Services } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { publicAddress } from './address.ts'

/** The settings of the tenant's booking page; what holds without any, at version 0. */
export async function getBookingPage(
  { services }: Context,
  { tenant }: Access,
): Promise<BookingPageView> {
  return toView(services, tenant.slug, await readBookingPage(services.database.db, tenant.id))
}

/** Changes them. Throws AppError `version_conflict`. */
export async function updateBookingPage(
  ctx: Context,
  access: Access,
  input: UpdateBookingPage,
): Promise<BookingPageView> {
  const { services } = ctx
  const { slug: _, version, ...provided } = input
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const { version: now, ...before } = await readBookingPage(trx, open.id)
    if (now !== version)
      throw new AppError('version_conflict', errorText('settingsVersion', { now }))
    const {
      enabled = before.enabled,
      headline = before.headline,
      intro = before.intro,
      embedOrigins = before.embedOrigins,
    } = provided
    const after = { enabled, headline, intro, embedOrigins: [...new Set(embedOrigins)] }
    await saveBookingPage(trx, open.id, after)
    const entry: AuditEntry = {
      action: 'booking_page.updated',
      resourceType: 'booking_page',
      resourceId: open.id,
      resourceName: open.slug,
      tenantSlug: open.slug,
      partnerSlug: open.partnerSlug,
      metadata: { changes: changedFields(before, after, Object.keys(after)) },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
  })
  return getBookingPage(ctx, access)
}

function toView({ config }: Services, slug: string, page: BookingPageRow): BookingPageView {
  return { ...page, publicUrl: publicAddress(config, slug) }
}
