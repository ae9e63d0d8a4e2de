import { z } from 'zod'
import { tenantRole } from '../members/memberships.ts'
import { partnerAccess } from '../partners/partner-access.ts'
import { invitationKinds, invitationStates, tenantInvitationKinds } from '../platform/choices.ts'
import { language } from '../platform/language.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, line, paragraphs } from '../platform/text.ts'

export const invitationKind = z.enum(invitationKinds)
export type InvitationKind = z.infer<typeof invitationKind>

export const invitationState = z.enum(invitationStates)
export type InvitationState = z.infer<typeof invitationState>

/** Addresses that one call may invite. */
export const mostInvitations = 200

export const InvitationView = z.object({
  id: z.uuid(),
  kind: invitationKind,
  state: invitationState,
  email: z.string(),
  name: z.string(),
  /** The role in a tenant; null for staff and operators. */
  role: tenantRole.nullable(),
  /** The access level of a partner's staff; null for all others. */
  access: partnerAccess.nullable(),
  /** Distribution lists that the person joins. */
  listIds: z.array(z.uuid()),
  language: language.nullable(),
  message: z.string().nullable(),
  inviter: z.string(),
  tenantSlug: z.string().nullable(),
  partnerSlug: z.string().nullable(),
  /** Mails sent so far. */
  sends: z.int().min(0),
  createdAt: instant,
  sentAt: instant.nullable(),
  openedAt: instant.nullable(),
  acceptedAt: instant.nullable(),
  declinedAt: instant.nullable(),
  revokedAt: instant.nullable(),
  expiresAt: instant,
})
export type InvitationView = z.infer<typeof InvitationView>

export const InvitationPage = page(InvitationView)
export type InvitationPage = z.infer<typeof InvitationPage>

/**
 * `reservedSeats`: seats that open invitations hold. `freeSeats`: how many more people may be
 * invited without paying more; null where nothing limits them.
 */
export const TenantInvitationPage = z.object({
  ...InvitationPage.shape,
  reservedSeats: z.int().min(0),
  freeSeats: z.int().min(0).nullable(),
})
export type TenantInvitationPage = z.infer<typeof TenantInvitationPage>

const slug = z.string().max(200)

const filter = {
  q: line(200).optional(),
  state: invitationState.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
}

export const ListTenantInvitations = z.strictObject({
  slug,
  kind: z.enum(tenantInvitationKinds).optional(),
  ...filter,
})
export type ListTenantInvitations = z.infer<typeof ListTenantInvitations>

export const ListPartnerInvitations = z.strictObject({ slug, ...filter })
export type ListPartnerInvitations = z.infer<typeof ListPartnerInvitations>

export const ListInvitations = z.strictObject({ kind: invitationKind.optional(), ...filter })
export type ListInvitations = z.infer<typeof ListInvitations>

/** Whom to invite. Without a name, the part before the `@` is used. */
export const Invitee = z.strictObject({ email: emailAddress, name: line(200).optional() })
export type Invitee = z.infer<typeof Invitee>

const shared = {
  invitees: z.array(Invitee).min(1).max(mostInvitations),
  /** The language of mail and page; absent: the tenant's, else English. */
  language: language.optional(),
  /** Shown on the page of the link, not in the mail. */
  message: paragraphs(1_000).optional(),
}

/** Lists that one invitation may name. */
const mostLists = 20

export const InviteMembers = z.strictObject({
  slug,
  /** `owner`: for one address; a tenant that has an owner gets a new one by it. */
  role: tenantRole.default('member'),
  listIds: z.array(z.uuid()).max(mostLists).default([]),
  ...shared,
})
export type InviteMembers = z.infer<typeof InviteMembers>

export const InviteManyStaff = z.strictObject({ slug, access: partnerAccess, ...shared })
export type InviteManyStaff = z.infer<typeof InviteManyStaff>

export const InviteOperators = z.strictObject(shared)
export type InviteOperators = z.infer<typeof InviteOperators>

/** What became of each address, in the order given. */
export const InvitationOutcomes = z.object({
  items: z.array(
    z.object({
      email: z.string(),
      invitation: InvitationView.nullable(),
      /** Why there is none: a code of `/docs/errors` and a sentence. */
      code: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
})
export type InvitationOutcomes = z.infer<typeof InvitationOutcomes>

export const TenantInvitationPath = z.strictObject({ slug, invitationId: z.uuid() })
export type TenantInvitationPath = z.infer<typeof TenantInvitationPath>

export const PartnerInvitationPath = TenantInvitationPath
export type PartnerInvitationPath = TenantInvitationPath

export const InvitationPath = z.strictObject({ invitationId: z.uuid() })
export type InvitationPath = z.infer<typeof InvitationPath>

/** Follows a mailed link: the token is the bearer token, so there is nothing to say. */
export const FollowLink = z.strictObject({}).optional()

/**
 * What a mailed link leads to. `password`: a new password for an account; the other fields say
 * nothing then.
 */
export const MailedLink = z.object({
  kind: z.enum([...invitationKinds, 'password']),
  email: z.string(),
  inviter: z.string().nullable(),
  /** The workplace or partner; null for operators. */
  place: z.string().nullable(),
  role: tenantRole.nullable(),
  access: partnerAccess.nullable(),
  message: z.string().nullable(),
  language: language.nullable(),
  expiresAt: instant,
})
export type MailedLink = z.infer<typeof MailedLink>

/** An open invitation to the caller's proved address. */
export const OwnInvitation = z.object({
  id: z.uuid(),
  ...MailedLink.omit({ language: true }).shape,
  kind: invitationKind,
})
export type OwnInvitation = z.infer<typeof OwnInvitation>

export const OwnInvitations = z.object({ items: z.array(OwnInvitation), nextCursor: z.null() })
export type OwnInvitations = z.infer<typeof OwnInvitations>

/** Where the person goes on in the portal, and what the invitation was to. */
export const JoinedPlace = z.object({ joined: z.string().nullable(), path: z.string() })
export type JoinedPlace = z.infer<typeof JoinedPlace>

/**
 * How the person signs in from now on: with a link to set a password, with a temporary one, or as
 * before.
 */
export const handoffs = ['link', 'tempPassword', 'existing'] as const

/** Shown only to the person who followed the link mailed to `email`. Never stored. */
export const AcceptedInvitation = z
  .object({
    email: z.string(),
    /**
     * The tenant or partner that the person belongs to now; null for a link that only gives a new
     * password.
     */
    joined: z.string().nullable(),
    /** Where the person goes on in the portal. */
    path: z.string(),
    handoff: z.enum(handoffs),
    link: z.url().optional(),
    tempPassword: z.string().optional(),
  })
  .refine(
    ({ handoff, link, tempPassword }) =>
      (handoff === 'link') === (link !== undefined) &&
      (handoff === 'tempPassword') === (tempPassword !== undefined),
  )
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>
