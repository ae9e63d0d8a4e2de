import type { Operation } from '../call-policy.ts'
import { basicAuthorization, type HttpClientOptions, httpClient, shaped } from '../http-client.ts'
import { UpstreamError } from '../upstream-error.ts'
import { opencloudAccounts } from './opencloud-accounts.ts'
import { opencloudMembers } from './opencloud-members.ts'
import { opencloudSpaces } from './opencloud-spaces.ts'
import type { FileStorage } from './port.ts'
import { Me, Rejection, Status } from './records.ts'

export interface OpenCloudOptions extends HttpClientOptions {
  /** Name of the service user: role Admin, creator and manager of every tenant space. */
  user: string
  /** App token of that user. It expires; `check` reports when. */
  appToken: string
}

// User and User Light: the built-in roles that may not create spaces.
const weakRoles = ['d7beeea8-8ff4-406b-8fb6-ab2dd81e6b11', '38071a68-456a-4553-846a-fa67bf5596cc']

/**
 * OpenCloud's libre-graph API, v1.0. `baseUrl` is the address that people see, without `/graph`.
 */
export function opencloud({ user, appToken, ...options }: OpenCloudOptions): FileStorage {
  // Asked until the server takes every address: the setting changes only with a restart there.
  let takesAnyUsername = false
  const client = httpClient('files', basicAuthorization(user, appToken), options)

  /**
   * Sends an account that can never be created: its address is none, and ids are not for clients to
   * set. The username is looked at before.
   */
  const probeUsernames = (operation: Operation) =>
    client.send(operation, {
      label: 'POST /v1.0/users',
      method: 'POST',
      path: 'graph/v1.0/users',
      body: { onPremisesSamAccountName: '0', displayName: '0', mail: 'none', id: '0' },
      repeatable: true,
      accept: [400],
      read: ({ json }) => Rejection.parse(json).error.message !== 'Invalid username',
    })

  return {
    check: (callOptions) =>
      client.operation('check', callOptions, async (operation) => {
        const me = await client
          .send(operation, {
            label: 'GET /v1.0/me',
            method: 'GET',
            path: 'graph/v1.0/me',
            query: { $expand: 'appRoleAssignments' },
            repeatable: true,
            accept: [200],
            read: shaped(Me),
          })
          .catch((error: unknown) => {
            if (!(error instanceof UpstreamError) || error.status !== 401) throw error
            const note =
              'the app token is wrong, has expired, or was created before OC_OIDC_ISSUER was changed'
            throw operation.fail('unauthorized', { status: 401, note })
          })
        const roles = me.appRoleAssignments ?? []
        if (roles.length > 0 && roles.every(({ appRoleId }) => weakRoles.includes(appRoleId))) {
          throw operation.fail('unauthorized', {
            status: 200,
            note: 'the service user needs the role Admin',
          })
        }
        takesAnyUsername ||= await probeUsernames(operation)
        if (!takesAnyUsername) {
          const note =
            'addresses that begin with a digit get no account: set GRAPH_USERNAME_MATCH=none there'
          throw operation.fail('refused', { status: 400, note })
        }
        return { userId: me.id }
      }),
    version: (callOptions) =>
      client.operation('version', callOptions, (operation) =>
        client.send(operation, {
          label: 'GET /status.php',
          method: 'GET',
          // Public, and kept for old clients: libre-graph itself has no version.
          path: 'status.php',
          repeatable: true,
          accept: [200],
          read: ({ json }) => Status.parse(json).productversion,
        }),
      ),
    ...opencloudSpaces(client),
    ...opencloudMembers(client),
    ...opencloudAccounts(client),
  }
}
