import {
  type EndedSessions,
  mostSessions,
  type OwnSessions,
  type PortalSession,
  type ProviderSession,
} from '@atrium/core/account/sessions'
import { AppError } from '@atrium/core/platform/errors'
import {
  deleteOtherWebSessions,
  deleteOwnWebSession,
  listWebSessionsOfSubject,
} from '@atrium/db/users/web-sessions'
import type { IdentitySession } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { z } from 'zod'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { orUpstreamFailed } from '../users/identity.ts'
import { callerAtProvider, readAtProvider } from './at-provider.ts'

/**
 * In which the portals' servers name the session that a request came by. It marks a session of the
 * caller and gives no permission, so any client may send it.
 */
const sessionHeader = 'x-atrium-session'

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
  const read = await readAtProvider(ctx, caller, {
    none: [],
    read: ({ identity, user }) => identity.listSessions(user),
  })
  if ('reason' in read) return { sessions, signIns: null, reason: read.reason }
  const own = sessions.find((session) => session.current)
  const kept = signInOf(read.value, own)
  const signIns = read.value
    .toSorted(byLastUse)
    .slice(0, mostSessions)
    .map((signIn) => toProviderSession(signIn, kept))
  return { sessions, signIns, reason: null }
}

/**
 * Ends one of the caller's own sessions. Throws AppError `not_found`, also for another person's.
 */
export async function endOwnSession(ctx: Context, caller: Caller, id: string): Promise<void> {
  const own = { id, subject: caller.subject }
  await ctx.services.database.db.transaction().execute(async (trx) => {
    if (!(await deleteOwnWebSession(trx, own))) throw new AppError('not_found')
    await ctx.services.audit.record(ctx, caller, entryOf(caller, { sessions: 1, signIns: 0 }), trx)
  })
}

/**
 * Ends one of the caller's own sign-ins at the identity provider, which may end the sessions that
 * came of it. Throws AppError `not_found`, also for another person's, `upstream_failed`,
 * `unavailable`.
 */
export async function endOwnSignIn(ctx: Context, caller: Caller, id: string): Promise<void> {
  await orUpstreamFailed(async () => {
    const known = await callerAtProvider(ctx, caller)
    if (!known) throw new AppError('not_found')
    const { identity, user } = known
    await identity.endSession({ ...user, sessionId: id }).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'not_found')
        throw new AppError('not_found')
      throw error
    })
  })
  await ctx.services.audit.record(ctx, caller, entryOf(caller, { sessions: 0, signIns: 1 }))
}

/**
 * Ends every session of the caller but the one of the request, and every sign-in at the identity
 * provider but the one that the session most likely came of. The portals' end even when the
 * provider fails. Throws AppError `upstream_failed`.
 */
export async function endOtherSessions(ctx: Context, caller: Caller): Promise<EndedSessions> {
  const { database, audit } = ctx.services
  const { db } = database
  const { subject } = caller
  const keep = currentId(ctx)
  const before = await listWebSessionsOfSubject(db, subject, mostSessions)
  const own = before.find(({ id }) => id === keep)
  const sessions = await deleteOtherWebSessions(db, { subject, keep: own?.id })
  try {
    const signIns = await orUpstreamFailed(() => endOtherSignIns(ctx, caller, own))
    await db.transaction().execute(async (trx) => {
      // Those that a sign-in opened before it ended.
      await deleteOtherWebSessions(trx, { subject, keep: own?.id })
      await audit.record(ctx, caller, entryOf(caller, { sessions, signIns }), trx)
    })
    return { sessions, signIns }
  } catch (error) {
    if (error instanceof AppError && error.code === 'upstream_failed')
      await audit.record(ctx, caller, {
        ...entryOf(caller, { sessions, error: error.message }),
        outcome: 'failure',
      })
    throw error
  }
}

async function endOtherSignIns(
  ctx: Context,
  caller: Caller,
  own: Beginning | undefined,
): Promise<number> {
  if (!ctx.services.systems.identity) return 0
  const known = await callerAtProvider(ctx, caller)
  if (!known) return 0
  const { identity, user } = known
  const signIns = await identity.listSessions(user)
  const kept = signInOf(signIns, own)
  let ended = 0
  for (const { id } of signIns) {
    if (id === kept) continue
    await identity.endSession({ ...user, sessionId: id }).catch((error: unknown) => {
      // It ended meanwhile.
      if (!(error instanceof UpstreamError && error.kind === 'not_found')) throw error
    })
    ended += 1
  }
  return ended
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

const entryOf = (caller: Caller, metadata: Record<string, unknown>): AuditEntry => ({
  action: 'user.sessions_ended',
  resourceType: 'user',
  resourceId: caller.id ?? caller.subject,
  resourceName: caller.email ?? null,
  metadata,
})
