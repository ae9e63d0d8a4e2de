import {
  type FailedSystem,
  type FailureKind,
  failureText,
} from '@atrium/core/platform/failure-text'

/** The upstream systems that this package speaks to. */
export type UpstreamSystem = FailedSystem

/**
 * The kind of failure that callers decide by. `refused`: the system understood the request and
 * rejected it; a retry fails the same way. `invalid_answer`: a redirect, a wrong content type,
 * truncated or malformed JSON, or a response that is too large. `circuit_open`: not attempted,
 * because the last calls all failed.
 */
export type UpstreamErrorKind = FailureKind

export interface UpstreamFailureDetail {
  /** HTTP status or SMTP reply code, when there was a response. */
  status?: number | undefined
  retryAfterMs?: number | undefined
  /** The deadline that passed, for `timeout`. */
  deadlineMs?: number | undefined
  /**
   * Further words of our own for the sentence. Of text from outside only the reply of the outgoing
   * mail server, without addresses.
   */
  note?: string | undefined
  /** Of an operation that makes several things: the one that failed, in our words. */
  part?: string | undefined
  /**
   * Of an operation that makes several things: those that could not be taken away again after a
   * failure, in our words.
   */
  leftBehind?: readonly string[] | undefined
}

export interface UpstreamFailure extends UpstreamFailureDetail {
  system: UpstreamSystem
  /** The operation in our words, such as `ensureGroup`. */
  call: string
  kind: UpstreamErrorKind
}

/**
 * A failed call to an upstream system. `message` may be shown to tenants and operators: a plain
 * sentence, then call, status and kind in brackets (`@atrium/core/platform/failure-text`);
 * never a secret, an address or text of the response, apart from what the outgoing mail server
 * replied (operators alone see its failures). It has no `cause`, because loggers print causes, and
 * the errors of parsers and transports quote their input.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly system: UpstreamSystem
  readonly call: string
  readonly kind: UpstreamErrorKind
  readonly status: number | undefined
  readonly retryAfterMs?: number
  readonly note?: string
  readonly part?: string
  readonly leftBehind?: readonly string[]

  constructor(failure: UpstreamFailure) {
    super(messageOf(failure))
    this.system = failure.system
    this.call = failure.call
    this.kind = failure.kind
    this.status = failure.status
    if (failure.retryAfterMs !== undefined) this.retryAfterMs = failure.retryAfterMs
    if (failure.note !== undefined) this.note = failure.note
    if (failure.part !== undefined) this.part = failure.part
    if (failure.leftBehind !== undefined) this.leftBehind = failure.leftBehind
  }
}

/** The same failure with more known about it. */
export function withDetail(
  error: UpstreamError,
  detail: Pick<UpstreamFailureDetail, 'part' | 'leftBehind'>,
): UpstreamError {
  const { system, call, kind, status, retryAfterMs, note, part, leftBehind } = error
  return new UpstreamError({
    system,
    call,
    kind,
    status,
    retryAfterMs,
    note,
    part,
    leftBehind,
    ...detail,
  })
}

function messageOf({
  system,
  call,
  kind,
  status,
  deadlineMs,
  note,
  part,
  leftBehind = [],
}: UpstreamFailure): string {
  const more = [
    note,
    part === undefined ? undefined : `the part that failed is the ${part}`,
    leftBehind.length > 0 ? `it may have left behind: ${leftBehind.join(', ')}` : undefined,
  ].filter((one) => one !== undefined)
  return failureText({
    system,
    call,
    kind,
    status,
    seconds: deadlineMs === undefined ? undefined : deadlineMs / 1000,
    more: more.length > 0 ? more.join('; ') : undefined,
  })
}

const transientKinds: ReadonlySet<UpstreamErrorKind> = new Set<UpstreamErrorKind>([
  'timeout',
  'connection',
  'rate_limited',
  'server',
  'invalid_answer',
  'circuit_open',
])

/** Lets a failure name the part that it is about, unless it names one already. */
export async function aboutPart<T>(part: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UpstreamError && error.part === undefined
      ? withDetail(error, { part })
      : error
  }
}

/**
 * True when the same call may succeed later without a change. Includes unusable responses, because
 * the maintenance page of a proxy looks like one. Excludes wrong credentials, rejections, conflicts
 * and missing objects.
 */
export function isTransient(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && transientKinds.has(error.kind)
}
