import type { IntegrationCheck, IntegrationName, Integrations } from '@atrium/integrations/connect'
import { deadline } from '@atrium/integrations/deadline'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { Clock } from './clock.ts'

const deadlineMs = 10_000
/** Between two tries of a system whose rights do not suffice, or that failed. */
const againMs = 60_000

type Checks = Record<IntegrationName, IntegrationCheck>

/**
 * Tests with real objects whether our credentials may do what provisioning needs, where names of
 * permissions are not enough: once per start of the process, and when a system becomes available
 * again. Until it succeeds it runs every minute, so that fixed permissions are noticed.
 */
export function createRightsTrials(
  { identity, mail }: Pick<Integrations, 'identity' | 'mail'>,
  clock: Clock,
) {
  const trials = [trialOf('identity', identity, clock), trialOf('mail', mail, clock)]
  return {
    /**
     * The checks, with `error` and the missing rights where a system can be reached and its rights
     * are known not to suffice.
     */
    judge(checks: Checks): Checks {
      return {
        ...checks,
        ...Object.fromEntries(trials.map(({ system, judge }) => [system, judge(checks[system])])),
      }
    },
    /** Tries the systems that can be reached and whose turn it is. */
    async attempt(checks: Checks): Promise<void> {
      await Promise.all(trials.map(({ system, attempt }) => attempt(checks[system])))
    },
  }
}

function trialOf(
  system: 'identity' | 'mail',
  client: NonNullable<Integrations['identity' | 'mail']> | null,
  clock: Clock,
) {
  let succeeded = false
  let fault: string | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  async function tryRights(tried: NonNullable<typeof client>): Promise<void> {
    triedAt = clock.now().getTime()
    const limit = deadline(deadlineMs, undefined)
    try {
      await tried.tryRights({ signal: limit.signal })
      succeeded = true
      fault = undefined
    } catch (error) {
      // What passes by itself says nothing about rights.
      if (isTransient(error)) return
      if (!(error instanceof UpstreamError)) throw error
      fault = error.message
    } finally {
      limit.clear()
    }
  }

  return {
    system,
    judge(check: IntegrationCheck): IntegrationCheck {
      return check.state === 'ok' && fault !== undefined
        ? { ...check, state: 'error', message: fault }
        : check
    },
    async attempt(check: IntegrationCheck): Promise<void> {
      if (!client) return
      if (check.state !== 'ok') succeeded = false
      else if (!succeeded && clock.now().getTime() - triedAt >= againMs) await tryRights(client)
    },
  }
}
