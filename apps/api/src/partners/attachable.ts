import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Trx } from '@atrium/db/platform/connect'
import { findDomainTenant, readTrust } from '@atrium/db/users/address-proofs'
import type { UserRow } from '@atrium/db/users/users'
import type { Caller } from '../rpc/caller.ts'
import { currentRole } from '../rpc/current-role.ts'

const at = (path: string, message: ErrorText) => ({ issues: [{ path, message }] })
export const rejectedAddress = (message: ErrorText) =>
  new AppError('email_exists', message, at('email', message))

/**
 * Rejects people who work for another partner or are deactivated. Throws AppError `email_exists`.
 */
export function rejectStaff(user: UserRow, partnerId: string): void {
  const elsewhere = user.partnerId !== null && user.partnerStatus !== 'terminated'
  if (elsewhere && user.partnerId !== partnerId)
    throw rejectedAddress(errorText('staffOfOtherPartner'))
  if (user.deactivatedAt) throw rejectedAddress(errorText('accountDeactivated'))
}

/**
 * A person whom a tenant manages joins a staff only with that tenant's consent: when one of its
 * admins invites, or an operator. Throws AppError `email_exists`.
 */
export async function rejectManagedElsewhere(
  trx: Trx,
  caller: Caller,
  email: string,
  user: UserRow | undefined,
): Promise<void> {
  if (caller.operator) return
  const domain = await findDomainTenant(trx, splitAddress(email).domain)
  const only = user?.tenants.length === 1 ? user.tenants[0]?.id : undefined
  const made = user && (await readTrust(trx, user.id))?.homeTenantId
  const tenantId =
    domain?.tenantId ?? (made !== undefined && made !== null && made === only ? made : undefined)
  if (tenantId === undefined) return
  const role = await currentRole(trx, caller, tenantId)
  if (role === 'admin' || role === 'owner') return
  throw rejectedAddress(errorText('accountManagedElsewhere'))
}

export const onStaffAlready = () =>
  new AppError('already_exists', errorText('alreadyStaff'), at('email', errorText('alreadyStaff')))
