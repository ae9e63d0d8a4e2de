import { isHttps } from '@atrium/bff/config'
import { isPageLanguage, languageCookie } from '@atrium/messages/languages'
import { setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './request.ts'

/** In the query of any page: the language to show it in from now on. */
export const languageParameter = 'language'

const yearSeconds = 365 * 24 * 60 * 60

/**
 * Keeps a language that the address asks for in a cookie, and leads to the same address without it.
 * Other values of the parameter are left alone.
 */
export function languageChoice(publicUrl: string) {
  const https = isHttps(publicUrl)
  return createMiddleware<AppEnv>(async (c, next) => {
    const language = c.req.query(languageParameter)
    if (c.req.method !== 'GET' || !isPageLanguage(language)) return next()
    setCookie(c, languageCookie, language, {
      path: '/',
      maxAge: yearSeconds,
      httpOnly: true,
      sameSite: 'Lax',
      secure: https,
    })
    const address = new URL(c.req.url)
    address.searchParams.delete(languageParameter)
    return c.redirect(address.pathname.replace(/^\/{2,}/, '/') + address.search, 303)
  })
}
