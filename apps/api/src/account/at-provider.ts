import { findUser } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { failureTexts } from '@atrium/messages/failure-texts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { readerLanguage } from '../rpc/reader-language.ts'
import { idpUserIdOf, requireIdentity } from '../users/identity.ts'

/** The caller at the identity provider. */
export interface KnownCaller {
  identity: IdentityProvider
  user: { userId: string; username: string }
}

/** Undefined for a person without a record, or whom the provider does not know. */
export async function callerAtProvider(
  { services }: Context,
  { id }: Caller,
): Promise<KnownCaller | undefined> {
  const identity = requireIdentity(services)
  const user = id === undefined ? undefined : await findUser(services.database.db, id)
  if (!user) return undefined
  const userId = await idpUserIdOf(services, user)
  if (userId === undefined) return undefined
  return { identity, user: { userId, username: user.email } }
}

/**
 * What the provider has of the caller, `none` where it does not know them. When it cannot be asked
 * the reason, fit to be shown.
 */
export async function readAtProvider<Value>(
  ctx: Context,
  caller: Caller,
  { none, read }: { none: Value; read: (known: KnownCaller) => Promise<Value> },
): Promise<{ value: Value } | { reason: string }> {
  if (!ctx.services.systems.identity)
    return { reason: failureTexts(readerLanguage())('readings.noIdentityProvider') }
  try {
    const known = await callerAtProvider(ctx, caller)
    return { value: known ? await read(known) : none }
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    ctx.services.log.warn({ err }, 'failed to read the account at the identity provider')
    return { reason: err.message }
  }
}
