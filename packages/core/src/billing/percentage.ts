import { z } from 'zod'
import { says } from '../platform/issue-text.ts'

/** 0 to 100 with two decimals. */
export const percentage = z
  .number(says('between', { from: 0, to: 100 }))
  .min(0, says('between', { from: 0, to: 100 }))
  .max(100, says('between', { from: 0, to: 100 }))
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, says('twoDecimals'))
