import { readSettings, SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { migrate } from '@atrium/db/schema/migrate'
import { readServerFacts, serverFaults } from '@atrium/db/server/server-faults'
import { z } from 'zod'

const address = z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' })

const shape = {
  DATABASE_MIGRATION_URL: address.optional(),
  DATABASE_URL: address.optional(),
}

/**
 * The account that owns the schema; the API's own account may not change it. Throws SettingsError.
 */
function readOwnerUrl(): { name: string; url: string } {
  const { DATABASE_MIGRATION_URL: owner, DATABASE_URL: other } = readSettings(process.env, {
    shape,
    together: () =>
      (process.env.DATABASE_MIGRATION_URL ?? process.env.DATABASE_URL)
        ? []
        : ['DATABASE_MIGRATION_URL: is missing'],
  })
  return owner === undefined
    ? { name: 'DATABASE_URL', url: other ?? '' }
    : { name: 'DATABASE_MIGRATION_URL', url: owner }
}

try {
  const { name, url } = readOwnerUrl()
  // A superuser may migrate: it is the API's account that must not be one.
  const faults = serverFaults(await readServerFacts(url), name, false)
  if (faults.length > 0) throw new SettingsError(faults)
  const applied = await migrate(url)
  process.stdout.write(
    applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n',
  )
} catch (error) {
  const settings = error instanceof SettingsError
  process.stderr.write(
    settings ? `${error.message}\n` : `The database could not be migrated: ${reasonOf(error)}\n`,
  )
  process.exit(settings ? settingsExitStatus : 1)
}

/** Of several addresses that were tried, Node gives one error without a text of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
