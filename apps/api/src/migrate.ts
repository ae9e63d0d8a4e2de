import { migrate } from '@atrium/db/migrate'

// The account that owns the schema; the API's own account may not change it.
const url = process.env.DATABASE_MIGRATION_URL ?? process.env.DATABASE_URL
if (!url) {
  process.stderr.write('DATABASE_MIGRATION_URL: missing\n')
  process.exit(78)
}
const applied = await migrate(url)
process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n')
