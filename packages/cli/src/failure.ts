import { ApiError } from '@atrium/client'

/** Exit statuses, of sysexits.h where it has one. */
export const exitStatus = {
  failed: 1,
  usage: 64,
  invalidInput: 65,
  notFound: 66,
  unavailable: 69,
  tryLater: 75,
  noPermission: 77,
  interrupted: 130,
} as const

/** A wrong use of a command. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A sign-in that has ended: the person has to sign in again. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

/** What a person declined to confirm. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError'
}

/** The exit status that a failure ends the program with. */
export function statusOf(error: unknown): number {
  if (error instanceof UsageError) return exitStatus.usage
  if (error instanceof SignInError) return exitStatus.noPermission
  if (error instanceof ApiError) return statusOfResponse(error.status)
  // What fetch throws when there is no connection.
  if (error instanceof TypeError && error.message === 'fetch failed') return exitStatus.unavailable
  return exitStatus.failed
}

/** The exit status of a response other than success. */
export function statusOfResponse(status: number): number {
  if (status === 401 || status === 403) return exitStatus.noPermission
  if (status === 404 || status === 410) return exitStatus.notFound
  if (status === 400 || status === 422) return exitStatus.invalidInput
  if (status === 429) return exitStatus.tryLater
  return status >= 500 ? exitStatus.unavailable : exitStatus.failed
}

/** What a person reads of a failure, or the problem itself as JSON. */
export function describeFailure(error: unknown, json: boolean): string {
  if (!(error instanceof ApiError)) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
    const reason = cause?.message ? ` (${cause.message})` : ''
    return `${error instanceof Error ? error.message : String(error)}${reason}`
  }
  if (json && error.problem) return JSON.stringify(error.problem)
  const { code, issues = [], requestId } = error.problem ?? {}
  return [
    code ? `${error.message} (${code})` : error.message,
    ...issues.map(({ path, message }) => `  ${path}: ${message}`),
    ...(requestId ? [`  request ${requestId}`] : []),
  ].join('\n')
}
