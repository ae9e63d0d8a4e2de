import { statfs } from 'node:fs/promises'
import { version } from '@atrium/core/platform/version'
import { migrationNames } from '@atrium/db/schema/migrate'
import { readUpgradeFacts, type UpgradeFacts } from '@atrium/db/schema/upgrade-facts'
import { error, ok, warning } from '@atrium/integrations/identity/authentik-setup-findings'
import { z } from 'zod'
import { checkVersion } from './checks/versions.ts'
import type { Finding } from './findings.ts'

export interface UpgradeOptions {
  /** The account that will run the migrations, or the API's where that one is not at hand. */
  ownerUrl: string
  /** The API's account: only it sees what transactions the running processes have open. */
  apiUrl?: string | undefined
  /** The API that runs now, such as `http://127.0.0.1:4000`. */
  running?: string | undefined
  /** A folder on the database's disk. */
  disk?: string | undefined
  /** Seconds after which an open transaction is in the way. */
  longSeconds?: number
}

/** A migration waits at most half a second for a lock, and gives up after ten tries. */
const usualLongSeconds = 60

/**
 * What an upgrade to this version would do and what is in its way. Run with the new version, before
 * its migrations. Changes nothing.
 */
export async function checkUpgrade(options: UpgradeOptions): Promise<Finding[]> {
  const { longSeconds = usualLongSeconds } = options
  const facts = await readUpgradeFacts(options.ownerUrl, longSeconds).catch(() => undefined)
  if (!facts)
    return [error('database', 'does not answer. Check DATABASE_URL and DATABASE_MIGRATION_URL.')]
  const seen = options.apiUrl
    ? await readUpgradeFacts(options.apiUrl, longSeconds).catch(() => undefined)
    : undefined
  return [
    checkVersion('postgresql', facts.serverVersion),
    ...migrationFindings(facts),
    ...transactionFindings(facts, seen),
    ...(facts.invalidIndexes.length === 0
      ? []
      : [
          warning(
            `indexes ${facts.invalidIndexes.join(', ')}`,
            'were not completed. The migration builds them again, which takes minutes.',
          ),
        ]),
    await diskFinding(facts, options.disk),
    ...(options.running ? [await distanceFinding(options.running)] : []),
  ]
}

function migrationFindings({ applied }: UpgradeFacts): Finding[] {
  const coming = migrationNames.filter((name) => !applied.includes(name))
  const unknown = applied.filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0)
    return [
      error(
        'migrations',
        `${unknown.join(', ')} are applied and unknown to this version. Use the newer version.`,
      ),
    ]
  return [
    ok(
      coming.length === 0 ? 'migrations: none to come' : `migrations to come: ${coming.join(', ')}`,
    ),
  ]
}

function transactionFindings(owner: UpgradeFacts, api: UpgradeFacts | undefined): Finding[] {
  const need = 'long transactions'
  const long = [...owner.longTransactions, ...(api?.longTransactions ?? [])].filter(
    ({ pid }, at, all) => all.findIndex((one) => one.pid === pid) === at,
  )
  if (long.length > 0)
    return long.map(({ application, seconds }) =>
      error(
        need,
        `${application || 'a session'} has one open for ${Math.round(seconds)} s, which migrations wait for. End it.`,
      ),
    )
  const hidden = Math.min(owner.hiddenSessions, api?.hiddenSessions ?? owner.hiddenSessions)
  return [
    hidden === 0
      ? ok(need)
      : warning(
          need,
          `of ${hidden} sessions cannot be seen by this account. Set DATABASE_MIGRATION_URL and DATABASE_URL, each to its account.`,
        ),
  ]
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`

/** A migration that rewrites a table, or an index built beside it, needs its size once more. */
async function diskFinding(
  { databaseBytes, largest }: UpgradeFacts,
  disk: string | undefined,
): Promise<Finding> {
  const needed = largest?.bytes ?? 0
  const need = `disk of the database (${megabytes(databaseBytes)}, largest table ${megabytes(needed)})`
  if (disk === undefined)
    return warning(need, `was not looked at: name a folder on it with --disk.`)
  const { bavail, bsize } = await statfs(disk).catch(() => ({ bavail: Number.NaN, bsize: 1 }))
  const free = bavail * bsize
  if (Number.isNaN(free)) return error(need, `could not be read at ${disk}.`)
  return free >= 2 * needed
    ? ok(need)
    : error(need, `has ${megabytes(free)} free. Make room for ${megabytes(2 * needed)}.`)
}

const Health = z.object({ version: z.string() })
const deadlineMs = 5_000

/** docs/reference/supported-versions.md: one major version at a time, and never back. */
async function distanceFinding(running: string): Promise<Finding> {
  const need = `version ${version}`
  const found = await fetch(new URL('/health', running), {
    signal: AbortSignal.timeout(deadlineMs),
  })
    .then(async (response) => Health.parse(await response.json()).version)
    .catch(() => undefined)
  if (found === undefined)
    return warning(need, `could not be compared: ${running} does not answer.`)
  return distance(need, found, version)
}

/** What it means to go from one version to another. */
export function distance(need: string, from: string, to: string): Finding {
  const [fromMajor = 0, fromMinor = 0] = from.split('.').map(Number)
  const [toMajor = 0, toMinor = 0] = to.split('.').map(Number)
  const back = toMajor < fromMajor || (toMajor === fromMajor && toMinor < fromMinor)
  if (back)
    return error(
      need,
      `is older than ${from}, which runs. Migrations do not go back: see operate.md.`,
    )
  return toMajor > fromMajor + 1
    ? error(need, `is ${toMajor - fromMajor} major versions after ${from}. Upgrade one at a time.`)
    : ok(`${need}, after ${from}`)
}
