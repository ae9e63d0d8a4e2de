import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'
import type { Database } from '@atrium/db/platform/connect'
import { DecryptionError, type Keyring } from '@atrium/db/platform/encryption'
import {
  createWebSession,
  deleteWebSession,
  deleteWebSessionsOfLogin,
  type EndedLogin,
  findWebSession,
  lockWebSessionTokens,
  type SessionDevice,
  setWebSessionTokens,
  takeWebSession,
  touchWebSession,
  type WebApp,
  type WebSessionRow,
} from '@atrium/db/users/web-sessions'
import { z } from 'zod'
import type { Logger } from './log.ts'
import type { IssuedTokens, OidcClient, SignedInPerson } from './oidc/client.ts'

const StoredTokens = z.object({
  access: z.string(),
  refresh: z.string().optional(),
  id: z.string().optional(),
})
export type StoredTokens = z.infer<typeof StoredTokens>

/** A live session as one request sees it. */
export interface Session {
  readonly id: string
  readonly subject: string
  readonly email: string | null
  readonly tokens: StoredTokens
  readonly accessDue: boolean
  readonly accessExpired: boolean
}

export interface Sessions {
  /**
   * The active session of a cookie's value; undefined when there is none. Ends one that a workplace
   * of the person limits. Updates its last use at most once a minute, unless disabled.
   */
  find(cookie: string | undefined, options?: { touch?: boolean }): Promise<Session | undefined>
  /**
   * Creates a session and returns the cookie's value. The browser's previous session goes on until
   * the caller ends it.
   */
  begin(tokens: IssuedTokens, person: SignedInPerson, device: SessionDevice): Promise<string>
  /**
   * An access token newer than `stale`. Refreshes it at the identity provider once, however many
   * requests and processes ask. Throws AppError `unauthenticated` when the session is over and
   * `unavailable` when the provider does not respond; the session then stays.
   */
  refresh(session: Session, stale: string): Promise<string>
  /** Ends the session of a cookie and returns its tokens, to revoke them at the provider. */
  end(cookie: string | undefined): Promise<StoredTokens | undefined>
  /** Ends every session of a login or person, and returns how many there were. */
  endLogin(login: EndedLogin): Promise<number>
  /**
   * Resolves when no refresh is under way: cut off half-way, one would spend a refresh token and
   * store none.
   */
  settled(): Promise<void>
}

export interface SessionsOptions {
  app: WebApp
  database: Database
  keyring: Keyring
  oidc: OidcClient
  log: Logger
}

/**
 * Sessions in PostgreSQL. The cookie holds 256 random bits, the table their SHA-256 and the tokens
 * encrypted for that row.
 */
export function createSessions({ app, database, keyring, oidc, log }: SessionsOptions): Sessions {
  const { db } = database
  const refreshing = new Map<string, Promise<string | undefined>>()
  const seal = (tokens: StoredTokens) => (id: string) =>
    keyring.encrypt(JSON.stringify(tokens), contextOf(id))
  const open = (id: string, sealed: Uint8Array) =>
    StoredTokens.parse(JSON.parse(keyring.decrypt(sealed, contextOf(id))))

  function openRow(row: Pick<WebSessionRow, 'id' | 'tokens'>): StoredTokens | undefined {
    try {
      return open(row.id, row.tokens)
    } catch (err) {
      if (!(err instanceof DecryptionError)) throw err
      // The row stays: a process started without the right key must not sign everyone out
      // permanently.
      log.error({ err, session: row.id }, 'session tokens cannot be decrypted')
      return undefined
    }
  }

  /**
   * Undefined when the session is over. The row lock lasts for the call to the provider only, never
   * for a call to the API.
   */
  function refreshUnderLock(session: Session, stale: string): Promise<string | undefined> {
    return db.transaction().execute(async (trx) => {
      const sealed = await lockWebSessionTokens(trx, session.id)
      if (!sealed) return undefined
      const current = open(session.id, sealed)
      // The previous holder of the lock has refreshed it already.
      if (current.access !== stale) return current.access
      const issued =
        current.refresh === undefined
          ? undefined
          : await oidc.refresh(current.refresh, session.subject)
      if (!issued) {
        await deleteWebSession(trx, session.id)
        return undefined
      }
      const next = {
        access: issued.access,
        refresh: issued.refresh ?? current.refresh,
        id: issued.id ?? current.id,
      }
      await setWebSessionTokens(trx, session.id, seal(next)(session.id), issued.accessSeconds)
      return next.access
    })
  }

  /** One refresh per session and process, so that waiting requests hold no database connections. */
  function refreshOnce(session: Session, stale: string): Promise<string | undefined> {
    const key = `${session.id} ${stale}`
    const underWay = refreshing.get(key)
    if (underWay) return underWay
    log.debug({ session: session.id }, 'refreshing')
    const refresh = refreshUnderLock(session, stale).finally(() => refreshing.delete(key))
    refreshing.set(key, refresh)
    return refresh
  }

  return {
    async find(cookie, { touch = true } = {}) {
      const tokenHash = hashOf(cookie)
      const row = tokenHash && (await findWebSession(database, app, tokenHash))
      if (row?.endedByPolicy) {
        // For good: a limit that is lifted later does not bring the session back.
        await deleteWebSession(db, row.id)
        log.info({ session: row.id, subject: row.subject }, 'session ended by security policy')
        return undefined
      }
      const tokens = row && openRow(row)
      if (!row || !tokens) return undefined
      // Not waited for: while refreshes occupy the ordinary connections, requests with good tokens
      // still go through.
      if (touch && row.touchDue) {
        touchWebSession(db, row.id).catch((err: unknown) =>
          log.warn({ err, session: row.id }, 'failed to update session activity'),
        )
      }
      const { id, subject, email, accessDue, accessExpired } = row
      return { id, subject, email, tokens, accessDue, accessExpired }
    },

    async begin(issued, person, device) {
      const token = randomBytes(32).toString('base64url')
      const id = await createWebSession(db, {
        app,
        tokenHash: sha256(token),
        subject: person.subject,
        idpSessionId: person.idpSessionId,
        email: person.email,
        device,
        signedInAt: person.authTime === undefined ? undefined : new Date(person.authTime * 1000),
        seal: seal({ access: issued.access, refresh: issued.refresh, id: issued.id }),
        accessSeconds: issued.accessSeconds,
      })
      log.info({ session: id, subject: person.subject }, 'session created')
      return token
    },

    async refresh(session, stale) {
      const access = await refreshOnce(session, stale).catch((err: unknown) => {
        log.warn({ err, session: session.id }, 'failed to refresh access token')
        throw new AppError(
          'unavailable',
          'Your sign-in cannot be renewed at this moment. Try again shortly.',
          { cause: err },
        )
      })
      if (access === undefined)
        throw new AppError('unauthenticated', 'Your session has ended. Sign in again.')
      return access
    },

    async end(cookie) {
      const tokenHash = hashOf(cookie)
      const taken = tokenHash && (await takeWebSession(db, app, tokenHash))
      if (taken) log.info({ session: taken.id }, 'session ended by its browser')
      return taken && openRow(taken)
    },

    endLogin: (login) => deleteWebSessionsOfLogin(db, app, login),

    async settled() {
      await Promise.allSettled(refreshing.values())
    },
  }
}

/**
 * Table and column are part of it as well as the row, so that a value moved anywhere else does not
 * open.
 */
function contextOf(id: string): string {
  return `web_sessions.tokens:${id}`
}

/** Undefined for anything that cannot be our cookie: 32 bytes in base64url. */
function hashOf(cookie: string | undefined): Buffer | undefined {
  return cookie !== undefined && /^[A-Za-z0-9_-]{43}$/.test(cookie) ? sha256(cookie) : undefined
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
