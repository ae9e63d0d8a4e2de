import { findAppError } from '@atrium/core/platform/errors'
import { isPartnerStaff, type UserView } from '@atrium/core/users/users'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { createMiddleware } from 'hono/factory'
import type { AppCookies } from './cookies.ts'
import { messagePage } from './message-page.ts'
import { readUser } from './profile.ts'
import type { ApiProxy } from './proxy.ts'
import { type AppEnv, rawQuery } from './request.ts'
import type { Sessions } from './sessions.ts'

/**
 * Serves the pages of an area only to those whom the stored user says it is for. Fails closed: when
 * that cannot be found out, the pages are rejected. The API checks every call of theirs again.
 */
function area(
  parts: { cookies: AppCookies; sessions: Sessions; proxy: ApiProxy },
  allowed: (user: UserView) => boolean,
  whom: 'admins' | 'partners',
) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const text = serverPageTexts(c.get('language'))
    const signIn = () =>
      c.redirect(`/auth/login?returnTo=${encodeURIComponent(c.req.path + rawQuery(c))}`, 303)
    const session = await parts.sessions.find(parts.cookies.readSession(c))
    if (!session) return signIn()
    const read = await readUser(c, parts.proxy, session).catch((err: unknown) => {
      c.get('line').err = err
      return findAppError(err)?.code === 'unauthenticated' ? 'signed out' : undefined
    })
    const rejection =
      read && read !== 'signed out' && 'rejection' in read ? read.rejection : undefined
    if (read === 'signed out' || rejection?.status === 401) return signIn()
    if (!read || (rejection && rejection.status >= 500)) {
      return messagePage(c, 503, text('area.failed.title'), text('area.failed.hint'))
    }
    if ('rejection' in read || !allowed(read.user))
      return messagePage(c, 403, text('area.forbidden.title'), text(`area.forbidden.${whom}`))
    return next()
  })
}

/** `/admin` and below: platform administrators. */
export function adminArea(parts: { cookies: AppCookies; sessions: Sessions; proxy: ApiProxy }) {
  return area(parts, (user) => user.platformAdmin && user.status === 'active', 'admins')
}

/**
 * `/partner` and below: staff of a partner. While it is suspended they read; once it is terminated
 * there is nothing for them.
 */
export function partnerArea(parts: { cookies: AppCookies; sessions: Sessions; proxy: ApiProxy }) {
  return area(parts, (user) => isPartnerStaff(user) && user.status === 'active', 'partners')
}
