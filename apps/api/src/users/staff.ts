import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { UpdateUser } from '@atrium/core/users/users'
import { hasOtherOwner, lockUser } from '@atrium/db/partners/partner-team'
import { lockPartners } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { findUser, type UserChanges, type UserRow } from '@atrium/db/users/users'
import { rejectUnproved } from './proved-address.ts'

/**
 * The writes of an operator's change of a user's partner and level, under the locks of the partners
 * concerned; nothing when neither changes. A person new to a partner starts as viewer. Throws
 * AppError `invalid_input`, `partner_unavailable`, `last_partner_owner` when the old partner or a
 * lower level leaves it without an owner, and `version_conflict` when the user was moved meanwhile.
 */
export async function staffChange(
  trx: Trx,
  user: UserRow,
  input: Pick<UpdateUser, 'partnerId' | 'partnerAccess'>,
): Promise<Pick<UserChanges, 'partner_id' | 'partner_access'>> {
  const requested = input.partnerId === undefined ? user.partnerId : input.partnerId
  const moves = requested !== user.partnerId
  if (!moves && input.partnerAccess === undefined) return {}
  if (requested === null && input.partnerAccess !== undefined)
    throw rejected('partnerAccess', errorText('userWithoutPartner'))
  const ids = [...new Set([user.partnerId, requested])].filter((id) => id !== null)
  const partners = await lockPartners(trx, ids)
  const target = partners.find(({ id }) => id === requested)
  if (requested !== null && !target) throw rejected('partnerId', errorText('unknownPartner'))
  if (moves && target && target.status !== 'active') throw new AppError('partner_unavailable')
  await lockUser(trx, user.id)
  if (moves && requested !== null) await rejectUnproved(trx, user)
  const current = await findUser(trx, user.id)
  if (current?.partnerId !== user.partnerId) throw new AppError('version_conflict')
  const access = requested === null ? null : (input.partnerAccess ?? 'viewer')
  const stepsDown = current.partnerAccess === 'owner' && (moves || access !== 'owner')
  const left = partners.find(({ id }) => id === current.partnerId)
  if (
    stepsDown &&
    left &&
    left.status !== 'terminated' &&
    !(await hasOtherOwner(trx, left.id, user.id))
  ) {
    throw new AppError('last_partner_owner')
  }
  return { partner_id: requested, partner_access: access }
}

const rejected = (path: string, message: ErrorText) =>
  new AppError('invalid_input', undefined, { issues: [{ path, message }] })
