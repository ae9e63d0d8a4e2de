import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { UpstreamError } from '../upstream-error.ts'
import { jmap, type SetError, setFailure } from './jmap.ts'
import {
  createObject,
  destroyObject,
  destroyRejection,
  type ObjectType,
} from './stalwart-objects.ts'

// One name for all processes, so that what a killed process left is found and removed. No one can
// own a name below `test` (RFC 2606); the server rejects names below `invalid`.
const domainName = 'atrium-check.test'
const description = 'Atrium tries its rights'

const Found = z.object({
  list: z.array(
    z.object({ id: z.string().min(1), name: z.string(), description: z.string().nullish() }),
  ),
})

/** Two processes may try at the same time, and one removes the domain of the other. */
const mostRounds = 3

/**
 * Creates a domain with a mailbox and a list, and removes all of it. The names of rights do not
 * tell whether a mailbox can be created: a key may give away only the rights that it holds, and a
 * mailbox has more than two hundred. Rejects with `unauthorized`, the missing ones named.
 */
export async function tryRights(operation: Operation, client: HttpClient): Promise<void> {
  for (let round = 1; ; round += 1) {
    const domainId = await makeDomain(operation, client)
    const rejected = await makeAddresses(operation, client, domainId)
    await removeAll(operation, client, domainId).catch((error: unknown) => {
      if (!rejected || !(error instanceof UpstreamError)) throw error
    })
    if (!rejected) return
    if (rejected.type !== 'invalidForeignKey' || round === mostRounds)
      throw rightsFailure(operation, rejected)
  }
}

async function makeDomain(operation: Operation, client: HttpClient): Promise<string> {
  // Without keys: those would be made after the domain is gone.
  const made = await createObject(operation, client, 'Domain', {
    name: domainName,
    description,
    dkimManagement: { '@type': 'Manual' },
  })
  if ('id' in made) return made.id
  if (made.rejected.type !== 'primaryKeyViolation') throw rightsFailure(operation, made.rejected)
  const { list } = await jmap(operation, client, {
    calls: [
      ['x:Domain/query', { filter: { name: domainName } }, 'query'],
      [
        'x:Domain/get',
        {
          '#ids': { resultOf: 'query', name: 'x:Domain/query', path: '/ids' },
          properties: ['name', 'description'],
        },
        'get',
      ],
    ],
    repeatable: true,
    read: ([, domains]) => Found.parse(domains),
  })
  const left = list.find(
    (domain) => domain.name === domainName && domain.description === description,
  )
  if (left) return left.id
  throw operation.fail('conflict', {
    status: 200,
    note: `the domain ${domainName} is somebody else's, and rights are tried with it`,
  })
}

/** The first rejection, if there is one. */
async function makeAddresses(
  operation: Operation,
  client: HttpClient,
  domainId: string,
): Promise<SetError | undefined> {
  const name = randomBytes(6).toString('hex')
  const account = await createObject(operation, client, 'Account', {
    '@type': 'User',
    name: `m${name}`,
    domainId,
    credentials: { '0': { '@type': 'Password', secret: randomBytes(24).toString('base64url') } },
  })
  if ('rejected' in account) return account.rejected
  const list = await createObject(operation, client, 'MailingList', {
    name: `l${name}`,
    domainId,
    recipients: { [`m${name}@${domainName}`]: true },
  })
  return 'rejected' in list ? list.rejected : undefined
}

const removable: readonly ObjectType[] = ['Account', 'MailingList', 'DkimSignature']

async function removeAll(
  operation: Operation,
  client: HttpClient,
  domainId: string,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    const rejected = await jmap(operation, client, {
      calls: [['x:Domain/set', { destroy: [domainId] }, 'set']],
      repeatable: true,
      read: ([result]) => destroyRejection(operation, result, domainId),
    })
    if (!rejected) return
    const linked =
      rejected.linkedObjects?.map(({ object, id }) => ({
        id,
        type: removable.find((one) => one === object),
      })) ?? []
    if (
      rejected.type !== 'objectIsLinked' ||
      round === mostRounds ||
      linked.some(({ type }) => type === undefined)
    )
      throw rightsFailure(operation, rejected)
    for (const { id, type } of linked) if (type) await destroyObject(operation, client, type, id)
  }
}

/**
 * `You are not authorized to grant permissions: jmapBlobGet, imapFetch and 203 more`: nothing but
 * names and number are taken from it.
 */
function rightsFailure(operation: Operation, rejected: SetError): UpstreamError {
  const reported = /permissions: (.{1,2000})/.exec(rejected.description ?? '')?.[1] ?? ''
  const names = reported.match(/\b[a-z]{1,30}[A-Z][A-Za-z]{1,50}\b/g)?.slice(0, 10) ?? []
  const more = /and (\d{1,4}) more/.exec(reported)?.[1]
  if (rejected.type !== 'forbidden' || names.length === 0) return setFailure(operation, rejected)
  return operation.fail('unauthorized', {
    status: 200,
    note: `the key cannot give a mailbox the permissions ${names.join(', ')}${more === undefined ? '' : ` and ${more} more`}; it has to inherit those of an account with the Admin role`,
  })
}
