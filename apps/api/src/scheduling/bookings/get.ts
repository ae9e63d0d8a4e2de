import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type {
  ListBookings,
  TenantBookingDetail,
  TenantBookingPage,
} from '@atrium/core/scheduling/bookings'
import {
  type BookingRow,
  findBooking,
  listBookingChanges,
  listBookings as listRows,
} from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { canActForAll, requireHostAccess } from '../access.ts'
import { toTenantBooking, toTenantBookingDetail } from './view.ts'

/** The tenant's admins see all bookings; everyone else sees those of their own host. */
export async function listBookings(
  { services }: Context,
  access: Access,
  input: ListBookings,
): Promise<TenantBookingPage> {
  const now = services.clock.now()
  const { hostId, cursor, slug: _, ...filter } = input
  const rows = await listRows(services.database.db, {
    ...filter,
    tenantId: access.tenant.id,
    now,
    ...(hostId === undefined ? {} : { hostIds: [hostId] }),
    ...(canActForAll(access) ? {} : { userId: access.caller.id ?? noUserId }),
    after: cursor === undefined ? undefined : placeOf(cursor),
  })
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => toTenantBooking(row, now)),
    nextCursor: rows.length > input.limit && last ? `${last.startAt.getTime()}_${last.id}` : null,
  }
}

const noUserId = '00000000-0000-0000-0000-000000000000'

function placeOf(cursor: string): { start: number; id: string } {
  const [start, id] = cursor.split('_')
  return { start: Number(start), id: id ?? '' }
}

export async function getBooking(
  { services }: Context,
  access: Access,
  id: string,
): Promise<TenantBookingDetail> {
  const booking = await openBooking(services.database.db, access, id)
  return toTenantBookingDetail(
    booking,
    await listBookingChanges(services.database.db, id),
    services.clock.now(),
  )
}

/**
 * A booking of the tenant that the caller may act on: who takes part as host, and those who act for
 * all hosts. Throws AppError `not_found`, `not_admin`.
 */
export async function openBooking(
  db: Parameters<typeof findBooking>[0],
  access: Access,
  id: string,
): Promise<BookingRow> {
  const booking = await findBooking(db, id)
  if (!booking || booking.tenantId !== access.tenant.id)
    throw new AppError('not_found', errorText('unknownBooking'))
  const own = booking.hosts.find(({ userId }) => userId === access.caller.id)
  requireHostAccess(access, { tenantId: booking.tenantId, userId: own?.userId ?? noUserId })
  return booking
}
