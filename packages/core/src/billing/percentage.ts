import { z } from 'zod'

/** 0 to 100 with two decimals. */
export const percentage = z
  .number('A number between 0 and 100.')
  .min(0, 'Between 0 and 100.')
  .max(100, 'Between 0 and 100.')
  .refine(
    (value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6,
    'At most two decimals.',
  )
