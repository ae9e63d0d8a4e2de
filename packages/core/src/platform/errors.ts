import { type ErrorMessages, errorTexts } from '@atrium/messages/error-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import { formatAmount } from '../billing/money.ts'
import type { ErrorText, ErrorValue } from './error-text.ts'
import { writeFailure } from './failure-text.ts'
import type { LimitName } from './limits.ts'
import { writtenDay } from './written-day.ts'

/**
 * Every code that a caller can meet, with its HTTP status. Titles are in the catalogue
 * (`server/errors.json`). `docs/reference/contract.md` lists the codes for people.
 */
const table = {
  invalid_input: 400,
  malformed_json: 400,
  unauthenticated: 401,
  token_expired: 401,
  unexpected_issuer: 401,
  recent_sign_in_required: 401,
  sign_in_too_old: 401,
  mfa_required: 403,
  network_not_allowed: 403,
  country_not_allowed: 403,
  operator_required: 403,
  not_platform_admin: 403,
  not_member: 403,
  not_admin: 403,
  not_owner: 403,
  not_partner_staff: 403,
  insufficient_scope: 403,
  forbidden_field: 403,
  user_deactivated: 403,
  workplace_suspended: 403,
  cross_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_exists: 409,
  email_exists: 409,
  already_deleted: 409,
  already_suspended: 409,
  not_suspended: 409,
  tenant_suspended: 409,
  tenant_deleted: 409,
  not_deleted: 409,
  restore_expired: 409,
  provisioning_in_progress: 409,
  self_deactivate: 409,
  last_platform_admin: 409,
  self_suspend: 409,
  self_force_logout: 409,
  self_second_factors: 409,
  self_removal: 409,
  role_locked_owner: 409,
  role_locked_bootstrap_admin: 409,
  role_locked_self: 409,
  owner_locked: 409,
  already_owner: 409,
  member_not_active: 409,
  identity_not_managed: 409,
  member_busy: 409,
  address_claim_held: 409,
  address_claim_required: 409,
  address_not_proved: 409,
  email_taken: 409,
  invitation_required: 409,
  invitation_ended: 409,
  mail_sent: 409,
  mail_erased: 409,
  mailbox_exists: 409,
  mailbox_missing: 409,
  seats_exhausted: 409,
  domain_not_verified: 409,
  primary_domain: 409,
  flag_cycle: 409,
  flag_in_use: 409,
  version_conflict: 409,
  edit_conflict: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  list_loop: 409,
  limit_reached: 409,
  tenant_not_provisioned: 409,
  integration_off: 409,
  last_admin: 409,
  policy_locks_out_caller: 409,
  policy_locks_out_admins: 409,
  owner_removal: 409,
  user_in_use: 409,
  access_level: 403,
  partner_suspended: 409,
  partner_terminated: 409,
  last_partner_owner: 409,
  billing_disabled: 409,
  payments_not_configured: 503,
  billing_limited: 409,
  billing_address_incomplete: 409,
  invoice_state: 409,
  document_unavailable: 409,
  payment_failed: 409,
  payment_method_in_use: 409,
  currency_locked: 409,
  quota_exceeded: 409,
  uncancel_first: 409,
  subscription_exists: 409,
  subscription_required: 409,
  subscription_ended: 409,
  subscription_state: 409,
  quote_expired: 409,
  grant_exists: 409,
  grant_state: 409,
  on_behalf_excluded: 403,
  approval_state: 409,
  operator_managed: 409,
  approval_required: 409,
  price_in_use: 409,
  price_unavailable: 409,
  price_state: 409,
  currency_dropped: 409,
  payout_state: 409,
  payout_held: 409,
  self_approval: 409,
  invalid_signature: 400,
  event_state: 409,
  slot_taken: 409,
  slot_locked: 409,
  lock_expired: 409,
  too_soon: 409,
  outside_window: 409,
  cutoff_passed: 409,
  invalid_state: 409,
  host_not_connected: 409,
  host_in_use: 409,
  schedule_in_use: 409,
  event_type_in_use: 409,
  range_too_long: 422,
  calendar_unavailable: 503,
  scheduling_not_configured: 503,
  partner_unavailable: 409,
  domain_in_use: 409,
  idempotency_in_progress: 409,
  idempotency_answer_withheld: 409,
  idempotency_mismatch: 422,
  rate_limited: 429,
  too_large: 413,
  unsupported_media_type: 415,
  upstream_failed: 502,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
} as const satisfies Record<keyof ErrorMessages['titles'], number>

export type ErrorCode = keyof typeof table
export type ErrorStatus = (typeof table)[ErrorCode]

export const errorCodes = Object.keys(table) as ErrorCode[]

/** HTTP status and title of a code, in English. */
export function describeError(code: ErrorCode): { status: ErrorStatus; title: string } {
  return { status: table[code], title: titleOf(code, defaultLanguage) }
}

function titleOf(code: ErrorCode, language: PageLanguage): string {
  return errorTexts(language)(`titles.${code}`)
}

/** A text in a language. A string is a failure of an upstream system, or passed on as it is. */
export function writeText(text: ErrorText | string, language: PageLanguage): string {
  if (typeof text === 'string') return writeFailure(text, language)
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : writeValue(value, language),
  ])
  return errorTexts(language)(text.key, Object.fromEntries(values))
}

function writeValue(value: Exclude<ErrorValue, number>, language: PageLanguage): string {
  if (typeof value === 'string' || 'key' in value) return writeText(value, language)
  if (value instanceof Date) return writtenDay(value, language)
  if ('amount' in value) return formatAmount(value.amount, value.currency, language)
  return new Intl.ListFormat(language).format(value.map((item) => writeText(item, language)))
}

/**
 * The text of a rejection for a row that is kept: null for a string, and for a text with values
 * that JSON would change, such as amounts.
 */
export function storableText(text: ErrorText | string): ErrorText | null {
  return typeof text === 'object' && isStorable(text) ? text : null
}

function isStorable(value: ErrorValue): boolean {
  if (typeof value === 'string' || typeof value === 'number') return true
  if (value instanceof Date || 'amount' in value) return false
  return 'key' in value ? Object.values(value.values).every(isStorable) : value.every(isStorable)
}

/** Maximum number of errors in one response. */
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

/** The same before it is written in the caller's language. */
export interface IssueText {
  path: string
  message: ErrorText | string
}

/**
 * A rejection that the caller reads. `detail` is shown unchanged, so it names no secret and no
 * other tenant; a string comes from an upstream system or the schema of the input, in the caller's
 * language. `message` and `issues` are English; `messageIn` and `issuesIn` return them in the
 * caller's language. Any other thrown error is a bug of ours and returns `internal` with a fixed
 * text.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  /** The detail, or the title where there is none. */
  readonly text: ErrorText | string
  readonly #issues: readonly IssueText[] | undefined
  /** When the caller may try again. */
  readonly retryAfterSeconds: number | undefined
  /** How old a sign-in may be that is enough, where another sign-in is what helps. */
  readonly maxAgeSeconds: number | undefined
  /** The scopes that a service token needs. */
  readonly scopes: readonly string[] | undefined
  /** The name of the limit that was reached (`@atrium/core/platform/limits`). */
  readonly limit: LimitName | undefined
  /** The record as it is now, for a caller who edits it and may read it. */
  readonly current: object | undefined

  constructor(
    code: ErrorCode,
    detail?: ErrorText | string,
    options: {
      cause?: unknown
      issues?: readonly IssueText[]
      retryAfterSeconds?: number
      maxAgeSeconds?: number
      limit?: LimitName
      scopes?: readonly string[]
      current?: object
    } = {},
  ) {
    const text = detail ?? { key: `titles.${code}` as const, values: {} }
    super(writeText(text, defaultLanguage), { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.text = text
    this.#issues = options.issues
      ?.slice(0, mostIssues)
      .map(({ path, message }) => ({ path: issuePath(path), message }))
    this.retryAfterSeconds = options.retryAfterSeconds
    this.maxAgeSeconds = options.maxAgeSeconds
    this.limit = options.limit
    this.scopes = options.scopes
    this.current = options.current
  }

  get status(): ErrorStatus {
    return table[this.code]
  }

  get issues(): readonly Issue[] | undefined {
    return this.issuesIn(defaultLanguage)
  }

  issuesIn(language: PageLanguage): Issue[] | undefined {
    return this.#issues?.map(({ path, message }) => ({
      path,
      message: writeText(message, language),
    }))
  }

  messageIn(language: PageLanguage): string {
    return writeText(this.text, language)
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
export function toProblem(
  error: AppError,
  requestId: string,
  language: PageLanguage = defaultLanguage,
): Problem {
  const problem: Problem = {
    type: `/docs/errors#${error.code}`,
    title: titleOf(error.code, language),
    status: error.status,
    detail: error.messageIn(language),
    code: error.code,
    requestId,
  }
  const issues = error.issuesIn(language)
  if (issues) problem.issues = issues
  if (error.limit) problem.limit = error.limit
  if (error.current) problem.current = error.current
  return problem
}
