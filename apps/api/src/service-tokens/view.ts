import type {
  ServiceTokenState,
  ServiceTokenView,
} from '@atrium/core/service-tokens/service-tokens'
import type { ServiceTokenRow } from '@atrium/db/service-tokens/service-tokens'

/** A token as people see it: without any hash. */
export function toServiceTokenView(row: ServiceTokenRow, now: Date): ServiceTokenView {
  const { lastUsedAt, lastUsedIp, lastUsedProcedure } = row
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    state: stateOf(row, now),
    scopes: row.scopes,
    networks: row.networks,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    rotatedAt: row.rotatedAt?.toISOString() ?? null,
    previousEndsAt:
      row.previousEndsAt !== null && row.previousEndsAt > now
        ? row.previousEndsAt.toISOString()
        : null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUse:
      lastUsedAt === null
        ? null
        : { at: lastUsedAt.toISOString(), ip: lastUsedIp, procedure: lastUsedProcedure ?? '' },
  }
}

function stateOf({ revokedAt, expiresAt }: ServiceTokenRow, now: Date): ServiceTokenState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'active'
}
