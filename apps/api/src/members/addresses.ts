import { isBelow } from '@atrium/core/mail/domains'
import { localPartFault, ownedAddress, splitAddress } from '@atrium/core/mail/mail-addresses'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { addressHolder } from '@atrium/db/mail/aliases'
import { isProvenElsewhere } from '@atrium/db/mail/domains'
import { findPerson, listTenantDomains } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'

/**
 * Where an address that an admin typed leads: to a verified domain of the tenant, or out of the
 * platform.
 */
export interface Place {
  address: string
  own: boolean
  /**
   * On a domain that another tenant has proved: only a person already known by this address can
   * have it.
   */
  foreign: boolean
}

/**
 * The whole address of what was typed, lower-case. Throws AppError `invalid_input` under `path` for
 * what the tenant cannot have, and `domain_not_verified`.
 */
export async function placeOf(
  db: Db | Trx,
  tenantId: string,
  text: string,
  path: string,
): Promise<Place> {
  const reject = (message: ErrorText | string) =>
    new AppError('invalid_input', undefined, { issues: [{ path, message }] })
  const owned = ownedAddress(text, await listTenantDomains(db, tenantId))
  if (owned !== 'foreign') {
    const fault = localPartFault(owned.localPart)
    if (fault !== undefined) throw reject(fault)
    if (owned.address.length > 254) throw reject(errorText('addressTooLong'))
    if (!owned.domain.verified)
      throw new AppError(
        'domain_not_verified',
        errorText('domainNotVerified', { name: owned.domain.name }),
      )
    return { address: owned.address, own: true, foreign: false }
  }
  if (!text.includes('@')) throw reject(errorText('wholeAddressNeeded'))
  const foreign = await isProvenElsewhere(db, tenantId, splitAddress(text).domain)
  return { address: text, own: false, foreign }
}

/**
 * Throws AppError `email_taken` when a mailbox, a list or another person has the address in our
 * records.
 */
export async function rejectTaken(
  db: Db | Trx,
  { address, own }: Place,
  exceptUserId: string | null,
): Promise<void> {
  if (own) {
    if (await addressHolder(db, address, exceptUserId)) throw taken(address)
    return
  }
  const person = await findPerson(db, { email: address })
  if (person && person.id !== exceptUserId) throw taken(address)
}

/**
 * No one may create an address on another tenant's domain, or below the platform's own: there the
 * response is the same whether a tenant has the domain or not. Throws AppError `invalid_input`,
 * `email_taken`.
 */
export function rejectForeign(
  { tenantDomain }: { tenantDomain: string },
  { address, own, foreign }: Place,
): void {
  const { domain } = splitAddress(address)
  if (!own && isBelow(domain, tenantDomain))
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'email', message: errorText('domainNotOfTenant', { domain }) }],
    })
  if (foreign) throw new AppError('email_taken', errorText('domainOfOtherTenant', { address }))
}

export const taken = (address: string, cause?: unknown) =>
  new AppError('email_taken', errorText('addressInUse', { address }), { cause })

/**
 * Why a tenant does not get an address on its domain from people who belong elsewhere: only a claim
 * takes it, and names below the platform's cannot be claimed.
 */
export const usedElsewhere = ({ tenantDomain }: { tenantDomain: string }, address: string) => {
  const { domain } = splitAddress(address)
  if (isBelow(domain, tenantDomain)) return taken(address)
  return new AppError(
    'address_claim_required',
    errorText('addressManagedElsewhere', { address, domain }),
  )
}

/** The mail server when mailboxes are made in it. */
export function mailOf(services: Services): MailServer | undefined {
  return services.config.mailProvisioning ? (services.systems.mail ?? undefined) : undefined
}

/** How long a look before an act may take. */
export const lookupDeadlineMs = 5_000

/**
 * Why a look came to nothing: the system rejected or failed, or it said nothing for as long as the
 * look may take.
 */
export type Unseen = 'unknown' | 'silent'

/** The result of an upstream system, or why there is none. */
export async function orUnseen<Result extends object | undefined>(
  look: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | Unseen> {
  const signal = AbortSignal.timeout(lookupDeadlineMs)
  try {
    return await look(signal)
  } catch (error) {
    if (signal.aborted) return 'silent'
    if (error instanceof UpstreamError) return 'unknown'
    throw error
  }
}
