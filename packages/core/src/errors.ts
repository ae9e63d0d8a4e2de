import type { LimitName } from './limits.ts'

/** Every code that a caller can meet, with its HTTP status and its default sentence. `docs/contract.md` lists them for people. */
const table = {
  invalid_input: { status: 400, title: 'The request has invalid fields.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  unauthenticated: { status: 401, title: 'A valid access token is required.' },
  token_expired: { status: 401, title: 'The access token has expired.' },
  unexpected_issuer: { status: 401, title: 'The access token comes from an issuer that is not accepted here.' },
  recent_sign_in_required: { status: 401, title: 'This needs a more recent sign-in.' },
  operator_required: { status: 403, title: 'This endpoint requires an operator-scoped token.' },
  not_platform_admin: { status: 403, title: 'This endpoint requires a platform administrator.' },
  not_member: { status: 403, title: 'You are not a member of this tenant.' },
  not_admin: { status: 403, title: 'This needs an admin of the tenant.' },
  not_owner: { status: 403, title: 'This needs the owner of the tenant or an operator.' },
  not_partner_staff: { status: 403, title: 'This needs staff of the partner that owns the tenant.' },
  forbidden_field: { status: 403, title: 'You may not set this field.' },
  user_deactivated: { status: 403, title: 'This account has been deactivated.' },
  cross_origin: { status: 403, title: 'Requests that change something must come from this site.' },
  not_found: { status: 404, title: 'There is nothing at this address that you may see.' },
  method_not_allowed: { status: 405, title: 'This address does not take that method.' },
  already_exists: { status: 409, title: 'Something with this name exists already.' },
  email_exists: { status: 409, title: 'A user with this e-mail address exists already.' },
  already_deleted: { status: 409, title: 'This has been deleted already.' },
  already_suspended: { status: 409, title: 'This is suspended already.' },
  not_suspended: { status: 409, title: 'This is not suspended.' },
  tenant_suspended: { status: 409, title: 'The tenant is suspended.' },
  tenant_deleted: { status: 409, title: 'The tenant has been deleted.' },
  provisioning_in_progress: { status: 409, title: 'The tenant is being provisioned at this moment.' },
  self_deactivate: { status: 409, title: 'You cannot deactivate or delete yourself.' },
  last_platform_admin: { status: 409, title: 'The platform keeps at least one active administrator.' },
  self_suspend: { status: 409, title: 'You cannot suspend yourself.' },
  self_force_logout: { status: 409, title: 'You cannot end your own sessions here. Sign out instead.' },
  self_removal: { status: 409, title: 'You cannot remove yourself. Ask another admin.' },
  role_locked_owner: { status: 409, title: 'The role of the owner cannot be changed. Transfer the ownership instead.' },
  role_locked_bootstrap_admin: { status: 409, title: 'The role of the first admin, who has no mailbox, cannot be changed.' },
  role_locked_self: { status: 409, title: 'You cannot change your own role.' },
  owner_locked: { status: 409, title: 'Only the owner or an operator may do this to the owner of the tenant.' },
  already_owner: { status: 409, title: 'This member owns the tenant already.' },
  member_not_active: { status: 409, title: 'The member is not active.' },
  identity_not_managed: {
    status: 409,
    title: 'This person also belongs elsewhere. Only they or an operator can change their name, address, password or sessions.',
  },
  member_busy: { status: 409, title: 'Another change of this member is under way.' },
  address_not_proved: { status: 409, title: 'This person has not proved the e-mail address.' },
  email_taken: { status: 409, title: 'This address is in use already.' },
  mail_sent: { status: 409, title: 'This mail has been sent already.' },
  mail_erased: { status: 409, title: 'Recipient and values of this mail have been erased, so it can no longer be sent.' },
  mailbox_exists: { status: 409, title: 'The member has a mailbox already.' },
  mailbox_missing: { status: 409, title: 'The member has no mailbox.' },
  seats_exhausted: { status: 409, title: 'All seats of the tenant are taken.' },
  domain_not_verified: { status: 409, title: 'The domain is not verified yet.' },
  primary_domain: { status: 409, title: 'The primary domain cannot be removed. Make another one primary first.' },
  flag_cycle: { status: 409, title: 'The flag would wait for itself.' },
  flag_in_use: { status: 409, title: 'The flag is still in use.' },
  version_conflict: { status: 409, title: 'Somebody else changed this meanwhile. Read it again.' },
  list_loop: { status: 409, title: 'The list would send to itself.' },
  limit_reached: { status: 409, title: 'There are as many of these as there may be.' },
  tenant_not_provisioned: { status: 409, title: 'The tenant is not set up in the outside system yet. Provision it first.' },
  integration_off: { status: 409, title: 'This installation is not connected to the system that this needs.' },
  last_admin: { status: 409, title: 'A tenant keeps at least one admin.' },
  owner_removal: { status: 409, title: 'The owner of a tenant cannot be removed. Transfer the ownership first.' },
  user_in_use: { status: 409, title: 'The user still owns tenants.' },
  access_level: { status: 403, title: 'Your access level at the partner does not allow this.' },
  partner_suspended: { status: 409, title: 'The partner is suspended. Its staff can read, and change nothing.' },
  partner_terminated: { status: 409, title: 'The partner has been terminated.' },
  last_partner_owner: { status: 409, title: 'A partner keeps at least one owner among its staff.' },
  billing_disabled: { status: 409, title: 'Billing is not switched on here.' },
  payments_not_configured: { status: 503, title: 'The keys of the payment processor are not set.' },
  billing_limited: { status: 409, title: 'A payment of this tenant is overdue. Nothing can be added until it is made.' },
  invoice_state: { status: 409, title: 'The invoice is not in a state that allows this.' },
  payment_failed: { status: 409, title: 'The payment did not go through.' },
  payment_method_in_use: { status: 409, title: 'This is the only payment method of a running subscription.' },
  currency_locked: { status: 409, title: 'The currency of a running subscription cannot be changed.' },
  quota_exceeded: { status: 409, title: 'The tenant uses more than this plan holds.' },
  uncancel_first: { status: 409, title: 'The subscription is being canceled. Keep it first, then change it.' },
  subscription_exists: { status: 409, title: 'The tenant has a subscription already.' },
  subscription_required: { status: 409, title: 'This plan or number of seats needs a subscription.' },
  subscription_ended: { status: 409, title: 'The subscription has ended.' },
  subscription_state: { status: 409, title: 'The subscription is not in a state that allows this.' },
  quote_expired: { status: 409, title: 'The quoted amount is no longer valid. Ask for it again.' },
  price_in_use: { status: 409, title: 'The price was used already. Archive it instead.' },
  price_unavailable: { status: 409, title: 'The price cannot be sold to this tenant.' },
  price_state: { status: 409, title: 'The price is not in a state that allows this.' },
  payout_state: { status: 409, title: 'The payout is not in a state that allows this.' },
  payout_held: { status: 409, title: 'The payout is held.' },
  self_approval: { status: 409, title: 'Whoever asked for a payout cannot approve it.' },
  invalid_signature: { status: 400, title: 'The signature of the event is not valid.' },
  event_state: { status: 409, title: 'The event is not in a state that allows this.' },
  slot_taken: { status: 409, title: 'This time is no longer on offer. Choose another one.' },
  slot_locked: { status: 409, title: 'Somebody else is booking this time at this moment.' },
  lock_expired: { status: 409, title: 'The time was held for you too long ago, and has gone.' },
  too_soon: { status: 409, title: 'This time is too soon to be booked.' },
  outside_window: { status: 409, title: 'This time is outside of what can be booked.' },
  cutoff_passed: { status: 409, title: 'It is too late for this. Write to the host.' },
  invalid_state: { status: 409, title: 'The booking is not in a state that allows this.' },
  host_not_connected: { status: 409, title: 'The calendar of the host is not connected.' },
  host_in_use: { status: 409, title: 'The host still has bookings to come.' },
  schedule_in_use: { status: 409, title: 'The schedule is still in use.' },
  event_type_in_use: { status: 409, title: 'Bookings are still to come.' },
  range_too_long: { status: 422, title: 'The range spans more days than one request may ask for.' },
  calendar_unavailable: { status: 503, title: 'The calendar cannot be read at this moment. Try again shortly.' },
  scheduling_not_configured: { status: 503, title: 'Scheduling is not set up in this installation.' },
  partner_unavailable: { status: 409, title: 'The partner is not active.' },
  domain_in_use: { status: 409, title: 'The domain is still in use.' },
  idempotency_in_progress: { status: 409, title: 'A request with this Idempotency-Key is still being carried out.' },
  idempotency_answer_withheld: {
    status: 409,
    title: 'A request with this Idempotency-Key was carried out. Its answer was not kept: it holds a one-time secret or is too large.',
  },
  idempotency_mismatch: { status: 422, title: 'This Idempotency-Key was used with another request.' },
  rate_limited: { status: 429, title: 'Too many requests. Wait a moment before the next one.' },
  too_large: { status: 413, title: 'The body is larger than allowed.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  upstream_failed: { status: 502, title: 'An outside system did not do its part.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  unavailable: { status: 503, title: 'The service is not ready.' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof table
export type ErrorStatus = (typeof table)[ErrorCode]['status']

export const errorCodes = Object.keys(table) as ErrorCode[]

/** HTTP status and default sentence of a code. */
export function describeError(code: ErrorCode): { status: ErrorStatus; title: string } {
  return table[code]
}

/** Faults that one answer tells of. */
export const mostIssues = 100
const longestIssuePath = 64

/** A path that an issue may name. Callers write names as long as their body: what is longer is cut and ends with `…`. */
export function issuePath(path: string): string {
  if (path.length <= longestIssuePath) return path
  // By code points, so that no half of a surrogate pair is left.
  return `${[...path.slice(0, longestIssuePath)].slice(0, -1).join('')}…`
}

/** One fault of the input: the path to the field (`billingInfo.country`, empty for the whole body) and a sentence about it. */
export interface Issue {
  path: string
  message: string
}

/**
 * A refusal that the caller is told about. `detail` is shown as it stands, so it names no secret and no other tenant.
 * Anything thrown that is not an AppError is a fault of ours and answers `internal` with a fixed text.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: readonly Issue[] | undefined
  /** When the caller may try again. */
  readonly retryAfterSeconds: number | undefined
  /** How old a sign-in may be that is enough, where another sign-in is what helps. */
  readonly maxAgeSeconds: number | undefined
  /** The name of the limit that was reached (`@atrium/core/limits`). */
  readonly limit: LimitName | undefined

  constructor(
    code: ErrorCode,
    detail?: string,
    options: {
      cause?: unknown
      issues?: readonly Issue[]
      retryAfterSeconds?: number
      maxAgeSeconds?: number
      limit?: LimitName
    } = {},
  ) {
    super(detail ?? table[code].title, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.issues = options.issues?.slice(0, mostIssues).map(({ path, message }) => ({ path: issuePath(path), message }))
    this.retryAfterSeconds = options.retryAfterSeconds
    this.maxAgeSeconds = options.maxAgeSeconds
    this.limit = options.limit
  }

  get status(): ErrorStatus {
    return table[this.code].status
  }
}

/** The AppError in `error` or in its chain of causes; undefined when there is none. */
export function findAppError(error: unknown): AppError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof AppError) return current
  }
  return undefined
}

/** RFC 9457 problem details with our extension members. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  requestId: string
  issues?: readonly Issue[]
  limit?: LimitName
}

/** The RFC 9457 body for a refusal. `type` is a relative reference that resolves to the page that lists the codes. */
export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = table[error.code]
  const problem: Problem = { type: `/docs/errors#${error.code}`, title, status, detail: error.message, code: error.code, requestId }
  if (error.issues) problem.issues = error.issues
  if (error.limit) problem.limit = error.limit
  return problem
}
