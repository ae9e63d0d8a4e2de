import { setImmediate } from 'node:timers/promises'
import { createFlagEvaluation, type FlagRules } from '@atrium/core/flags/flag-evaluation'
import {
  breaksGuard,
  type FlagGuard,
  type FlagGuardReading,
  type FlagGuardReadings,
  failureRate,
  type GroupCount,
  guardWindowStart,
  isFailing,
  type SignalReading,
} from '@atrium/core/flags/flag-guards'
import {
  findGuardedFlag,
  type GuardedFlag,
  readSignal,
  type TenantSignal,
} from '@atrium/db/flags/flag-signals'
import { findFlag, readFlagRules } from '@atrium/db/flags/flags'
import { hashOnce } from '../platform/flag-evaluator.ts'
import type { Services } from '../rpc/services.ts'
import { unknownFlag } from './get.ts'

/**
 * What each guard rule of a flag sees now, in every state of the flag: rates in percent, null
 * without events. AppError `not_found` for an unknown flag.
 */
export async function readFlagGuards(services: Services, key: string): Promise<FlagGuardReadings> {
  const { db } = services.database
  const now = services.clock.now()
  const [flag, row] = [await findGuardedFlag(db, key), await findFlag(db, key)]
  if (!flag || !row) throw unknownFlag()
  const guards = await readGuards(services, flag, await flagRules(services), now)
  return {
    key,
    version: flag.version,
    at: now.toISOString(),
    acting: row.state === 'rollout',
    guards,
  }
}

/** The stored flags, not this process's cache. */
export async function flagRules({ database }: Services): Promise<FlagRules> {
  return new Map((await readFlagRules(database.db)).map((rule) => [rule.key, rule]))
}

export async function readGuards(
  services: Services,
  flag: GuardedFlag,
  rules: FlagRules,
  now: Date,
): Promise<FlagGuardReading[]> {
  const readings: FlagGuardReading[] = []
  for (const guard of flag.guards)
    readings.push(await readGuard(services, flag, { guard, rules, now }))
  return readings
}

async function readGuard(
  { database }: Services,
  flag: GuardedFlag,
  { guard, rules, now }: { guard: FlagGuard; rules: FlagRules; now: Date },
): Promise<FlagGuardReading> {
  const since = new Date(
    guardWindowStart(now.getTime(), guard.windowMinutes, flag.reachedSince.getTime()),
  )
  const tenants = await readSignal(database.db, guard.signal, since, now)
  const { on, off } = await split(tenants, flag.key, { guard, rules, now })
  return {
    ...guard,
    since: since.toISOString(),
    on: toReading(on),
    off: toReading(off),
    broken: breaksGuard(guard, on, off),
  }
}

/** So many tenants are evaluated in one go before others get their turn. */
const atOnce = 1_000

/** Adds up what happened among tenants for which the flag is on, and among the others. */
async function split(
  tenants: readonly TenantSignal[],
  key: string,
  { guard, rules, now }: { guard: FlagGuard; rules: FlagRules; now: Date },
): Promise<{ on: GroupCount; off: GroupCount }> {
  const nothing: GroupCount = { events: 0, failures: 0, tenants: 0, failingTenants: 0 }
  const [on, off] = [{ ...nothing }, { ...nothing }]
  for (const [index, tenant] of tenants.entries()) {
    const { value } = createFlagEvaluation({
      rules,
      target: tenant,
      now: now.getTime(),
      hash: hashOnce,
    })(key)
    const side = value ? on : off
    side.events += tenant.events
    side.failures += tenant.failures
    side.tenants++
    if (isFailing(guard, tenant)) side.failingTenants++
    if (index % atOnce === atOnce - 1) await setImmediate()
  }
  return { on, off }
}

function toReading(count: GroupCount): SignalReading {
  return { ...count, rate: failureRate(count) }
}
