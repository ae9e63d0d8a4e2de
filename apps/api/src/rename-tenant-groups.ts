import { SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { openDatabase } from '@atrium/db/platform/connect'
import { connectIntegrations } from '@atrium/integrations/connect'
import { readConfig } from './platform/config.ts'
import { renameTenantGroups } from './tenants/rename-groups.ts'

// Renames the groups of all tenants to IDP_TENANT_GROUP_PREFIX + slug (docs/how-to/operate.md,
// "Groups of tenants"). Reads the API's settings.
try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof SettingsError ? settingsExitStatus : 1
}

async function run(): Promise<number> {
  const config = readConfig(process.env)
  const { identity } = await connectIntegrations({
    identity: config.identity,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  })
  if (!identity) throw new SettingsError(['IDP_API_URL: is missing'])
  const database = openDatabase({
    url: config.databaseUrl,
    applicationName: 'atrium-rename-groups',
    onError: () => {},
  })
  try {
    const { renamed, administratorsOut, failed } = await renameTenantGroups(
      database,
      identity,
      config.tenantGroupPrefix,
    )
    process.stdout.write(
      `${renamed} groups renamed, ${administratorsOut} administrators taken out of groups\n`,
    )
    for (const line of failed) process.stderr.write(`${line}\n`)
    return failed.length === 0 ? 0 : 1
  } finally {
    await database.close()
  }
}
