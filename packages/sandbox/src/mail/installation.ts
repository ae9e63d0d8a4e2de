import type { Caller } from './caller.ts'
import type { JsonObject } from './json.ts'

export interface Login {
  readonly username: string
  readonly password: string
}

/** How the server itself is set up. */
export interface Installation {
  /** `written`: the bootstrap is stored, and takes effect at the next start. */
  readonly mode: 'bootstrap' | 'written' | 'running'
  readonly recoveryAdmin: Login | undefined
  readonly domain: string
  /** The administrator that the bootstrap made. */
  readonly admin: Login | undefined
  /** What the bootstrap was told, and the settings that were changed since, by object. */
  readonly settings: Record<string, JsonObject>
  readonly certificates: Map<string, JsonObject>
}

/** A server that runs; with a recovery administrator one that waits for its bootstrap. */
export function createInstallation(recoveryAdmin: Login | undefined): Installation {
  return {
    mode: recoveryAdmin ? 'bootstrap' : 'running',
    recoveryAdmin,
    domain: '',
    admin: undefined,
    settings: {},
    certificates: new Map(),
  }
}

/** The only caller of a server in bootstrap mode. */
export function recoveryCaller(
  { recoveryAdmin }: Installation,
  header: string,
): Caller | 'unauthorized' {
  const [scheme = '', value = ''] = header.split(' ', 2)
  const expected = `${recoveryAdmin?.username}:${recoveryAdmin?.password}`
  if (!/^basic$/i.test(scheme) || Buffer.from(value, 'base64').toString('utf8') !== expected)
    return 'unauthorized'
  const permissions = new Set(['authenticate', 'sysBootstrapGet', 'sysBootstrapUpdate'])
  return {
    accountId: 'd333333',
    address: recoveryAdmin?.username ?? '',
    permissions,
    accountPermissions: permissions,
  }
}
