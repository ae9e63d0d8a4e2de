import { type CheckText, checkText } from './check-text.ts'
import type { Comparison } from './dkim.ts'
import { type Ask, lookup, valuesOf } from './dns-answers.ts'
import {
  hasMacro,
  isSpf,
  isSpfText,
  isWithin,
  networkAround,
  parseSpf,
  type SpfRecord,
  type SpfTerm,
} from './spf.ts'

/** Queries that a receiver makes for one record at most (RFC 7208 section 4.6.4). */
export const spfLookupLimit = 10

/**
 * A host that sends mail of the domain, and one of its addresses when it has any that DNS knows.
 */
interface Sender {
  host: string
  address: string | undefined
}

type Result = 'pass' | 'fail' | 'softfail' | 'neutral' | 'unclear'
const results = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const

/** What makes receivers give up on the whole record (permerror). */
class Broken extends Error {
  readonly reason: CheckText

  constructor(reason: CheckText) {
    super(reason.key)
    this.reason = reason
  }
}

/**
 * Judges the published SPF of `domain` by what it does (RFC 7208): whether every host of `senders`,
 * the mail servers of the domain, may send, whether others are kept out, and whether receivers can
 * evaluate the record at all, nested records included. `expected` is only proposed where there is
 * nothing; another text that does the same is right.
 */
export function compareSpf(request: {
  domain: string
  expected: string
  senders: readonly string[]
  ask: Ask
}): Comparison {
  const { domain, expected, senders, ask } = request
  const result = lookup(ask, 'TXT', domain)
  if (result.state === 'unknown') return { verdict: 'unknown', reason: result.reason }
  const published = result.state === 'found' ? result.values : []
  const records = published.filter(isSpf)
  if (records.length === 0) return withoutSpf(published)
  if (records.length > 1) {
    return mismatch(checkText('spf.several', { count: records.length }))
  }
  const { record, fault } = parseSpf(records[0] ?? '')
  if (fault !== undefined) return mismatch(checkText('spf.unreadable', { fault }))
  try {
    const walk: Walk = { ask, count: 0, unknown: undefined, path: [] }
    countLookups(walk, domain, record)
    const rejected = judgeSenders({ domain, record, senders, ask, expected })
    if (rejected) return rejected
    if (walk.unknown !== undefined) return { verdict: 'unknown', reason: walk.unknown }
    return judgeRest(lastResort(ask, record, new Set([domain])))
  } catch (error) {
    if (error instanceof Broken) return mismatch(error.reason)
    throw error
  }
}

function withoutSpf(published: readonly string[]): Comparison {
  const meant = published.find(isSpfText)
  if (meant === undefined) return { verdict: 'missing', reason: null }
  return mismatch(checkText('spf.notSpf', { text: meant.slice(0, 80) }))
}

function mismatch(reason: CheckText): Comparison {
  return { verdict: 'mismatch', reason }
}

function judgeSenders(request: {
  domain: string
  record: SpfRecord
  senders: readonly string[]
  ask: Ask
  expected: string
}): Comparison | undefined {
  const { domain, record, ask } = request
  for (const host of request.senders) {
    const evaluation: Evaluation = {
      root: domain,
      own: new Set(request.senders),
      ask,
      unclear: undefined,
    }
    for (const sender of addressesOf(ask, host)) {
      const result = evaluate(evaluation, domain, record, sender)
      if (result === 'pass') continue
      if (result === 'unclear')
        return {
          verdict: 'unknown',
          reason: evaluation.unclear ?? checkText('spf.notEvaluated'),
        }
      return mismatch(
        checkText('spf.senderRejected', {
          sender: sender.address ? `${host} (${sender.address})` : host,
          result,
          record: repair(record, request.expected),
        }),
      )
    }
  }
  return undefined
}

function addressesOf(ask: Ask, host: string): Sender[] {
  const addresses = [...(valuesOf(ask, 'A', host) ?? []), ...(valuesOf(ask, 'AAAA', host) ?? [])]
  return addresses.length === 0
    ? [{ host, address: undefined }]
    : addresses.map((address) => ({ host, address }))
}

/** The published record with what is missing from it put in front. */
function repair(record: SpfRecord, expected: string): string {
  const requested = parseSpf(expected).record
  const missing = (requested?.terms ?? [])
    .filter((term) => term.qualifier === '+' && term.mechanism !== 'all')
    .map((term) => term.text)
    .filter((text) => !record.terms.some((term) => term.text === text))
  if (missing.length === 0) return expected
  return `v=spf1 ${[...missing, record.text.slice('v=spf1'.length).trim()].join(' ').trim()}`
}

interface Walk {
  ask: Ask
  count: number
  unknown: CheckText | undefined
  path: readonly string[]
}

/**
 * Counts the queries of the record and of all that it includes, as a receiver makes them in the
 * worst case. Throws Broken.
 */
function countLookups(walk: Walk, domain: string, record: SpfRecord): void {
  if (walk.path.includes(domain))
    throw new Broken(
      checkText('spf.includesItself', { domains: [...walk.path, domain].join(', ') }),
    )
  const path = [...walk.path, domain]
  const targets = record.terms.flatMap((term) =>
    term.mechanism === 'include' ? [term.domain] : [],
  )
  const others = record.terms.filter(
    ({ mechanism }) =>
      mechanism === 'a' || mechanism === 'mx' || mechanism === 'ptr' || mechanism === 'exists',
  )
  const redirects = redirectOf(record) ?? []
  walk.count += others.length + targets.length + redirects.length
  if (walk.count > spfLookupLimit) {
    throw new Broken(checkText('spf.tooManyQueries', { most: spfLookupLimit }))
  }
  for (const target of [...targets, ...redirects]) {
    if (hasMacro(target)) continue
    const nested = readNested(walk.ask, target, path.at(-1) ?? domain)
    if (nested === undefined) walk.unknown ??= checkText('spf.includedUnread', { domain: target })
    else {
      const inner: Walk = { ...walk, path }
      countLookups(inner, target, nested)
      walk.count = inner.count
      walk.unknown ??= inner.unknown
    }
  }
}

function redirectOf(record: SpfRecord): string[] | undefined {
  if (record.redirect === undefined || record.terms.some((term) => term.mechanism === 'all'))
    return undefined
  return [record.redirect]
}

/**
 * The one SPF record of an included domain; undefined when DNS did not tell. Throws Broken when
 * there is not exactly one.
 */
function readNested(ask: Ask, target: string, parent: string): SpfRecord | undefined {
  const values = valuesOf(ask, 'TXT', target)
  if (values === undefined) return undefined
  const records = values.filter(isSpf)
  if (records.length !== 1) {
    const about = { parent, domain: target, count: records.length }
    throw new Broken(
      checkText(records.length === 0 ? 'spf.refersToNone' : 'spf.refersToSeveral', about),
    )
  }
  const { record, fault } = parseSpf(records[0] ?? '')
  if (fault !== undefined)
    throw new Broken(checkText('spf.refersToUnreadable', { parent, domain: target, fault }))
  return record
}

interface Evaluation {
  /**
   * The domain under test; `mx` of it means the mail servers that it should have, whose own record
   * has a verdict of its own.
   */
  root: string
  own: ReadonlySet<string>
  ask: Ask
  /** Why there is no result. */
  unclear: CheckText | undefined
}

function evaluate(
  evaluation: Evaluation,
  domain: string,
  record: SpfRecord,
  sender: Sender,
): Result {
  let unclear = false
  for (const term of record.terms) {
    const matched = matches(evaluation, domain, term, sender)
    // An unknown term that could only allow changes nothing when a later one allows anyway.
    if (matched === undefined && term.qualifier !== '+') return 'unclear'
    unclear ||= matched === undefined
    if (matched) return settled(results[term.qualifier], unclear)
  }
  const [redirect] = redirectOf(record) ?? []
  return settled(
    redirect === undefined ? 'neutral' : follow(evaluation, domain, redirect, sender),
    unclear,
  )
}

function settled(result: Result, unclear: boolean): Result {
  return unclear && result !== 'pass' ? 'unclear' : result
}

function follow(evaluation: Evaluation, parent: string, target: string, sender: Sender): Result {
  if (hasMacro(target)) {
    evaluation.unclear ??= checkText('spf.macroTarget', { domain: target })
    return 'unclear'
  }
  const nested = readNested(evaluation.ask, target, parent)
  if (!nested) {
    evaluation.unclear ??= checkText('spf.unread', { domain: target })
    return 'unclear'
  }
  return evaluate(evaluation, target, nested, sender)
}

/** Undefined when it is unknown. */
function matches(
  evaluation: Evaluation,
  domain: string,
  term: SpfTerm,
  sender: Sender,
): boolean | undefined {
  switch (term.mechanism) {
    case 'all':
      return true
    case 'include': {
      const result = follow(evaluation, domain, term.domain, sender)
      return result === 'unclear' ? undefined : result === 'pass'
    }
    case 'ip4':
    case 'ip6':
      return sender.address !== undefined && isWithin(sender.address, term.network)
    case 'a':
      return hostMatches(evaluation, term.domain ?? domain, term, sender)
    case 'mx':
      return exchangersMatch(evaluation, term.domain ?? domain, term, sender)
    default:
      evaluation.unclear ??= checkText('spf.receiverOnly', { term: term.text })
      return undefined
  }
}

type HostTerm = Extract<SpfTerm, { mechanism: 'a' | 'mx' }>

function hostMatches(
  evaluation: Evaluation,
  host: string,
  term: HostTerm,
  sender: Sender,
): boolean | undefined {
  if (host === sender.host) return true
  if (hasMacro(host)) {
    evaluation.unclear ??= checkText('spf.receiverOnly', { term: term.text })
    return undefined
  }
  if (sender.address === undefined) return false
  const addresses = valuesOf(evaluation.ask, sender.address.includes(':') ? 'AAAA' : 'A', host)
  if (addresses === undefined) {
    evaluation.unclear ??= checkText('spf.addressesUnread', { host })
    return undefined
  }
  const { address } = sender
  return addresses.some((one) => {
    const network = networkAround(one, term.bits4, term.bits6)
    return network !== undefined && isWithin(address, network)
  })
}

function exchangersMatch(
  evaluation: Evaluation,
  domain: string,
  term: HostTerm,
  sender: Sender,
): boolean | undefined {
  if (domain === evaluation.root && evaluation.own.has(sender.host)) return true
  const values = hasMacro(domain) ? undefined : valuesOf(evaluation.ask, 'MX', domain)
  if (values === undefined) {
    evaluation.unclear ??= checkText('spf.serversUnread', { domain })
    return undefined
  }
  let unclear = false
  for (const value of values) {
    const matched = hostMatches(evaluation, value.split(' ')[1] ?? '', term, sender)
    if (matched) return true
    unclear ||= matched === undefined
  }
  return unclear ? undefined : false
}

/**
 * The qualifier of the `all` that applies to all other senders; undefined when the record has none.
 */
function lastResort(
  ask: Ask,
  record: SpfRecord,
  seen: Set<string>,
): SpfTerm['qualifier'] | undefined {
  const all = record.terms.find((term) => term.mechanism === 'all')
  if (all) return all.qualifier
  const [redirect] = redirectOf(record) ?? []
  if (redirect === undefined || hasMacro(redirect) || seen.has(redirect)) return undefined
  const nested = readNested(ask, redirect, redirect)
  return nested && lastResort(ask, nested, seen.add(redirect))
}

function judgeRest(all: SpfTerm['qualifier'] | undefined): Comparison {
  switch (all) {
    case '-':
      return { verdict: 'ok', reason: null }
    case '~':
      return { verdict: 'ok', reason: checkText('spf.softEnd') }
    case '+':
      return mismatch(checkText('spf.openEnd'))
    default:
      return mismatch(checkText('spf.noEnd'))
  }
}
