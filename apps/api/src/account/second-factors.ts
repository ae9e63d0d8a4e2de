import type { OwnSecondFactors } from '@atrium/core/account/second-factors'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { readAtProvider } from './at-provider.ts'

/** The caller's second factors and recovery codes, as the identity provider has them now. */
export async function listOwnSecondFactors(
  ctx: Context,
  caller: Caller,
): Promise<OwnSecondFactors> {
  const read = await readAtProvider(ctx, caller, {
    none: [],
    read: ({ identity, user }) => identity.listDevices(user.userId),
  })
  if ('reason' in read) return { items: null, reason: read.reason }
  const items = read.value
    .filter(({ confirmed }) => confirmed)
    .map(({ kind, name, createdAt, lastUsedAt }) => ({
      kind,
      name,
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
    }))
  return { items, reason: null }
}
