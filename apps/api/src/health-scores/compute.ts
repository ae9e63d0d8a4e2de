import {
  type GatheredHealth,
  gatherHealth,
  type HealthInput,
  type StoredTenantHealth,
  tenantHealth,
} from '@atrium/core/health-scores/health'
import {
  type ComputedHealth,
  deleteOldHealthDays,
  findGatheredHealth,
  type HealthFacts,
  listHealthDue,
  readHealthFacts,
  saveHealth,
  saveHealthSummaries,
} from '@atrium/db/health-scores/health'
import type { Db } from '@atrium/db/platform/connect'
import type { Services } from '../rpc/services.ts'
import { provisioningStatusOf } from '../tenants/view.ts'

const hourMs = 3600 * 1000
const dayMs = 24 * hourMs
const recentMs = 30 * dayMs
const failuresMs = 60 * dayMs
/** A run passes over what was computed within this time, unless it fell due. */
const freshMs = 50 * 60 * 1000
const batch = 500
/** How long the health of a day is kept. */
export const keptHealthDays = 400

export interface FreshHealth {
  health: StoredTenantHealth
  gathered: GatheredHealth
  facts: HealthFacts
}

/**
 * The health of the named tenants from everything that is stored about them at this moment. Unknown
 * ids are left out.
 */
export async function computeHealth(
  db: Db,
  tenantIds: readonly string[],
  now: Date,
): Promise<FreshHealth[]> {
  const all = await readHealthFacts(db, tenantIds, timesAt(now))
  return all.map((facts) => {
    const input = toInput(facts)
    const gathered = gatherHealth(input, now)
    return { facts, gathered, health: tenantHealth(input, gathered, now) }
  })
}

/**
 * The health of one tenant, with the signals of members from a run of the last hour where there was
 * one. Undefined where there is no tenant.
 */
export async function computeTenantHealth(
  db: Db,
  tenantId: string,
  now: Date,
): Promise<StoredTenantHealth | undefined> {
  const run = await findGatheredHealth(db, tenantId, new Date(now.getTime() - hourMs))
  if (!run) return (await computeHealth(db, [tenantId], now))[0]?.health
  const [facts] = await readHealthFacts(db, [tenantId], timesAt(now), { members: false })
  if (!facts) return undefined
  const input = toInput(facts)
  const { signals, cap } = gatherHealth(input, now)
  const ofMembers = run.signals.filter(
    ({ signal }) => signal === 'activity' || signal === 'security',
  )
  return tenantHealth(input, { signals: [...signals, ...ofMembers], cap }, now)
}

const timesAt = (now: Date) => ({
  recentSince: new Date(now.getTime() - recentMs),
  failuresSince: new Date(now.getTime() - failuresMs),
})

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

/** Computes the health of the named tenants now and keeps it. Returns how many there were. */
export async function refreshHealth(
  { database: { db }, clock }: Services,
  tenantIds: readonly string[],
): Promise<number> {
  const now = clock.now()
  const computed = (await computeHealth(db, tenantIds, now)).map(toComputed)
  await saveHealth(db, computed, now)
  return computed.length
}

/**
 * Every tenant once an hour, and sooner where payment or domains changed; the longest waiting
 * first, in batches. Two processes at once only do the work twice.
 */
export async function refreshAllHealth(services: Services): Promise<number> {
  const { database, clock, background } = services
  const started = clock.now().getTime()
  let done = 0
  while (!background.ending) {
    const ids = await listHealthDue(database.db, new Date(started - freshMs), batch)
    if (ids.length === 0) break
    done += await refreshHealth(services, ids)
  }
  await summarizeHealth(services)
  await deleteOldHealthDays(
    database.db,
    new Date(started - keptHealthDays * dayMs).toISOString().slice(0, 10),
  )
  return done
}

/** Brings the health report up to date. */
export async function summarizeHealth({ database, clock }: Services): Promise<void> {
  await database.db.transaction().execute((trx) => saveHealthSummaries(trx, clock.now()))
}

function toComputed({ facts, health, gathered }: FreshHealth): ComputedHealth {
  const { score, band, factors } = health
  return { tenantId: facts.id, score, band, factors, gathered }
}
