import { createHash } from 'node:crypto'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { type Language, languageCookie, pseudoLanguage } from '@atrium/messages/languages'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { isHttps } from './config.ts'

export interface AppCookies {
  readonly sessionName: string
  readSession(c: Context): string | undefined
  /** `seconds` is how long the browser keeps it; 0 removes it. */
  writeSession(c: Context, value: string, seconds: number): void
  /** One cookie per sign-in under way, so that two tabs do not overwrite each other. */
  readSignIn(c: Context, state: string): string | undefined
  writeSignIn(c: Context, state: string, value: string, seconds: number): void
  /**
   * Removes what abandoned sign-ins left behind, once it would begin to fill the request header.
   */
  pruneSignIns(c: Context): void
  /**
   * Stores the language of the app's pages; undefined when none was chosen. Scripts read and write
   * this cookie too. The pseudo-language of tests stays.
   */
  writeLanguage(c: Context, language: Language | undefined): void
}

const tooManySignIns = 8
const yearSeconds = 365 * 24 * 60 * 60

/**
 * The cookies of an app: host-only, not readable by scripts, not sent along by other sites'
 * requests. On https they are `__Host-atrium-<app>`.
 */
export function createCookies(app: WebApp, publicUrl: string): AppCookies {
  // Ports of one host share their cookies, so on localhost, where several test apps may run, the
  // name carries the port. Chromium and Firefox take `__Host-` and Secure over plain http from
  // localhost as well; where that is not so (Safari), local use needs https.
  const suffix = isHttps(publicUrl) ? '' : `-${new URL(publicUrl).port || '80'}`
  const sessionName = `__Host-atrium-${app}${suffix}`
  const signInPrefix = `${sessionName}-signin-`
  const signInName = (state: string) =>
    signInPrefix + createHash('sha256').update(state).digest('hex').slice(0, 16)
  const write = (c: Context, name: string, value: string, maxAge: number) =>
    setCookie(c, name, value, { path: '/', secure: true, httpOnly: true, sameSite: 'Lax', maxAge })
  return {
    sessionName,
    readSession: (c) => getCookie(c, sessionName),
    writeSession: (c, value, seconds) => write(c, sessionName, value, seconds),
    readSignIn: (c, state) => getCookie(c, signInName(state)),
    writeSignIn: (c, state, value, seconds) => write(c, signInName(state), value, seconds),
    pruneSignIns(c) {
      const names = Object.keys(getCookie(c)).filter((name) => name.startsWith(signInPrefix))
      if (names.length >= tooManySignIns) for (const name of names) write(c, name, '', 0)
    },
    writeLanguage(c, language) {
      const kept = getCookie(c, languageCookie)
      if (kept === language || kept === pseudoLanguage) return
      setCookie(c, languageCookie, language ?? '', {
        path: '/',
        secure: isHttps(publicUrl),
        sameSite: 'Lax',
        maxAge: language === undefined ? 0 : yearSeconds,
      })
    },
  }
}
