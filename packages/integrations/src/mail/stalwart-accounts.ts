import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { jmap, numberedList, principals, setFailure } from './jmap.ts'
import type { MailAccount, MailAccounts } from './port.ts'
import { domainNames, storedAddress } from './stalwart-addresses.ts'
import { type AliasMethods, stalwartAliases } from './stalwart-aliases.ts'
import {
  allIds,
  createObject,
  destroyObject,
  isObjectId,
  readObjects,
  updateObject,
} from './stalwart-objects.ts'
import { frozen, isFrozen, muted, Permissions, thawed } from './stalwart-permissions.ts'

const Aliases = numberedList(z.object({ name: z.string(), domainId: z.string() }))
const Account = z.object({
  id: z.string().min(1),
  '@type': z.string(),
  domainId: z.string(),
  emailAddress: z.string(),
  description: z.string().nullish(),
  aliases: Aliases,
  permissions: Permissions,
  quotas: z.object({ maxDiskQuota: z.number().nullish() }).nullish(),
  usedDiskQuota: z.number().nullish(),
})
// `@type` is shown, of the account as of its variants, only when it is asked for.
const accountProperties = [
  '@type',
  'domainId',
  'emailAddress',
  'description',
  'aliases',
  'permissions',
  'quotas',
  'usedDiskQuota',
]
const Found = z.object({
  list: z.array(
    z.object({ id: z.string().min(1), '@type': z.string(), name: z.string(), aliases: Aliases }),
  ),
})
const Granted = z.object({ permissions: Permissions })
const Session = z.object({ primaryAccounts: z.object({ 'urn:stalwart:jmap': z.string().min(1) }) })
const Credentials = z.object({ credentials: numberedList(z.looseObject({ '@type': z.string() })) })

/** Mailboxes of people. */
export function stalwartAccounts(client: HttpClient): MailAccounts {
  let ownId: string | undefined

  /** The account of our key, which methods other than management require. */
  async function ownAccount(operation: Operation): Promise<string> {
    ownId ??= (
      await client.send(operation, {
        label: 'GET /jmap/session',
        method: 'GET',
        path: 'jmap/session',
        repeatable: true,
        accept: [200],
        read: shaped(Session),
      })
    ).primaryAccounts['urn:stalwart:jmap']
    return ownId
  }

  interface Reading<S> {
    properties: string[]
    shape: S
    repeatable: boolean
  }

  async function readOne<S extends z.ZodType>(
    operation: Operation,
    id: string,
    reading: Reading<S>,
  ) {
    const [account] = await readObjects(operation, client, 'Account', { ids: [id], ...reading })
    return account
  }

  const update = (
    operation: Operation,
    id: string,
    patch: Record<string, unknown>,
    repeatable: boolean,
  ) => updateObject(operation, client, 'Account', { id, patch, repeatable })

  const methods: Omit<MailAccounts, keyof AliasMethods> = {
    createAccount: ({ displayName, password, quotaBytes, ...address }, options) =>
      client.operation('createAccount', options, async (operation) => {
        const outcome = await createObject(operation, client, 'Account', {
          '@type': 'User',
          ...storedAddress(address),
          description: displayName || null,
          credentials: { '0': { '@type': 'Password', secret: password } },
          ...(quotaBytes !== undefined && { quotas: { maxDiskQuota: quotaBytes } }),
        })
        if ('id' in outcome) return outcome
        throw setFailure(operation, outcome.rejected)
      }),

    findAccount: (address, options) =>
      client.operation('findAccount', options, async (operation) => {
        const email = address.trim().toLowerCase()
        const accountId = await ownAccount(operation)
        const { list } = await jmap(operation, client, {
          calls: [
            // Accounts can be filtered by their primary address only; principals by every one, and
            // have the same ids.
            ['Principal/query', { accountId, filter: { email } }, 'query'],
            [
              'x:Account/get',
              {
                '#ids': { resultOf: 'query', name: 'Principal/query', path: '/ids' },
                properties: ['@type', 'name', 'aliases'],
              },
              'get',
            ],
          ],
          using: [principals],
          repeatable: true,
          read: ([, accounts]) => Found.parse(accounts),
        })
        const localPart = email.slice(0, email.lastIndexOf('@'))
        const found = list.find(
          (one) =>
            one['@type'] === 'User' &&
            [one.name, ...one.aliases.map(([, { name }]) => name)].includes(localPart),
        )
        return found && { id: found.id }
      }),

    readAccount: (id, options) =>
      client.operation('readAccount', options, async (operation) => {
        const account = await readOne(operation, id, {
          properties: accountProperties,
          shape: Account,
          repeatable: true,
        })
        return account?.['@type'] === 'User'
          ? await mailAccount(operation, client, account)
          : undefined
      }),

    setDisplayName: ({ id, displayName }, options) =>
      client.operation('setDisplayName', options, (operation) =>
        update(operation, id, { description: displayName || null }, true),
      ),

    setAccountPassword: ({ id, password }, options) =>
      client.operation('setAccountPassword', options, (operation) =>
        // Look and change repeat as one: entries move when others go.
        operation.repeat(async () => {
          const account = await readOne(operation, id, {
            properties: ['@type', 'credentials'],
            shape: Credentials,
            repeatable: false,
          })
          if (!account) throw operation.fail('not_found')
          const held = account.credentials.find(
            ([, credential]) => credential['@type'] === 'Password',
          )
          const unused = Math.max(-1, ...account.credentials.map(([index]) => Number(index))) + 1
          // Never the list as a whole: that would drop app passwords, keys and second factors.
          const patch = held
            ? { [`credentials/${held[0]}/secret`]: password }
            : { [`credentials/${unused}`]: { '@type': 'Password', secret: password } }
          await update(operation, id, patch, false)
        }),
      ),

    freezeAccount: (id, options) =>
      client.operation('freezeAccount', options, (operation) => {
        let before: z.infer<typeof Permissions> | undefined
        return operation.repeat(async () => {
          const account = await readOne(operation, id, {
            properties: ['@type', 'permissions'],
            shape: Granted,
            repeatable: false,
          })
          if (!account) throw operation.fail('not_found')
          // Frozen by the previous attempt, whose response was lost: the earlier permissions are
          // known.
          if (isFrozen(account.permissions)) return before && { before }
          before = account.permissions
          await update(operation, id, { permissions: frozen(account.permissions) }, false)
          return { before }
        })
      }),

    muteAccount: ({ id, permissions }, options) =>
      client.operation('muteAccount', options, async (operation) => {
        await update(
          operation,
          id,
          { permissions: muted(thawed(savedPermissions(operation, permissions))) },
          true,
        )
      }),

    thawAccount: ({ id, permissions }, options) =>
      client.operation('thawAccount', options, async (operation) => {
        await update(
          operation,
          id,
          { permissions: thawed(savedPermissions(operation, permissions)) },
          true,
        )
      }),

    removeAccount: (id, options) =>
      client.operation('removeAccount', options, (operation) =>
        destroyObject(operation, client, 'Account', id),
      ),

    aliasesOn: (domainIds, options) =>
      client.operation('aliasesOn', options, async (operation) => {
        const requested = domainIds.filter(isObjectId)
        if (requested.length === 0) return []
        const names = await domainNames(operation, client, requested)
        // An alias may be on another domain than the address of its account, and no filter finds
        // it.
        const accounts = await readObjects(operation, client, 'Account', {
          ids: await allIds(operation, client, 'Account'),
          properties: ['aliases'],
          shape: z.object({ id: z.string().min(1), aliases: Aliases }),
        })
        return accounts.flatMap(({ id, aliases }) =>
          aliases.flatMap(([, { name, domainId }]) => {
            const domain = names.get(domainId)
            return domain === undefined ? [] : [{ address: `${name}@${domain}`, accountId: id }]
          }),
        )
      }),
  }
  return { ...methods, ...stalwartAliases(client) }
}

function savedPermissions(operation: Operation, permissions: unknown): Permissions {
  const saved = Permissions.safeParse(permissions ?? { '@type': 'Inherit' })
  if (!saved.success)
    throw operation.fail('refused', {
      note: 'the previous permissions are not what freezeAccount returned',
    })
  return saved.data
}

async function mailAccount(
  operation: Operation,
  client: HttpClient,
  account: z.infer<typeof Account>,
): Promise<MailAccount> {
  const aliases = account.aliases.map(([, alias]) => alias)
  const ownDomain = account.emailAddress.slice(account.emailAddress.lastIndexOf('@') + 1)
  const others = aliases
    .map(({ domainId }) => domainId)
    .filter((domainId) => domainId !== account.domainId)
  const names = (await domainNames(operation, client, others)).set(account.domainId, ownDomain)
  return {
    id: account.id,
    address: account.emailAddress,
    displayName: account.description || null,
    aliases: aliases.flatMap(({ name, domainId }) =>
      names.has(domainId) ? [`${name}@${names.get(domainId)}`] : [],
    ),
    permissions: account.permissions,
    frozen: isFrozen(account.permissions),
    usedBytes: account.usedDiskQuota ?? null,
    // Zero is how the server keeps "no limit".
    quotaBytes: account.quotas?.maxDiskQuota || null,
  }
}
