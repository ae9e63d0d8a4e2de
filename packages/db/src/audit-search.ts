import { type AuditEvent, type AuditOutcome, actionMatch } from '@atrium/core/audit'
import { sql } from 'kysely'
import { type AuditFrequencies, readAuditFrequencies } from './audit-frequencies.ts'
import type { Db } from './connect.ts'
import { escapeLike } from './tenants.ts'

export interface AuditFilter {
  since?: string | undefined
  until?: string | undefined
  before?: string | undefined
  action?: string | undefined
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
  actorEmail?: string | undefined
  outcome?: AuditOutcome | undefined
  q?: string | undefined
}

/** A filter as the functions of migration 0023 take it; null where nothing is asked. */
interface Asked {
  since: string
  until: string
  at: string
  id: string
  tenant: string | null
  partner: string | null
  actor: string | null
  outcome: AuditOutcome | null
  action: string | null
  prefix: string | null
  pattern: string | null
}

/** `walk`: newest first, and done when the page is full. `find`: all matches of a span of time, sorted. */
type Way =
  | 'audit_walk_time'
  | 'audit_walk_newest'
  | 'audit_walk_tenant'
  | 'audit_walk_partner'
  | 'audit_walk_actor'
  | 'audit_walk_refused'
  | 'audit_walk_action'
  | 'audit_find_text'
  | 'audit_find_prefix'

/** Every match of so few is read in less time than a search takes that looks for words. */
const fewEntries = 20_000
/** What this share of the entries begins with is met often enough on a walk along the time. */
const commonPrefix = 0.005
/** What the newest 1,000 hold as often as this, a walk finds sooner than the index of words, which fetches every match. */
const commonHits = 8
/** Of so many entries expected for each that is asked for, this month and the last hold enough. */
const plenty = 30
/** Shorter texts have no three characters in a row, which the index of words is made of. */
const indexedLength = 3

/**
 * Entries newest first, stable under ties; at most `limit`. Times keep their microseconds, which a JavaScript Date would drop. How the log
 * is gone through is decided here, by how often each asked value occurs (docs/performance.md, the audit log).
 */
export async function listAuditEvents(db: Db, filter: AuditFilter, limit: number): Promise<AuditEvent[]> {
  const asked = toAsked(filter)
  const { way, entries, matches } = rarest(asked, await readAuditFrequencies(db))
  if (way === 'audit_find_prefix') return byMonths(db, way, asked, limit)
  if (asked.pattern === null) return matches >= plenty * limit ? recentFirst(db, way, asked, limit) : read(db, way, asked, limit)
  if (way !== 'audit_walk_time' && entries <= fewEntries) return read(db, way, asked, limit)
  const newest = await read(db, 'audit_walk_newest', asked, limit)
  if (newest.length >= limit) return newest
  if (newest.length >= commonHits || (filter.q ?? '').length < indexedLength) return read(db, way, asked, limit)
  return byMonths(db, 'audit_find_text', asked, limit)
}

function toAsked(filter: AuditFilter): Asked {
  const [before, id] = filter.before?.split('_') ?? []
  const match = filter.action === undefined ? undefined : actionMatch(filter.action)
  // A cursor without an id is an instant: what is older than that.
  const ends = [filter.until, id === undefined ? before : undefined].filter((end) => end !== undefined)
  return {
    since: filter.since ?? '-infinity',
    until: ends.length === 0 ? 'infinity' : ends.reduce(earlier),
    at: id === undefined ? 'infinity' : (before ?? 'infinity'),
    id: id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    tenant: filter.tenantSlug || null,
    partner: filter.partnerSlug || null,
    actor: filter.actorEmail?.toLowerCase() || null,
    outcome: filter.outcome ?? null,
    action: match && 'exact' in match ? match.exact : null,
    prefix: match && 'prefix' in match ? match.prefix : null,
    pattern: filter.q ? `%${escapeLike(filter.q)}%` : null,
  }
}

/** The way along the value that the fewest entries have, about how many those are, and how many of them match everything. */
function rarest(asked: Asked, frequencies: AuditFrequencies): { way: Way; entries: number; matches: number } {
  const ways: [Way, number][] = [['audit_walk_time', 1]]
  if (asked.tenant !== null) ways.push(['audit_walk_tenant', frequencies.of('tenant_slug', asked.tenant)])
  if (asked.partner !== null) ways.push(['audit_walk_partner', frequencies.of('partner_slug', asked.partner)])
  if (asked.actor !== null) ways.push(['audit_walk_actor', frequencies.of('actor_email', asked.actor)])
  if (asked.action !== null) ways.push(['audit_walk_action', frequencies.of('action', asked.action)])
  if (asked.outcome !== null && asked.outcome !== 'success') ways.push(['audit_walk_refused', frequencies.of('outcome', asked.outcome)])
  if (asked.prefix !== null) {
    const share = frequencies.ofPrefix('action', asked.prefix)
    if (share < commonPrefix) ways.push(['audit_find_prefix', share])
  }
  const [way, share] = ways.reduce((least, one) => (one[1] < least[1] ? one : least))
  const matches = ways.reduce((product, [, one]) => product * one, frequencies.entries)
  return { way, entries: share * frequencies.entries, matches }
}

/** This month and the last, and only where they do not fill the page all that is older: two partitions are opened sooner than all. */
async function recentFirst(db: Db, way: Way, asked: Asked, limit: number): Promise<AuditEvent[]> {
  const start = monthsBefore(latest(asked), 1)
  if (Date.parse(asked.since) >= Date.parse(start)) return read(db, way, asked, limit)
  const recent = await read(db, way, { ...asked, since: start }, limit)
  if (recent.length >= limit) return recent
  return [...recent, ...(await read(db, way, { ...asked, until: earlier(asked.until, start) }, limit - recent.length))]
}

/** Only for where spans of time lie: wherever they do, together they are all of it. */
function latest(asked: Asked): number {
  return Math.min(Date.now(), ...[asked.until, asked.at].map((end) => Date.parse(end)).filter((end) => !Number.isNaN(end)))
}

function earlier(a: string, b: string): string {
  return Date.parse(a) < Date.parse(b) ? a : b
}

/** The newest month, then twice as many with every step, until the page is full. */
async function byMonths(db: Db, way: Way, asked: Asked, limit: number): Promise<AuditEvent[]> {
  const found: AuditEvent[] = []
  const newest = latest(asked)
  let until = asked.until
  for (let months = 1; found.length < limit; months *= 2) {
    const start = months > 16 ? '-infinity' : monthsBefore(newest, months - 1)
    const last = start === '-infinity' || Date.parse(asked.since) >= Date.parse(start)
    found.push(...(await read(db, way, { ...asked, until, since: last ? asked.since : start }, limit - found.length)))
    if (last) break
    until = earlier(until, start)
  }
  return found
}

/** The beginning of the month in UTC that lies so many before that of an instant. */
function monthsBefore(instant: number, months: number): string {
  const at = new Date(instant)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months)).toISOString()
}

async function read(db: Db, way: Way, asked: Asked, limit: number): Promise<AuditEvent[]> {
  const { rows } = await sql<AuditEvent>`
    select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor_type as "actorType", actor_id as "actorId",
      actor_email as "actorEmail", host(actor_ip) as "actorIp", action, outcome, resource_type as "resourceType",
      resource_id as "resourceId", resource_name as "resourceName", tenant_slug as "tenantSlug", partner_slug as "partnerSlug", source,
      metadata, prev_hash as "prevHash", hash
    from ${sql.raw(way)}(${asked.since}, ${asked.until}, ${asked.at}, ${asked.id}, ${asked.tenant}, ${asked.partner}, ${asked.actor},
      ${asked.outcome}, ${asked.action}, ${asked.prefix}, ${asked.pattern}, ${limit}) as e
    order by e.at desc, e.id desc`.execute(db)
  return rows
}
