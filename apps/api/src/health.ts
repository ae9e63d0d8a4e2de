import { newestMigration } from '@atrium/db/migrate'
import { CompiledQuery } from 'kysely'
import type { House } from './house.ts'
import type { IntegrationChecks } from './integration-checks.ts'

export interface Readiness {
  ready: boolean
  checks: Record<'database' | 'migrations' | 'jobs', string>
  integrations: ReturnType<IntegrationChecks['latest']>
}

/**
 * What `/health/ready` answers: `ok` or a sentence for database, migrations and job engine, which decide readiness, and the state of
 * the outside systems, which does not: without them the service still reads, and provisioning waits.
 */
export async function checkReadiness(house: House, integrations: IntegrationChecks): Promise<Readiness> {
  const [database, migrations, jobs] = await Promise.all([
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
  ])
  const checks = { database, migrations, jobs }
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks, integrations: integrations.latest() }
}

async function said(check: () => Promise<string>, failure: string): Promise<string> {
  const deadline = new Promise<string>((done) => setTimeout(() => done(failure), 2_000).unref())
  return Promise.race([check().catch(() => failure), deadline])
}
