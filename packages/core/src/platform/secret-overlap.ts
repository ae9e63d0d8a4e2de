import { z } from 'zod'

/** How long the secret before a rotation stays valid: at most, and by default, in hours. */
export const secretOverlapHours = { most: 168, proposed: 24 } as const

export const overlapHours = z
  .number()
  .int()
  .min(0)
  .max(secretOverlapHours.most)
  .default(secretOverlapHours.proposed)
