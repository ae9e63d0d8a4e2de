import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { userPath } from './opencloud-paths.ts'
import { type FileAccount, type FileStorage, isAccountOf } from './port.ts'
import { Account, Drive } from './records.ts'

type AccountMethods = Pick<
  FileStorage,
  | 'ensureAccount'
  | 'findAccount'
  | 'updateAccount'
  | 'setAccountEnabled'
  | 'removeAccount'
  | 'accountUsage'
>

/**
 * Under this issuer an account's `identities` hold our id of the person. The server stores them
 * with the account and changes them only when asked to; a sign-in writes its own issuer and subject
 * there when it creates an account.
 */
const markIssuer = 'urn:atrium:person'

function markOf(personId: string) {
  return { issuer: markIssuer, issuerAssignedId: personId }
}

function toFileAccount({
  id,
  onPremisesSamAccountName: username,
  accountEnabled,
  identities,
}: Account): FileAccount {
  const assigned = (ours: boolean) =>
    (identities ?? []).flatMap(({ issuer, issuerAssignedId }) =>
      issuerAssignedId !== undefined && (issuer === markIssuer) === ours ? [issuerAssignedId] : [],
    )
  return {
    id,
    username,
    enabled: accountEnabled ?? true,
    personId: assigned(true)[0],
    subjects: assigned(false),
  }
}

/**
 * Accounts of people. The username is the address, because the first sign-in through the identity
 * provider meets the account by the username that its token names; an account without a password is
 * enough for that.
 */
export function opencloudAccounts(client: HttpClient): AccountMethods {
  const find = (operation: Operation, idOrName: string) =>
    client.send(operation, {
      label: 'GET /v1.0/users/{id}',
      method: 'GET',
      path: userPath(operation, idOrName),
      repeatable: true,
      accept: [200, 404],
      read: ({ status, json }) => (status === 200 ? Account.parse(json) : undefined),
    })

  /** The account of this username. A path takes ids too, so the name is compared. */
  async function findByName(operation: Operation, username: string): Promise<Account | undefined> {
    const account = await find(operation, username)
    return account?.onPremisesSamAccountName.toLowerCase() === username ? account : undefined
  }

  const update = (operation: Operation, id: string, body: object) =>
    client.send(operation, {
      label: 'PATCH /v1.0/users/{id}',
      method: 'PATCH',
      path: userPath(operation, id),
      body,
      repeatable: true,
      accept: [200, 204],
      addressesObject: true,
      read: ({ status, json }) => (status === 200 ? Account.parse(json) : undefined),
    })

  /** Writes our mark beside what a sign-in left there. */
  async function mark(operation: Operation, account: Account, personId: string): Promise<void> {
    if (toFileAccount(account).personId === personId) return
    const others = (account.identities ?? []).filter(({ issuer }) => issuer !== markIssuer)
    await update(operation, account.id, { identities: [...others, markOf(personId)] })
  }

  const remove = (operation: Operation, id: string, headers?: Record<string, string>) =>
    client.send(operation, {
      label: 'DELETE /v1.0/users/{id}',
      method: 'DELETE',
      path: userPath(operation, id),
      headers,
      repeatable: true,
      accept: [204, 404],
      read: () => undefined,
    })

  return {
    ensureAccount: ({ person, email, displayName }, options) =>
      client.operation('ensureAccount', options, async (operation) => {
        const username = usernameOf(email)
        const made = await client.send(operation, {
          label: 'POST /v1.0/users',
          method: 'POST',
          path: 'graph/v1.0/users',
          body: {
            onPremisesSamAccountName: username,
            displayName: displayName.trim() || username,
            mail: username,
            identities: [markOf(person.id)],
          },
          // Usernames are unique, so a repeated request meets the account of the first one.
          repeatable: true,
          accept: [201, 400, 409],
          read: ({ status, json }) => ({
            status,
            account: status === 201 ? Account.parse(json) : undefined,
          }),
        })
        if (made.account) return { id: made.account.id, created: true }
        if (made.status === 400)
          throw operation.fail('refused', { status: 400, note: rejectedName(username) })
        const there = await findByName(operation, username)
        if (!there) throw operation.fail('conflict', { status: 409 })
        if (!isAccountOf(toFileAccount(there), person)) {
          const note =
            'an account with this address is there already and is not known to be this person’s'
          throw operation.fail('conflict', { status: 409, note })
        }
        await mark(operation, there, person.id)
        return { id: there.id, created: false }
      }),

    findAccount: (email, options) =>
      client.operation('findAccount', options, async (operation) => {
        const account = await findByName(operation, usernameOf(email))
        return account && toFileAccount(account)
      }),

    updateAccount: ({ id, personId, displayName, email }, options) =>
      client.operation('updateAccount', options, async (operation) => {
        const username = email === undefined ? undefined : usernameOf(email)
        const changes = {
          ...(displayName !== undefined && { displayName }),
          ...(username !== undefined && { mail: username, onPremisesSamAccountName: username }),
        }
        if (Object.keys(changes).length === 0) return
        const account = await update(operation, id, changes)
        if (account && personId !== undefined) await mark(operation, account, personId)
      }),

    setAccountEnabled: ({ id, enabled }, options) =>
      client.operation('setAccountEnabled', options, async (operation) => {
        const account = await update(operation, id, { accountEnabled: enabled })
        if (account?.accountEnabled === !enabled) {
          throw operation.fail('refused', { status: 200, note: 'the account was left as it was' })
        }
      }),

    removeAccount: (id, options) =>
      client.operation('removeAccount', options, async (operation) => {
        await remove(operation, id)
        // A server that keeps deleted accounts for a while takes a second request for good; any
        // other one has nothing left.
        await remove(operation, id, { prefer: 'purge' })
      }),

    accountUsage: (accountId, options) =>
      client.operation('accountUsage', options, async (operation) => {
        const drive = await client.send(operation, {
          label: 'GET /v1.0/users/{id}/drive',
          method: 'GET',
          path: userPath(operation, accountId, '/drive'),
          repeatable: true,
          accept: [200, 404],
          read: ({ status, json }) => (status === 200 ? Drive.parse(json) : undefined),
        })
        // The drive is created at the first sign-in. Without one, the account decides between
        // "nothing stored" and "no account".
        if (!drive) return (await find(operation, accountId)) ? 0 : undefined
        const used = drive.quota?.used
        if (used === undefined)
          throw operation.fail('refused', {
            status: 200,
            note: 'the use of a disabled space is not told',
          })
        return used
      }),
  }
}

/**
 * Why a username may be rejected: the server's default pattern wants a letter or an underscore
 * first.
 */
function rejectedName(username: string): string {
  return /^[a-z_]/.test(username)
    ? 'the address or the name is not accepted there as a username'
    : 'the address does not begin with a letter, which the file storage accepts as a username with GRAPH_USERNAME_MATCH=none'
}

function usernameOf(email: string): string {
  return email.trim().toLowerCase()
}
