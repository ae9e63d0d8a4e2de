import type { LimitName } from './limits.ts'

/**
 * Every code that a caller can meet, with its HTTP status and its default sentence.
 * `docs/contract.md` lists them for people.
 */
const table = {
  invalid_input: { status: 400, title: 'The request has invalid fields.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  unauthenticated: { status: 401, title: 'A valid access token is required.' },
  token_expired: { status: 401, title: 'The access token has expired.' },
  unexpected_issuer: {
    status: 401,
    title: 'The access token comes from an issuer that is not accepted here.',
  },
  recent_sign_in_required: { status: 401, title: 'Sign in again to do this.' },
  operator_required: { status: 403, title: 'This requires a token for the operator portal.' },
  not_platform_admin: { status: 403, title: 'This requires a platform administrator.' },
  not_member: { status: 403, title: 'You are not a member of this tenant.' },
  not_admin: { status: 403, title: 'Only an admin of the tenant can do this.' },
  not_owner: { status: 403, title: 'Only the owner of the tenant or an operator can do this.' },
  not_partner_staff: {
    status: 403,
    title: "Only staff of the tenant's partner can do this.",
  },
  forbidden_field: { status: 403, title: 'You cannot set this field.' },
  user_deactivated: { status: 403, title: 'This account has been deactivated.' },
  workplace_suspended: {
    status: 403,
    title:
      'The operator suspended your workplace, so you cannot create another one. Contact the operator.',
  },
  cross_origin: { status: 403, title: 'Requests that change data must come from this site.' },
  not_found: { status: 404, title: 'Not found, or you do not have access.' },
  method_not_allowed: { status: 405, title: 'This address does not accept this method.' },
  already_exists: { status: 409, title: 'Something with this name already exists.' },
  email_exists: { status: 409, title: 'A user with this e-mail address already exists.' },
  already_deleted: { status: 409, title: 'This is already deleted.' },
  already_suspended: { status: 409, title: 'This is already suspended.' },
  not_suspended: { status: 409, title: 'This is not suspended.' },
  tenant_suspended: { status: 409, title: 'The tenant is suspended.' },
  tenant_deleted: { status: 409, title: 'The tenant has been deleted.' },
  not_deleted: { status: 409, title: 'This has not been deleted.' },
  restore_expired: { status: 409, title: 'The restore period has ended.' },
  provisioning_in_progress: {
    status: 409,
    title: 'The tenant is being provisioned.',
  },
  self_deactivate: { status: 409, title: 'You cannot deactivate or delete yourself.' },
  last_platform_admin: {
    status: 409,
    title: 'The platform needs at least one active administrator.',
  },
  self_suspend: { status: 409, title: 'You cannot suspend yourself.' },
  self_force_logout: {
    status: 409,
    title: 'You cannot end your own sessions here. Sign out instead.',
  },
  self_removal: { status: 409, title: 'You cannot remove yourself. Ask another admin.' },
  role_locked_owner: {
    status: 409,
    title: "The owner's role cannot be changed. Transfer the ownership instead.",
  },
  role_locked_bootstrap_admin: {
    status: 409,
    title: 'The role of the first admin cannot be changed while that person has no mailbox.',
  },
  role_locked_self: { status: 409, title: 'You cannot change your own role.' },
  owner_locked: {
    status: 409,
    title: "Only the owner or an operator can change the owner's account.",
  },
  already_owner: { status: 409, title: 'This member already owns the tenant.' },
  member_not_active: { status: 409, title: 'The member is not active.' },
  identity_not_managed: {
    status: 409,
    title:
      'This person also belongs elsewhere. Only they or an operator can change their name, address, password or sessions.',
  },
  member_busy: { status: 409, title: 'This member is being changed by another request.' },
  address_not_proved: { status: 409, title: 'This person has not proved the e-mail address.' },
  email_taken: { status: 409, title: 'This address is already in use.' },
  mail_sent: { status: 409, title: 'This mail was already sent.' },
  mail_erased: {
    status: 409,
    title: 'This mail can no longer be sent: its recipient and values were erased.',
  },
  mailbox_exists: { status: 409, title: 'The member already has a mailbox.' },
  mailbox_missing: { status: 409, title: 'The member has no mailbox.' },
  seats_exhausted: { status: 409, title: 'All seats are in use.' },
  domain_not_verified: { status: 409, title: 'The domain is not verified yet.' },
  primary_domain: {
    status: 409,
    title: 'The primary domain cannot be removed. Make another one primary first.',
  },
  flag_cycle: { status: 409, title: 'The flag would depend on itself.' },
  flag_in_use: { status: 409, title: 'The flag is still in use.' },
  version_conflict: { status: 409, title: 'Someone else changed this. Reload and try again.' },
  edit_conflict: {
    status: 409,
    title: 'Someone else saved changes. Check the values and save again.',
  },
  precondition_failed: {
    status: 412,
    title: 'The record has changed since the version that If-Match names.',
  },
  list_loop: { status: 409, title: 'The list would send to itself.' },
  limit_reached: { status: 409, title: 'The limit has been reached.' },
  tenant_not_provisioned: {
    status: 409,
    title: 'The tenant is not set up in the upstream system yet. Provision it first.',
  },
  integration_off: {
    status: 409,
    title: 'This installation is not connected to the required system.',
  },
  last_admin: { status: 409, title: 'A tenant needs at least one admin.' },
  owner_removal: {
    status: 409,
    title: 'The owner of a tenant cannot be removed. Transfer the ownership first.',
  },
  user_in_use: { status: 409, title: 'The user still owns tenants.' },
  access_level: { status: 403, title: 'Your access level at the partner does not allow this.' },
  partner_suspended: {
    status: 409,
    title: 'The partner is suspended. Its staff have read-only access.',
  },
  partner_terminated: { status: 409, title: 'The partner has been terminated.' },
  last_partner_owner: { status: 409, title: 'A partner needs at least one owner.' },
  billing_disabled: { status: 409, title: 'Billing is turned off.' },
  payments_not_configured: { status: 503, title: 'The payment processor is not configured.' },
  billing_limited: {
    status: 409,
    title: 'A payment is overdue. Pay it before you add anything.',
  },
  invoice_state: { status: 409, title: "The invoice's status does not allow this." },
  payment_failed: { status: 409, title: 'The payment failed.' },
  payment_method_in_use: {
    status: 409,
    title: 'This is the only payment method of a running subscription.',
  },
  currency_locked: {
    status: 409,
    title: 'The currency of a running subscription cannot be changed.',
  },
  quota_exceeded: { status: 409, title: 'The tenant uses more than this plan includes.' },
  uncancel_first: {
    status: 409,
    title: 'The subscription is set to cancel. Resume it before you change it.',
  },
  subscription_exists: { status: 409, title: 'The tenant already has a subscription.' },
  subscription_required: {
    status: 409,
    title: 'This plan or number of seats requires a subscription.',
  },
  subscription_ended: { status: 409, title: 'The subscription has ended.' },
  subscription_state: {
    status: 409,
    title: "The subscription's status does not allow this.",
  },
  quote_expired: { status: 409, title: 'The quote has expired. Request a new one.' },
  price_in_use: { status: 409, title: 'The price is in use. Archive it instead.' },
  price_unavailable: { status: 409, title: 'The price cannot be sold to this tenant.' },
  price_state: { status: 409, title: "The price's status does not allow this." },
  payout_state: { status: 409, title: "The payout's status does not allow this." },
  payout_held: { status: 409, title: 'The payout is on hold.' },
  self_approval: { status: 409, title: 'You cannot approve a payout that you requested.' },
  invalid_signature: { status: 400, title: "The event's signature is not valid." },
  event_state: { status: 409, title: "The event's status does not allow this." },
  slot_taken: { status: 409, title: 'This time is no longer available. Choose another one.' },
  slot_locked: { status: 409, title: 'Someone else is booking this time right now.' },
  lock_expired: { status: 409, title: 'Your hold expired and this time is no longer available.' },
  too_soon: { status: 409, title: 'This time is too soon to book.' },
  outside_window: { status: 409, title: 'This time is outside the booking window.' },
  cutoff_passed: { status: 409, title: 'It is too late for this change. Contact the host.' },
  invalid_state: { status: 409, title: "The booking's status does not allow this." },
  host_not_connected: { status: 409, title: 'The calendar of the host is not connected.' },
  host_in_use: { status: 409, title: 'The host still has upcoming bookings.' },
  schedule_in_use: { status: 409, title: 'The schedule is still in use.' },
  event_type_in_use: { status: 409, title: 'The event type still has upcoming bookings.' },
  range_too_long: { status: 422, title: 'The range spans more days than one request can cover.' },
  calendar_unavailable: {
    status: 503,
    title: 'The calendar is not available. Try again shortly.',
  },
  scheduling_not_configured: {
    status: 503,
    title: 'Scheduling is not set up in this installation.',
  },
  partner_unavailable: { status: 409, title: 'The partner is not active.' },
  domain_in_use: { status: 409, title: 'The domain is still in use.' },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running.',
  },
  idempotency_answer_withheld: {
    status: 409,
    title:
      'A request with this Idempotency-Key has completed. Its response was not stored: it holds a one-time secret or is too large.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was used with another request.',
  },
  rate_limited: { status: 429, title: 'Too many requests. Wait a moment before the next one.' },
  too_large: { status: 413, title: 'The body is larger than allowed.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  upstream_failed: { status: 502, title: 'An upstream system failed.' },
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

/**
 * A path that an issue may name. Callers write names as long as their body: what is longer is cut
 * and ends with `…`.
 */
export function issuePath(path: string): string {
  if (path.length <= longestIssuePath) return path
  // By code points, so that no half of a surrogate pair is left.
  return `${[...path.slice(0, longestIssuePath)].slice(0, -1).join('')}…`
}

/**
 * One fault of the input: the path to the field (`billingInfo.country`, empty for the whole body)
 * and a sentence about it.
 */
export interface Issue {
  path: string
  message: string
}

/**
 * A rejection that the caller is told about. `detail` is shown as it stands, so it names no secret
 * and no other tenant. Anything thrown that is not an AppError is a fault of ours and answers
 * `internal` with a fixed text.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: readonly Issue[] | undefined
  /** When the caller may try again. */
  readonly retryAfterSeconds: number | undefined
  /** How old a sign-in may be that is enough, where another sign-in is what helps. */
  readonly maxAgeSeconds: number | undefined
  /** The name of the limit that was reached (`@atrium/core/platform/limits`). */
  readonly limit: LimitName | undefined
  /** The record as it is now, for a caller who edits it and may read it. */
  readonly current: object | undefined

  constructor(
    code: ErrorCode,
    detail?: string,
    options: {
      cause?: unknown
      issues?: readonly Issue[]
      retryAfterSeconds?: number
      maxAgeSeconds?: number
      limit?: LimitName
      current?: object
    } = {},
  ) {
    super(detail ?? table[code].title, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.issues = options.issues
      ?.slice(0, mostIssues)
      .map(({ path, message }) => ({ path: issuePath(path), message }))
    this.retryAfterSeconds = options.retryAfterSeconds
    this.maxAgeSeconds = options.maxAgeSeconds
    this.limit = options.limit
    this.current = options.current
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
  current?: object
}

/**
 * The RFC 9457 body for a rejection. `type` is a relative reference that resolves to the page that
 * lists the codes.
 */
export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = table[error.code]
  const problem: Problem = {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
  }
  if (error.issues) problem.issues = error.issues
  if (error.limit) problem.limit = error.limit
  if (error.current) problem.current = error.current
  return problem
}
