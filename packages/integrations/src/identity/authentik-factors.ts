import type { HttpClient } from '../http-client.ts'
import { userKey } from './authentik-paths.ts'
import type { IdentityProvider } from './port.ts'
import { Devices } from './records.ts'

/**
 * Second factors. The token needs the right to view each kind of authenticator: those that it may
 * not see are missing without a word.
 */
export function authentikFactors(client: HttpClient): Pick<IdentityProvider, 'secondFactors'> {
  return {
    secondFactors: (userId, options) =>
      client.operation('secondFactors', options, async (operation) => {
        const devices = await client.send(operation, {
          label: 'GET /authenticators/admin/all/',
          method: 'GET',
          path: 'api/v3/authenticators/admin/all/',
          // Without a user, the response contains all users' entries, and no entry names its user.
          query: { user: String(userKey(operation, userId)) },
          repeatable: true,
          // 400 is what a key that no user has gets.
          accept: [200, 400],
          read: ({ status, json }) => (status === 200 ? Devices.parse(json) : undefined),
        })
        if (!devices) throw operation.fail('not_found', { status: 400 })
        const counts: Record<string, number> = {}
        for (const { type, confirmed } of devices) {
          // The list holds those as well whose setup was begun and never finished.
          if (confirmed) counts[kindOf(type)] = (counts[kindOf(type)] ?? 0) + 1
        }
        return counts
      }),
  }
}

/**
 * `authentik_stages_authenticator_totp.TOTPDevice` is `totp`. A model outside that family goes by
 * the name of its app.
 */
function kindOf(type: string): string {
  const app = type.split('.', 1)[0] ?? ''
  const kind = app.replace(/^authentik_stages_authenticator_/, '').toLowerCase()
  return /^[a-z][a-z0-9_]{0,60}$/.test(kind) ? kind : 'other'
}
