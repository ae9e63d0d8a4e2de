import { z } from 'zod'
import { DomainPath } from '../mail/domains.ts'
import { pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, line } from '../platform/text.ts'

/**
 * Where a claim is: the person has time to act, or the person has rights that are not taken
 * automatically and an operator has to decide.
 */
export const addressClaimStates = ['running', 'held'] as const

/** Somebody with an address on a proved domain whom another tenant or nobody manages. */
export const PersonElsewhere = z.object({
  email: z.string(),
  claim: z
    .object({ state: z.enum(addressClaimStates), startedAt: instant, endsAt: instant })
    .nullable(),
})
export type PersonElsewhere = z.infer<typeof PersonElsewhere>

export const ListPeopleElsewhere = DomainPath.extend({
  limit: pageLimit,
  /** The address after which the page begins. */
  cursor: line(320).optional(),
})
export type ListPeopleElsewhere = z.infer<typeof ListPeopleElsewhere>

export const PeopleElsewhere = z.object({
  items: z.array(PersonElsewhere),
  nextCursor: z.string().nullable(),
})
export type PeopleElsewhere = z.infer<typeof PeopleElsewhere>

/** An address on a domain of the tenant. */
export const AddressClaimPath = DomainPath.extend({ email: emailAddress })
export type AddressClaimPath = z.infer<typeof AddressClaimPath>

/** What a person reads about the claim to the own address. */
export const OwnAddressClaim = z.object({
  email: z.string(),
  /** The tenant that proved the domain. */
  tenantName: z.string(),
  domain: z.string(),
  endsAt: instant,
  /** The name for signing in after the claim has ended without a choice. */
  nameAfterwards: z.string(),
  /** The address that a link was sent to and that is not confirmed. */
  pendingEmail: z.string().nullable(),
})
export const OwnAddressClaimResult = z.object({ claim: OwnAddressClaim.nullable() })
export type OwnAddressClaimResult = z.infer<typeof OwnAddressClaimResult>

export const ChangeOwnAddress = z.strictObject({ email: emailAddress })
export type ChangeOwnAddress = z.infer<typeof ChangeOwnAddress>

/** The token of the link that was mailed to the new address. */
export const ConfirmOwnAddress = z.strictObject({ token: line(100) })
export type ConfirmOwnAddress = z.infer<typeof ConfirmOwnAddress>
