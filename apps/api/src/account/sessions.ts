import {
  type EndedSessions,
  mostSessions,
  type OwnSessions,
  type PortalSession,
  type ProviderSession,
} from '@atrium/core/account/sessions'
import { AppError } from '@atrium/core/platform/errors'
import { findUser, type UserRow } from '@atrium/db/users/users'
import {
  deleteOtherWebSessions,
  deleteOwnWebSession,
  listWebSessionsOfSubject,
} from '@atrium/db/users/web-sessions'
import type { IdentityProvider, IdentitySession } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { failureTexts } from '@atrium/messages/failure-texts'
import { z } from 'zod'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { readerLanguage } from '../rpc/reader-language.ts'
import { idpUserIdOf, orUpstreamFailed, requireIdentity } from '../users/identity.ts'

/** How long the provider may take to list or end sign-ins. */
const deadlineMs = 10_000

/**
 * In which the portals' servers name the session that a request came by. It marks a session of the
 * caller and gives no permission, so any client may send it.
 */
const sessionHeader = 'x-atrium-session'

/** The caller at the identity provider. */
interface Known {
  identity: IdentityProvider
  user: { userId: string; username: string }
  signal: AbortSignal
}

/**
 * The caller's sessions of both portals and their sign-ins at the identity provider. When the
 * provider cannot be asked the portals' sessions are returned without them.
 */
export async function listOwnSessions(ctx: Context, caller: Caller): Promise<OwnSessions> {
  const { db } = ctx.services.database
  const rows = await listWebSessionsOfSubject(db, caller.subject, mostSessions)
  const current = currentId(ctx)
  const sessions = rows.map(
    (row): PortalSession => ({
      ...row,
      current: row.id === current,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
    }),
  )
  const read = await readSignIns(ctx, caller)
  if ('reason' in read) return { sessions, signIns: null, reason: read.reason }
  const own = sessions.find((session) => session.current)
  const kept = signInOf(read.signIns, own)
  const signIns = read.signIns
    .toSorted(byLastUse)
    .slice(0, mostSessions)
    .map((signIn) => toProviderSession(signIn, kept))
  return { sessions, signIns, reason: null }
}

/** Ends one of the caller's own sessions. Throws AppError `not_found`, also for another person's. */
export async function endOwnSession(ctx: Context, caller: Caller, id: string): Promise<void> {
  const own = { id, subject: caller.subject }
  if (!(await deleteOwnWebSession(ctx.services.database.db, own))) throw new AppError('not_found')
  await record(ctx, caller, { sessions: 1, signIns: 0 })
}

/**
 * Ends one of the caller's own sign-ins at the identity provider, which may end the sessions that
 * came of it. Throws AppError `not_found`, also for another person's, `upstream_failed`,
 * `unavailable`.
 */
export async function endOwnSignIn(ctx: Context, caller: Caller, id: string): Promise<void> {
  await orUpstreamFailed(async () => {
    const known = await atProvider(ctx, caller)
    if (!known) throw new AppError('not_found')
    const { identity, user, signal } = known
    await identity.endSession({ ...user, sessionId: id }, { signal }).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'not_found')
        throw new AppError('not_found')
      throw error
    })
  })
  await record(ctx, caller, { sessions: 0, signIns: 1 })
}

/**
 * Ends every session of the caller but the one of the request, and every sign-in at the identity
 * provider but the one that the session most likely came of. The portals' end even when the
 * provider fails. Throws AppError `upstream_failed`.
 */
export async function endOtherSessions(ctx: Context, caller: Caller): Promise<EndedSessions> {
  const { db } = ctx.services.database
  const { subject } = caller
  const keep = currentId(ctx)
  const before = await listWebSessionsOfSubject(db, subject, mostSessions)
  const own = before.find(({ id }) => id === keep)
  const sessions = await deleteOtherWebSessions(db, { subject, keep: own?.id })
  try {
    const signIns = await orUpstreamFailed(() => endOtherSignIns(ctx, caller, own))
    // Those that a sign-in opened before it ended.
    await deleteOtherWebSessions(db, { subject, keep: own?.id })
    await record(ctx, caller, { sessions, signIns })
    return { sessions, signIns }
  } catch (error) {
    if (error instanceof AppError && error.code === 'upstream_failed')
      await record(ctx, caller, { sessions, error: error.message }, 'failure')
    throw error
  }
}

async function endOtherSignIns(
  ctx: Context,
  caller: Caller,
  own: Beginning | undefined,
): Promise<number> {
  if (!ctx.services.systems.identity) return 0
  const known = await atProvider(ctx, caller)
  if (!known) return 0
  const { identity, user, signal } = known
  const signIns = await identity.listSessions(user, { signal })
  const kept = signInOf(signIns, own)
  let ended = 0
  for (const { id } of signIns) {
    if (id === kept) continue
    await identity.endSession({ ...user, sessionId: id }, { signal }).catch((error: unknown) => {
      // It ended meanwhile.
      if (!(error instanceof UpstreamError && error.kind === 'not_found')) throw error
    })
    ended += 1
  }
  return ended
}

async function readSignIns(
  ctx: Context,
  caller: Caller,
): Promise<{ signIns: IdentitySession[] } | { reason: string }> {
  if (!ctx.services.systems.identity)
    return { reason: failureTexts(readerLanguage())('readings.noIdentityProvider') }
  try {
    const known = await atProvider(ctx, caller)
    if (!known) return { signIns: [] }
    return { signIns: await known.identity.listSessions(known.user, { signal: known.signal }) }
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    ctx.services.log.warn({ err }, 'failed to list sign-ins')
    return { reason: err.message }
  }
}

/** Undefined for a person without a record, or whom the provider does not know. */
async function atProvider(ctx: Context, caller: Caller): Promise<Known | undefined> {
  const { services } = ctx
  const identity = requireIdentity(services)
  const user = await recordOf(ctx, caller)
  if (!user) return undefined
  const signal = AbortSignal.timeout(deadlineMs)
  const userId = await idpUserIdOf(services, user, signal)
  if (userId === undefined) return undefined
  return { identity, user: { userId, username: user.email }, signal }
}

async function recordOf({ services }: Context, { id }: Caller): Promise<UserRow | undefined> {
  return id === undefined ? undefined : findUser(services.database.db, id)
}

/** By which the sign-in of a session is found. */
interface Beginning {
  userAgent: string | null
  address: string | null
  createdAt: Date | string
}

/**
 * The sign-in that a session most likely came of: the same browser at the same address, used when
 * the session began. Tokens name a sign-in by a hash of a key that the provider's API does not
 * show.
 */
function signInOf(
  signIns: readonly IdentitySession[],
  own: Beginning | undefined,
): string | undefined {
  if (!own?.userAgent || !own.address) return undefined
  const { userAgent, address } = own
  const began = new Date(own.createdAt).getTime()
  const distance = ({ lastUsedAt }: IdentitySession) => Math.abs(Date.parse(lastUsedAt) - began)
  return signIns
    .filter((one) => one.userAgent.startsWith(userAgent) && one.address === address)
    .toSorted((one, other) => distance(one) - distance(other))[0]?.id
}

function byLastUse(one: IdentitySession, other: IdentitySession): number {
  return Date.parse(other.lastUsedAt) - Date.parse(one.lastUsedAt)
}

function toProviderSession(
  { id, userAgent, address, lastUsedAt }: IdentitySession,
  kept: string | undefined,
): ProviderSession {
  return {
    id,
    current: id === kept,
    userAgent: userAgent || null,
    address: address || null,
    lastUsedAt: new Date(lastUsedAt).toISOString(),
  }
}

function currentId({ request }: Context): string | undefined {
  return z.uuid().safeParse(request.header(sessionHeader)).data
}

function record(
  ctx: Context,
  caller: Caller,
  metadata: Record<string, unknown>,
  outcome: 'success' | 'failure' = 'success',
): Promise<void> {
  return ctx.services.audit.record(ctx, caller, {
    action: 'user.sessions_ended',
    outcome,
    resourceType: 'user',
    resourceId: caller.id ?? caller.subject,
    resourceName: caller.email ?? null,
    metadata,
  })
}
