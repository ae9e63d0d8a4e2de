import { isBelow } from '@atrium/core/mail/domains'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import type { NewMember } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import { insertClaimedMembership, type MemberWork } from '@atrium/db/members/member-work'
import {
  findAddressUse,
  insertPerson,
  type KnownPerson,
  listTenantDomains,
} from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { giveUpIdentity } from '@atrium/db/users/address-proofs'
import { lockEmail, updateUser } from '@atrium/db/users/users'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { rejectLimitedBy } from '../billing/invoices/limits.ts'
import { ofRecipient, type Take } from '../rpc/limits.ts'
import { lockOpenTenant, type OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import {
  mailOf,
  orUnseen,
  type Place,
  placeOf,
  taken,
  type Unseen,
  usedElsewhere,
} from './addresses.ts'
import { detachOthers } from './detach.ts'
import { takeSeat } from './seats.ts'

/** On whose behalf a member is made. */
export interface Maker {
  tenant: { id: string; slug: string }
  /** Operators may make an operator a member. */
  operator: boolean
  /** Rejects when the maker has lost the right meanwhile; runs under the tenant's lock. */
  stillMay: (trx: Trx) => Promise<void>
  /** Runs last in the transaction that makes the record. */
  inserted?: (trx: Trx, work: MemberWork) => Promise<void>
}

export interface Inserted {
  tenant: OpenTenant
  userId: string
  work: MemberWork
  /** From how many to how many the seats were raised for it, where that costs nothing. */
  seats?: readonly [number, number]
  /** Steps whose systems said nothing when they were asked before. */
  silent: readonly ProvisioningStep[]
  /** See `StepCall`. */
  fresh: boolean
}

/**
 * Creates a member's record on a domain that the tenant proved, claimed for the upstream work, or
 * makes an operator a member. Upstream systems are asked first whether an own address is free; one
 * that does not respond is asked again by the step that needs it. Throws AppError
 * `tenant_suspended`, `tenant_deleted`, `email_taken`, `domain_not_verified`, `seats_exhausted`,
 * `billing_limited`, `invitation_required` for every other address, `address_claim_required` for a
 * person who belongs elsewhere, `invalid_input`.
 */
export async function insertMember(
  services: Services,
  maker: Maker,
  fields: NewMember,
): Promise<Inserted> {
  const { db } = services.database
  const looked = await placeOf(db, maker.tenant.id, fields.email, 'email')
  const { address, own } = looked
  const [account, identity] = own
    ? await Promise.all([accountOf(services, address), identityOf(services, address)])
    : []
  if (typeof account === 'object') throw taken(address)
  const withMail = mailOf(services) !== undefined
  const vacant = own && withMail && account === undefined
  const subject = typeof identity === 'object' ? identity.subject : undefined
  const silent: ProvisioningStep[] = [
    ...(identity === 'silent' ? (['identity'] as const) : []),
    ...(account === 'silent' ? (['mail'] as const) : []),
  ]
  try {
    const inserted = await tenantTransaction(services, maker.tenant.id, async (trx) => {
      const tenant = await lockOpenTenant(trx, maker.tenant.slug)
      const entitlements = await readEntitlements(trx, services, tenant.id)
      rejectLimitedBy(entitlements)
      await maker.stillMay(trx)
      await lockEmail(trx, address)
      // Of an own address `admit` makes sure again.
      const place = own ? looked : await placeOf(trx, tenant.id, fields.email, 'email')
      const person = await admit(services, trx, {
        tenantId: tenant.id,
        place,
        subject,
        operator: maker.operator,
      })
      const raised = await takeSeat(trx, services, tenant, entitlements)
      const details = named(fields, place)
      const userId = await personFor(services, trx, { tenantId: tenant.id, person, details })
      const mailboxAddress = place.own && withMail ? place.address : null
      // A person without a record has lost no membership and left nothing upstream.
      const fresh = person === undefined && place.own
      const work = await insertClaimedMembership(trx, {
        tenantId: tenant.id,
        userId,
        role: fields.role,
        mailboxAddress,
        mailVacant: vacant,
        fresh,
      })
      await takeMember(trx, services, tenant.id, fields.alternativeEmail)
      await maker.inserted?.(trx, work)
      return { tenant, userId, work, silent, fresh, ...(raised ? { seats: raised } : {}) }
    })
    services.memberLeases.kept(inserted.work)
    return inserted
  } catch (error) {
    if (violatedConstraint(error) === 'memberships_of_mailbox') throw taken(address, error)
    throw error
  }
}

/**
 * Counts a new member of a tenant, and the welcome mail where it goes to an address that is not on
 * a domain of the tenant. Throws AppError `rate_limited`.
 */
async function takeMember(
  trx: Trx,
  { limits, config }: InTransaction,
  tenantId: string,
  elsewhere: string | null | undefined,
): Promise<void> {
  const takes: Take[] = [{ limit: 'members_day', of: tenantId }]
  if (elsewhere) {
    const domains = (await listTenantDomains(trx, tenantId)).filter(({ verified }) => verified)
    const own = domains.filter(({ name }) => !isBelow(name, config.tenantDomain))
    if (!domains.some(({ name }) => name === splitAddress(elsewhere).domain)) {
      takes.push(
        { limit: own.length > 0 ? 'invitations_day' : 'invitations_unproven_day', of: tenantId },
        { limit: 'invitations_recipient_day', of: ofRecipient(elsewhere) },
      )
    }
  }
  await limits.takeIn(trx, undefined, takes)
}

/**
 * The person of the new membership. A known person on a domain that the tenant proved gets a new
 * identity: the creator of the old one may still control it, and the domain is the tenant's.
 */
async function personFor(
  services: InTransaction,
  trx: Trx,
  request: {
    tenantId: string
    person: KnownPerson | undefined
    details: ReturnType<typeof named>
  },
): Promise<string> {
  const { tenantId, person, details } = request
  if (!person) return insertPerson(trx, { ...details, homeTenantId: tenantId })
  if (person.platformAdmin) return person.id
  await giveUpIdentity(trx, person.id, tenantId)
  await detachOthers(services, trx, { email: details.email, userId: person.id })
  const { email: _, ...names } = details
  await updateUser(trx, person.id, {
    name: names.name,
    ...(names.firstName === null ? {} : { first_name: names.firstName }),
    ...(names.lastName === null ? {} : { last_name: names.lastName }),
    ...(names.phone === null ? {} : { phone: names.phone }),
    ...(names.alternativeEmail === null ? {} : { alternative_email: names.alternativeEmail }),
  })
  return person.id
}

/**
 * Checks our own records for conflicts with a new member, except seats. Returns the person when
 * they know one who may be added. Reveals nothing about people outside the tenant's domains.
 */
export async function admit(
  { config }: InTransaction,
  db: Db | Trx,
  request: { tenantId: string; place: Place; subject: string | undefined; operator: boolean },
): Promise<KnownPerson | undefined> {
  const { tenantId, place, subject, operator } = request
  const { person, member, elsewhere, held, own } = await findAddressUse(db, tenantId, place.address)
  if (place.own && !own)
    throw new AppError(
      'domain_not_verified',
      errorText('domainNoLongerVerified', { address: place.address }),
    )
  if (member)
    throw new AppError('email_taken', errorText('alreadyMember', { address: place.address }))
  if (!place.own) {
    if (!person?.platformAdmin || !operator) throw new AppError('invitation_required')
    if (person.deactivatedAt !== null) throw taken(place.address)
    return person
  }
  if (subject !== undefined && !person) throw taken(place.address)
  if (held || (person?.platformAdmin && !operator)) throw taken(place.address)
  if (elsewhere && !person?.platformAdmin) throw usedElsewhere(config, place.address)
  if (person && person.deactivatedAt !== null) throw taken(place.address)
  return person
}

/**
 * The account that has the address at the mail server; undefined when there is none, or no mail
 * server.
 */
async function accountOf(
  services: Services,
  address: string,
): Promise<{ id: string } | undefined | Unseen> {
  return orUnseen(async (signal) => mailOf(services)?.findAccount(address, { signal }))
}

/** The identity that has the address; undefined when there is none, or no identity system. */
async function identityOf(
  services: Services,
  address: string,
): Promise<{ subject: string } | undefined | Unseen> {
  return orUnseen(async (signal) => services.systems.identity?.findUserByEmail(address, { signal }))
}

function named(fields: NewMember, { address }: Place) {
  const { name, firstName = null, lastName = null, phone = null, alternativeEmail = null } = fields
  const spelled = [firstName, lastName].filter((part) => part !== null).join(' ')
  return {
    email: address,
    name: name ?? (spelled || (address.split('@')[0] ?? address)),
    firstName,
    lastName,
    phone,
    alternativeEmail,
  }
}
