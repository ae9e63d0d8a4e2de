import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type {
  CreatedServiceToken,
  RotateServiceToken,
  ServiceTokenPath,
} from '@atrium/core/service-tokens/service-tokens'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import {
  findServiceToken,
  revokeServiceToken as revoke,
  rotateServiceToken as rotate,
} from '@atrium/db/service-tokens/service-tokens'
import { newSecret, writeServiceToken } from '../platform/service-token.ts'
import type { Context } from '../rpc/context.ts'
import { endIn } from './create.ts'
import { type Holder, recordToken } from './owner.ts'
import { toServiceTokenView } from './view.ts'

const hourMs = 3_600_000
/** A token can be revoked whatever became of its tenant. */
const evenClosed: readonly TenantStatus[] = ['suspended', 'deleted']

/**
 * Gives a token a new secret and returns its text. The secret before is accepted for the hours of
 * the overlap, and never one from before that. Throws AppError `not_found`, and what the change of
 * its owner throws.
 */
export async function rotateServiceToken(
  ctx: Context,
  holder: Holder,
  { id, overlapHours, expiresInDays }: RotateServiceToken,
): Promise<CreatedServiceToken> {
  const now = ctx.services.clock.now()
  const { secret, secretHash } = newSecret()
  const row = await holder.change(async (trx) => {
    const rotated = await rotate(trx, holder.owner, id, {
      secretHash,
      at: now,
      previousEndsAt: new Date(now.getTime() + overlapHours * hourMs),
      end: expiresInDays === undefined ? undefined : endIn(now, expiresInDays),
    })
    const stored = rotated ? await findServiceToken(trx, holder.owner, id) : undefined
    if (!stored) throw noSuchToken()
    await recordToken(ctx, trx, holder, stored, 'service_token.rotated', {
      overlapHours,
      expiresAt: stored.expiresAt,
    })
    return stored
  })
  return { ...toServiceTokenView(row, now), token: writeServiceToken(id, secret) }
}

/**
 * Revokes a token. Calls that have not written yet are rejected from now on, in every process,
 * because each call reads the token. Throws AppError `not_found`, and what the change of its owner
 * throws.
 */
export async function revokeServiceToken(
  ctx: Context,
  holder: Holder,
  { id }: ServiceTokenPath,
): Promise<void> {
  const at = ctx.services.clock.now()
  await holder.change(async (trx) => {
    const revoked = await revoke(trx, holder.owner, id, { at, by: holder.caller.id ?? null })
    const stored = revoked ? await findServiceToken(trx, holder.owner, id) : undefined
    if (!stored) throw noSuchToken()
    await recordToken(ctx, trx, holder, stored, 'service_token.revoked')
  }, evenClosed)
}

const noSuchToken = () => new AppError('not_found', errorText('unknownServiceToken'))
