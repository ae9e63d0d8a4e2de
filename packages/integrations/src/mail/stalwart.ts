import { z } from 'zod'
import { type HttpClientOptions, httpClient } from '../http-client.ts'
import type { MailServer } from './port.ts'
import { stalwartAccounts } from './stalwart-accounts.ts'
import { stalwartAppPasswords } from './stalwart-app-passwords.ts'
import { stalwartDomains } from './stalwart-domains.ts'
import { stalwartLists } from './stalwart-lists.ts'

export interface StalwartOptions extends HttpClientOptions {
  /** `API_…` key of an account with the role Admin; permissions `Inherit`. */
  apiKey: string
}

const Account = z.object({ permissions: z.array(z.string()) })

// Stalwart allows four requests in flight per account and answers 400 to the fifth.
const requestsInFlight = 4

const verbs = ['Get', 'Query', 'Create', 'Update', 'Destroy']
// `jmapPrincipalQuery`, which finds an account by any of its addresses, is needed too, and the server keeps it back in its list while
// directory queries are off for people, as they are by default.
const needed = [
  ...['Domain', 'Account', 'MailingList'].flatMap((type) => verbs.map((verb) => `sys${type}${verb}`)),
  ...['Get', 'Query', 'Destroy'].map((verb) => `sysDkimSignature${verb}`),
  // A key gives away what it holds itself, and every mailbox has these. A key that is limited to management lacks them.
  'emailSend',
  'emailReceive',
]

/** Stalwart's management over JMAP, 0.16.18 or newer (`x:` methods; older releases have another interface). */
export function stalwart({ apiKey, ...options }: StalwartOptions): MailServer {
  const client = httpClient('mail', `Bearer ${apiKey}`, { concurrency: requestsInFlight, ...options })
  return {
    check: (callOptions) =>
      client.operation('check', callOptions, (operation) =>
        client.send(operation, {
          label: 'GET /api/account',
          method: 'GET',
          // The session resource answers anybody with 200; this one wants true credentials.
          path: 'api/account',
          repeatable: true,
          accept: [200],
          read: ({ json }) => {
            const { permissions } = Account.parse(json)
            const missing = needed.filter((permission) => !permissions.includes(permission))
            if (missing.length > 0) throw operation.fail('unauthorized', { status: 200, note: `the key lacks ${missing.join(', ')}` })
            return { permissions }
          },
        }),
      ),
    ...stalwartDomains(client),
    ...stalwartAccounts(client),
    ...stalwartAppPasswords(client),
    ...stalwartLists(client),
  }
}
