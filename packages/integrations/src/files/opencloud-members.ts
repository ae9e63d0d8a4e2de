import type { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { readDrive } from './opencloud-drive.ts'
import { membersPath, userPath } from './opencloud-paths.ts'
import type { FileStorage } from './port.ts'
import { isDisabled, Permission, Permissions } from './records.ts'

/** "Can edit": view, upload, change, delete, with versions. "Can view": view and download. */
const roleIds = {
  editor: '58c63c02-1d89-4572-916a-870abc5a1b7d',
  viewer: 'a8d5fe5e-96e3-418d-825b-534dbdf22b99',
} as const

/**
 * Members of spaces. Only a manager of a space sees and changes them, an Admin who is none gets
 * 404: our service user manages what it made. Each member has a grant of its own, because groups
 * are overwritten at sign-in by what the token names.
 */
export function opencloudMembers(
  client: HttpClient,
): Pick<FileStorage, 'addToSpace' | 'removeFromSpace' | 'removeGoneFromSpace'> {
  const invite = (operation: Operation, spaceId: string, accountId: string, roleId: string) =>
    client.send(operation, {
      label: 'POST /v1beta1/drives/{id}/root/invite',
      method: 'POST',
      path: membersPath(operation, spaceId, 'invite'),
      body: {
        recipients: [{ objectId: accountId, '@libre.graph.recipient.type': 'user' }],
        roles: [roleId],
      },
      // A second request is rejected because the grant exists.
      repeatable: true,
      accept: [200, 400, 404, 409],
      read: ({ status, json }) => {
        if (status === 200) Permissions.parse(json)
        return status
      },
    })

  const isAccount = (operation: Operation, id: string) =>
    client.send(operation, {
      label: 'GET /v1.0/users/{id}',
      method: 'GET',
      path: userPath(operation, id),
      repeatable: true,
      accept: [200, 404],
      read: ({ status }) => status === 200,
    })

  /**
   * The grants by their ids, `u:<account>` and `g:<group>`; undefined when the space does not show
   * them to us.
   */
  const listGrants = (operation: Operation, spaceId: string) =>
    client.send(operation, {
      label: 'GET /v1beta1/drives/{id}/root/permissions',
      method: 'GET',
      path: membersPath(operation, spaceId, 'permissions'),
      repeatable: false,
      accept: [200, 404],
      read: ({ status, json }) => (status === 200 ? Permissions.parse(json).value : undefined),
    })

  /** 500 is also what an absent grant gets. */
  const removeGrant = (operation: Operation, spaceId: string, accountId: string) =>
    client.send(operation, {
      label: 'DELETE /v1beta1/drives/{id}/root/permissions/{id}',
      method: 'DELETE',
      path: membersPath(operation, spaceId, `permissions/${grantOf(accountId)}`),
      repeatable: false,
      accept: [204, 404, 500],
      read: (response) => response.status,
    })

  /**
   * The failure behind a 404 about members: the space is gone, is disabled, or is not ours to
   * manage.
   */
  async function hidden(operation: Operation, spaceId: string) {
    const space = await readDrive(client, operation, spaceId)
    if (!space) return operation.fail('not_found', { status: 404, note: 'the space is gone' })
    return isDisabled(space)
      ? operation.fail('refused', {
          status: 404,
          note: 'the members of a disabled space cannot be changed',
        })
      : operation.fail('unauthorized', {
          status: 404,
          note: 'the service user is not a manager of the space',
        })
  }

  return {
    addToSpace: ({ spaceId, accountId, role = 'editor' }, options) =>
      client.operation('addToSpace', options, async (operation) => {
        const status = await invite(operation, spaceId, accountId, roleIds[role])
        if (status === 200) return
        if (status === 404) throw await hidden(operation, spaceId)
        if (status === 400) {
          throw (await isAccount(operation, accountId))
            ? operation.fail('refused', { status: 400 })
            : operation.fail('not_found', { status: 400, note: 'the account is gone' })
        }
        await client.send(operation, {
          label: 'PATCH /v1beta1/drives/{id}/root/permissions/{id}',
          method: 'PATCH',
          path: membersPath(operation, spaceId, `permissions/${grantOf(accountId)}`),
          body: { roles: [roleIds[role]] },
          repeatable: true,
          accept: [200],
          addressesObject: true,
          read: shaped(Permission),
        })
      }),

    removeFromSpace: ({ spaceId, accountId }, options) =>
      client.operation('removeFromSpace', options, (operation) =>
        operation.repeat(async () => {
          const grants = await listGrants(operation, spaceId)
          if (!grants) {
            const failure = await hidden(operation, spaceId)
            if (failure.kind === 'not_found') return
            throw failure
          }
          if (!grants.some(({ id }) => id === `u:${accountId}`)) return
          const status = await removeGrant(operation, spaceId, accountId)
          // The list at the start of the next attempt shows whether the grant is missing.
          if (status === 500) throw operation.fail('server', { status })
        }),
      ),

    removeGoneFromSpace: ({ spaceId, known }, options) =>
      client.operation('removeGoneFromSpace', options, async (operation) => {
        const grants = await operation.repeat(() => listGrants(operation, spaceId))
        if (!grants) throw await hidden(operation, spaceId)
        const doubtful = grants
          .filter(({ id }) => id.startsWith('u:') && !known.includes(id.slice(2)))
          .sort((a, b) => Number(isNamed(a)) - Number(isNamed(b)))
          .slice(0, mostAttempts)
        let removed = 0
        for (const { id } of doubtful) {
          const accountId = id.slice(2)
          if (await isAccount(operation, accountId)) continue
          const status = await removeGrant(operation, spaceId, accountId)
          if (status === 500) throw operation.fail('server', { status })
          removed += 1
        }
        return removed
      }),
  }
}

/** Accounts that one call looks for. */
const mostAttempts = 40

/** The server lists an account that is gone without its name, once it has forgotten it. */
function isNamed({ grantedToV2 }: z.infer<typeof Permission>): boolean {
  return Boolean(grantedToV2?.user?.displayName)
}

function grantOf(accountId: string): string {
  return encodeURIComponent(`u:${accountId}`)
}
