import { trimEnd } from '@atrium/core/platform/trim'
import { type HttpClientOptions, httpClient, shaped } from '../http-client.ts'
import { authentikApplications } from './authentik-applications.ts'
import { authentikFactors } from './authentik-factors.ts'
import { authentikGroups } from './authentik-groups.ts'
import { authentikPasswords } from './authentik-passwords.ts'
import { userPath } from './authentik-paths.ts'
import { authentikSessions } from './authentik-sessions.ts'
import { authentikUsers } from './authentik-users.ts'
import type { IdentityProvider } from './port.ts'
import { Me, Version } from './records.ts'

export interface AuthentikOptions extends HttpClientOptions {
  /**
   * Key of an API token (intent `api`; app passwords are rejected here) of a service user that may
   * view, add, change and delete users and groups, change memberships, reset passwords, view and
   * delete sessions, view and delete every kind of authenticator, view flows, keys and scope
   * mappings, and view, add and delete OAuth2 providers, applications and policy bindings. Without
   * a view permission, authentik returns shorter lists instead of an error.
   */
  token: string
  /** The public origin, where it differs from that of `baseUrl`. Issuers use it. */
  publicUrl?: string | undefined
}

/**
 * authentik's REST API, 2026.8. `baseUrl` is the public address, without `/api/v3`. Paths end in a
 * slash: without it authentik returns 404. Duplicates return 400, bad credentials 403.
 */
export function authentik({ token, publicUrl, ...options }: AuthentikOptions): IdentityProvider {
  const client = httpClient('identity', `Bearer ${token}`, options)
  return {
    check: (callOptions) =>
      client.operation('check', callOptions, async (operation) => {
        const get = { method: 'GET', repeatable: true } as const
        await client.send(operation, {
          ...get,
          label: 'GET /core/users/me/',
          path: 'api/v3/core/users/me/',
          accept: [200],
          read: shaped(Me),
        })
        // The version needs a further right, which the service user may lack.
        return await client.send(operation, {
          ...get,
          label: 'GET /admin/version/',
          path: 'api/v3/admin/version/',
          accept: [200, 403],
          read: ({ status, json }) => ({
            version: status === 200 ? Version.parse(json).version_current : undefined,
          }),
        })
      }),
    tryRights: (callOptions) =>
      client.operation('tryRights', callOptions, async (operation) => {
        const { user } = await client.send(operation, {
          label: 'GET /core/users/me/',
          method: 'GET',
          path: 'api/v3/core/users/me/',
          repeatable: true,
          accept: [200],
          read: shaped(Me),
        })
        const status = await client.send(operation, {
          label: 'PATCH /core/users/{id}/',
          method: 'PATCH',
          path: userPath(operation, String(user.pk)),
          body: { is_active: true },
          repeatable: true,
          // 404 where the token's user may not view users.
          accept: [200, 403, 404],
          read: (response) => response.status,
        })
        if (status !== 200)
          throw operation.fail('unauthorized', {
            status,
            note: "the token's user may not change users",
          })
      }),
    ...authentikGroups(client),
    ...authentikUsers(client),
    ...authentikPasswords(client),
    ...authentikSessions(client),
    ...authentikFactors(client),
    ...authentikApplications(client, publicAddress(options.baseUrl, publicUrl)),
  }
}

/** The base address under the origin that people see, without a slash at the end. */
function publicAddress(baseUrl: string, publicUrl: string | undefined): string {
  const { origin, pathname } = new URL(baseUrl)
  return trimEnd(`${publicUrl === undefined ? origin : new URL(publicUrl).origin}${pathname}`, /\//)
}
