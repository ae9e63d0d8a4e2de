import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { userKey, userPath } from './authentik-paths.ts'
import { readUserRecord } from './authentik-user-record.ts'
import type { IdentityProfile, IdentityProvider } from './port.ts'
import { identityUser, Recovery, User, UserPage, UserWithAttributes } from './records.ts'

type UserMethods = Pick<
  IdentityProvider,
  | 'findUserByEmail'
  | 'findUserBySubject'
  | 'readUser'
  | 'createUser'
  | 'updateUser'
  | 'deleteUser'
  | 'recoveryLink'
  | 'setActive'
>

const longestUsername = 150

/** Contact data that has no field of its own at authentik, by the names of its attributes. */
const mirrored = [
  'firstName',
  'lastName',
  'phone',
  'alternativeEmail',
] as const satisfies (keyof IdentityProfile)[]

/** People: look-up, creation, contact data, passwords. */
export function authentikUsers(client: HttpClient): UserMethods {
  const list = (operation: Operation, filter: 'username' | 'email', value: string) =>
    client.send(operation, {
      label: `GET /core/users/?${filter}`,
      method: 'GET',
      path: 'api/v3/core/users/',
      query: {
        [filter]: value,
        ordering: 'pk',
        page_size: '100',
        include_groups: 'false',
        include_roles: 'false',
      },
      repeatable: true,
      accept: [200],
      // Compared here too: the server ignores a filter that it does not know, and then returns
      // everyone.
      read: ({ json }) =>
        UserPage.parse(json).results.filter((user) => user[filter].toLowerCase() === value),
    })

  /** Everyone with this address, the owner of the username first: only usernames are unique. */
  async function* holders(
    operation: Operation,
    email: string,
  ): AsyncGenerator<z.infer<typeof User>> {
    const address = email.trim().toLowerCase()
    yield* await list(operation, 'username', address)
    yield* await list(operation, 'email', address)
  }

  function usernameOf(operation: Operation, email: string): string {
    const username = email.trim().toLowerCase()
    if (username.length <= longestUsername) return username
    throw operation.fail('refused', {
      note: `the address is longer than ${longestUsername} characters`,
    })
  }

  /**
   * True when another user has the address as username or e-mail: authentik itself only rejects the
   * username.
   */
  async function isTaken(operation: Operation, email: string, key: number): Promise<boolean> {
    for await (const holder of holders(operation, email)) if (holder.pk !== key) return true
    return false
  }

  const done = { accept: [204], addressesObject: true, repeatable: true, read: () => undefined }

  return {
    findUserByEmail: (email, options) =>
      client.operation('findUserByEmail', options, async (operation) => {
        for await (const holder of holders(operation, email)) return identityUser(holder)
        return undefined
      }),

    findUserBySubject: ({ subject, email }, options) =>
      client.operation('findUserBySubject', options, async (operation) => {
        for await (const holder of holders(operation, email))
          if (holder.uid === subject) return identityUser(holder)
        return undefined
      }),

    readUser: (userId, options) =>
      client.operation('readUser', options, async (operation) =>
        identityUser(await readUserRecord(client, operation, userId, User)),
      ),

    createUser: (
      { email, name, groupIds, path = 'users', attributes = {}, profile = {}, active = true },
      options,
    ) =>
      client.operation('createUser', options, async (operation) => {
        const username = usernameOf(operation, email)
        const user = await client.send(operation, {
          label: 'POST /core/users/',
          method: 'POST',
          path: 'api/v3/core/users/',
          body: {
            username,
            email: username,
            name,
            type: 'internal',
            path,
            groups: groupIds,
            attributes: withProfile(attributes, profile),
            is_active: active,
          },
          repeatable: false,
          accept: [201, 400],
          read: ({ status, json }) => (status === 201 ? User.parse(json) : undefined),
        })
        if (user) return identityUser(user)
        // Duplicates return 400 like every other error, with translated messages: a lookup shows
        // which it was.
        const taken = (await list(operation, 'username', username)).length > 0
        throw taken
          ? operation.fail('conflict', { status: 400 })
          : operation.fail('refused', {
              status: 400,
              note: 'the address, the name, a group or the path is not accepted',
            })
      }),

    updateUser: ({ userId, profile }, options) =>
      client.operation('updateUser', options, async (operation) => {
        const key = userKey(operation, userId)
        const email = profile.email === undefined ? undefined : usernameOf(operation, profile.email)
        const before = await readUserRecord(client, operation, userId, UserWithAttributes)
        // A user who has the address under another username, such as an older one, keeps it.
        const moves = email !== undefined && email !== before.email.toLowerCase()
        if (moves && (await isTaken(operation, email, key))) throw operation.fail('conflict')
        const accepted = await client.send(operation, {
          label: 'PATCH /core/users/{id}/',
          method: 'PATCH',
          path: userPath(operation, userId),
          body: {
            ...(profile.name !== undefined && { name: profile.name }),
            ...(moves && { username: email, email }),
            // PATCH replaces all attributes, so they are sent only when one of ours changes.
            ...(mirrored.some((name) => profile[name] !== undefined) && {
              attributes: withProfile(before.attributes, profile),
            }),
          },
          repeatable: true,
          accept: [200, 400],
          addressesObject: true,
          read: ({ status, json }) => status === 200 && User.parse(json).pk === key,
        })
        if (accepted) return
        throw moves && (await isTaken(operation, email, key))
          ? operation.fail('conflict', { status: 400 })
          : operation.fail('refused', {
              status: 400,
              note: 'the address or the name is not accepted',
            })
      }),

    deleteUser: (id, options) =>
      client.operation('deleteUser', options, (operation) =>
        client.send(operation, {
          ...done,
          label: 'DELETE /core/users/{id}/',
          method: 'DELETE',
          path: userPath(operation, id),
          accept: [204, 404],
        }),
      ),

    recoveryLink: ({ userId, publicOrigin }, options) =>
      client.operation('recoveryLink', options, (operation) =>
        client.send(operation, {
          label: 'POST /core/users/{id}/recovery/',
          method: 'POST',
          path: userPath(operation, userId, 'recovery/'),
          body: {},
          // authentik keeps one recovery token per user and renews it.
          repeatable: true,
          // 400 in all its forms: no recovery flow on the brand, or a flow that does not take this
          // user.
          accept: [200, 400],
          addressesObject: true,
          read: ({ status, json }) =>
            status === 200 ? onOrigin(Recovery.parse(json).link, publicOrigin) : undefined,
        }),
      ),

    setActive: ({ userId, active }, options) =>
      client.operation('setActive', options, async (operation) => {
        const user = await client.send(operation, {
          label: 'PATCH /core/users/{id}/',
          // PATCH, because PUT leaves the sessions of a deactivated user alone.
          method: 'PATCH',
          path: userPath(operation, userId),
          body: { is_active: active },
          repeatable: true,
          accept: [200],
          addressesObject: true,
          read: ({ json }) => User.parse(json),
        })
        if (user.is_active !== active)
          throw operation.fail('refused', { status: 200, note: 'the user was left as it was' })
      }),
  }
}

function withProfile(
  attributes: Record<string, unknown>,
  profile: IdentityProfile,
): Record<string, unknown> {
  const merged = { ...attributes }
  for (const name of mirrored) {
    const value = profile[name]
    if (value === null) delete merged[name]
    else if (value !== undefined) merged[name] = value
  }
  return merged
}

/**
 * The link with the origin that people reach; authentik builds it on the address that we call it
 * by.
 */
function onOrigin(link: string, publicOrigin: string | undefined): string {
  const url = new URL(z.url({ protocol: /^https?$/ }).parse(link))
  return publicOrigin === undefined
    ? link
    : `${new URL(publicOrigin).origin}${url.pathname}${url.search}${url.hash}`
}
