import type { Logger } from '@atrium/bff/log'
import { logLevelOf } from '@atrium/bff/request-line'
import { chooseRequestId } from '@atrium/core/platform/request-id'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './request.ts'

/**
 * What follows in the path of a manage link is the token, a secret; also where the link was mangled
 * on its way.
 */
export function loggedPath(path: string): string {
  return /manage/i.test(path.slice(0, 20)) ? '/manage/***' : path.slice(0, 300)
}

/**
 * Gives every request an id (the caller's own, when it is usable) and writes one line for it: the
 * path without its query, which holds what visitors chose, and no address, name or body.
 */
export function requestLog(log: Logger) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const started = performance.now()
    const requestId = chooseRequestId(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    c.set('policy', { styles: [], images: [], frameAncestors: [] })
    await next()
    c.res.headers.set('x-request-id', requestId)
    const { status } = c.res
    const [rejection, err] = [c.get('rejection'), c.get('err')]
    log[logLevelOf(c.req.path, status >= 500)](
      {
        requestId,
        method: c.req.method,
        path: loggedPath(c.req.path),
        status,
        ...(rejection !== undefined && { rejection }),
        ...(err !== undefined && { err }),
        ms: Math.round(performance.now() - started),
      },
      'request',
    )
  })
}
