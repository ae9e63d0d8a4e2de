import { z } from 'zod'
import { cursor, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, line } from '../platform/text.ts'
import { factorCounts, mfaState } from '../upstream-cache/mfa.ts'
import { partnerAccess } from './partner-access.ts'

/**
 * A member of a partner's staff, with the second factors that the identity provider last reported.
 */
export const StaffView = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  access: partnerAccess,
  status: z.enum(['active', 'deactivated']),
  mfa: z.object({
    state: mfaState,
    /** Null when they are unknown; empty when there are none. */
    factors: factorCounts.nullable(),
    checkedAt: instant.nullable(),
    /** Why the last attempt to read them failed, fit to be shown. */
    reason: z.string().nullable(),
  }),
  lastSeenAt: instant.nullable(),
})
export type StaffView = z.infer<typeof StaffView>

export const StaffPage = z.object({
  items: z.array(StaffView),
  nextCursor: z.string().nullable(),
  /** True while second factors are still being read; ask again in a moment. */
  refreshing: z.boolean(),
})
export type StaffPage = z.infer<typeof StaffPage>

const slug = z.string().max(200)
const userId = z.uuid()

export const ListStaff = z.strictObject({ slug, cursor: cursor.optional(), limit: pageLimit })
export type ListStaff = z.infer<typeof ListStaff>

export const InviteStaff = z.strictObject({
  slug,
  name: line(200),
  email: emailAddress,
  access: partnerAccess,
})
export type InviteStaff = z.infer<typeof InviteStaff>

/** An open invitation. The link in the mail is the only way in: `mail`. */
export const StaffInvitation = z.object({
  invitationId: z.uuid(),
  access: partnerAccess,
  handoff: z.literal('mail'),
})
export type StaffInvitation = z.infer<typeof StaffInvitation>

export const ChangeStaffAccess = z.strictObject({ slug, userId, access: partnerAccess })
export type ChangeStaffAccess = z.infer<typeof ChangeStaffAccess>

export const StaffPath = z.strictObject({ slug, userId })
export type StaffPath = z.infer<typeof StaffPath>
