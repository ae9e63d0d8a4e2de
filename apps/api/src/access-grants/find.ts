import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findGrant, type GrantRow } from '@atrium/db/access-grants/access-grants'
import { activeRole } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Access } from '../rpc/guards.ts'

/**
 * A grant of the tenant that the caller may see: owner, admins and operators see all, staff those
 * of their partner. Throws AppError `not_found`.
 */
export async function readVisibleGrant(
  db: Db | Trx,
  access: Access,
  id: string,
): Promise<GrantRow> {
  const row = await findGrant(db, access.tenant.id, id)
  const ownPartner = onlyOfPartner(access)
  if (!row || (ownPartner !== undefined && row.partnerId !== ownPartner))
    throw new AppError('not_found', errorText('unknownGrant'))
  return row
}

/** The partner whose grants alone the caller sees; undefined for those who see all. */
export function onlyOfPartner({ caller, tenant }: Access): string | undefined {
  const all = caller.operator || tenant.role === 'admin' || tenant.role === 'owner'
  return all ? undefined : caller.partner?.id
}

/** The ownership may have changed since the guard ran. Throws AppError `not_owner`. */
export async function rejectFormerOwner(trx: Trx, { caller, tenant }: Access): Promise<string> {
  const role = caller.id === undefined ? undefined : await activeRole(trx, tenant.id, caller.id)
  if (caller.id === undefined || role !== 'owner') throw new AppError('not_owner')
  return caller.id
}
