import { countMails } from '@atrium/db/outbox/outbox'
import { clockDifferenceMs } from '@atrium/db/platform/clock'
import { findNewestMigration, pingDatabase } from '@atrium/db/platform/readiness'
import { newestMigration } from '@atrium/db/schema/newest-migration'
import type { IntegrationChecks } from '../platform/integration-checks.ts'
import type { Services } from '../rpc/services.ts'

export interface Readiness {
  ready: boolean
  checks: Record<'database' | 'migrations' | 'jobs' | 'clock' | 'issuers', string>
  integrations: ReturnType<IntegrationChecks['latest']>
  /**
   * Mails that are to be sent; null when they cannot be counted. `sending` is off where there is no
   * outgoing mail server: they wait.
   */
  outbox: {
    sending: 'on' | 'off'
    waiting: number
    failed: number
    gaveUp: number
    oldestWaiting: string | null
  } | null
}

/**
 * What `/health/ready` returns: `ok` or a sentence for each check, and the state of the upstream
 * systems. Database, migrations, job engine and clock decide readiness. Issuers do only where no
 * keys of any could be read, so that no token can be verified. The upstream systems do not: without
 * them the service still reads, and provisioning waits.
 */
export async function checkReadiness(
  services: Services,
  integrations: IntegrationChecks,
): Promise<Readiness> {
  const issuers = [...services.config.tokens.subjectPrefixes.keys()]
  const [database, migrations, jobs, clock, withoutKeys, outbox] = await Promise.all([
    said(async () => {
      await pingDatabase(services.database.db)
      return 'ok'
    }, 'The database does not answer.'),
    said(async () => {
      const found = (await findNewestMigration(services.database.db)) ?? 'none'
      return found >= newestMigration
        ? 'ok'
        : `The schema stands at ${found}; this version needs ${newestMigration}.`
    }, 'The state of the migrations cannot be read.'),
    said(() => services.jobs.health(), 'The job engine cannot be asked.'),
    said(
      async () => clockFault(await clockDifferenceMs(services.database.db)) ?? 'ok',
      'The time of the database cannot be read.',
    ),
    inTime(() => services.tokens.issuersWithoutKeys(), issuers),
    mailQueue(services),
  ])
  const deciding = { database, migrations, jobs, clock }
  const ready =
    Object.values(deciding).every((check) => check === 'ok') && withoutKeys.length < issuers.length
  const unreachable =
    withoutKeys.length === 0 ? 'ok' : `No keys could be read from ${withoutKeys.join(', ')}.`
  return {
    ready,
    checks: { ...deciding, issuers: unreachable },
    integrations: integrations.latest(),
    outbox,
  }
}

const longestClockDifferenceMs = 30_000

function clockFault(differenceMs: number): string | undefined {
  if (Math.abs(differenceMs) <= longestClockDifferenceMs) return undefined
  const seconds = Math.round(Math.abs(differenceMs) / 1000)
  return `The clock of this machine is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the database's; at most 30 s are accepted.`
}

async function mailQueue({ database, systems }: Services): Promise<Readiness['outbox']> {
  const counted = await inTime(() => countMails(database.db), undefined)
  if (!counted) return null
  const { oldestWaiting, ...counts } = counted
  return {
    sending: systems.mailer ? 'on' : 'off',
    ...counts,
    oldestWaiting: oldestWaiting?.toISOString() ?? null,
  }
}

function said(check: () => Promise<string>, failure: string): Promise<string> {
  return inTime(check, failure)
}

async function inTime<Result, Failure>(
  ask: () => Promise<Result>,
  failure: Failure,
): Promise<Result | Failure> {
  const deadline = new Promise<Failure>((done) => setTimeout(() => done(failure), 2_000).unref())
  return Promise.race([ask().catch(() => failure), deadline])
}
