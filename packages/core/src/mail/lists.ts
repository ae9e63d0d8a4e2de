import { z } from 'zod'
import { editVersion, expectedVersion } from '../platform/edit-version.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { ownAddress, recipientAddress } from './mail-addresses.ts'

/**
 * `ok`: the mail server has this version of the list. `removing`: it is deleted as soon as the mail
 * server is available.
 */
export const listStates = ['pending', 'ok', 'error', 'removing'] as const
export const listState = z.enum(listStates)
export type ListState = z.infer<typeof listState>

export const mostRecipients = 1000

/**
 * A distribution list: one address that fans out. `error` says why the mail server does not have
 * this version of the list.
 */
export const ListView = z.object({
  id: z.uuid(),
  address: z.string(),
  name: z.string(),
  /** In alphabetical order. */
  recipients: z.array(z.string()),
  state: listState,
  error: z.string().nullable(),
  editVersion,
  createdAt: instant,
  updatedAt: instant,
})
export type ListView = z.infer<typeof ListView>

/** A list as shown on the page of lists, with its number of recipients. */
export const ListSummary = ListView.omit({ recipients: true, editVersion: true }).extend({
  recipientCount: z.number().int(),
})
export type ListSummary = z.infer<typeof ListSummary>

export const ListPage = page(ListSummary)
export type ListPage = z.infer<typeof ListPage>

/** Unique addresses; the issue is reported at the duplicate. */
const recipients = z
  .array(recipientAddress)
  .max(mostRecipients)
  .superRefine((addresses, context) => {
    const seen = new Map<string, number>()
    for (const [index, address] of addresses.entries()) {
      const first = seen.get(address)
      if (first === undefined) seen.set(address, index)
      else
        context.addIssue({
          code: 'custom',
          path: [index],
          message: issueText('namedTwice', { value: address }),
        })
    }
  })

const atLeastOne = recipients
  .refine((addresses) => addresses.length > 0, says('noRecipient'))
  .meta({ openapi: { minItems: 1 } })

export const ListLists = z.strictObject({
  slug: z.string().max(200),
  q: line(200).optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListLists = z.infer<typeof ListLists>

/**
 * `address` is a local part, completed with the primary domain, or a whole address on a domain of
 * the tenant.
 */
export const CreateList = z.strictObject({
  slug: z.string().max(200),
  address: ownAddress,
  name: line(100),
  recipients: atLeastOne,
})
export type CreateList = z.infer<typeof CreateList>

export const ListInTenant = z.strictObject({ slug: z.string().max(200), listId: z.uuid() })
export type ListInTenant = z.infer<typeof ListInTenant>

/**
 * `recipients` replaces them all; `add` and `remove` change some and cannot be combined with it.
 */
export const UpdateList = z
  .strictObject({
    slug: z.string().max(200),
    listId: z.uuid(),
    name: line(100).optional(),
    recipients: atLeastOne.optional(),
    add: recipients.optional(),
    remove: recipients.optional(),
    expectedVersion,
  })
  .superRefine(({ name, recipients: all, add, remove }, context) => {
    if ([name, all, add, remove].every((field) => field === undefined))
      context.addIssue({ code: 'custom', message: issueText('nothingToChange') })
    if (all !== undefined && (add !== undefined || remove !== undefined))
      context.addIssue({
        code: 'custom',
        path: ['recipients'],
        message: issueText('recipientsTwoWays'),
      })
    for (const [index, address] of (remove ?? []).entries())
      if (add?.includes(address))
        context.addIssue({
          code: 'custom',
          path: ['remove', index],
          message: issueText('alsoAdded', { value: address }),
        })
  })
  .meta({ openapi: { minProperties: 1 } })
export type UpdateList = z.infer<typeof UpdateList>

/** What an update does to the recipients, or the issues that keep it from being done. */
export function changeRecipients(
  before: readonly string[],
  { recipients: all, add = [], remove = [] }: Pick<UpdateList, 'recipients' | 'add' | 'remove'>,
): { recipients: string[] } | { issues: { path: string; message: string }[] } {
  if (all) return { recipients: [...all].sort() }
  const had = new Set(before)
  const issues = [
    ...add.flatMap((address, index) =>
      had.has(address)
        ? [{ path: `add.${index}`, message: issueText('inListAlready', { value: address }) }]
        : [],
    ),
    ...remove.flatMap((address, index) =>
      had.has(address)
        ? []
        : [{ path: `remove.${index}`, message: issueText('notInList', { value: address }) }],
    ),
  ]
  const after = [...before.filter((address) => !remove.includes(address)), ...add].sort()
  if (after.length === 0) issues.push({ path: 'remove', message: issueText('noRecipient') })
  if (after.length > mostRecipients)
    issues.push({ path: 'add', message: issueText('itemsAtMost', { count: mostRecipients }) })
  return issues.length > 0 ? { issues } : { recipients: after }
}

/**
 * Shortest way on which mail to `address` would come back to it, when it went to `recipients`: the
 * addresses from list to list, first and last the list itself. Undefined when there is none.
 * `recipientsOf` gives the recipients of the other lists.
 */
export function loopThrough(
  address: string,
  recipients: readonly string[],
  recipientsOf: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const cameFrom = new Map<string, string>()
  let edge = recipients.map((to) => ({ from: address, to }))
  while (edge.length > 0) {
    const next: { from: string; to: string }[] = []
    for (const { from, to } of edge) {
      if (cameFrom.has(to)) continue
      cameFrom.set(to, from)
      if (to === address) return wayBack(address, cameFrom)
      for (const further of recipientsOf.get(to) ?? []) next.push({ from: to, to: further })
    }
    edge = next
  }
  return undefined
}

function wayBack(address: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [address]
  for (let at = cameFrom.get(address); at !== undefined && at !== address; at = cameFrom.get(at))
    way.unshift(at)
  return [address, ...way]
}
