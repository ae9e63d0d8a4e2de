import { AppError } from '@atrium/core/errors'
import { splitAddress } from '@atrium/core/mail-addresses'
import type { Trx } from '@atrium/db/connect'
import { listTenantDomains, type MemberRow } from '@atrium/db/members'
import type { Access } from '../guards.ts'
import { actsForAll } from './access.ts'

/**
 * The address that is the organizer of invitations: the member's mailbox unless another one is named. Who acts for the own host alone can
 * name the own addresses only; admins can name any on a domain whose ownership the tenant has shown. So nobody invites in the name of
 * somebody else. Throws AppError `invalid_input` at `mailAddress`.
 */
export async function organizerAddress(
  trx: Trx,
  access: Access,
  member: Pick<MemberRow, 'email' | 'mailboxAddress'>,
  wanted: string | undefined,
): Promise<string> {
  if (wanted === undefined) {
    if (member.mailboxAddress !== null) return member.mailboxAddress
    throw refusal('The member has no mailbox here. Name the address of the calendar.')
  }
  if (wanted === member.mailboxAddress || wanted === member.email) return wanted
  if (!actsForAll(access)) throw refusal('Choose the address of your mailbox, or the one that you sign in with.')
  const { domain } = splitAddress(wanted)
  const own = (await listTenantDomains(trx, access.tenant.id)).some(({ name, verified }) => name === domain && verified)
  if (!own) throw refusal('Use an address on a domain whose ownership this workplace has shown.')
  return wanted
}

const refusal = (message: string) => new AppError('invalid_input', undefined, { issues: [{ path: 'mailAddress', message }] })
