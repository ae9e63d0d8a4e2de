import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { UserView } from '@atrium/core/users/users'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { findUser, type UserRow } from '@atrium/db/users/users'

/**
 * The row as operators see it and, with `own`, the user: without the tenants in which the user is
 * suspended, which respond that there are none (seed 5.6: a person's tenants are those that the
 * membership guard admits).
 */
export function toUserView(row: UserRow, { own = false } = {}): UserView {
  const tenants = row.tenants.flatMap(({ suspended, ...tenant }) =>
    own && suspended ? [] : [tenant],
  )
  return {
    id: row.id,
    idpSubjectId: row.idpSubjectId,
    email: row.email,
    name: row.name,
    firstName: row.firstName,
    lastName: row.lastName,
    phone: row.phone,
    alternativeEmail: row.alternativeEmail,
    language: row.language,
    platformAdmin: row.platformAdmin,
    partnerId: row.partnerId,
    partner:
      row.partnerId && row.partnerSlug && row.partnerName && row.partnerStatus && row.partnerAccess
        ? {
            id: row.partnerId,
            slug: row.partnerSlug,
            name: row.partnerName,
            status: row.partnerStatus,
            access: row.partnerAccess,
          }
        : null,
    tenantIds: tenants.map((tenant) => tenant.id),
    tenantRoles: Object.fromEntries(tenants.map((tenant) => [tenant.id, tenant.role])),
    tenants,
    status: row.deactivatedAt ? 'deactivated' : 'active',
    deactivatedAt: row.deactivatedAt?.toISOString() ?? null,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** The stored user; 404 when there is none. */
export async function readUser(db: Db | Trx, id: string): Promise<UserRow> {
  const row = await findUser(db, id)
  if (!row) throw new AppError('not_found', errorText('unknownUser'))
  return row
}
