import type { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { groupPath, userKey } from './authentik-paths.ts'
import type { IdentityProvider } from './port.ts'
import { Group, GroupPage, GroupWithMembers } from './records.ts'

type GroupMethods = Pick<
  IdentityProvider,
  | 'ensureGroup'
  | 'findGroup'
  | 'setGroupAttributes'
  | 'renameGroup'
  | 'deleteGroup'
  | 'listGroupMembers'
  | 'addToGroup'
  | 'removeFromGroup'
>

// One response contains everyone, at a few hundred bytes each.
const longestGroup = 64_000_000

/** Groups and their members. */
export function authentikGroups(client: HttpClient): GroupMethods {
  // The name is compared here too: a filter that the server does not know is ignored, and then
  // everything comes back.
  const find = (operation: Operation, name: string) =>
    client.send(operation, {
      label: 'GET /core/groups/',
      method: 'GET',
      path: 'api/v3/core/groups/',
      query: { name, include_users: 'false' },
      repeatable: true,
      accept: [200],
      read: ({ json }) => GroupPage.parse(json).results.find((group) => group.name === name),
    })

  const create = (operation: Operation, name: string, attributes: Record<string, unknown>) =>
    client.send(operation, {
      label: 'POST /core/groups/',
      method: 'POST',
      path: 'api/v3/core/groups/',
      body: { name, attributes },
      // Names are unique in authentik's database, so a repeated request meets the group of the
      // first one.
      repeatable: true,
      accept: [201, 400],
      read: ({ status, json }) => (status === 201 ? Group.parse(json).pk : undefined),
    })

  return {
    ensureGroup: ({ name, attributes = {}, knownId }, options) =>
      client.operation('ensureGroup', options, async (operation) => {
        const adopt = (group: z.infer<typeof Group>) => {
          const ours =
            group.pk === knownId ||
            Object.entries(attributes).every(([key, value]) => group.attributes[key] === value)
          if (ours) return { id: group.pk, created: false }
          throw operation.fail('conflict', {
            note: 'a group of this name exists that is not marked as ours',
          })
        }
        const there = await find(operation, name)
        if (there) return adopt(there)
        const id = await create(operation, name, attributes)
        if (id !== undefined) return { id, created: true }
        // 400 means a lost race or a name that is not taken; only a second look can tell, because
        // messages are translated.
        const theirs = await find(operation, name)
        if (theirs) return adopt(theirs)
        throw operation.fail('refused', {
          status: 400,
          note: 'the group name or its attributes are not accepted',
        })
      }),

    findGroup: (name, options) =>
      client.operation('findGroup', options, async (operation) => {
        const group = await find(operation, name)
        return group && { id: group.pk, attributes: group.attributes }
      }),

    setGroupAttributes: ({ groupId, attributes }, options) =>
      client.operation('setGroupAttributes', options, async (operation) => {
        const group = await client.send(operation, {
          label: 'GET /core/groups/{id}/',
          method: 'GET',
          path: groupPath(groupId),
          query: { include_users: 'false' },
          repeatable: true,
          accept: [200],
          addressesObject: true,
          read: shaped(Group),
        })
        await client.send(operation, {
          label: 'PATCH /core/groups/{id}/',
          method: 'PATCH',
          path: groupPath(groupId),
          body: { attributes: { ...group.attributes, ...attributes } },
          repeatable: true,
          accept: [200],
          addressesObject: true,
          read: shaped(Group),
        })
      }),

    renameGroup: ({ groupId, name }, options) =>
      client.operation('renameGroup', options, async (operation) => {
        const rejected = await client.send(operation, {
          label: 'PATCH /core/groups/{id}/',
          method: 'PATCH',
          path: groupPath(groupId),
          body: { name },
          repeatable: true,
          accept: [200, 400],
          addressesObject: true,
          read: ({ status, json }) => status === 400 || Group.parse(json).name !== name,
        })
        if (rejected)
          throw operation.fail('conflict', {
            status: 400,
            note: 'the group name is not accepted or another group has it',
          })
      }),

    deleteGroup: (groupId, options) =>
      client.operation('deleteGroup', options, (operation) =>
        client.send(operation, {
          label: 'DELETE /core/groups/{id}/',
          method: 'DELETE',
          path: groupPath(groupId),
          repeatable: true,
          accept: [204, 404],
          read: () => undefined,
        }),
      ),

    listGroupMembers: (groupId, options) =>
      client.operation('listGroupMembers', options, async (operation) => {
        const { users_obj: members } = await client.send(operation, {
          label: 'GET /core/groups/{id}/',
          method: 'GET',
          path: groupPath(groupId),
          query: { include_users: 'true' },
          repeatable: true,
          accept: [200],
          addressesObject: true,
          maxResponseBytes: longestGroup,
          read: shaped(GroupWithMembers),
        })
        return members.map(({ uid }) => uid)
      }),

    addToGroup: ({ groupId, userId }, options) =>
      client.operation('addToGroup', options, (operation) =>
        client.send(operation, {
          label: 'POST /core/groups/{id}/add_user/',
          method: 'POST',
          path: groupPath(groupId, 'add_user/'),
          body: { pk: userKey(operation, userId) },
          repeatable: true,
          accept: [204],
          addressesObject: true,
          read: () => undefined,
        }),
      ),

    removeFromGroup: ({ groupId, userId }, options) =>
      client.operation('removeFromGroup', options, (operation) =>
        client.send(operation, {
          label: 'POST /core/groups/{id}/remove_user/',
          method: 'POST',
          path: groupPath(groupId, 'remove_user/'),
          body: { pk: userKey(operation, userId) },
          repeatable: true,
          accept: [204, 404],
          read: () => undefined,
        }),
      ),
  }
}
