import { checkIntegrations, type Integrations } from '@atrium/integrations/connect'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

type Checks = Awaited<ReturnType<typeof checkIntegrations>>

export interface IntegrationChecks {
  /** Asks every system now. Never throws; a system that is down is told in its entry. */
  refresh(): Promise<Checks>
  /** The last answers. When they are older than 15 s new ones are asked for in the background, so that nobody waits for a slow system. */
  latest(): Checks | undefined
}

const freshMs = 15_000
const deadlineMs = 5_000

export function createIntegrationChecks(integrations: Integrations, clock: Clock, log: Logger): IntegrationChecks {
  let checks: Checks | undefined
  let at = Number.NEGATIVE_INFINITY
  let asking: Promise<Checks> | undefined
  function refresh(): Promise<Checks> {
    asking ??= checkIntegrations(integrations, { deadlineMs, now: () => clock.now() })
      .then((answers) => {
        for (const [system, check] of Object.entries(answers)) {
          const before = checks?.[system as keyof Checks]?.state
          if (check.state === 'error' && before !== 'error')
            log.warn({ system, reason: check.message }, 'an outside system does not answer')
          if (check.state === 'ok' && before === 'error') log.info({ system }, 'an outside system answers again')
        }
        checks = answers
        at = clock.now().getTime()
        return answers
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return {
    refresh,
    latest() {
      if (clock.now().getTime() - at > freshMs)
        refresh().catch((err: unknown) => log.error({ err }, 'the outside systems could not be checked'))
      return checks
    },
  }
}
