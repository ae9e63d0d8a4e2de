import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { canonicalAllowlist } from '@atrium/core/security-policy/ip-allowlist'
import { type ServiceScope, scopesOfKind } from '@atrium/core/service-tokens/scopes'
import {
  type CreatedServiceToken,
  type CreateServiceToken,
  reminderDays,
} from '@atrium/core/service-tokens/service-tokens'
import {
  countServiceTokens,
  findServiceToken,
  insertServiceToken,
} from '@atrium/db/service-tokens/service-tokens'
import { newSecret, writeServiceToken } from '../platform/service-token.ts'
import type { Context } from '../rpc/context.ts'
import { type Holder, recordToken } from './owner.ts'
import { toServiceTokenView } from './view.ts'

/**
 * Creates a service token and returns its text, which is not stored. Throws AppError
 * `invalid_input`, `limit_reached`, and what the change of its owner throws.
 */
export async function createServiceToken(
  ctx: Context,
  holder: Holder,
  input: CreateServiceToken,
): Promise<CreatedServiceToken> {
  const { services } = ctx
  const { owner } = holder
  const scopes = checkedScopes(owner.kind, input.scopes)
  const networks = checkedNetworks(input.networks)
  const now = services.clock.now()
  const row = await holder.change(async (trx) => {
    if (owner.kind !== 'platform')
      await services.limits.requireCapacity(
        trx,
        'service_tokens',
        owner.kind === 'tenant' ? owner.tenantId : undefined,
        await countServiceTokens(trx, owner),
      )
    const { secret, secretHash } = newSecret()
    const id = await insertServiceToken(trx, owner, {
      name: input.name,
      scopes,
      networks,
      secretHash,
      createdBy: holder.caller.id ?? null,
      createdAt: now,
      ...endIn(now, input.expiresInDays),
    })
    const stored = await findServiceToken(trx, owner, id)
    if (!stored) throw new Error(`the service token ${id} is gone`)
    await recordToken(ctx, trx, holder, stored, 'service_token.created', {
      scopes: stored.scopes,
      networks: stored.networks,
      expiresAt: stored.expiresAt,
    })
    return { ...stored, token: writeServiceToken(id, secret) }
  })
  return { ...toServiceTokenView(row, now), token: row.token }
}

/** Each scope once, in the order of the list. */
function checkedScopes(
  kind: keyof typeof scopesOfKind,
  requested: readonly ServiceScope[],
): ServiceScope[] {
  const possible = scopesOfKind[kind]
  const issues = requested.flatMap((scope, index) =>
    possible.includes(scope)
      ? []
      : [{ path: `scopes.${index}`, message: errorText('scopeOfOthers', { scope }) }],
  )
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  return possible.filter((scope) => requested.includes(scope))
}

function checkedNetworks(entries: readonly string[]): string[] {
  const read = canonicalAllowlist(entries)
  if (!('issues' in read)) return read.entries
  const issues = read.issues.map(({ path, message }) => ({
    path: path.replace('ipAllowlist', 'networks'),
    message,
  }))
  throw new AppError('invalid_input', undefined, { issues })
}

const dayMs = 86_400_000

/** The end of a token, with the reminders that a life of so many days leaves out. */
export function endIn(now: Date, days: number): { expiresAt: Date; remindedDays: number | null } {
  const leftOut = reminderDays.filter((before) => before >= days)
  return {
    expiresAt: new Date(now.getTime() + days * dayMs),
    remindedDays: leftOut.length > 0 ? Math.min(...leftOut) : null,
  }
}
