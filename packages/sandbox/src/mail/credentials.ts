import { credentialLimits, entriesOf } from './accounts.ts'
import { idsArgument, textsArgument } from './arguments.ts'
import type { Caller } from './caller.ts'
import { SetError } from './errors.ts'
import { decodeId, encodeId } from './ids.ts'
import { isObject, type Json, type JsonObject, membersOf, objectOf, own, textOf } from './json.ts'
import type { MethodCall } from './method.ts'
import { parsePointer, patched, utcDate } from './patch.ts'
import { assertMayGrant, credentialPermissions, type PermissionSet } from './permissions.ts'
import { selected } from './registry-get.ts'
import { runSet } from './registry-set.ts'
import { hashSecret, masked, newApiKey, newAppPassword } from './secrets.ts'
import { initialObject, object, propertyNames, serverSet, text } from './shapes.ts'

/**
 * API keys and app passwords: secondary credentials inside an account, with methods of their own.
 */
export interface CredentialType {
  readonly name: 'ApiKey' | 'AppPassword'
  readonly words: string
  readonly newSecret: (accountId: string, credentialId: number) => string
}

export const apiKeys: CredentialType = { name: 'ApiKey', words: 'API keys', newSecret: newApiKey }
export const appPasswords: CredentialType = {
  name: 'AppPassword',
  words: 'app passwords',
  newSecret: (_accountId, id) => newAppPassword(id),
}

/** How many of each an account may have unless its quotas say otherwise. */
const defaultQuota = 5

const shape = object({
  description: text,
  secret: serverSet,
  createdAt: serverSet,
  ...credentialLimits,
})
const known = new Set([...propertyNames(shape), 'credentialId', '@type', 'id'])

function view(credential: JsonObject): JsonObject {
  const { '@type': _type, credentialId, ...shown } = credential
  return { id: credentialId ?? null, ...shown, secret: masked }
}

/** `x:ApiKey/get` and `x:AppPassword/get`: never the secret. */
export function credentialGet(type: CredentialType): (call: MethodCall) => JsonObject {
  return ({ world, accountId, args }) => {
    const account = world.store.get('Account', accountId) ?? {}
    const held = entriesOf(objectOf(account, 'credentials')).filter(
      (one) => textOf(one, '@type') === type.name,
    )
    const ids = idsArgument(args, 'ids') ?? held.map((one) => textOf(one, 'credentialId'))
    const properties = new Set(
      (textsArgument(args, 'properties') ?? []).filter((name) => known.has(name)),
    )
    const list = ids.flatMap((id) => held.filter((one) => textOf(one, 'credentialId') === id))
    const notFound = ids.filter((id) => !held.some((one) => textOf(one, 'credentialId') === id))
    return { accountId, list: list.map((one) => selected(view(one), properties)), notFound }
  }
}

/**
 * `x:ApiKey/set` and `x:AppPassword/set` on the account of the call. The secret is shown by the
 * create alone.
 */
export function credentialSet(type: CredentialType): (call: MethodCall) => JsonObject {
  return (call) => {
    const { world, accountId, caller } = call
    const read = (): { account: JsonObject; credentials: readonly JsonObject[] } => {
      const account = world.store.get('Account', accountId)
      if (!account || textOf(account, '@type') !== 'User') throw new SetError('notFound')
      return { account, credentials: entriesOf(objectOf(account, 'credentials')) }
    }
    const write = (account: JsonObject, credentials: readonly JsonObject[]) => {
      const list = Object.fromEntries(credentials.map((one, index) => [String(index), one]))
      world.store.update('Account', accountId, { ...account, credentials: list })
    }
    const assertGrant = (credential: JsonObject) => {
      if (world.settings.grantRule)
        assertMayGrant(caller.permissions, grantedBy(caller, credential))
    }
    return runSet(call, `sys${type.name}`, {
      create(value) {
        const { account, credentials } = read()
        const sent = patched(shape, initialObject(shape), [], value, known)
        const quota = quotaOf(account, type)
        if (credentials.filter((one) => textOf(one, '@type') === type.name).length >= quota) {
          throw new SetError('overQuota', {
            description: `You have exceeded your quota of ${quota} ${type.words}.`,
          })
        }
        if (!isObject(sent) || textOf(sent, 'description') === '') {
          throw new SetError('validationFailed', {
            validationErrors: [{ type: 'Required', property: 'description' }],
          })
        }
        assertGrant(sent)
        const number =
          Math.max(
            0,
            ...credentials.map((one) => Number(decodeId(textOf(one, 'credentialId')) ?? 0n)),
          ) + 1
        const secret = type.newSecret(accountId, number)
        const id = encodeId(number)
        const created = {
          ...sent,
          '@type': type.name,
          credentialId: id,
          secret: hashSecret(secret),
          createdAt: utcDate(world.now()),
        }
        write(account, [...credentials, created])
        return { id, secret }
      },
      update(id, patch) {
        const { account, credentials } = read()
        const previous = credentials.find(
          (one) => textOf(one, 'credentialId') === id && textOf(one, '@type') === type.name,
        )
        if (!previous) throw new SetError('notFound')
        let changed: Json = previous
        for (const [pointer, value] of Object.entries(isObject(patch) ? patch : {})) {
          if (pointer !== '@type')
            changed = patched(shape, changed, parsePointer(pointer), value, known)
        }
        const next = isObject(changed) ? changed : previous
        if (
          JSON.stringify(own(next, 'permissions')) !== JSON.stringify(own(previous, 'permissions'))
        )
          assertGrant(next)
        write(
          account,
          credentials.map((one) => (one === previous ? next : one)),
        )
      },
      destroy(id) {
        const { account, credentials } = read()
        const doomed = credentials.find((one) => textOf(one, 'credentialId') === id)
        if (!doomed) throw new SetError('notFound')
        if (textOf(doomed, '@type') === 'Password') {
          throw new SetError('forbidden', {
            description: 'Users are not allowed to destroy their own credentials.',
          })
        }
        write(
          account,
          credentials.filter((one) => one !== doomed),
        )
      },
    })
  }
}

/**
 * What a key of these limits could do, seen from the caller's account: that is what the caller has
 * to hold itself.
 */
function grantedBy(caller: Caller, credential: JsonObject): PermissionSet {
  const limit = objectOf(credential, 'permissions')
  return textOf(limit, '@type') === 'Replace'
    ? new Set(membersOf(limit.permissions))
    : credentialPermissions(caller.accountPermissions, credential)
}

function quotaOf(account: JsonObject, type: CredentialType): number {
  const quota = own(
    objectOf(account, 'quotas'),
    type.name === 'ApiKey' ? 'maxApiKeys' : 'maxAppPasswords',
  )
  return typeof quota === 'number' ? quota : defaultQuota
}
