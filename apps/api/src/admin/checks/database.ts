import { clockDifferenceMs } from '@atrium/db/platform/clock'
import type { Database } from '@atrium/db/platform/connect'
import { findNewestMigration, hasJobEngine } from '@atrium/db/platform/readiness'
import { newestMigration } from '@atrium/db/schema/newest-migration'
import { readServerFacts } from '@atrium/db/server/server-faults'
import { type AccountFacts, readAccountFacts } from '@atrium/db/system/account-facts'
import { readReplicaLag, readServer } from '@atrium/db/system/system'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import type { Config } from '../../platform/config.ts'
import { checkVersion } from './versions.ts'

/** Server, account, schema, connections and standby. Only the first where the server is away. */
export async function checkDatabase(config: Config, database: Database): Promise<SetupFinding[]> {
  const { db } = database
  const facts = await readAccountFacts(db).catch(() => undefined)
  if (!facts)
    return [
      error('database', 'does not answer. Check DATABASE_URL, and that the server accepts it.'),
    ]
  const migration = await findNewestMigration(db).catch(() => undefined)
  return [
    checkVersion('postgresql', facts.version),
    ...accountFindings(config, facts),
    schemaFinding(migration),
    ...(migration === undefined ? [] : await serverFindings(database)),
    await jobEngineFinding(database),
    await clockFinding(database),
    ...(await directFindings(config)),
  ]
}

function accountFindings(config: Config, facts: AccountFacts): SetupFinding[] {
  const need = 'database account'
  const findings: SetupFinding[] = []
  if (facts.superuser) {
    const text = 'is a superuser. Use one that is a member of atrium_app.'
    findings.push(config.production ? error(need, text) : warning(need, text))
  } else {
    if (!facts.member)
      findings.push(error(need, 'is no member of atrium_app. Run "grant atrium_app to" it.'))
    if (facts.mayChangeSchema)
      findings.push(error(need, 'may change the schema. Use another account than the owner.'))
    if (facts.mayChangeAudit)
      findings.push(error(need, 'may change the audit log. Revoke update and delete from it.'))
    if (findings.length === 0) findings.push(ok(`${need}: least rights`))
  }
  if (!facts.hasTrigrams)
    findings.push(
      error('extension pg_trgm', 'is missing. As a superuser: create extension pg_trgm.'),
    )
  if (facts.statementTimeout === '0')
    findings.push(
      warning(
        'time limit of statements',
        'is not set, as behind a pooler. See "A transaction pooler" in docs/how-to/operate.md.',
      ),
    )
  return findings
}

function schemaFinding(found: string | undefined): SetupFinding {
  const need = `schema ${found ?? 'none'}`
  if (found === undefined || found < newestMigration)
    return error(need, `is older than ${newestMigration}. Run migrate of this version.`)
  return found === newestMigration
    ? ok(need)
    : warning(need, `is newer than ${newestMigration}: a newer version has migrated it.`)
}

/** Above this share of its connections the server soon rejects the next one. */
const mostConnectionsUsed = 0.8
const longestReplicaLagSeconds = 60

async function serverFindings(database: Database): Promise<SetupFinding[]> {
  const { used, most, position } = await readServer(database.db)
  const need = `connections of the database (${used} of ${most})`
  const findings = [
    used <= most * mostConnectionsUsed
      ? ok(need)
      : warning(need, 'are nearly used up. Raise max_connections, or put a pooler in between.'),
  ]
  const standby = await readReplicaLag(database, position).catch(() => null)
  if (standby === null)
    findings.push(error('standby', 'does not answer. Check DATABASE_REPLICA_URL.'))
  else if (standby)
    findings.push(
      standby.lagSeconds <= longestReplicaLagSeconds
        ? ok('standby')
        : warning('standby', `is ${Math.round(standby.lagSeconds)} s behind. Check its disk.`),
    )
  return findings
}

async function jobEngineFinding({ db }: Database): Promise<SetupFinding> {
  const need = 'job engine'
  return (await hasJobEngine(db).catch(() => false))
    ? ok(need)
    : error(need, 'is not installed. Run migrate of this version.')
}

const longestClockDifferenceMs = 30_000
const usualClockDifferenceMs = 2_000

async function clockFinding({ db }: Database): Promise<SetupFinding> {
  return clockDifferenceFinding('clock, beside that of the database', await clockDifferenceMs(db))
}

/** What a clock that differs by so much means. */
export function clockDifferenceFinding(need: string, differenceMs: number): SetupFinding {
  const difference = Math.abs(differenceMs)
  if (difference <= usualClockDifferenceMs) return ok(need)
  const text = `differs by ${Math.round(difference / 1000)} s. Set both machines by NTP.`
  return difference <= longestClockDifferenceMs ? warning(need, text) : error(need, text)
}

async function directFindings(config: Config): Promise<SetupFinding[]> {
  const { databaseDirectUrl: url } = config
  if (url === null || url === config.databaseUrl) return []
  return readServerFacts(url).then(
    () => [ok('DATABASE_DIRECT_URL')],
    () => [error('DATABASE_DIRECT_URL', 'does not answer. Listeners and reports need it.')],
  )
}
