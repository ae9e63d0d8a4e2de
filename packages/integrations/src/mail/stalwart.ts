import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClientOptions, httpClient } from '../http-client.ts'
import { jmap, SetError, setFailure } from './jmap.ts'
import type { MailServer } from './port.ts'

export interface StalwartOptions extends HttpClientOptions {
  /** `API_…` key of an account with the role Admin; permissions `Inherit`. */
  apiKey: string
}

const Account = z.object({ permissions: z.array(z.string()) })
const Domains = z.object({ list: z.array(z.object({ id: z.string().min(1), name: z.string(), description: z.string().nullish() })) })
const Created = z.object({
  created: z.object({ domain: z.object({ id: z.string().min(1) }).optional() }).nullish(),
  notCreated: z.object({ domain: SetError.optional() }).nullish(),
})

interface Domain {
  id: string
  description: string | undefined
}

// Stalwart allows four requests in flight per account and answers 400 to the fifth.
const requestsInFlight = 4
const needed = ['sysDomainGet', 'sysDomainQuery', 'sysDomainCreate']

/** Stalwart's management over JMAP, 0.16.18 or newer (`x:` methods; older releases have another interface). */
export function stalwart({ apiKey, ...options }: StalwartOptions): MailServer {
  const client = httpClient('mail', `Bearer ${apiKey}`, { concurrency: requestsInFlight, ...options })

  async function find(operation: Operation, name: string, repeatable: boolean): Promise<Domain | undefined> {
    const { list } = await jmap(operation, client, {
      calls: [
        ['x:Domain/query', { filter: { name } }, 'query'],
        // Properties are named because the zone text, which is among all of them, is costly to build.
        [
          'x:Domain/get',
          { '#ids': { resultOf: 'query', name: 'x:Domain/query', path: '/ids' }, properties: ['name', 'description'] },
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
    if (domain.description === undefined || domain.description === description) return { id: domain.id, created: false }
    throw operation.fail('conflict', { note: 'the domain is there and carries a description that is not ours' })
  }

  async function create(operation: Operation, name: string, description: string) {
    const { created, notCreated } = await jmap(operation, client, {
      calls: [['x:Domain/set', { create: { domain: { name, description } } }, 'set']],
      repeatable: false,
      read: ([result]) => Created.parse(result),
    })
    if (created?.domain) return { id: created.domain.id, created: true }
    if (!notCreated?.domain) throw operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
    if (notCreated.domain.type !== 'primaryKeyViolation') throw setFailure(operation, notCreated.domain)
    // A lost race, or an alias of another domain: that one is not found by name.
    const theirs = await find(operation, name, false)
    if (theirs) return adopt(operation, theirs, description)
    throw setFailure(operation, notCreated.domain)
  }

  return {
    check: (callOptions) =>
      client.operation('check', callOptions, (operation) =>
        client.send(operation, {
          label: 'GET /api/account',
          method: 'GET',
          // The session resource answers anybody with 200; this one wants true credentials.
          path: 'api/account',
          repeatable: true,
          accept: [200],
          read: ({ json }) => {
            const { permissions } = Account.parse(json)
            const missing = needed.filter((permission) => !permissions.includes(permission))
            if (missing.length > 0) throw operation.fail('unauthorized', { status: 200, note: `the key lacks ${missing.join(', ')}` })
            return { permissions }
          },
        }),
      ),

    ensureDomain: ({ name, description }, callOptions) =>
      client.operation('ensureDomain', callOptions, (operation) => {
        const domain = name.toLowerCase()
        let tried = false
        // Look-up and creation repeat as one: after a failed creation only a look can tell whether the domain was stored.
        return operation.repeat(async () => {
          const there = await find(operation, domain, false)
          if (there) return { ...adopt(operation, there, description), created: tried && there.description === description }
          tried = true
          return await create(operation, domain, description)
        })
      }),

    findDomain: (name, callOptions) =>
      client.operation('findDomain', callOptions, (operation) => find(operation, name.toLowerCase(), true)),
  }
}
