import { z } from 'zod'
import { SubscriptionQuote } from '../billing/subscriptions.ts'
import { addressPattern, localPartPattern } from '../mail/address-patterns.ts'
import { canonicalDomain } from '../mail/domains.ts'
import { ownAddress } from '../mail/mail-addresses.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, isHostName, line } from '../platform/text.ts'
import { provisioningStatus, StepResult, TenantView, tenantRole } from '../tenants/tenants.ts'
import { PersonDetails, phoneNumber } from '../users/users.ts'
import { type MemberStatus, memberStatus, memberStatuses } from './memberships.ts'

export { type MemberStatus, memberStatus, memberStatuses }

/** The roles that a member can be given; `owner` comes by transfer alone. */
export const assignableRole = z.enum(['member', 'admin'])

/**
 * A member as the people of the tenant see them. `phone` and `alternativeEmail` are null for plain
 * members who view another member, and for admins who view a member whose sign-in the tenant does
 * not manage.
 */
export const MemberView = z.object({
  id: z.uuid(),
  ...PersonDetails.shape,
  role: tenantRole,
  status: memberStatus,
  mailboxAddress: z.string().nullable(),
  /** What became of the person in each upstream system. */
  outcomes: provisioningStatus,
  errors: TenantView.shape.provisioningErrors,
  /** The admin without a mailbox who created the tenant; the role is locked. */
  bootstrapAdmin: z.boolean(),
  /**
   * Whether this tenant may change name, address, password and sessions. False for a person who
   * also belongs elsewhere.
   */
  managed: z.boolean(),
  /**
   * A mailbox or identity was created in the background, so no one knows its password: reset it to
   * hand one over.
   */
  needsPassword: z.boolean(),
  /**
   * The password that an admin was shown and the person has not signed in with; `expired`: it opens
   * nothing any more. Null when there is none, and for those who may not see contact data.
   */
  temporaryPassword: z.object({ expiresAt: instant, expired: z.boolean() }).nullable(),
  joinedAt: instant,
})
export type MemberView = z.infer<typeof MemberView>
export const MemberPage = page(MemberView)
export type MemberPage = z.infer<typeof MemberPage>

const slug = z.string().max(200)
const userId = z.uuid()

export const ListTenantUsers = z.strictObject({
  slug,
  q: line(200).optional(),
  role: tenantRole.optional(),
  status: memberStatus.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListTenantUsers = z.infer<typeof ListTenantUsers>

const localPart = /^(?=.{1,64}$)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

/** Lower-cased with the domain as A-labels, or a sentence about the fault. */
export function memberAddressOf(text: string): { address: string } | { fault: string } {
  const typed = text.trim()
  const at = typed.lastIndexOf('@')
  const typedLocal = at < 0 ? typed : typed.slice(0, at)
  // Before lower-casing, which turns the Kelvin sign into a k.
  if (/[^\u0020-\u007e]/.test(typedLocal)) {
    return {
      fault: issueText('asciiBeforeAt'),
    }
  }
  const local = typedLocal.toLowerCase()
  if (!localPart.test(local)) return { fault: issueText('beforeAt') }
  if (at < 0) return { address: local }
  const provided = typed.slice(at + 1).toLowerCase()
  const domain = isHostName(provided) ? provided : canonicalDomain(provided)
  if (domain === undefined || local.length + domain.length + 1 > 254) {
    return { fault: issueText('domainAfterAt') }
  }
  return { address: `${local}@${domain}` }
}

/**
 * A local part (`mira`), to be completed with the primary domain, or a whole address. Lower-cased;
 * ASCII alone before the `@`.
 */
export const memberAddress = z
  .string()
  .max(254)
  .transform((value, context) => {
    const result = memberAddressOf(value)
    if ('address' in result) return result.address
    context.addIssue({ code: 'custom', message: result.fault })
    return z.NEVER
  })
  .meta({
    openapi: {
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 64, pattern: localPartPattern },
        { type: 'string', format: 'email', maxLength: 254, pattern: addressPattern },
      ],
    },
  })

/** What an admin may write about a person. */
const contact = {
  name: line(200).optional(),
  firstName: line(100).nullable().optional(),
  lastName: line(100).nullable().optional(),
  phone: phoneNumber.nullable().optional(),
  alternativeEmail: emailAddress.nullable().optional(),
}

/** The fields of one new member; a row of an import has the same. */
export const NewMember = z.strictObject({
  email: memberAddress,
  role: assignableRole.default('member'),
  ...contact,
})
export type NewMember = z.infer<typeof NewMember>

/** Consent to pay for so many seats, as POST …/subscription/preview quoted them. */
export const SeatRaise = z.strictObject({
  seats: z.number().int().min(1).max(1_000_000),
  quote: SubscriptionQuote,
})
export type SeatRaise = z.infer<typeof SeatRaise>

export const CreateMember = z.strictObject({
  slug,
  ...NewMember.shape,
  seatRaise: SeatRaise.optional(),
})
export type CreateMember = z.infer<typeof CreateMember>

/**
 * `oneTimePassword` is shown once and kept nowhere; null when nothing got a new one.
 */
export const CreatedMember = z.object({
  member: MemberView,
  oneTimePassword: z.string().nullable(),
})
export type CreatedMember = z.infer<typeof CreatedMember>

export const MemberPath = z.strictObject({ slug, userId })
export type MemberPath = z.infer<typeof MemberPath>

export const UpdateMember = z
  .strictObject({ slug, userId, role: assignableRole.optional(), ...contact })
  .refine(
    ({ slug: _, userId: __, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateMember = z.infer<typeof UpdateMember>

/** The fields of a member that belong to the person and not to the membership. */
export const personFields = ['name', 'firstName', 'lastName', 'phone', 'alternativeEmail'] as const

export const UpdatedMember = z.object({
  member: MemberView,
  /**
   * What became of the change in each upstream system; `skipped` where there was nothing to tell
   * it.
   */
  mirrors: z.object({ identity: StepResult, mail: StepResult, files: StepResult }),
})
export type UpdatedMember = z.infer<typeof UpdatedMember>

export const ChangeMemberEmail = z.strictObject({ slug, userId, email: memberAddress })
export type ChangeMemberEmail = z.infer<typeof ChangeMemberEmail>

export const MemberAliases = z.object({
  items: z.array(z.object({ address: z.string() })),
  nextCursor: z.null(),
})
export type MemberAliases = z.infer<typeof MemberAliases>

export const AddMemberAlias = z.strictObject({ slug, userId, address: ownAddress })
export type AddMemberAlias = z.infer<typeof AddMemberAlias>

export const RemoveMemberAlias = z.strictObject({
  slug,
  userId,
  address: line(254).transform((value) => value.toLowerCase()),
})
export type RemoveMemberAlias = z.infer<typeof RemoveMemberAlias>

export const AddedAlias = z.object({
  member: MemberView,
  address: z.string(),
  aliases: z.array(z.string()),
})
export type AddedAlias = z.infer<typeof AddedAlias>

/**
 * `address` is a local part or whole; without it the member's own address, or its local part on the
 * primary domain.
 */
export const CreateMailbox = z.strictObject({ slug, userId, address: memberAddress.optional() })
export type CreateMailbox = z.infer<typeof CreateMailbox>

export const LeaveWorkplace = z.strictObject({ slug })

export const ForcedLogout = z.object({ member: MemberView, sessionsEnded: z.int().min(0) })
export type ForcedLogout = z.infer<typeof ForcedLogout>

export const ResetSecondFactors = z.object({
  member: MemberView,
  /** How many second factors and recovery codes were there. */
  removed: z.int().min(0),
})
export type ResetSecondFactors = z.infer<typeof ResetSecondFactors>

/** Whom to remind of a missing second factor; without `userIds` everybody without one. */
export const RemindOfSecondFactors = z.strictObject({
  slug,
  userIds: z.array(userId).min(1).max(200).optional(),
})
export type RemindOfSecondFactors = z.infer<typeof RemindOfSecondFactors>

export const RemindedOfSecondFactors = z.object({
  reminded: z.int().min(0),
  /** Some are left for another call. */
  more: z.boolean(),
})
export type RemindedOfSecondFactors = z.infer<typeof RemindedOfSecondFactors>

/**
 * `linkTo`: a second address of the member. It gets a link to a new password, in place of a
 * password that the caller sees.
 */
export const ResetMemberPassword = z.strictObject({
  slug,
  userId,
  linkTo: emailAddress.optional(),
})
export type ResetMemberPassword = z.infer<typeof ResetMemberPassword>

export const ResetPassword = z.object({
  member: MemberView,
  /**
   * Shown once and kept nowhere. It holds where the outcome is `ok`. Null when only a mailed link
   * gives a new one.
   */
  oneTimePassword: z.string().nullable(),
  /**
   * Where a link to a new password for signing in was mailed: `linkTo`, or the address of a member
   * that is outside the domains that the tenant proved.
   */
  linkSentTo: z.string().nullable(),
  /**
   * `sessions`: the sessions and tokens at the identity provider that were given for the password
   * before.
   */
  outcomes: z.object({ identity: StepResult, mail: StepResult, sessions: StepResult }),
})
export type ResetPassword = z.infer<typeof ResetPassword>

export const TransferOwnership = z.strictObject({ slug, userId })
export type TransferOwnership = z.infer<typeof TransferOwnership>

/** `previousOwner`: null for a tenant that awaited its owner. */
export const TransferredOwnership = z.object({
  owner: MemberView,
  previousOwner: MemberView.nullable(),
})
export type TransferredOwnership = z.infer<typeof TransferredOwnership>
