import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, type HttpClientOptions, httpClient } from '../http-client.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { MailServer } from './port.ts'
import { stalwartAccounts } from './stalwart-accounts.ts'
import { stalwartAppPasswords } from './stalwart-app-passwords.ts'
import { stalwartDomains } from './stalwart-domains.ts'
import { stalwartLists } from './stalwart-lists.ts'
import { tryRights } from './stalwart-rights.ts'

export interface StalwartOptions extends HttpClientOptions {
  /** `API_…` key of an account with the role Admin; permissions `Inherit`. */
  apiKey: string
}

const Account = z.object({ permissions: z.array(z.string()) })
const Metadata = z.object({ issuer: z.string() })

/** What an administrator of a server in bootstrap mode may do, and nothing else. */
const setUp = 'sysBootstrapUpdate'
const beingSetUp =
  'it is in bootstrap mode, as a new container is: set it up, restart it and make a key (docs/how-to/operate.md, "Stalwart")'

// Stalwart allows four requests in flight per account and returns 400 for the fifth.
const requestsInFlight = 4

const verbs = ['Get', 'Query', 'Create', 'Update', 'Destroy']
// `jmapPrincipalQuery`, which finds an account by any of its addresses, is needed too, and the
// server keeps it back in its list while directory queries are off for people, as they are by
// default.
const needed = [
  ...['Domain', 'Account', 'MailingList'].flatMap((type) =>
    verbs.map((verb) => `sys${type}${verb}`),
  ),
  ...['Get', 'Query', 'Destroy'].map((verb) => `sysDkimSignature${verb}`),
  // A key gives away what it holds itself, and every mailbox has these. A key that is limited to
  // management lacks them.
  'emailSend',
  'emailReceive',
]

async function checkKey(
  operation: Operation,
  client: HttpClient,
): Promise<{ permissions: string[] }> {
  const permissions = await client.send(operation, {
    label: 'GET /api/account',
    method: 'GET',
    // The session resource returns 200 to anyone; this one requires valid credentials.
    path: 'api/account',
    repeatable: true,
    accept: [200, 401],
    read: ({ status, json }) => (status === 200 ? Account.parse(json).permissions : undefined),
  })
  if (!permissions) {
    const note = (await isBeingSetUp(operation, client)) ? beingSetUp : undefined
    throw operation.fail('unauthorized', { status: 401, note })
  }
  if (permissions.includes(setUp) && !permissions.includes('sysDomainCreate'))
    throw operation.fail('unauthorized', { status: 200, note: beingSetUp })
  const missing = needed.filter((permission) => !permissions.includes(permission))
  if (missing.length > 0)
    throw operation.fail('unauthorized', {
      status: 200,
      note: `the key lacks ${missing.join(', ')}`,
    })
  return { permissions }
}

/**
 * A server in bootstrap mode knows no keys and has no address of its own yet. Its public OAuth
 * metadata show that.
 */
export async function isBeingSetUp(operation: Operation, client: HttpClient): Promise<boolean> {
  const issuer = await client
    .send(operation, {
      label: 'GET /.well-known/oauth-authorization-server',
      method: 'GET',
      path: '.well-known/oauth-authorization-server',
      repeatable: true,
      accept: [200],
      read: ({ json }) => Metadata.parse(json).issuer,
    })
    .catch((error: unknown) => {
      if (error instanceof UpstreamError) return undefined
      throw error
    })
  return issuer === ''
}

/**
 * Stalwart's management over JMAP, 0.16.18 or newer (`x:` methods; older releases have another
 * interface).
 */
export function stalwart({ apiKey, ...options }: StalwartOptions): MailServer {
  const client = httpClient('mail', `Bearer ${apiKey}`, {
    concurrency: requestsInFlight,
    ...options,
  })
  return {
    check: (callOptions) =>
      client.operation('check', callOptions, (operation) => checkKey(operation, client)),
    tryRights: (callOptions) =>
      client.operation('tryRights', callOptions, (operation) => tryRights(operation, client)),
    ...stalwartDomains(client),
    ...stalwartAccounts(client),
    ...stalwartAppPasswords(client),
    ...stalwartLists(client),
  }
}
