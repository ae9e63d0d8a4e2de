import { newestMigration } from '@atrium/db/newest-migration'
import { countMails } from '@atrium/db/outbox'
import { CompiledQuery } from 'kysely'
import type { House } from './house.ts'
import type { IntegrationChecks } from './integration-checks.ts'

export interface Readiness {
  ready: boolean
  checks: Record<'database' | 'migrations' | 'jobs', string>
  integrations: ReturnType<IntegrationChecks['latest']>
  /** Mails that are to be sent; null when they cannot be counted. `sending` is off where there is no outgoing mail server: they wait. */
  outbox: { sending: 'on' | 'off'; waiting: number; failed: number; gaveUp: number; oldestWaiting: string | null } | null
}

/**
 * What `/health/ready` answers: `ok` or a sentence for database, migrations and job engine, which decide readiness, and the state of
 * the outside systems, which does not: without them the service still reads, and provisioning waits.
 */
export async function checkReadiness(house: House, integrations: IntegrationChecks): Promise<Readiness> {
  const [database, migrations, jobs, outbox] = await Promise.all([
    said(async () => {
      await house.database.db.executeQuery(CompiledQuery.raw('select 1'))
      return 'ok'
    }, 'The database does not answer.'),
    said(async () => {
      const { rows } = await house.database.db.executeQuery<{ name: string }>(
        CompiledQuery.raw('select name from kysely_migration order by name desc limit 1'),
      )
      const found = rows[0]?.name ?? 'none'
      return found >= newestMigration ? 'ok' : `The schema stands at ${found}; this version needs ${newestMigration}.`
    }, 'The state of the migrations cannot be read.'),
    said(() => house.jobs.health(), 'The job engine cannot be asked.'),
    mailQueue(house),
  ])
  const checks = { database, migrations, jobs }
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks, integrations: integrations.latest(), outbox }
}

async function mailQueue({ database, systems }: House): Promise<Readiness['outbox']> {
  const counted = await inTime(() => countMails(database.db), undefined)
  if (!counted) return null
  const { oldestWaiting, ...counts } = counted
  return { sending: systems.mailer ? 'on' : 'off', ...counts, oldestWaiting: oldestWaiting?.toISOString() ?? null }
}

function said(check: () => Promise<string>, failure: string): Promise<string> {
  return inTime(check, failure)
}

async function inTime<Answer, Failure>(ask: () => Promise<Answer>, failure: Failure): Promise<Answer | Failure> {
  const deadline = new Promise<Failure>((done) => setTimeout(() => done(failure), 2_000).unref())
  return Promise.race([ask().catch(() => failure), deadline])
}
