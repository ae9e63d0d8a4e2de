import { isBelow } from '@atrium/core/domains'
import { AppError } from '@atrium/core/errors'
import { splitAddress } from '@atrium/core/mail-addresses'
import type { Trx } from '@atrium/db/connect'
import { isProvenElsewhere } from '@atrium/db/domains'
import { listTenantDomains, type MemberRow } from '@atrium/db/members'
import type { Access } from '../guards.ts'
import type { InTransaction } from '../house.ts'
import { actsForAll } from './access.ts'

/**
 * The address that stands as organizer in invitations: the member's mailbox unless another one is named. Who acts for the own host alone
 * can name the own addresses only, so that nobody invites in somebody else's name; nobody can name one of another tenant. Throws AppError
 * `invalid_input` at `mailAddress`.
 */
export async function organizerAddress(
  trx: Trx,
  house: InTransaction,
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
  const own = (await listTenantDomains(trx, access.tenant.id)).some(({ name }) => name === domain)
  if (!own && ((await isProvenElsewhere(trx, access.tenant.id, domain)) || isBelow(domain, house.config.tenantDomain))) {
    throw refusal('This address is on a domain of another tenant.')
  }
  return wanted
}

const refusal = (message: string) => new AppError('invalid_input', undefined, { issues: [{ path: 'mailAddress', message }] })
