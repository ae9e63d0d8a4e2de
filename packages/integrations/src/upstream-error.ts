import { upstreamMessage } from '@atrium/core/platform/upstream-messages'

/** The upstream systems that this package speaks to. */
export type UpstreamSystem = 'identity' | 'mail' | 'files' | 'smtp' | 'payments' | 'vies'

/**
 * The kind of failure that callers decide by. `refused`: the system understood the request and
 * rejected it; a retry fails the same way. `invalid_answer`: a redirect, a wrong content type,
 * truncated or malformed JSON, or a response that is too large. `circuit_open`: not attempted,
 * because the last calls all failed.
 */
export type UpstreamErrorKind =
  | 'timeout'
  | 'connection'
  | 'unauthorized'
  | 'refused'
  | 'conflict'
  | 'not_found'
  | 'rate_limited'
  | 'server'
  | 'invalid_answer'
  | 'circuit_open'

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

const systemNames = {
  identity: 'identity provider',
  mail: 'mail server',
  files: 'file storage',
  smtp: 'outgoing mail server',
  payments: 'payment processor',
  vies: 'VAT register',
} as const satisfies Record<UpstreamSystem, string>

const sentences = {
  timeout: 'did not respond in time',
  connection: 'could not be reached',
  unauthorized: 'did not accept the credentials of this service, or their rights',
  refused: 'rejected the request',
  conflict: 'rejected the request because of what already exists there',
  not_found: 'no longer has what the request is about',
  rate_limited: 'is receiving too many requests',
  server: 'reported an error',
  invalid_answer: 'sent a response that could not be read',
  circuit_open: 'failed repeatedly, so the request was not sent',
} as const satisfies Record<UpstreamErrorKind, string>

/**
 * A failed call to an upstream system. `message` may be shown to tenants and operators: a plain
 * sentence, then call, status and kind in brackets (`@atrium/core/platform/upstream-messages`);
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
  const what =
    deadlineMs === undefined ? sentences[kind] : `did not respond within ${deadlineMs / 1000} s`
  const more = [
    note,
    part === undefined ? undefined : `the part that failed is the ${part}`,
    leftBehind.length > 0 ? `it may have left behind: ${leftBehind.join(', ')}` : undefined,
  ].filter((one) => one !== undefined)
  const sentence = `The ${systemNames[system]} ${what}${more.length > 0 ? `: ${more.join('; ')}` : ''}.`
  return upstreamMessage(sentence, `${call}: ${status === undefined ? kind : `${status}, ${kind}`}`)
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
