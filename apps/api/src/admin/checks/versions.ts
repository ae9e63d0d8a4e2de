import {
  type SupportedSystem,
  supportedVersions,
  versionSupport,
} from '@atrium/core/system/supported-versions'
import type { Integrations } from '@atrium/integrations/connect'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { UpstreamError } from '@atrium/integrations/upstream-error'

/** A version beside the list of supported ones. */
export function checkVersion(system: SupportedSystem, version: string): SetupFinding {
  const { name, oldest, newest } = supportedVersions[system]
  const need = `${name} ${version}`
  switch (versionSupport(system, version)) {
    case 'supported':
      return ok(need)
    case 'too_old':
      return error(need, `is older than ${oldest}. Upgrade ${name}.`)
    case 'untried':
      return warning(need, `is newer than ${newest}, the newest one that was tried.`)
    case 'unreadable':
      return warning(need, `cannot be compared. Supported are ${oldest} to ${newest}.`)
  }
}

/**
 * Node, authentik and OpenCloud; the database is checked with its account. Stalwart does not report
 * its version: the rights that its key needs exist from the oldest supported version on. A system
 * that does not answer is reported by the check of the systems.
 */
export async function checkVersions({
  identity,
  files,
}: Pick<Integrations, 'identity' | 'files'>): Promise<SetupFinding[]> {
  const found = await Promise.all([
    identity && findVersion('authentik', async () => (await identity.check()).version),
    files && findVersion('opencloud', () => files.version()),
  ])
  return [checkVersion('node', process.versions.node), ...found.flatMap((one) => one ?? [])]
}

async function findVersion(
  system: SupportedSystem,
  read: () => Promise<string | undefined>,
): Promise<SetupFinding[]> {
  const { name, oldest, newest } = supportedVersions[system]
  try {
    const version = await read()
    if (version !== undefined) return [checkVersion(system, version)]
    return [warning(`${name}: version`, `is not reported. Supported are ${oldest} to ${newest}.`)]
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause
    // Nothing answered: the check of the systems says so.
    if (cause.status === undefined) return []
    return [warning(`${name}: version`, cause.message)]
  }
}
