import { type StepFailure, stepFailureText } from '@atrium/core/platform/failure-text'
import type { ClaimedEvent } from '@atrium/db/billing/webhook-inbox'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Services } from '../../rpc/services.ts'

/** The outcome of an event. `note` is for operators and holds no personal data. */
export interface Outcome {
  state: 'applied' | 'skipped' | 'stale' | 'parked' | 'failed'
  note: string | null
}

/** One event and what its effect needs. */
export interface EventWork {
  services: Services
  event: ClaimedEvent
  /**
   * Null without keys: then an event is applied as it shows its object, if it is newer than what
   * stands.
   */
  payments: Payments | null
  /** The object as the event shows it; it may be old by now. */
  object: Readonly<Record<string, unknown>>
}

export const applied: Outcome = { state: 'applied', note: null }
export const stale: Outcome = { state: 'stale', note: stepFailureText('laterState') }
export const skipped = (reason: StepFailure): Outcome => ({
  state: 'skipped',
  note: stepFailureText(reason),
})
export const parked = (reason: StepFailure): Outcome => ({
  state: 'parked',
  note: stepFailureText(reason),
})

export const unknownTenant = parked('tenantOfCustomerUnknown')
export const needsKeys = parked('keysMissing')
export const goneThere = skipped('objectGone')

/** A text field of the event's object; the id of something that came whole. */
export function textOf(
  object: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = object[name]
  if (typeof value === 'string') return value
  const id = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined
  return typeof id === 'string' ? id : undefined
}
