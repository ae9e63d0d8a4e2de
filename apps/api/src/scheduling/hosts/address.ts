import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listTenantDomains, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { Access } from '../../rpc/guards.ts'
import { canActForAll } from '../access.ts'

/**
 * The organizer address of invitations: the member's mailbox unless another one is given. Members
 * acting for their own host can only use their own addresses; admins can use any on a domain that
 * the tenant has proved. So no one invites in another person's name. Throws AppError
 * `invalid_input` at `mailAddress`.
 */
export async function organizerAddress(
  trx: Trx,
  access: Access,
  member: Pick<MemberRow, 'email' | 'mailboxAddress'>,
  requested: string | undefined,
): Promise<string> {
  if (requested === undefined) {
    if (member.mailboxAddress !== null) return member.mailboxAddress
    throw rejection('calendarAddressMissing')
  }
  if (requested === member.mailboxAddress || requested === member.email) return requested
  if (!canActForAll(access)) throw rejection('calendarAddressOwn')
  const { domain } = splitAddress(requested)
  const own = (await listTenantDomains(trx, access.tenant.id)).some(
    ({ name, verified }) => name === domain && verified,
  )
  if (!own) throw rejection('calendarAddressDomain')
  return requested
}

const rejection = (
  reason: 'calendarAddressMissing' | 'calendarAddressOwn' | 'calendarAddressDomain',
) =>
  new AppError('invalid_input', undefined, {
    issues: [{ path: 'mailAddress', message: errorText(reason) }],
  })
