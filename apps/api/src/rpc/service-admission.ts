import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { scopesNeeded } from '@atrium/core/service-tokens/scopes'
import { noteServiceTokenUse } from '@atrium/db/service-tokens/callers'
import type { Context } from './context.ts'
import type { ProcedureMeta } from './procedure-meta.ts'
import type { ServiceToken } from './service-caller.ts'
import { visitorAddress } from './visitor-address.ts'

/**
 * For every call with a service token, before its guard: counts the call, checks the token's scopes
 * and notes its use. Throws AppError `rate_limited`, `insufficient_scope`.
 */
export async function admitService(
  ctx: Context,
  token: ServiceToken,
  { path, meta }: { path: string; meta: ProcedureMeta | undefined },
): Promise<void> {
  const { services, request } = ctx
  await services.limits.take(request, [{ limit: 'service_token_minute', of: token.id }])
  const at = services.clock.now()
  if (token.lastUsedAt === null || at.getTime() - token.lastUsedAt.getTime() >= 60_000) {
    const ip = visitorAddress(ctx)
    await noteServiceTokenUse(services.database, token.id, {
      at,
      ip: ip === '' ? null : ip,
      procedure: path,
    }).catch((err: unknown) => services.log.warn({ err }, 'failed to note the use of a token'))
  }
  const needed = scopesNeeded(meta?.scope, meta?.secretResponse ?? false)
  if (needed === undefined) throw new AppError('insufficient_scope', errorText('notForServices'))
  const missing = needed.filter((scope) => !token.scopes.includes(scope))
  if (missing.length > 0)
    throw new AppError(
      'insufficient_scope',
      errorText('missingScopes', { scopes: missing.join(', ') }),
      { scopes: needed },
    )
}
