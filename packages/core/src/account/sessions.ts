import { z } from 'zod'
import { instant } from '../platform/text.ts'

/** Longest name of a browser that is kept; real ones have about 120 characters. */
export const userAgentLength = 300

/** Most sessions that are listed, those used last. */
export const mostSessions = 100

/** A session of a portal. */
export const PortalSession = z.object({
  id: z.uuid(),
  app: z.enum(['portal', 'operator']),
  /** The session that the request came by. */
  current: z.boolean(),
  /**
   * As the browser named itself; null when it did not or the session began before this was kept.
   */
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  /** ISO 3166-1 alpha-2; null when unknown. */
  country: z.string().nullable(),
  createdAt: instant,
  lastUsedAt: instant,
})
export type PortalSession = z.infer<typeof PortalSession>

/** A sign-in at the identity provider, which every application of the person relies on. */
export const ProviderSession = z.object({
  id: z.string(),
  /**
   * Browser and address equal those of the current session, and of several such sign-ins it was
   * used when the session began. The provider does not tell for certain.
   */
  current: z.boolean(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  lastUsedAt: instant,
})
export type ProviderSession = z.infer<typeof ProviderSession>

export const OwnSessions = z.object({
  sessions: z.array(PortalSession),
  /** Null when the provider could not be asked; then `reason` says why. */
  signIns: z.array(ProviderSession).nullable(),
  reason: z.string().nullable(),
})
export type OwnSessions = z.infer<typeof OwnSessions>

export const EndSession = z.strictObject({ id: z.uuid() })
export type EndSession = z.infer<typeof EndSession>

/** The id is the provider's, a UUID at authentik. */
export const EndSignIn = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .meta({ openapi: { pattern: '^[A-Za-z0-9-]{1,64}$' } }),
})
export type EndSignIn = z.infer<typeof EndSignIn>

export const EndedSessions = z.object({
  sessions: z.number().int(),
  signIns: z.number().int(),
})
export type EndedSessions = z.infer<typeof EndedSessions>
