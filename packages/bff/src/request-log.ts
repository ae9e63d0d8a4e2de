import { chooseRequestId } from '@atrium/core/platform/request-id'
import { createMiddleware } from 'hono/factory'
import { claimPath, invitationPath } from './invitation.ts'
import type { Logger } from './log.ts'
import { linkPath } from './mail-profile.ts'
import type { AppEnv, RequestLine } from './request.ts'
import { logLevelOf } from './request-line.ts'
import { unsubscribePath } from './unsubscribe.ts'

/** What follows in the path of a one-time link is a secret. */
function loggedPath(path: string): string {
  const secrets = [linkPath, invitationPath, claimPath, unsubscribePath]
  const secret = secrets.find((prefix) => path.startsWith(prefix))
  return secret === undefined ? path.slice(0, 500) : `${secret}***`
}

/**
 * Gives every request an id (the caller's own, when it is valid) and logs one line for it. The line
 * has the path without its query: the callback's contains code and state. `ms` ends when the
 * response head is ready, so a stream does not count until its end.
 */
export function requestLog(log: Logger) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const started = performance.now()
    const requestId = chooseRequestId(c.req.header('x-request-id'))
    const line: RequestLine = { requestId, method: c.req.method, path: loggedPath(c.req.path) }
    c.set('requestId', requestId)
    c.set('line', line)
    await next()
    c.res.headers.set('x-request-id', requestId)
    const { status } = c.res
    // A response that the client did not wait for is no failure of ours.
    const left = status >= 500 && c.req.raw.signal.aborted
    const level = logLevelOf(c.req.path, status >= 500 && !left)
    log[level](
      { ...line, status, ...(left && { left }), ms: Math.round(performance.now() - started) },
      'request',
    )
  })
}
