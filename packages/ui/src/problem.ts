import type { ErrorCode, Issue } from '@atrium/core/platform/errors'
import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { translations } from './messages.ts'

const t = translations('ui.frame')

/** What a page can say about a failed call. */
export interface ProblemInfo {
  /** Our code; `unreachable` when there was no response. */
  code: ErrorCode | 'unreachable' | 'unknown'
  /** A sentence to show as it is. */
  message: string
  /** Call and status of an upstream system that failed, for people who look for the cause. */
  detail?: string
  status: number | undefined
  requestId: string | undefined
  issues: readonly Issue[]
}

/** A response that is no tRPC envelope: RFC 9457 problem details from the app's own server. */
export class ProblemError extends Error {
  readonly problem: ProblemInfo

  constructor(problem: ProblemInfo) {
    super(problem.message)
    this.name = 'ProblemError'
    this.problem = problem
  }
}

/**
 * Reads the failure out of whatever a query or mutation threw: tRPC's `data`, problem details, or a
 * lost connection.
 */
export function problemOf(error: unknown): ProblemInfo {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ProblemError) return current.problem
    const data = dataOf(current)
    if (data) return { ...data, ...toMessage(current.message) }
  }
  if (isLostConnection(error)) {
    return {
      code: 'unreachable',
      message: t('problem.unreachable'),
      status: undefined,
      requestId: undefined,
      issues: [],
    }
  }
  return {
    code: 'unknown',
    message: t('problem.unknown'),
    status: undefined,
    requestId: undefined,
    issues: [],
  }
}

/** Reads problem details (RFC 9457) of a response body; missing members get default texts. */
export function problemFromBody(body: unknown, status: number): ProblemInfo {
  const member = (name: string): unknown =>
    typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return {
    code: codeOf(member('code')),
    ...toMessage(text(member('detail')) ?? text(member('title')) ?? t('problem.notUnderstood')),
    status,
    requestId: text(member('requestId')),
    issues: issuesOf(member('issues')),
  }
}

/** True when signing in again is what helps. */
export function needsSignIn(problem: ProblemInfo): boolean {
  return problem.code === 'unauthenticated' || problem.code === 'token_expired'
}

/**
 * Whether trying again by itself can help: lost connections, and faults that the server calls
 * passing.
 */
export function isPassing(problem: ProblemInfo): boolean {
  return (
    problem.code === 'unreachable' ||
    problem.code === 'unavailable' ||
    problem.code === 'upstream_failed'
  )
}

/**
 * `{ field: sentence }` for a form, from the issues of a rejected input; the first issue of a field
 * counts.
 */
export function fieldErrors(problem: ProblemInfo): Record<string, string> {
  // Entries and not assignments: a path may be `constructor`, which every object has.
  return Object.fromEntries(
    problem.issues
      .toReversed()
      .flatMap(({ path, message }) => (path === '' ? [] : [[path, message]])),
  )
}

function toMessage(message: string): Pick<ProblemInfo, 'message' | 'detail'> {
  const { sentence, detail } = splitUpstreamMessage(message)
  return { message: sentence, ...(detail !== null && { detail }) }
}

function dataOf(error: Error): Omit<ProblemInfo, 'message' | 'detail'> | undefined {
  const data: unknown = Reflect.get(error, 'data')
  if (typeof data !== 'object' || data === null || !('code' in data)) return undefined
  return {
    code: codeOf(data.code),
    status:
      'httpStatus' in data && typeof data.httpStatus === 'number' ? data.httpStatus : undefined,
    requestId: 'requestId' in data ? text(data.requestId) : undefined,
    issues: 'issues' in data ? issuesOf(data.issues) : [],
  }
}

// Any text is let through as a code: an older page meets a newer server, and unknown codes fall to
// the default sentence.
function codeOf(value: unknown): ProblemInfo['code'] {
  return typeof value === 'string' ? (value as ErrorCode) : 'unknown'
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function issuesOf(value: unknown): Issue[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('path' in item) || !('message' in item))
      return []
    return typeof item.path === 'string' && typeof item.message === 'string'
      ? [{ path: item.path, message: item.message }]
      : []
  })
}

// Browsers word a failed fetch each in their own way, but all of them throw a TypeError; tRPC wraps
// it as the cause.
function isLostConnection(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof TypeError) return true
  return false
}
