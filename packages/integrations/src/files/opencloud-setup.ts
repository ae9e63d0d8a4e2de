import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { basicAuthorization, type HttpClient, httpClient, shaped } from '../http-client.ts'
import { userPath } from './opencloud-paths.ts'

/** The built-in role Admin, the same in every installation. */
const adminRole = '71881883-1768-46bd-a24d-a356a2afdf7f'

const User = z.object({
  id: z.string().min(1),
  appRoleAssignments: z.array(z.object({ appRoleId: z.string() })).nullish(),
})
const Applications = z.object({ value: z.array(z.object({ id: z.string().min(1) })).min(1) })

const clientOf = (access: FilesAccess) =>
  httpClient('files', basicAuthorization(access.username, access.token), {
    baseUrl: access.baseUrl,
  })

export interface FilesAccess {
  /** OpenCloud's address, without `/graph`. */
  baseUrl: string
  username: string
  /** An app token of that account. */
  token: string
}

/** False for a token that has expired or was removed. Rejects with `UpstreamError` otherwise. */
export function isFilesTokenValid(access: FilesAccess): Promise<boolean> {
  const client = clientOf(access)
  return client.operation('setup', undefined, (operation) =>
    client.send(operation, {
      label: 'GET /v1.0/me',
      method: 'GET',
      path: 'graph/v1.0/me',
      repeatable: true,
      accept: [200, 401],
      read: ({ status }) => status === 200,
    }),
  )
}

/**
 * Creates the account that Atrium signs in as, with the role Admin. Idempotent. `access` is an
 * administrator. Rejects with `UpstreamError`.
 */
export function ensureFilesAdmin(access: FilesAccess, username: string): Promise<void> {
  const client = clientOf(access)
  return client.operation('setup', undefined, async (operation) => {
    const user =
      (await findUser(operation, client, username)) ??
      (await client.send(operation, {
        label: 'POST /v1.0/users',
        method: 'POST',
        path: 'graph/v1.0/users',
        body: { onPremisesSamAccountName: username, displayName: 'Atrium' },
        repeatable: false,
        accept: [201],
        read: shaped(User),
      }))
    if (user.appRoleAssignments?.some(({ appRoleId }) => appRoleId === adminRole)) return
    const { value } = await client.send(operation, {
      label: 'GET /v1.0/applications',
      method: 'GET',
      path: 'graph/v1.0/applications',
      repeatable: true,
      accept: [200],
      read: shaped(Applications),
    })
    await client.send(operation, {
      label: 'POST /v1.0/users/{id}/appRoleAssignments',
      method: 'POST',
      path: userPath(operation, user.id, '/appRoleAssignments'),
      body: { appRoleId: adminRole, principalId: user.id, resourceId: value[0]?.id },
      repeatable: true,
      accept: [201],
      read: () => undefined,
    })
  })
}

function findUser(operation: Operation, client: HttpClient, username: string) {
  return client.send(operation, {
    label: 'GET /v1.0/users/{id}',
    method: 'GET',
    path: userPath(operation, username),
    query: { $expand: 'appRoleAssignments' },
    repeatable: true,
    accept: [200, 404],
    read: ({ status, json }) => (status === 200 ? User.parse(json) : undefined),
  })
}
