import { type AuditEvent, type AuditOutcome, actionMatch } from '@atrium/core/audit/audit'
import { changeQuery } from '@atrium/core/audit/audit-changes'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { type AuditFrequencies, readAuditFrequencies } from './audit-frequencies.ts'
import { type AuditValues, lookUpAuditValues } from './audit-values.ts'

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
  /**
   * `true`: entries whose address comes from one of our proxies or servers; `false`: entries whose
   * caller chose it.
   */
  actorIpTrusted?: 'true' | 'false' | undefined
  /** Entries of acts under this access grant. */
  grantId?: string | undefined
}

// Plain SQL in this file: SQL functions return the entries, one for each way through the log.

/** A filter as the functions of migrations 0023 and 0065 take it; null where nothing is asked. */
interface AuditQuery {
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
  /** What the text means in the changes of an entry. */
  changes: ChangePatterns | null
  /** The pattern by which the index of changes is asked. */
  probe: string | null
}

/** Patterns of LIKE. */
interface ChangePatterns {
  words: string[]
  /** Null where the text has none. */
  amounts: string[] | null
  fields: string[] | null
  /** One of them is in every entry whose changes match. */
  probes: string[]
}

/**
 * `walk`: newest first, and done when the page is full. `find`: all matches of a span of time,
 * sorted.
 */
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
  | 'audit_find_changes'

/** Every match of so few is read in less time than a search takes that looks for words. */
const fewEntries = 20_000
/** What this share of the entries begins with is met often enough on a walk along the time. */
const commonPrefix = 0.005
/** What the newest 1,000 hold as often as this is soon found further along the time. */
const commonHits = 8
/** Of so many entries expected for each that is asked for, this month and the last hold enough. */
const plenty = 30
/** How many entries a search goes along that no index helps, until it says how far it came. */
const lookedAt = 20_000
/** A text that is in as many values is no longer looked for value by value. */
const manyValues = 200
/**
 * Up to so many entries of values are fetched at once; where there are more, a month of the index
 * of trigrams gives a page sooner.
 */
const fewOfValues = 5_000
/** Actions that are walked along one by one. */
const manyActions = 8

export interface AuditFindings {
  events: AuditEvent[]
  /**
   * Entries of this instant and older were not looked at: go on with it as `before`. Null where the
   * search came to its end or filled the page.
   */
  stoppedAt: string | null
}

/**
 * Entries newest first, stable under ties; at most `limit`. Times keep their microseconds, which a
 * JavaScript Date would drop. How the log is gone through is decided here, by how often each asked
 * value occurs (docs/reference/performance.md, the audit log). Only a text that has no three
 * letters or digits in a row may end before the log does.
 */
export async function searchAuditEvents(
  db: Db,
  filter: AuditFilter,
  limit: number,
): Promise<AuditFindings> {
  const query = toAuditQuery(filter)
  const frequencies = await readAuditFrequencies(db)
  const rare = rarest(query, frequencies)
  if (query.pattern !== null && !hasTrigram(filter.q ?? ''))
    return alongTheWay(db, rare.way, query, limit)
  const events = await (query.pattern === null
    ? byValues(db, query, limit, rare)
    : byText(db, query, limit, rare, frequencies))
  return { events, stoppedAt: null }
}

/**
 * Whether the index of trigrams has anything of a text: of other characters than letters and digits
 * it knows nothing.
 */
function hasTrigram(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text)
}

async function byValues(
  db: Db,
  query: AuditQuery,
  limit: number,
  { way, matches }: Rarest,
): Promise<AuditEvent[]> {
  if (way === 'audit_find_prefix')
    return byMonths(query, limit, (span, left) => read(db, way, span, left))
  return matches >= plenty * limit
    ? recentFirst(db, way, query, limit)
    : read(db, way, query, limit)
}

/**
 * The newest first; then a little further where the text is common there; then by the values that
 * hold it; at last by its trigrams.
 */
async function byText(
  db: Db,
  query: AuditQuery,
  limit: number,
  { way, entries }: Rarest,
  frequencies: AuditFrequencies,
): Promise<AuditEvent[]> {
  if (way !== 'audit_walk_time' && entries <= fewEntries) return read(db, way, query, limit)
  const newest = await read(db, 'audit_walk_newest', query, limit)
  if (newest.length >= limit) return newest
  if (newest.length < commonHits) return byIndexes(db, query, limit, frequencies)
  const since = later(query.since, expectedStart(newest, limit))
  const near = await read(db, 'audit_walk_time', { ...query, since }, limit)
  if (near.length >= limit || since === query.since) return near
  const older = { ...query, until: earlier(query.until, since) }
  return [...near, ...(await byIndexes(db, older, limit - near.length, frequencies))]
}

/**
 * Where twice as many entries as are asked for would lie, if all that is older were as what was
 * found.
 */
function expectedStart(newest: readonly AuditEvent[], limit: number): string {
  const [first, last] = [Date.parse(newest[0]?.at ?? ''), Date.parse(newest.at(-1)?.at ?? '')]
  return new Date(
    first - Math.max(1_000, ((first - last) / newest.length) * limit * 2),
  ).toISOString()
}

/** By the values that hold the text, and by what updates changed. */
async function byIndexes(
  db: Db,
  query: AuditQuery,
  limit: number,
  frequencies: AuditFrequencies,
): Promise<AuditEvent[]> {
  return merge(
    await Promise.all([byKeptValues(db, query, limit, frequencies), byChanges(db, query, limit)]),
    limit,
  )
}

/**
 * By the trigrams of a word that must be in the changes; where an amount or a field may be in its
 * place, by those too.
 */
async function byChanges(db: Db, query: AuditQuery, limit: number): Promise<AuditEvent[]> {
  const found = (query.changes?.probes ?? []).map((probe) =>
    byProbe(db, { ...query, probe }, limit),
  )
  return merge(await Promise.all(found), limit)
}

/**
 * The newest month, and where that does not fill the page all that is older: what a month has
 * seldom is soon sorted.
 */
async function byProbe(db: Db, query: AuditQuery, limit: number): Promise<AuditEvent[]> {
  const start = monthsBefore(latest(query), 0)
  if (Date.parse(query.since) >= Date.parse(start))
    return read(db, 'audit_find_changes', query, limit)
  const recent = await read(db, 'audit_find_changes', { ...query, since: start }, limit)
  if (recent.length >= limit) return recent
  const older = { ...query, until: earlier(query.until, start) }
  return [...recent, ...(await read(db, 'audit_find_changes', older, limit - recent.length))]
}

async function byKeptValues(
  db: Db,
  query: AuditQuery,
  limit: number,
  frequencies: AuditFrequencies,
): Promise<AuditEvent[]> {
  const values = await lookUpAuditValues(db, query.pattern ?? '', manyValues)
  const expected = values === null ? Infinity : frequencies.entries * shareOf(values, frequencies)
  if (values === null || expected > fewOfValues || values.actions.length > manyActions)
    return byMonths(query, limit, (span, left) => read(db, 'audit_find_text', span, left))
  const { actions, names, actors, tenants } = values
  const found = await Promise.all(
    actions
      .filter((action) => query.action === null || query.action === action)
      .map((action) => read(db, 'audit_walk_action', { ...query, action }, limit)),
  )
  if (names.length + actors.length + tenants.length > 0)
    found.push(await readValues(db, query, values, limit))
  return merge(found, limit)
}

function shareOf({ names, actors, tenants }: AuditValues, { of }: AuditFrequencies): number {
  const sum = (
    column: 'resource_name' | 'actor_email' | 'tenant_slug',
    values: readonly string[],
  ) => values.reduce((share, value) => share + of(column, value), 0)
  return sum('resource_name', names) + sum('actor_email', actors) + sum('tenant_slug', tenants)
}

/** Merges several results: each entry once, newest first. */
function merge(responses: readonly AuditEvent[][], limit: number): AuditEvent[] {
  const [first = []] = responses
  if (responses.length <= 1) return first
  const order = ({ at, id }: AuditEvent) => `${at}_${id}`
  const entries = new Map(responses.flat().map((event) => [order(event), event]))
  return [...entries]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .slice(0, limit)
    .map(([, event]) => event)
}

/** For texts that no index helps with: so many entries along the way, and then how far it came. */
async function alongTheWay(
  db: Db,
  way: Way,
  query: AuditQuery,
  limit: number,
): Promise<AuditFindings> {
  if (way === 'audit_walk_time') {
    const newest = await read(db, 'audit_walk_newest', query, limit)
    if (newest.length >= limit) return { events: newest, stoppedAt: null }
  }
  const walked = way.startsWith('audit_walk_') ? way : 'audit_walk_time'
  const end = await endOf(db, walked, query)
  if (end === null) return { events: await read(db, walked, query, limit), stoppedAt: null }
  const events = await read(db, walked, { ...query, since: end }, limit)
  return { events, stoppedAt: events.length < limit ? end : null }
}

/**
 * How many entries are looked at for those of a value that no index has, until the search says how
 * far it came.
 */
const lookedAtForMetadata = 5_000

/**
 * `searchAuditEvents` with the filters by what the metadata hold, which no index helps: trust in
 * the address, and the access grant. Entries under the other filters are looked through page by
 * page, and a search that came far without filling its page says how far.
 */
export async function searchByMetadata(
  db: Db,
  { actorIpTrusted, grantId, ...filter }: AuditFilter,
  limit: number,
): Promise<AuditFindings> {
  if (actorIpTrusted === undefined && grantId === undefined)
    return searchAuditEvents(db, filter, limit)
  const fits = (event: AuditEvent) =>
    (actorIpTrusted === undefined || event.actorIpTrusted === (actorIpTrusted === 'true')) &&
    (grantId === undefined || event.metadata.grantId === grantId)
  const events: AuditEvent[] = []
  let { before } = filter
  for (let looked = 0; looked < lookedAtForMetadata; ) {
    const found = await searchAuditEvents(db, { ...filter, before }, 500)
    events.push(...found.events.filter(fits))
    looked += found.events.length
    const last = found.events.at(-1)
    if (events.length >= limit) return { events: events.slice(0, limit), stoppedAt: null }
    if (found.stoppedAt !== null || !last || found.events.length < 500)
      return { events, stoppedAt: found.stoppedAt }
    before = `${last.at}_${last.id}`
  }
  return { events, stoppedAt: before ?? null }
}

/** The time of the last entry that is looked at along a way; null where it has fewer. */
async function endOf(db: Db, way: Way, query: AuditQuery): Promise<string | null> {
  const { rows } = await sql<{ at: string }>`
    select to_char(e at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from ${sql.raw(way.replace('walk', 'end'))}(${parametersOf(query)}, ${lookedAt}) as e`.execute(
    db,
  )
  return rows[0]?.at ?? null
}

function toAuditQuery(filter: AuditFilter): AuditQuery {
  const [before, id] = filter.before?.split('_') ?? []
  const match = filter.action === undefined ? undefined : actionMatch(filter.action)
  // A cursor without an id is an instant: what is older than that. One with an id ends the time
  // too, a moment later: a walk begins at the end of the time, and would pass over everything newer
  // than the cursor.
  const end =
    before !== undefined && id !== undefined
      ? new Date(Date.parse(before) + 1).toISOString()
      : before
  const ends = [filter.until, end].filter((one) => one !== undefined)
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
    changes: filter.q ? changePatterns(filter.q) : null,
    probe: null,
  }
}

function changePatterns(q: string): ChangePatterns {
  const patterns = (texts: readonly string[]) => texts.map((text) => `%${escapeLike(text)}%`)
  const { words, amounts, fields } = changeQuery(q)
  const probes = [...fields, ...[words, amounts].flatMap((texts) => longestRun(texts))]
  return {
    words: patterns(words),
    amounts: amounts.length > 0 ? patterns(amounts) : null,
    fields: fields.length > 0 ? patterns(fields) : null,
    probes: [...new Set(patterns(probes))],
  }
}

/** The text with the most letters and digits in a row, which has the most trigrams. */
function longestRun(texts: readonly string[]): string[] {
  const runs = (text: string) =>
    Math.max(0, ...(text.match(/[\p{L}\p{N}]+/gu) ?? []).map((run) => run.length))
  return [...texts].sort((a, b) => runs(b) - runs(a)).slice(0, 1)
}

/**
 * The way along the value that the fewest entries have, about how many those are, and how many of
 * them match everything.
 */
interface Rarest {
  way: Way
  entries: number
  matches: number
}

function rarest(query: AuditQuery, frequencies: AuditFrequencies): Rarest {
  const ways: [Way, number][] = [['audit_walk_time', 1]]
  if (query.tenant !== null)
    ways.push(['audit_walk_tenant', frequencies.of('tenant_slug', query.tenant)])
  if (query.partner !== null)
    ways.push(['audit_walk_partner', frequencies.of('partner_slug', query.partner)])
  if (query.actor !== null)
    ways.push(['audit_walk_actor', frequencies.of('actor_email', query.actor)])
  if (query.action !== null)
    ways.push(['audit_walk_action', frequencies.of('action', query.action)])
  if (query.outcome !== null && query.outcome !== 'success')
    ways.push(['audit_walk_refused', frequencies.of('outcome', query.outcome)])
  if (query.prefix !== null) {
    const share = frequencies.ofPrefix('action', query.prefix)
    if (share < commonPrefix) ways.push(['audit_find_prefix', share])
  }
  const [way, share] = ways.reduce((least, one) => (one[1] < least[1] ? one : least))
  const matches = ways.reduce((product, [, one]) => product * one, frequencies.entries)
  return { way, entries: share * frequencies.entries, matches }
}

/**
 * This month and the last, and only where they do not fill the page all that is older: two
 * partitions are opened sooner than all.
 */
async function recentFirst(
  db: Db,
  way: Way,
  query: AuditQuery,
  limit: number,
): Promise<AuditEvent[]> {
  const start = monthsBefore(latest(query), 1)
  if (Date.parse(query.since) >= Date.parse(start)) return read(db, way, query, limit)
  const recent = await read(db, way, { ...query, since: start }, limit)
  if (recent.length >= limit) return recent
  return [
    ...recent,
    ...(await read(
      db,
      way,
      { ...query, until: earlier(query.until, start) },
      limit - recent.length,
    )),
  ]
}

/** Only for where spans of time lie: wherever they do, together they are all of it. */
function latest(query: AuditQuery): number {
  return Math.min(
    Date.now(),
    ...[query.until, query.at].map((end) => Date.parse(end)).filter((end) => !Number.isNaN(end)),
  )
}

function earlier(a: string, b: string): string {
  return Date.parse(a) < Date.parse(b) ? a : b
}

type ReadSpan = (span: AuditQuery, left: number) => Promise<AuditEvent[]>

/** The newest month, then twice as many with every step, until the page is full. */
async function byMonths(
  query: AuditQuery,
  limit: number,
  readSpan: ReadSpan,
): Promise<AuditEvent[]> {
  const found: AuditEvent[] = []
  const newest = latest(query)
  let until = query.until
  for (let months = 1; found.length < limit; months *= 2) {
    const start = months > 16 ? '-infinity' : monthsBefore(newest, months - 1)
    const last = start === '-infinity' || Date.parse(query.since) >= Date.parse(start)
    found.push(
      ...(await readSpan(
        { ...query, until, since: last ? query.since : start },
        limit - found.length,
      )),
    )
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

/** The first where both are the same millisecond: it may have microseconds besides. */
function later(a: string, b: string): string {
  return Date.parse(a) >= Date.parse(b) ? a : b
}

const parametersOf = (
  query: AuditQuery,
) => sql`${query.since}, ${query.until}, ${query.at}, ${query.id}, ${query.tenant}, ${query.partner},
  ${query.actor}, ${query.outcome}, ${query.action}, ${query.prefix}, ${query.pattern}`

const columns =
  sql.raw(`id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor_type as "actorType",
  actor_id as "actorId", actor_email as "actorEmail", host(actor_ip) as "actorIp", (metadata->>'actorIpTrusted')::boolean as "actorIpTrusted", action, outcome, resource_type as "resourceType",
  resource_id as "resourceId", resource_name as "resourceName", tenant_slug as "tenantSlug", partner_slug as "partnerSlug", source,
  metadata, prev_hash as "prevHash", hash`)

/**
 * With a text, the ways that look for it in changes too; what finds it by an index of names and
 * actions knows of none.
 */
function callOf(way: Way, query: AuditQuery, limit: number) {
  const parameters = sql`${parametersOf(query)}, ${limit}`
  if (query.changes === null || way === 'audit_find_text') return parameters
  const { words, amounts, fields } = query.changes
  const patterns = sql`${parameters}, ${words}, ${amounts}, ${fields}`
  return way === 'audit_find_changes' ? sql`${patterns}, ${query.probe}` : patterns
}

async function read(db: Db, way: Way, query: AuditQuery, limit: number): Promise<AuditEvent[]> {
  const { rows } = await sql<AuditEvent>`
    select ${columns} from ${sql.raw(way)}(${callOf(way, query, limit)}) as e order by e.at desc, e.id desc`.execute(
    db,
  )
  return rows
}

async function readValues(
  db: Db,
  query: AuditQuery,
  { actors, names, tenants }: AuditValues,
  limit: number,
): Promise<AuditEvent[]> {
  const { rows } = await sql<AuditEvent>`
    select ${columns} from audit_find_values(${parametersOf(query)}, ${limit}, ${actors}, ${names}, ${tenants}) as e
    order by e.at desc, e.id desc`.execute(db)
  return rows
}
