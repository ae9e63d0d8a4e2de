import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { type Invocation, jmap, numberedList, setFailure } from './jmap.ts'
import type { DnsRecord, DomainUse, MailDomains } from './port.ts'
import {
  allIds,
  createObject,
  destroyRejection,
  isObjectId,
  readObjects,
  updateObject,
} from './stalwart-objects.ts'
import { parseZone } from './zone.ts'

const Domains = z.object({
  list: z.array(
    z.object({ id: z.string().min(1), name: z.string(), description: z.string().nullish() }),
  ),
})
const Zones = z.object({
  list: z.array(
    z.object({
      dnsZoneFile: z.string(),
      dkimManagement: z.looseObject({
        '@type': z.string(),
        algorithms: z.record(z.string(), z.unknown()).nullish(),
      }),
    }),
  ),
})
const KeyIds = z.object({ ids: z.array(z.string().min(1)) })
const Signatures = z.object({ list: z.array(z.object({ '@type': z.string() })) })
/** A holder of addresses: an account, a group or a list. */
const Holder = z.object({
  domainId: z.string(),
  emailAddress: z.string(),
  aliases: numberedList(z.object({ name: z.string(), domainId: z.string() })),
})

interface Domain {
  id: string
  description: string | undefined
}

// Two keys are made for a domain, so no more than two can turn up between a look and the removal.
const removalRounds = 4
const mostExamples = 10

/** Domains: look-up and creation, the records to publish, use and removal. */
export function stalwartDomains(client: HttpClient): MailDomains {
  async function find(
    operation: Operation,
    name: string,
    repeatable: boolean,
  ): Promise<Domain | undefined> {
    const { list } = await jmap(operation, client, {
      calls: [
        ['x:Domain/query', { filter: { name } }, 'query'],
        // Properties are named because the zone text, which is among all of them, is costly to
        // build.
        [
          'x:Domain/get',
          {
            '#ids': { resultOf: 'query', name: 'x:Domain/query', path: '/ids' },
            properties: ['name', 'description'],
          },
          'get',
        ],
      ],
      repeatable,
      read: ([, domains]) => Domains.parse(domains),
    })
    const domain = list.find((candidate) => candidate.name === name)
    return domain && { id: domain.id, description: domain.description || undefined }
  }

  function adopt(operation: Operation, domain: Domain, description: string) {
    if (domain.description === undefined || domain.description === description)
      return { id: domain.id, created: false }
    throw operation.fail('conflict', {
      note: 'the domain is there and carries a description that is not ours',
    })
  }

  async function create(operation: Operation, name: string, description: string) {
    const outcome = await createObject(operation, client, 'Domain', { name, description })
    if ('id' in outcome) return { id: outcome.id, created: true }
    if (outcome.rejected.type !== 'primaryKeyViolation')
      throw setFailure(operation, outcome.rejected)
    // A lost race, or an alias of another domain: that one is not found by name.
    const theirs = await find(operation, name, false)
    if (theirs) return adopt(operation, theirs, description)
    throw setFailure(operation, outcome.rejected)
  }

  /**
   * Tries to destroy the domain, after the signatures given. Returns the signatures that hold it,
   * or that were left when it was gone: the server looks for the domain before it stores a new key,
   * not at the same time. None when all is gone.
   */
  async function destroy(
    operation: Operation,
    domainId: string,
    signatures: readonly string[],
  ): Promise<string[]> {
    const keys: Invocation[] =
      signatures.length > 0 ? [['x:DkimSignature/set', { destroy: signatures }, 'keys']] : []
    const { rejected, left } = await jmap(operation, client, {
      calls: [
        ...keys,
        ['x:Domain/set', { destroy: [domainId] }, 'domain'],
        ['x:DkimSignature/query', { filter: { domainId } }, 'left'],
      ],
      repeatable: true,
      read: (results) => {
        for (const id of signatures) {
          const held = destroyRejection(operation, results[0], id)
          if (held) throw setFailure(operation, held)
        }
        return {
          rejected: destroyRejection(operation, results.at(-2), domainId),
          left: KeyIds.parse(results.at(-1)).ids,
        }
      },
    })
    if (!rejected) return left
    const { type, linkedObjects } = rejected
    if (type !== 'objectIsLinked' || !linkedObjects?.length) throw setFailure(operation, rejected)
    if (linkedObjects.some(({ object }) => object === 'SystemSettings')) {
      throw operation.fail('conflict', {
        status: 200,
        note: 'it is the default domain of the mail server',
      })
    }
    if (linkedObjects.some(({ object }) => object !== 'DkimSignature')) {
      throw operation.fail('conflict', { status: 200, note: 'addresses on the domain are in use' })
    }
    return linkedObjects.map(({ id }) => id)
  }

  return {
    ensureDomain: ({ name, description }, options) =>
      client.operation('ensureDomain', options, (operation) => {
        const domain = name.toLowerCase()
        let tried = false
        // Look-up and creation repeat as one: after a failed creation only a look can tell whether
        // the domain was stored.
        return operation.repeat(async () => {
          const there = await find(operation, domain, false)
          if (there)
            return {
              ...adopt(operation, there, description),
              created: tried && there.description === description,
            }
          tried = true
          return await create(operation, domain, description)
        })
      }),

    renameDomain: ({ domainId, name }, options) =>
      client.operation('renameDomain', options, (operation) =>
        updateObject(operation, client, 'Domain', {
          id: domainId,
          patch: { name: name.toLowerCase() },
          repeatable: true,
        }),
      ),

    findDomain: (name, options) =>
      client.operation('findDomain', options, (operation) =>
        find(operation, name.toLowerCase(), true),
      ),

    domainRecords: (domainId, options) =>
      client.operation('domainRecords', options, async (operation) => {
        if (!isObjectId(domainId)) throw operation.fail('not_found')
        const [signatures, domains] = await jmap(operation, client, {
          calls: [
            // The keys are read before the zone: those that are seen here are in the text that is
            // built after.
            ['x:DkimSignature/query', { filter: { domainId } }, 'query'],
            [
              'x:DkimSignature/get',
              {
                '#ids': { resultOf: 'query', name: 'x:DkimSignature/query', path: '/ids' },
                properties: ['@type'],
              },
              'keys',
            ],
            [
              'x:Domain/get',
              { ids: [domainId], properties: ['@type', 'dnsZoneFile', 'dkimManagement'] },
              'zone',
            ],
          ],
          repeatable: true,
          read: ([, keys, zones]) =>
            [Signatures.parse(keys).list, Zones.parse(zones).list] as const,
        })
        const domain = domains[0]
        if (!domain) throw operation.fail('not_found')
        return {
          records: recordsOf(operation, domain.dnsZoneFile),
          complete: isComplete(domain.dkimManagement, signatures),
        }
      }),

    setReportAddress: ({ domainId, address }, options) =>
      client.operation('setReportAddress', options, (operation) =>
        updateObject(operation, client, 'Domain', {
          id: domainId,
          patch: { reportAddressUri: address },
          repeatable: true,
        }),
      ),

    domainUse: (domainId, options) =>
      client.operation('domainUse', options, (operation) => useOf(operation, client, domainId)),

    removeDomain: (domainId, options) =>
      client.operation('removeDomain', options, async (operation) => {
        if (!isObjectId(domainId)) return
        let signatures: string[] = []
        for (let round = 0; round < removalRounds; round += 1) {
          // The first round destroys nothing unless nothing points to the domain: the rejection is
          // the check of what uses it.
          signatures = await destroy(operation, domainId, signatures)
          if (signatures.length === 0) return
        }
        throw operation.fail('server', { note: 'new signing keys keep coming' })
      }),
  }
}

function recordsOf(operation: Operation, zone: string): DnsRecord[] {
  const records = parseZone(zone)
  if (records) return records
  throw operation.fail('invalid_answer', { status: 200, note: 'its zone text cannot be read' })
}

/** True once every algorithm of automatic management has its key. */
function isComplete(
  management: z.infer<typeof Zones>['list'][number]['dkimManagement'],
  signatures: readonly { '@type': string }[],
) {
  if (management['@type'] !== 'Automatic') return true
  const requested = Object.entries(management.algorithms ?? {}).flatMap(([algorithm, set]) =>
    set === true ? [algorithm] : [],
  )
  return requested.every((algorithm) =>
    signatures.some((signature) => signature['@type'] === algorithm),
  )
}

async function useOf(
  operation: Operation,
  client: HttpClient,
  domainId: string,
): Promise<DomainUse> {
  const [domain] = await readObjects(operation, client, 'Domain', {
    ids: [domainId],
    properties: ['name'],
    shape: z.object({ name: z.string() }),
  })
  if (!domain) return { accounts: 0, aliases: 0, lists: 0, examples: [] }
  const read = async (type: 'Account' | 'MailingList') =>
    readObjects(operation, client, type, {
      ids: await allIds(operation, client, type),
      properties: ['domainId', 'emailAddress', 'aliases'],
      shape: Holder,
    })
  const accounts = await read('Account')
  const lists = await read('MailingList')
  const onDomain = ({ domainId: held }: { domainId: string }) => held === domainId
  const aliases = [...accounts, ...lists].flatMap((holder) =>
    holder.aliases.map(([, alias]) => alias).filter(onDomain),
  )
  const used = { accounts: accounts.filter(onDomain), lists: lists.filter(onDomain) }
  const examples = [
    ...[...used.accounts, ...used.lists].map(({ emailAddress }) => emailAddress),
    ...aliases.map((alias) => `${alias.name}@${domain.name}`),
  ]
  return {
    accounts: used.accounts.length,
    aliases: aliases.length,
    lists: used.lists.length,
    examples: [...new Set(examples)].slice(0, mostExamples),
  }
}
