import { demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import type { portsOf } from './ports.ts'

interface Client {
  clientId: string
  clientSecret: string
}

/** Where the upstream systems of a local workplace are, and how it signs in there. */
export interface OutsideSystems {
  identity: { url: string; token: string; portal: Client; operator: Client }
  mail: { url: string; apiKey: string }
  files: { url: string; user: string; appToken: string }
  /** Addresses of those that are not the sandbox's. */
  real: Partial<Record<'identity' | 'mail' | 'files', string>>
}

/**
 * Variables that name a real server, per system. Their names are not those of the contract tests,
 * which empty the server that they find.
 */
export const realSystemVariables = {
  identity: [
    'DEV_AUTHENTIK_URL',
    'DEV_AUTHENTIK_TOKEN',
    'DEV_AUTHENTIK_PORTAL_CLIENT_ID',
    'DEV_AUTHENTIK_PORTAL_CLIENT_SECRET',
    'DEV_AUTHENTIK_OPERATOR_CLIENT_ID',
    'DEV_AUTHENTIK_OPERATOR_CLIENT_SECRET',
  ],
  mail: ['DEV_STALWART_URL', 'DEV_STALWART_API_KEY'],
  files: ['DEV_OPENCLOUD_URL', 'DEV_OPENCLOUD_USER', 'DEV_OPENCLOUD_APP_TOKEN'],
} as const

type System = keyof typeof realSystemVariables

/**
 * Reads which systems are real. A system is the sandbox's when none of its variables is set.
 * Returns one line per fault when only a part is set, or an address is none.
 */
export function readOutsideSystems(
  env: Readonly<Record<string, string | undefined>>,
  ports: Pick<ReturnType<typeof portsOf>, 'identity' | 'mail' | 'files'>,
): { systems: OutsideSystems } | { faults: string[] } {
  const faults: string[] = []
  const value = (name: string) => env[name]?.trim() ?? ''
  const isReal = (system: System): boolean => {
    const names = realSystemVariables[system]
    const missing = names.filter((name) => value(name) === '')
    if (missing.length === names.length) return false
    if (missing.length > 0) {
      faults.push(
        `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set: a real server needs all of ${names.join(', ')}.`,
      )
      return false
    }
    const [urlName] = names
    if (isOrigin(value(urlName))) return true
    faults.push(`${urlName} must be an address such as https://server.test, without a path.`)
    return false
  }
  const real = { identity: isReal('identity'), mail: isReal('mail'), files: isReal('files') }
  if (faults.length > 0) return { faults }

  const at = (system: System) =>
    real[system]
      ? new URL(value(realSystemVariables[system][0])).origin
      : `http://localhost:${ports[system]}`
  const secret = (system: System, name: string, sandbox: string) =>
    real[system] ? value(name) : sandbox
  const client = (app: 'portal' | 'operator'): Client => {
    const name = `DEV_AUTHENTIK_${app.toUpperCase()}_CLIENT`
    const { clientId, clientSecret } = demoClients[app]
    return {
      clientId: secret('identity', `${name}_ID`, clientId),
      clientSecret: secret('identity', `${name}_SECRET`, clientSecret),
    }
  }
  const demo = demoServiceCredentials
  return {
    systems: {
      identity: {
        url: at('identity'),
        token: secret('identity', 'DEV_AUTHENTIK_TOKEN', demo.identityToken),
        portal: client('portal'),
        operator: client('operator'),
      },
      mail: { url: at('mail'), apiKey: secret('mail', 'DEV_STALWART_API_KEY', demo.mailApiKey) },
      files: {
        url: at('files'),
        user: secret('files', 'DEV_OPENCLOUD_USER', demo.filesUser),
        appToken: secret('files', 'DEV_OPENCLOUD_APP_TOKEN', demo.filesAppToken),
      },
      real: {
        ...(real.identity && { identity: at('identity') }),
        ...(real.mail && { mail: at('mail') }),
        ...(real.files && { files: at('files') }),
      },
    },
  }
}

/**
 * Why data of an earlier start cannot be used with these systems: ids in it are those of other
 * servers. Undefined when it can.
 */
export function otherSystemsFault(
  kept: string | undefined,
  { real }: OutsideSystems,
  folder: string,
): string | undefined {
  if (kept === undefined || kept === JSON.stringify(real)) return undefined
  return (
    `The data in ${folder} was created with other upstream systems: ${describe(JSON.parse(kept))}, and now ${describe(real)}. ` +
    'Start with --fresh to delete that data, or with another ATRIUM_PORT_BASE.'
  )
}

function describe(real: OutsideSystems['real']): string {
  const named = Object.entries(real).map(([system, url]) => `${system} at ${url}`)
  return named.length === 0 ? 'the sandbox for all' : named.join(', ')
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  )
}
