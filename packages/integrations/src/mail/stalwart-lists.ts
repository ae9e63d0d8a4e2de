import { domainToASCII } from 'node:url'
import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { setFailure } from './jmap.ts'
import type { MailList, MailLists } from './port.ts'
import { storedAddress } from './stalwart-addresses.ts'
import {
  allIds,
  createObject,
  destroyObject,
  readObjects,
  updateObject,
} from './stalwart-objects.ts'

const properties = ['emailAddress', 'description', 'recipients']
const List = z.object({
  id: z.string().min(1),
  emailAddress: z.string(),
  description: z.string().nullish(),
  // Values are not looked into by the schema: the path of a shape that differs would quote the
  // address.
  recipients: z.record(z.string(), z.unknown()),
})

// Lists may have thousands of recipients, and a response has a maximum size.
const listsAtOnce = 25

/** Distribution lists. */
export function stalwartLists(client: HttpClient): MailLists {
  const read = (operation: Operation, ids: readonly string[]) =>
    readObjects(operation, client, 'MailingList', {
      ids,
      properties,
      shape: List,
      atOnce: listsAtOnce,
    })

  return {
    createList: ({ name, recipients, ...address }, options) =>
      client.operation('createList', options, async (operation) => {
        const outcome = await createObject(operation, client, 'MailingList', {
          ...storedAddress(address),
          description: name || null,
          recipients: recipientSet(operation, recipients),
        })
        if ('id' in outcome) return outcome
        throw setFailure(operation, outcome.rejected)
      }),

    readList: (id, options) =>
      client.operation('readList', options, async (operation) => {
        const [list] = await read(operation, [id])
        return list && mailList(list)
      }),

    listsOn: (domainIds, options) =>
      client.operation('listsOn', options, async (operation) => {
        // Lists cannot be filtered by domain: where each lives comes first, the recipients only of
        // those that are wanted.
        const places = await readObjects(operation, client, 'MailingList', {
          ids: await allIds(operation, client, 'MailingList'),
          properties: ['domainId'],
          shape: z.object({ id: z.string().min(1), domainId: z.string() }),
        })
        const requested = places
          .filter(({ domainId }) => domainIds.includes(domainId))
          .map(({ id }) => id)
        const lists = (await read(operation, requested)).map(mailList)
        return lists.sort((one, other) => compare(one.address, other.address))
      }),

    updateList: ({ id, name, recipients }, options) =>
      client.operation('updateList', options, (operation) =>
        updateObject(operation, client, 'MailingList', {
          id,
          repeatable: true,
          // All recipients at once: as parts of a pointer, addresses would need escapes.
          patch: {
            ...(name !== undefined && { description: name || null }),
            ...(recipients && { recipients: recipientSet(operation, recipients) }),
          },
        }),
      ),

    removeList: (id, options) =>
      client.operation('removeList', options, (operation) =>
        destroyObject(operation, client, 'MailingList', id),
      ),
  }
}

function mailList({ id, emailAddress, description, recipients }: z.infer<typeof List>): MailList {
  const members = Object.keys(recipients).filter((address) => recipients[address] === true)
  return {
    id,
    address: emailAddress,
    name: description || null,
    recipients: [...new Set(members.map((address) => address.toLowerCase()))].sort(compare),
  }
}

/**
 * Recipients as the server is to keep them, which neither checks nor lower-cases: addresses in
 * lower case with A-labels.
 */
function recipientSet(operation: Operation, recipients: readonly string[]): Record<string, true> {
  return Object.fromEntries(
    recipients.map((recipient): [string, true] => {
      const [local = '', domain = '', ...more] = recipient.trim().toLowerCase().split('@')
      const host = domainToASCII(domain)
      // Its parser takes no key with an escape in it.
      const isAddress = more.length === 0 && host !== '' && /^[^\s"\\\p{Cc}\p{Cs}]+$/u.test(local)
      if (!isAddress) throw operation.fail('refused', { note: 'a recipient is no address' })
      return [`${local}@${host}`, true]
    }),
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
