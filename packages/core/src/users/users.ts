import { z } from 'zod'
import { partnerAccess, partnerStatus } from '../partners/partner-access.ts'
import { says } from '../platform/issue-text.ts'
import { language } from '../platform/language.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { tenantRole, tenantStatus } from '../tenants/tenants.ts'

/** E.164 with optional separators, kept as typed. */
export const phoneNumber = line(32)
  .refine((value) => /^\+?[0-9][0-9 ()./-]{3,30}$/.test(value), says('phone'))
  .meta({ openapi: { minLength: 4, pattern: '^\\+?[0-9][0-9 ()./-]{3,30}$' } })

/** One tenant of a user, with the stored role there. */
export const UserTenant = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  status: tenantStatus,
  role: tenantRole,
  brandColor: z.string().nullable(),
  language: language.nullable(),
})

export const UserPartner = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  status: partnerStatus,
  /** The user's level there. Without effect once the partner is terminated. */
  access: partnerAccess,
})

/** What a person's record holds of them, the same in every tenant. */
export const PersonDetails = z.object({
  email: z.string(),
  name: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  phone: z.string().nullable(),
  alternativeEmail: z.string().nullable(),
})
export type PersonDetails = z.infer<typeof PersonDetails>

/**
 * What operators and the user see of a user. A column that is not named here does not leave the
 * server.
 */
export const UserView = z.object({
  id: z.uuid(),
  idpSubjectId: z.string(),
  ...PersonDetails.shape,
  /** Null: the tenant's, else the browser's. */
  language: language.nullable(),
  platformAdmin: z.boolean(),
  partnerId: z.uuid().nullable(),
  partner: UserPartner.nullable(),
  tenantIds: z.array(z.uuid()),
  /** Role by tenant id. */
  tenantRoles: z.record(z.uuid(), tenantRole),
  tenants: z.array(UserTenant),
  status: z.enum(['active', 'deactivated']),
  deactivatedAt: instant.nullable(),
  lastSeenAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type UserView = z.infer<typeof UserView>
/** True for staff of a partner that is not terminated, which ends all access. */
export function isPartnerStaff({ partner }: Pick<UserView, 'partner'>): boolean {
  return partner !== null && partner.status !== 'terminated'
}

export const UserPage = page(UserView)

/** A flag of a query: `true` or `false` as text, or a boolean over tRPC. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

export const ListUsers = z.strictObject({
  q: line(200).optional(),
  role: tenantRole.optional(),
  tenantSlug: slugFilter.optional(),
  partnerSlug: slugFilter.optional(),
  platformAdmin: flag.optional(),
  status: z.enum(['active', 'deactivated']).optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListUsers = z.infer<typeof ListUsers>

export const UserPath = z.strictObject({ id: z.uuid() })
export type UserPath = z.infer<typeof UserPath>

/**
 * A record for a person who exists in the identity provider already; `idpSubjectId` is their `sub`.
 */
export const CreateUser = z.strictObject({
  idpSubjectId: line(255),
  email: emailAddress,
  name: line(200),
  firstName: line(100).optional(),
  lastName: line(100).optional(),
  phone: phoneNumber.optional(),
  alternativeEmail: emailAddress.optional(),
})
export type CreateUser = z.infer<typeof CreateUser>

/**
 * `platformAdmin`, `partnerId` and `partnerAccess` are an operator's to change; the contact fields
 * are the user's own as well.
 */
export const UpdateUser = z
  .strictObject({
    id: z.uuid(),
    name: line(200).optional(),
    firstName: line(100).nullable().optional(),
    lastName: line(100).nullable().optional(),
    phone: phoneNumber.nullable().optional(),
    alternativeEmail: emailAddress.nullable().optional(),
    language: language.nullable().optional(),
    platformAdmin: z.boolean().optional(),
    partnerId: z.uuid().nullable().optional(),
    /** Goes with `partnerId` or with an unchanged partner; new staff starts as `viewer`. */
    partnerAccess: partnerAccess.optional(),
  })
  .refine(
    ({ id: _, ...fields }) => Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateUser = z.infer<typeof UpdateUser>

/** The fields of a user that only operators may change. */
export const operatorOnlyUserFields = ['platformAdmin', 'partnerId', 'partnerAccess'] as const

export const DeactivateUser = z.strictObject({
  id: z.uuid(),
  reason: line(500).optional(),
})
export type DeactivateUser = z.infer<typeof DeactivateUser>

export const InviteUser = z.strictObject({ name: line(200), email: emailAddress })
export type InviteUser = z.infer<typeof InviteUser>

/**
 * Exactly one of `link` and `tempPassword`. Either is shown once: it is in no table, log or audit
 * entry.
 */
export const Invitation = z
  .object({
    subject: z.string(),
    userId: z.uuid(),
    link: z.url().optional(),
    tempPassword: z.string().optional(),
  })
  .refine(({ link, tempPassword }) => (link === undefined) !== (tempPassword === undefined))
export type Invitation = z.infer<typeof Invitation>
