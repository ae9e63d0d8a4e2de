import { ownedAddress } from '@atrium/core/mail/mail-addresses'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type AddressDomainRow, addressHolder, listAddressDomains } from '@atrium/db/mail/aliases'
import type { Db, Trx } from '@atrium/db/platform/connect'

/**
 * An address that the tenant may have: on a verified domain of its own, and held by nothing in our
 * records.
 */
export interface FreeAddress {
  address: string
  localPart: string
  domain: AddressDomainRow
}

/**
 * Throws AppError `invalid_input` for a domain that is not the tenant's, `domain_not_verified`, and
 * `email_taken` when a mailbox, a list or another person's sign-in has the address; never whose. An
 * alias elsewhere has the mail server to reject it.
 */
export async function freeAddress(
  db: Db | Trx,
  tenantId: string,
  { address: text, exceptUserId }: { address: string; exceptUserId: string | null },
): Promise<FreeAddress> {
  const owned = ownedAddress(text, await listAddressDomains(db, tenantId))
  if (owned === 'foreign') {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'address', message: foreignDomain(text) }],
    })
  }
  if (!owned.domain.verifiedAt)
    throw new AppError(
      'domain_not_verified',
      errorText('domainNotVerified', { name: owned.domain.name }),
    )
  if (owned.address.length > 254) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'address', message: errorText('addressTooLong') }],
    })
  }
  if (await addressHolder(db, owned.address, exceptUserId)) throw addressTaken(owned.address)
  return owned
}

function foreignDomain(text: string): ErrorText {
  const domain = text.includes('@') ? text.slice(text.lastIndexOf('@') + 1) : undefined
  return domain === undefined
    ? errorText('wholeAddressNeeded')
    : errorText('domainNotOfTenant', { domain })
}

export function addressTaken(address: string, cause?: unknown): AppError {
  return new AppError('email_taken', errorText('addressInUse', { address }), { cause })
}
