import { type OutsideSystemHealth, outsideSystems } from '@atrium/core/system/system'
import { checkIntegrations, type Integrations } from '@atrium/integrations/connect'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'
import { createRightsTrials } from './rights-trials.ts'

type Checks = Awaited<ReturnType<typeof checkIntegrations>>

export interface IntegrationChecks {
  /** Checks every system now. Never throws; a system that is down is reported in its entry. */
  refresh(): Promise<Checks>
  /**
   * The last results. When they are older than 15 s, new checks start in the background, so that no
   * caller waits for a slow system.
   */
  latest(): Checks | undefined
  /**
   * Each system with its state and since when, as this process saw it. Refreshes in the background
   * as `latest` does.
   */
  states(): Omit<OutsideSystemHealth, 'lastError' | 'days'>[]
}

const freshMs = 15_000
const deadlineMs = 5_000

export function createIntegrationChecks(
  integrations: Integrations,
  clock: Clock,
  log: Logger,
): IntegrationChecks {
  const trials = createRightsTrials(integrations, clock)
  let checks: Checks | undefined
  let at = Number.NEGATIVE_INFINITY
  let asking: Promise<Checks> | undefined
  const seen = new Map<string, Pick<OutsideSystemHealth, 'since'>>()
  function note(
    system: string,
    check: Checks[keyof Checks],
    before: Checks[keyof Checks] | undefined,
  ): void {
    const known = seen.get(system)
    seen.set(system, {
      since: known && before?.state === check.state ? known.since : check.checkedAt,
    })
  }
  function take(responses: Checks): Checks {
    for (const [system, check] of Object.entries(responses)) {
      const before = checks?.[system as keyof Checks]
      note(system, check, before)
      if (check.state === 'error' && before?.state !== 'error')
        log.warn({ system, reason: check.message }, 'upstream system unavailable')
      if (check.state === 'ok' && before?.state === 'error')
        log.info({ system }, 'upstream system available again')
    }
    checks = responses
    at = clock.now().getTime()
    return responses
  }
  async function ask(): Promise<Checks> {
    const responses = await checkIntegrations(integrations, { deadlineMs, now: () => clock.now() })
    // What is known already is shown while rights are tried, which may take seconds.
    take(trials.judge(responses))
    await trials.attempt(responses)
    return take(trials.judge(responses))
  }
  function refresh(): Promise<Checks> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
  function latest(): Checks | undefined {
    if (clock.now().getTime() - at > freshMs)
      refresh().catch((err: unknown) => log.error({ err }, 'failed to check upstream systems'))
    return checks
  }
  return {
    refresh,
    latest,
    states() {
      const responses = latest()
      return outsideSystems.map((system) => {
        const check = responses?.[system]
        const { since } = seen.get(system) ?? { since: null }
        return {
          system,
          state: check?.state ?? 'unknown',
          since,
          checkedAt: check?.checkedAt ?? null,
          latencyMs: check?.latencyMs ?? null,
          message: check?.message ?? null,
        }
      })
    },
  }
}
