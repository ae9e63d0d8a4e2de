import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { jmap, numberedList, type SetError, setFailure } from './jmap.ts'
import type { MailAccounts } from './port.ts'
import { type StoredAddress, sameAddress, storedAddress } from './stalwart-addresses.ts'
import { assertObjectId, readObjects, updateRejection } from './stalwart-objects.ts'

export type AliasMethods = Pick<MailAccounts, 'addAlias' | 'removeAlias' | 'renameAccount'>

const properties = ['name', 'domainId', 'aliases']
const Addresses = z.object({
  name: z.string(),
  domainId: z.string(),
  aliases: numberedList(
    z.object({ name: z.string(), domainId: z.string(), enabled: z.boolean().nullish() }),
  ),
})
const Got = z.object({ list: z.array(Addresses) })

interface Alias extends StoredAddress {
  index: string
  enabled: boolean
}

interface Held {
  primary: StoredAddress
  aliases: Alias[]
}

// Numbers of a list are given again when it is stored. One that is in use is written into, so a new
// entry takes one that never is.
const unusedIndex = 4_000_000_000

/**
 * Addresses of accounts. Aliases are a list whose entries are named by position, and the server has
 * no lock that a client could use: every change goes by a fresh look, and the same request reads
 * the list again to see what became of it.
 */
export function stalwartAliases(client: HttpClient): AliasMethods {
  async function held(operation: Operation, id: string): Promise<Held | undefined> {
    const [account] = await readObjects(operation, client, 'Account', {
      ids: [id],
      properties,
      shape: Addresses,
      repeatable: false,
    })
    return account && addresses(account)
  }

  /** Changes and reads again. */
  async function change(
    operation: Operation,
    id: string,
    patch: Record<string, unknown>,
  ): Promise<Held> {
    assertObjectId(operation, id)
    const [rejected, list] = await jmap(operation, client, {
      calls: [
        ['x:Account/set', { update: { [id]: patch } }, 'set'],
        ['x:Account/get', { ids: [id], properties }, 'get'],
      ],
      repeatable: false,
      read: ([set, got]) => [updateRejection(operation, set, id), Got.parse(got).list] as const,
    })
    if (rejected)
      throw isShorter(rejected, patch) ? moved(operation) : setFailure(operation, rejected)
    if (!list[0]) throw operation.fail('not_found')
    return addresses(list[0])
  }

  return {
    addAlias: ({ accountId, ...address }, options) =>
      client.operation('addAlias', options, (operation) =>
        operation.repeat(async () => {
          const requested = storedAddress(address)
          const before = await held(operation, accountId)
          if (!before) throw operation.fail('not_found')
          // The server accepts this silently, and then has an alias that is indistinguishable from
          // the address.
          if (sameAddress(before.primary, requested))
            throw operation.fail('conflict', { note: 'it is the address of the account itself' })
          const there = before.aliases.find((alias) => sameAddress(alias, requested))
          if (there?.enabled) return
          const patch = there
            ? { ...stillAsLong(before.aliases), [`aliases/${there.index}/enabled`]: true }
            : added([requested])
          const after = await change(operation, accountId, patch)
          if (!after.aliases.some((alias) => alias.enabled && sameAddress(alias, requested)))
            throw moved(operation)
        }),
      ),

    removeAlias: ({ accountId, ...address }, options) =>
      client.operation('removeAlias', options, (operation) =>
        operation.repeat(async () => {
          const unwanted = storedAddress(address)
          const before = await held(operation, accountId)
          const there = before?.aliases.filter((alias) => sameAddress(alias, unwanted)) ?? []
          const [first] = there
          if (!before || !first) return
          const after = await change(operation, accountId, {
            ...stillAsLong(before.aliases),
            ...removed(there),
          })
          if (!after.aliases.some((alias) => sameAddress(alias, unwanted))) return
          // One before it went and another came, so its place was taken by one of those behind it:
          // that one comes back.
          const lost = before.aliases
            .slice(before.aliases.indexOf(first))
            .filter((alias) => !after.aliases.some((left) => sameAddress(left, alias)))
          if (lost.length > 0) await change(operation, accountId, added(lost))
          throw moved(operation)
        }),
      ),

    renameAccount: ({ id, to, keepOld }, options) =>
      client.operation('renameAccount', options, (operation) =>
        operation.repeat(async () => {
          const requested = storedAddress(to)
          const before = await held(operation, id)
          if (!before) throw operation.fail('not_found')
          const old = before.primary
          if (sameAddress(old, requested)) return
          const stays = before.aliases.some((alias) => sameAddress(alias, old))
          const unwanted = before.aliases.filter(
            (alias) => sameAddress(alias, requested) || (!keepOld && sameAddress(alias, old)),
          )
          const after = await change(operation, id, {
            ...(unwanted.length > 0 && stillAsLong(before.aliases)),
            ...requested,
            ...removed(unwanted),
            ...(keepOld && !stays && added([old])),
          })
          const isDone =
            sameAddress(after.primary, requested) &&
            !after.aliases.some((alias) => sameAddress(alias, requested))
          if (!isDone || (keepOld && !after.aliases.some((alias) => sameAddress(alias, old))))
            throw moved(operation)
        }),
      ),
  }
}

function addresses({ name, domainId, aliases }: z.infer<typeof Addresses>): Held {
  return {
    primary: { name, domainId },
    aliases: aliases.map(([index, alias]) => ({
      ...alias,
      index,
      enabled: alias.enabled !== false,
    })),
  }
}

function added(aliases: readonly StoredAddress[]): Record<string, unknown> {
  return Object.fromEntries(
    aliases.map(({ name, domainId }, count) => [
      `aliases/${unusedIndex + count}`,
      { name, domainId, enabled: true },
    ]),
  )
}

function removed(aliases: readonly Alias[]): Record<string, null> {
  return Object.fromEntries(aliases.map(({ index }) => [`aliases/${index}`, null]))
}

/**
 * A part of a patch that changes nothing and lets the server reject the whole when an entry has
 * gone in between: on a list that is shorter now it makes an entry without an address. Without it,
 * a place found before could be that of another alias.
 */
function stillAsLong(aliases: readonly Alias[]): Record<string, boolean> {
  const last = aliases.at(-1)
  return last ? { [`aliases/${last.index}/enabled`]: last.enabled } : {}
}

/** True for a rejection that says that the list has fewer entries than the patch counts on. */
function isShorter({ type, properties }: SetError, patch: Record<string, unknown>): boolean {
  if (type === 'invalidPatch')
    return properties?.some((pointer) => patch[pointer] === null) ?? false
  return type === 'validationFailed'
}

/** Another writer changed the addresses at the same time; reading them again resolves it. */
function moved(operation: Operation) {
  return operation.fail('server', { status: 200, note: 'the addresses changed in between' })
}
