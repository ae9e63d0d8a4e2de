import { readFile } from 'node:fs/promises'
import { trimEnd } from '@atrium/core/platform/trim'
import type { Database } from '@atrium/db/platform/connect'
import type { Integrations } from '@atrium/integrations/connect'
import { checkSetup } from '@atrium/integrations/identity/authentik-setup-check'
import { error, warning } from '@atrium/integrations/identity/authentik-setup-findings'
import type { Config } from '../platform/config.ts'
import { checkDns } from './checks/addresses.ts'
import { checkCertificates, type MailPorts } from './checks/certificates.ts'
import { checkDatabase } from './checks/database.ts'
import { checkIssuers, checkTokenSize } from './checks/issuers.ts'
import { checkArchive, checkBackups, checkDisks } from './checks/machine.ts'
import { checkSettings } from './checks/settings.ts'
import { checkSystems } from './checks/systems.ts'
import { checkVersions } from './checks/versions.ts'
import type { Finding } from './findings.ts'

export interface DoctorOptions {
  /** `IDP_SETUP_TOKEN`: with it, authentik is compared with the blueprint. */
  setupToken?: string | undefined
  /** The blueprint that should have been applied. */
  blueprint: URL
  /** Folders whose file systems must have free space. */
  disks: readonly string[]
  /** Folders that hold base backups. */
  backups: readonly string[]
  now: Date
  /** Further certificate authorities, as PEM. */
  ca?: string | undefined
  /** Of the mail server; those of the standards by default. */
  mailPorts?: MailPorts | undefined
}

interface Parts {
  config: Config
  database: Database
  integrations: Integrations
}

/**
 * Checks everything that an installation needs, concurrently, and returns one finding per need.
 * Changes nothing, apart from a disposable domain at the mail server. A check that cannot be
 * carried out is an error of its own; nothing is thrown.
 */
export async function examine(parts: Parts, options: DoctorOptions): Promise<Finding[]> {
  const { config, database, integrations } = parts
  const { disks, backups, now } = options
  const checks: readonly (readonly [what: string, check: () => Promise<Finding[]>])[] = [
    ['settings', async () => checkSettings(config)],
    ['database', () => checkDatabase(config, database)],
    ['issuers', () => checkIssuers(config)],
    ['size of tokens', () => checkTokenSize(database)],
    ['upstream systems', () => checkSystems(integrations)],
    ['versions', () => checkVersions(integrations)],
    ['authentik', () => checkAuthentik(config, options)],
    ['DNS', () => checkDns(config, integrations.dns)],
    ['certificates', () => checkCertificates(config, integrations.dns, options)],
    ['disks', () => checkDisks(disks)],
    ['archive', () => checkArchive(database)],
    ['backups', () => checkBackups(backups, now)],
  ]
  const found = await Promise.all(
    checks.map(([what, check]) =>
      check().catch((cause: unknown) => [
        error(what, `could not be checked: ${cause instanceof Error ? cause.message : cause}`),
      ]),
    ),
  )
  return found.flat()
}

/** Providers, flows and rights at authentik, which only a superuser's token can read. */
async function checkAuthentik(config: Config, options: DoctorOptions): Promise<Finding[]> {
  const { identity, groups, portalUrl, operatorUrl } = config
  const { setupToken, blueprint } = options
  if (!identity) return []
  if (!setupToken || !portalUrl || !operatorUrl)
    return [
      warning(
        'authentik: providers, flows and rights',
        'were not looked at: set IDP_SETUP_TOKEN, PORTAL_URL and OPERATOR_URL for this command.',
      ),
    ]
  const findings = await checkSetup({
    baseUrl: identity.baseUrl,
    token: setupToken,
    apiToken: identity.token,
    content: await readFile(blueprint, 'utf8'),
    portalUrl: trimEnd(portalUrl, /\//),
    operatorUrl: trimEnd(operatorUrl, /\//),
    platformAdminGroup: groups.platformAdmins,
    partnerStaffGroup: groups.partnerStaff,
  })
  return findings.map((finding) => ({ ...finding, need: `authentik: ${finding.need}` }))
}
