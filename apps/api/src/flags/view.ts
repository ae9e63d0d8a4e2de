import type { FlagSettings, FlagView } from '@atrium/core/flags/flags'
import type { FlagRow } from '@atrium/db/flags/flags'

export function toFlagView(row: FlagRow): FlagView {
  return {
    ...toFlagSettings(row),
    id: row.id,
    key: row.key,
    salt: row.salt,
    note: row.note,
    version: row.version,
    requiredBy: row.requiredBy,
    lastAskedAt: row.lastAskedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    updatedBy: row.updatedBy,
  }
}

/** What an operator decided about the flag; the part that the history keeps. */
export function toFlagSettings(row: FlagRow): FlagSettings {
  return {
    description: row.description,
    owner: row.owner,
    state: row.state,
    percentage: row.percentage,
    allowTenants: row.allowTenants,
    denyTenants: row.denyTenants,
    allowPartners: row.allowPartners,
    allowPlans: row.allowPlans,
    prerequisites: row.prerequisites,
    guards: row.guards,
    enabledFrom: row.enabledFrom?.toISOString() ?? null,
    enabledUntil: row.enabledUntil?.toISOString() ?? null,
    staleAfter: row.staleAfter,
    killedAt: row.killedAt?.toISOString() ?? null,
    rollback: row.rollback,
  }
}
