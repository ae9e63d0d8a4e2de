import { Resolver } from 'node:dns/promises'
import { type CheckText, checkText } from '@atrium/core/mail/check-text'
import type { DnsAnswer, RecordType } from '@atrium/core/mail/dns-answers'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import type { CallOptions } from '../call-options.ts'
import { deadline, Elapsed, untilAborted } from '../deadline.ts'
import type { DnsResolver } from './port.ts'

export interface DnsOptions {
  /** Recursive resolvers as `address:port`; those of the machine when empty. */
  servers: readonly string[]
  /** For one look-up with all its tries and aliases. */
  deadlineMs?: number | undefined
  /** For one query to one server. */
  queryMs?: number | undefined
  tries?: number | undefined
  /** Look-ups under way; more wait their turn. */
  concurrency?: number | undefined
}

const mostAliases = 8
/**
 * Records of one name and type. Zones of large organizations have up to a hundred TXT records at
 * their apex.
 */
const mostRecords = 200
/** Characters of one value. A DKIM record with an RSA key of 16,384 bits has 2,800. */
const longestValue = 4_096
const waiting = 10_000

/**
 * Asks DNS through Node's resolver. There is no circuit breaker: a zone whose name servers fail
 * belongs to one tenant and says nothing about the next one. Throws when a server's address has no
 * usable form.
 */
export function dnsResolver(options: DnsOptions): DnsResolver {
  const { servers, deadlineMs = 6_000, queryMs = 1_500, tries = 2, concurrency = 64 } = options
  if (servers.length > 0) new Resolver().setServers(servers)
  const gate = bulkhead(concurrency, waiting)

  async function lookup(
    type: RecordType,
    name: string,
    callOptions?: CallOptions,
  ): Promise<DnsAnswer> {
    const limit = deadline(deadlineMs, callOptions?.signal)
    // One for each look-up, because `cancel` ends every query of its resolver.
    const resolver = new Resolver({ timeout: queryMs, tries })
    if (servers.length > 0) resolver.setServers(servers)
    try {
      return await untilAborted(follow(resolver, type, name), limit.signal)
    } catch (error) {
      if (limit.signal.aborted && !(limit.signal.reason instanceof Elapsed)) throw error
      return {
        state: 'unknown',
        reason: checkText('dns.noResponseWithin', { name, seconds: deadlineMs / 1000 }),
      }
    } finally {
      resolver.cancel()
      limit.clear()
    }
  }
  return {
    async lookup(type, name, callOptions) {
      try {
        return await gate.execute(() => lookup(type, name, callOptions))
      } catch (error) {
        if (!(error instanceof BulkheadRejectedError)) throw error
        return unknown(checkText('dns.busy'))
      }
    },
  }
}

/**
 * The records of the name or of what it is an alias of. A recursive resolver follows aliases
 * itself; not every one does.
 */
async function follow(resolver: Resolver, type: RecordType, name: string): Promise<DnsAnswer> {
  let at = name
  for (let hops = 0; hops <= mostAliases; hops++) {
    const result = await ask(resolver, type, at)
    if (result.state !== 'absent' || result.nonexistent || type === 'CNAME') return result
    const alias = await ask(resolver, 'CNAME', at)
    if (alias.state === 'unknown') return alias
    const target = alias.state === 'found' ? alias.values[0] : undefined
    if (target === undefined) return result
    at = target
  }
  return {
    state: 'unknown',
    reason: checkText('dns.aliasLoop', { name, most: mostAliases }),
  }
}

async function ask(resolver: Resolver, type: RecordType, name: string): Promise<DnsAnswer> {
  try {
    const values = await readers[type](resolver, name)
    if (values.length === 0) return { state: 'absent', nonexistent: false }
    if (values.length > mostRecords)
      return unknown(checkText('dns.tooManyRecords', { most: mostRecords, type, name }))
    return { state: 'found', values: values.map((value) => value.slice(0, longestValue)) }
  } catch (error) {
    return failed(error, name)
  }
}

/** Node reads the bytes of a TXT record as Latin-1; who writes more than ASCII writes UTF-8. */
const asText = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8')
const host = (name: string) => name.toLowerCase().replace(/\.$/, '')

const readers: Readonly<
  Record<RecordType, (resolver: Resolver, name: string) => Promise<string[]>>
> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CAA: async (resolver, name) =>
    (await resolver.resolveCaa(name)).map(
      ({ critical, type: _, ...property }: { critical: number; type?: unknown }) => {
        const [[tag, value] = ['', '']] = Object.entries(property)
        return `${critical} ${tag} "${String(value)}"`
      },
    ),
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(host),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name))
      .sort((a, b) => a.priority - b.priority || a.exchange.localeCompare(b.exchange))
      .map(({ priority, exchange }) => `${priority} ${host(exchange) || '.'}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(
      (one) => `${one.priority} ${one.weight} ${one.port} ${host(one.name) || '.'}`,
    ),
  TLSA: async (resolver, name) =>
    (await resolver.resolveTlsa(name)).map(
      (one) =>
        `${one.certUsage} ${one.selector} ${one.match} ${Buffer.from(one.data).toString('hex')}`,
    ),
  TXT: async (resolver, name) =>
    (await resolver.resolveTxt(name)).map((pieces) => asText(pieces.join(''))),
}

/** By the codes of Node's resolver, which are those of c-ares. */
function failed(error: unknown, name: string): DnsAnswer {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  switch (code) {
    case 'ENODATA':
      return { state: 'absent', nonexistent: false }
    case 'ENOTFOUND':
    case 'EBADNAME':
      return { state: 'absent', nonexistent: true }
    case 'ESERVFAIL':
      return unknown(checkText('dns.serverFailure', { name }))
    case 'EREFUSED':
      return unknown(checkText('dns.refused', { name }))
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return unknown(checkText('dns.noResponse', { name }))
    case 'ECONNREFUSED':
      return unknown(checkText('dns.unreachable', { name }))
    case 'EBADRESP':
    case 'EFORMERR':
      return unknown(checkText('dns.unreadable', { name }))
    default:
      return unknown(
        /^E[A-Z]+$/.test(code)
          ? checkText('dns.failedWith', { name, code })
          : checkText('dns.failed', { name }),
      )
  }
}

function unknown(reason: CheckText): DnsAnswer {
  return { state: 'unknown', reason }
}
