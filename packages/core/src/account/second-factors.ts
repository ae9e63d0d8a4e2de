import { z } from 'zod'
import { instant } from '../platform/text.ts'

/** A second factor that a person set up, or a set of recovery codes (`static`). */
export const OwnSecondFactor = z.object({
  /** By the identity provider's name of the kind. */
  kind: z.string(),
  name: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
})
export type OwnSecondFactor = z.infer<typeof OwnSecondFactor>

export const OwnSecondFactors = z.object({
  /** Confirmed ones. Null when the provider could not be asked; then `reason` says why. */
  items: z.array(OwnSecondFactor).nullable(),
  reason: z.string().nullable(),
})
export type OwnSecondFactors = z.infer<typeof OwnSecondFactors>
