import { type GatheredHealth, gatherHealth, type HealthInput, tenantHealth } from '@atrium/core/health'
import type { TenantHealth } from '@atrium/core/tenants'
import type { Db } from '@atrium/db/connect'
import {
  type ComputedHealth,
  deleteOldHealthDays,
  type HealthFacts,
  listHealthDue,
  readHealthFacts,
  saveHealth,
  saveHealthSummaries,
} from '@atrium/db/health'
import type { House } from '../house.ts'
import { provisioningStatusOf } from '../tenants/view.ts'

const dayMs = 24 * 3600 * 1000
const recentMs = 30 * dayMs
const failuresMs = 60 * dayMs
/** A run passes over what was computed within this time, unless it fell due. */
const freshMs = 50 * 60 * 1000
const batch = 500
/** How long the health of a day is kept. */
export const keptHealthDays = 400

export interface FreshHealth {
  health: TenantHealth
  gathered: GatheredHealth
  facts: HealthFacts
}

/** The health of the named tenants from everything that is stored about them at this moment. Unknown ids are left out. */
export async function computeHealth(db: Db, tenantIds: readonly string[], now: Date): Promise<FreshHealth[]> {
  const times = { recentSince: new Date(now.getTime() - recentMs), failuresSince: new Date(now.getTime() - failuresMs) }
  const all = await readHealthFacts(db, tenantIds, times)
  return all.map((facts) => {
    const input = toInput(facts)
    const gathered = gatherHealth(input, now)
    return { facts, gathered, health: tenantHealth(input, gathered, now) }
  })
}

function toInput(facts: HealthFacts): HealthInput {
  const changed = (facts.steps ?? []).map((step) => step.changedAt)
  return {
    status: facts.status,
    createdAt: facts.createdAt,
    provisioningStatus: provisioningStatusOf(facts),
    provisioningChangedAt: changed.length > 0 ? new Date(Math.min(...changed)) : facts.createdAt,
    seats: facts.seats,
    memberCount: facts.memberCount,
    payment: facts.payment,
    activity: facts.activity,
    mailTrust: facts.mailTrust,
    security: facts.security,
  }
}

/** Computes the health of the named tenants now and keeps it. Answers how many there were. */
export async function refreshHealth({ database: { db }, clock }: House, tenantIds: readonly string[]): Promise<number> {
  const now = clock.now()
  const computed = (await computeHealth(db, tenantIds, now)).map(toComputed)
  await saveHealth(db, computed, now)
  return computed.length
}

/**
 * Every tenant once an hour, and sooner where payment or domains changed; the longest waiting first, in batches. Two processes at once
 * only do the work twice.
 */
export async function refreshAllHealth(house: House): Promise<number> {
  const { database, clock, background } = house
  const started = clock.now().getTime()
  let done = 0
  while (!background.ending) {
    const ids = await listHealthDue(database.db, new Date(started - freshMs), batch)
    if (ids.length === 0) break
    done += await refreshHealth(house, ids)
  }
  await summarizeHealth(house)
  await deleteOldHealthDays(database.db, new Date(started - keptHealthDays * dayMs).toISOString().slice(0, 10))
  return done
}

/** Brings the health report up to date. */
export async function summarizeHealth({ database, clock }: House): Promise<void> {
  await database.db.transaction().execute((trx) => saveHealthSummaries(trx, clock.now()))
}

function toComputed({ facts, health, gathered }: FreshHealth): ComputedHealth {
  const { score, band, factors } = health
  return { tenantId: facts.id, score, band, factors, gathered }
}
