import { z } from 'zod'

export const AcceptInvitation = z.strictObject({}).optional()

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
