import type { ErrorCode } from '@atrium/core/platform/errors'

/**
 * What the work of each act on a booking rejects with, for the `errors` of the procedures that
 * carry it out.
 */
export const actionErrors = [
  'limit_reached',
  'cutoff_passed',
  'invalid_state',
  'slot_taken',
  'scheduling_not_configured',
  'host_not_connected',
  'calendar_unavailable',
] as const satisfies ErrorCode[]
const otherTime = ['too_soon', 'outside_window', 'slot_locked'] as const satisfies ErrorCode[]
const forTenant = ['tenant_suspended', 'tenant_deleted', 'not_admin'] as const satisfies ErrorCode[]

export const moveErrors = [...actionErrors, ...otherTime]
export const tenantActionErrors = [...actionErrors, ...forTenant]
export const tenantMoveErrors = [...actionErrors, ...otherTime, ...forTenant]

const booking = [
  'idempotency_mismatch',
  'idempotency_in_progress',
  'idempotency_answer_withheld',
  'scheduling_not_configured',
  'slot_taken',
  'lock_expired',
  'limit_reached',
  'calendar_unavailable',
  'host_not_connected',
  ...otherTime,
] as const satisfies ErrorCode[]

export const visitorBookErrors = [...booking, 'not_found'] as const satisfies ErrorCode[]
export const tenantBookErrors = [
  ...booking,
  ...forTenant,
  'invalid_state',
] as const satisfies ErrorCode[]
