import type { Entitlements } from '@atrium/core/billing/entitlements'
import {
  changeLeadMinutes,
  grantingStatuses,
  type PendingChange,
} from '@atrium/core/billing/subscriptions'
import { isBelow } from '@atrium/core/mail/domains'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import type { NewMember } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import { giveUpIdentity } from '@atrium/db/members/invitations'
import { insertClaimedMembership, type MemberWork } from '@atrium/db/members/member-work'
import {
  countMembers,
  findAddressUse,
  insertPerson,
  type KnownPerson,
  listTenantDomains,
} from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { updateTenant } from '@atrium/db/tenants/tenants'
import { lockEmail, updateUser } from '@atrium/db/users/users'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { rejectLimitedBy } from '../billing/invoices/limits.ts'
import { ofRecipient, type Take } from '../rpc/limits.ts'
import { lockOpenTenant, type OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailMemberInvitation } from '../users/access-mails.ts'
import {
  mailOf,
  orUnseen,
  type Place,
  placeOf,
  rejectForeign,
  taken,
  type Unseen,
} from './addresses.ts'

/** On whose behalf a member is made. */
export interface Maker {
  tenant: { id: string; slug: string }
  /** Operators may make an operator a member. */
  operator: boolean
  /** Whom an invitation names as inviter. */
  name: string
  /** Rejects when the maker has lost the right meanwhile; runs under the tenant's lock. */
  stillMay: (trx: Trx) => Promise<void>
  /** Runs in the transaction that makes the record. */
  inserted?: (trx: Trx, userId: string) => Promise<void>
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
 * Creates a member's record, claimed for the upstream work: immediately active on a domain that the
 * tenant proved, as an invitation by mail for every other address. For an own address, upstream
 * systems are asked first whether it is free; one that does not respond is asked again by the step
 * that needs it. Throws AppError `tenant_suspended`, `tenant_deleted`, `email_taken`,
 * `domain_not_verified`, `seats_exhausted`, `billing_limited`, `integration_off`, `invalid_input`.
 */
export async function insertMember(
  services: Services,
  maker: Maker,
  fields: NewMember,
): Promise<Inserted> {
  const { db } = services.database
  const looked = await placeOf(services, db, maker.tenant.id, fields.email, 'email')
  const { address, own } = looked
  if (!own) requirePortal(services.config)
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
      const place = own ? looked : await placeOf(services, trx, tenant.id, fields.email, 'email')
      const person = await admit(trx, {
        tenantId: tenant.id,
        place,
        subject,
        operator: maker.operator,
      })
      const raised = await takeSeat(trx, services, tenant, entitlements)
      const details = named(fields, place)
      const userId = await personFor(trx, { tenantId: tenant.id, place, person, details })
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
      if (isInvited(place, person)) {
        const { email, name } = details
        await mailMemberInvitation(services, trx, {
          userId,
          email,
          name,
          tenantId: tenant.id,
          inviter: maker.name,
          role: fields.role,
        })
      }
      await maker.inserted?.(trx, userId)
      await takeMember(
        trx,
        services,
        tenant.id,
        place.own ? fields.alternativeEmail : (fields.alternativeEmail ?? place.address),
      )
      return { tenant, userId, work, silent, fresh, ...(raised ? { seats: raised } : {}) }
    })
    services.memberLeases.kept(inserted.work)
    return inserted
  } catch (error) {
    if (violatedConstraint(error) === 'memberships_mailbox') throw taken(address, error)
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
 * People with an address outside the tenant's domains have to accept first; operators add each
 * other directly.
 */
function isInvited({ own }: Place, person: KnownPerson | undefined): boolean {
  return !own && !person?.platformAdmin
}

/**
 * The person of the new membership. The owner of an invited address stays unknown until the mailed
 * link is followed. A known person on a domain that the tenant proved gets a new identity: the
 * creator of the old one may still control it, and the domain is the tenant's.
 */
async function personFor(
  trx: Trx,
  request: {
    tenantId: string
    place: Place
    person: KnownPerson | undefined
    details: ReturnType<typeof named>
  },
): Promise<string> {
  const { tenantId, place, person, details } = request
  if (isInvited(place, person))
    return insertPerson(trx, { ...details, homeTenantId: tenantId, invited: true })
  if (!person) return insertPerson(trx, { ...details, homeTenantId: tenantId })
  if (person.platformAdmin) return person.id
  await giveUpIdentity(trx, person.id, tenantId)
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
  db: Db | Trx,
  request: { tenantId: string; place: Place; subject: string | undefined; operator: boolean },
): Promise<KnownPerson | undefined> {
  const { tenantId, place, subject, operator } = request
  const { person, member, invited, held, own } = await findAddressUse(db, tenantId, place.address)
  if (place.own && !own)
    throw new AppError(
      'domain_not_verified',
      errorText('domainNoLongerVerified', { address: place.address }),
    )
  if (!person) rejectForeign(place)
  if (subject !== undefined && !person) throw taken(place.address)
  if (member)
    throw new AppError('email_taken', errorText('alreadyMember', { address: place.address }))
  if (invited)
    throw new AppError('email_taken', errorText('alreadyInvited', { address: place.address }))
  if (!place.own) {
    if (!person?.platformAdmin || !operator) return undefined
    if (person.deactivatedAt !== null) throw taken(place.address)
    return person
  }
  if (person && (person.deactivatedAt !== null || (person.platformAdmin && !operator)))
    throw taken(place.address)
  if (held) throw taken(place.address)
  return person
}

type Seats = Pick<OpenTenant, 'id' | 'seats' | 'seat_mode'>

/**
 * How many more members the tenant may have without paying more: infinite where its entitlements
 * set no limit.
 */
export async function freeSeats(
  db: Db | Trx,
  services: InTransaction,
  tenant: Seats,
): Promise<number> {
  const entitlements = await readEntitlements(db, services, tenant.id)
  const { most } = await seatLimits(db, services, tenant, entitlements)
  return most === 0 ? Number.POSITIVE_INFINITY : most - (await countMembers(db, tenant.id))
}

/**
 * `limit`: how many members there may be now, `most`: how far that may be raised without paying
 * more; 0 for no limit. A tenant may set fewer seats than it is entitled to. In the mode `auto`
 * these are raised with the members; with a running subscription that takes a confirmed price.
 * Seats that end with the period cannot be taken any more once the members were counted for it.
 */
async function seatLimits(
  db: Db | Trx,
  { clock }: InTransaction,
  { id, seats, seat_mode }: Seats,
  { seats: entitled }: Entitlements,
): Promise<{ limit: number; most: number }> {
  const subscription = await findLiveSubscription(db, id)
  const kept = keptSeats(subscription?.pending ?? null, clock.now())
  const current = entitled === 0 || (seats > 0 && seats < entitled) ? seats : entitled
  const limit = current === 0 ? 0 : Math.min(current, kept)
  if (seat_mode !== 'auto') return { limit, most: limit }
  return {
    limit,
    most: subscription && grantingStatuses.includes(subscription.status) ? limit : entitled,
  }
}

/** How many seats stay at an end of the period that is near. */
function keptSeats(pending: PendingChange | null, now: Date): number {
  if (pending?.seats === undefined) return Number.POSITIVE_INFINITY
  const near = now.getTime() + changeLeadMinutes * 60_000
  return Date.parse(pending.effectiveAt) <= near ? pending.seats : Number.POSITIVE_INFINITY
}

/**
 * Makes sure of a seat for one member more; returns how the seats were raised for it. Throws
 * AppError `seats_exhausted`.
 */
async function takeSeat(
  trx: Trx,
  services: InTransaction,
  tenant: Seats,
  entitlements: Entitlements,
): Promise<[number, number] | undefined> {
  const { limit, most } = await seatLimits(trx, services, tenant, entitlements)
  if (limit === 0) return undefined
  const needed = (await countMembers(trx, tenant.id)) + 1
  if (needed <= limit) return undefined
  if (most !== 0 && needed > most)
    throw seatsExhausted({ seats: limit, seat_mode: tenant.seat_mode })
  await updateTenant(trx, tenant.id, { seats: needed })
  return [tenant.seats, needed]
}

export function seatsExhausted({ seats, seat_mode }: Omit<Seats, 'id'>): AppError {
  const taken = errorText('allSeatsTaken', { seats })
  return new AppError(
    'seats_exhausted',
    seat_mode === 'auto' ? errorText('seatConsent', { taken }) : taken,
  )
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
