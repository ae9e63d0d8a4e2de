import { join } from 'node:path'
import { demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import { freePort } from '@atrium/db/server/free-port'
import type { Sandbox } from '@atrium/sandbox/start'
import type { Issuer } from '../issuer.ts'
import { cores, type MeasuredProcess, startProcess, untilReady } from '../measure/process.ts'
import type { Session } from '../session.ts'

export interface Server {
  url: string
  process: MeasuredProcess
}

/**
 * Starts a server on the servers' core and waits until it serves `/health`. `file` is relative to
 * `bench/`.
 */
export async function startServer(
  session: Session,
  file: string,
  env: Record<string, string> = {},
): Promise<Server> {
  const port = await freePort()
  const process = startProcess({
    file: join(import.meta.dirname, '..', file),
    core: cores.server,
    probed: true,
    env: { PORT: String(port), DATABASE_URL: session.accounts.appUrl, ...env },
    outputFile: join(session.folder, 'server.log'),
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady(process.child, `${url}/health`)
  return { url, process }
}

/**
 * The API as it is started in earnest: `apps/api/src/main.ts` with its defaults, logging to a file.
 */
export function startProduct(session: Session, env: Record<string, string> = {}): Promise<Server> {
  return startServer(session, '../apps/api/src/main.ts', {
    ...productEnvironment(session.issuer),
    ...env,
  })
}

export function productEnvironment(issuer: Issuer): Record<string, string> {
  return {
    IDP_ISSUER: issuer.url,
    IDP_AUDIENCE: `${issuer.audience},bench-operator`,
    METRICS_PORT: '0',
    LIMITS: manyChanges,
  }
}

/** The environment of a product that works against the sandbox; put over `productEnvironment`. */
export function sandboxEnvironment(sandbox: Sandbox): Record<string, string> {
  return {
    IDP_ISSUER: `${sandbox.issuers.portal},${sandbox.issuers.operator}`,
    IDP_AUDIENCE: `${demoClients.portal.clientId},${demoClients.operator.clientId}`,
    IDP_API_URL: sandbox.identityUrl,
    IDP_API_TOKEN: demoServiceCredentials.identityToken,
    MAIL_PROVISIONING_ENABLED: 'true',
    MAIL_API_URL: sandbox.mailUrl,
    MAIL_API_KEY: demoServiceCredentials.mailApiKey,
    FILES_API_URL: sandbox.filesUrl,
    FILES_API_USER: demoServiceCredentials.filesUser,
    FILES_API_TOKEN: demoServiceCredentials.filesAppToken,
  }
}

/**
 * One person makes all the changes that are measured, one tenant gets all the members, and one host
 * all the bookings with their mails.
 */
const manyChanges = [
  'changes_person_minute',
  'changes_token_minute',
  'members_day',
  'visitor_mails_host_day',
  'visitor_mails_unproven_day',
  'visitor_mails_day',
]
  .map((limit) => `${limit}=1000000`)
  .join(',')
