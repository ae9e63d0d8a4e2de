import type { ErrorCode } from '@atrium/core/platform/errors'

/**
 * What a call of the payment processor rejects with, for the `errors` of procedures that make one.
 */
export const processorErrors = [
  'billing_disabled',
  'payments_not_configured',
  'payment_failed',
  'billing_address_incomplete',
  'upstream_failed',
] as const satisfies ErrorCode[]
