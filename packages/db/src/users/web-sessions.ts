import { sql } from 'kysely'
import type { Database, Db, Trx } from '../platform/connect.ts'
import type { WebSessionsTable } from '../schema/users.ts'

export type WebApp = WebSessionsTable['app']

/** A session ends this long after its last use, and in any case this long after it began. */
export const idleHours = 12
export const lifetimeDays = 7

/** A session of the portal or operator server. `tokens` is encrypted, bound to this row by `id`. */
export interface WebSessionRow {
  id: string
  subject: string
  email: string | null
  tokens: Buffer
  /**
   * The access token has expired or will within 30 s. By the database's clock, which all processes
   * share.
   */
  accessDue: boolean
  accessExpired: boolean
  /** The last noted use is more than a minute ago. */
  touchDue: boolean
  /** The security policy of a workplace of the person has ended it: idle or in all for too long. */
  endedByPolicy: boolean
}

/**
 * The strictest limits of the workplaces that the person `subject` is a member of, in minutes; null
 * where there is none.
 */
const strictestLimits = (subject: string) => `
  select min(p.session_idle_minutes) as idle, min(p.session_absolute_minutes) as absolute
  from users u join memberships m on m.user_id = u.id and m.status in ('active', 'provisioning')
    join tenants t on t.id = m.tenant_id and t.status <> 'deleted'
    join security_policies p on p.tenant_id = m.tenant_id and p.enforced
  where u.idp_subject_id = ${subject}`

// Limits of workplaces hold in the customer portal: operators are not bound by them.
const findStatement = {
  name: 'find_web_session',
  text: `select s.id, s.subject, s.email, s.tokens,
      s.access_expires_at <= now() + interval '30 seconds' as "accessDue",
      s.access_expires_at <= now() as "accessExpired",
      s.last_used_at <= now() - interval '1 minute' as "touchDue",
      coalesce(s.last_used_at <= now() - make_interval(mins => l.idle), false)
        or coalesce(coalesce(s.signed_in_at, s.created_at) <= now() - make_interval(mins => l.absolute), false)
        as "endedByPolicy"
    from web_sessions s left join lateral (${strictestLimits('s.subject')} and s.app = 'portal') l on true
    where s.token_hash = $1 and s.app = $2 and s.expires_at > now()
      and s.last_used_at > now() - make_interval(hours => ${idleHours})`,
}

const oldestSignInStatement = {
  name: 'find_oldest_sign_in',
  text: `select least(l.idle, l.absolute) as minutes from (${strictestLimits('$1')}) l`,
}

/**
 * How old a sign-in may be with which this person begins a session, in minutes: the strictest limit
 * of their workplaces, idle or in all, because nothing tells whether they were active since. Null
 * for no limit.
 */
export async function findOldestSignIn(
  database: Database,
  subject: string,
): Promise<number | null> {
  const [row] = await database.read<{ minutes: number | null }>(oldestSignInStatement, [subject])
  return row?.minutes ?? null
}

/** The live session behind a cookie; `tokenHash` is the SHA-256 of the cookie's value. */
export async function findWebSession(
  database: Database,
  app: WebApp,
  tokenHash: Buffer,
): Promise<WebSessionRow | undefined> {
  const [row] = await database.read<WebSessionRow>(findStatement, [tokenHash, app])
  return row
}

/** The browser that began a session, by which its person recognizes it. */
export interface SessionDevice {
  userAgent: string | null
  address: string | null
  country: string | null
}

export interface NewWebSession {
  app: WebApp
  tokenHash: Buffer
  subject: string
  /** The `sid` claim of the identity provider, by which a back-channel logout names the session. */
  idpSessionId: string | undefined
  email: string | undefined
  device: SessionDevice
  /** When the person last proved who they are; undefined when the provider does not tell. */
  signedInAt: Date | undefined
  /** Encrypts the tokens for the row of this id. */
  seal: (id: string) => Buffer
  accessSeconds: number
}

/** Creates a session and returns its id. */
export async function createWebSession(db: Db, session: NewWebSession): Promise<string> {
  // The id comes first, because the encrypted tokens are bound to it.
  const { id } = await db.selectNoFrom(sql<string>`new_id()`.as('id')).executeTakeFirstOrThrow()
  await db
    .insertInto('web_sessions')
    .values({
      id,
      app: session.app,
      token_hash: session.tokenHash,
      subject: session.subject,
      idp_session_id: session.idpSessionId ?? null,
      email: session.email ?? null,
      user_agent: session.device.userAgent,
      address: session.device.address,
      country: session.device.country,
      // The provider's clock may be ahead: a limit does not last longer for it.
      signed_in_at: session.signedInAt
        ? sql<Date>`least(${session.signedInAt}::timestamptz, now())`
        : null,
      tokens: session.seal(id),
      access_expires_at: inSeconds(session.accessSeconds),
      expires_at: sql<Date>`now() + make_interval(days => ${lifetimeDays})`,
    })
    .execute()
  return id
}

/** Notes that the session was used just now. */
export async function touchWebSession(db: Db, id: string): Promise<void> {
  await db
    .updateTable('web_sessions')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)
    .execute()
}

/**
 * The tokens of a session under a row lock; requires `Trx`, because the lock lasts as long as the
 * transaction.
 */
export async function lockWebSessionTokens(trx: Trx, id: string): Promise<Buffer | undefined> {
  const row = await trx
    .selectFrom('web_sessions')
    .select('tokens')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row?.tokens
}

/** Replaces the tokens after a refresh. */
export async function setWebSessionTokens(
  db: Db,
  id: string,
  tokens: Buffer,
  accessSeconds: number,
): Promise<void> {
  await db
    .updateTable('web_sessions')
    .set({ tokens, access_expires_at: inSeconds(accessSeconds) })
    .where('id', '=', id)
    .execute()
}

export async function deleteWebSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('web_sessions').where('id', '=', id).execute()
}

/** Ends the session of a cookie, also an expired one. Returns its row id and tokens. */
export async function takeWebSession(
  db: Db,
  app: WebApp,
  tokenHash: Buffer,
): Promise<{ id: string; tokens: Buffer } | undefined> {
  return db
    .deleteFrom('web_sessions')
    .where('token_hash', '=', tokenHash)
    .where('app', '=', app)
    .returning(['id', 'tokens'])
    .executeTakeFirst()
}

/**
 * Which sessions a back-channel logout means: those of one login at the identity provider, or all
 * of a person. At least one is given.
 */
export type EndedLogin =
  | { idpSessionId: string; subject?: string | undefined }
  | { idpSessionId?: undefined; subject: string }

/** Ends every session of an app that the login gave rise to, and returns how many there were. */
export async function deleteWebSessionsOfLogin(
  db: Db,
  app: WebApp,
  login: EndedLogin,
): Promise<number> {
  let query = db.deleteFrom('web_sessions').where('app', '=', app)
  if (login.idpSessionId !== undefined)
    query = query.where('idp_session_id', '=', login.idpSessionId)
  if (login.subject !== undefined) query = query.where('subject', '=', login.subject)
  const result = await query.executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Ends every session of a person, in both apps. */
export async function deleteWebSessionsOfSubject(db: Db | Trx, subject: string): Promise<void> {
  await db.deleteFrom('web_sessions').where('subject', '=', subject).execute()
}

/** The live sessions of a person in both apps, the one used last first; `most` of them. */
export function listWebSessionsOfSubject(db: Db, subject: string, most: number) {
  return db
    .selectFrom('web_sessions')
    .select([
      'id',
      'app',
      'user_agent as userAgent',
      'address',
      'country',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
    ])
    .where('subject', '=', subject)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('last_used_at', '>', sql<Date>`now() - make_interval(hours => ${idleHours})`)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

/** Ends one session of the person; false when the person has none of this id. */
export async function deleteOwnWebSession(
  db: Db | Trx,
  { id, subject }: { id: string; subject: string },
): Promise<boolean> {
  const result = await db
    .deleteFrom('web_sessions')
    .where('id', '=', id)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Ends every session of the person but `keep`, and returns how many there were. */
export async function deleteOtherWebSessions(
  db: Db | Trx,
  { subject, keep }: { subject: string; keep: string | undefined },
): Promise<number> {
  let query = db.deleteFrom('web_sessions').where('subject', '=', subject)
  if (keep !== undefined) query = query.where('id', '<>', keep)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

/** Removes the rows of sessions that have run out; for the cleanup job. */
export async function deleteExpiredWebSessions(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('web_sessions')
    .where((row) =>
      row.or([
        row('expires_at', '<', sql<Date>`now()`),
        row('last_used_at', '<', sql<Date>`now() - make_interval(hours => ${idleHours})`),
      ]),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

function inSeconds(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}
