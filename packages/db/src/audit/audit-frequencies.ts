import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

type Column =
  | 'tenant_slug'
  | 'partner_slug'
  | 'actor_email'
  | 'outcome'
  | 'action'
  | 'resource_name'

/** How often values occur in the audit log, as the database last counted a sample of it. */
export interface AuditFrequencies {
  /** Entries that were there. */
  entries: number
  /** Share of the entries with this value, from 0 to 1; a guess where nothing was counted. */
  of(column: Column, value: string): number
  /** Share of the entries whose value begins so. */
  ofPrefix(column: Column, prefix: string): number
}

interface CountedColumn {
  name: string
  entries: number
  distinct_values: number
  common_values: string[] | null
  frequencies: number[] | null
}

const guesses: Readonly<Record<Column, number>> = {
  actor_email: 0.0001,
  tenant_slug: 0.001,
  action: 0.02,
  outcome: 0.03,
  partner_slug: 0.05,
  resource_name: 0.0005,
}
const keptMs = 10 * 60_000
const kept = new WeakMap<Db, { until: number; frequencies: Promise<AuditFrequencies> }>()

/**
 * Read once in ten minutes per database. It only affects how fast a search is, never its result.
 */
export function readAuditFrequencies(db: Db): Promise<AuditFrequencies> {
  const known = kept.get(db)
  if (known && known.until > performance.now()) return known.frequencies
  const frequencies = count(db)
  kept.set(db, { until: performance.now() + keptMs, frequencies })
  frequencies.catch(() => kept.delete(db))
  return frequencies
}

async function count(db: Db): Promise<AuditFrequencies> {
  // Plain SQL: the rows come from a function.
  const { rows } = await sql<CountedColumn>`select * from audit_frequencies()`.execute(db)
  const columns = new Map(rows.map((row) => [row.name, toShares(row)]))
  return {
    entries: Math.max(0, ...rows.map((row) => row.entries)),
    of(column, value) {
      const counted = columns.get(column)
      return counted ? (counted.shares.get(value) ?? counted.ofOthers) : guesses[column]
    },
    ofPrefix(column, prefix) {
      const counted = columns.get(column)
      if (!counted) return 1
      return [...counted.shares].reduce(
        (sum, [value, share]) => sum + (value.startsWith(prefix) ? share : 0),
        0,
      )
    },
  }
}

/**
 * A negative number of distinct values is their share of the entries (PostgreSQL documentation,
 * pg_stats).
 */
function toShares({ name, entries, distinct_values, common_values, frequencies }: CountedColumn) {
  // Names are asked for in lower case.
  const values = (common_values ?? []).map((value) =>
    name === 'resource_name' ? value.toLowerCase() : value,
  )
  const shares = new Map(values.map((value, n) => [value, frequencies?.[n] ?? 0]))
  const distinct = distinct_values < 0 ? -distinct_values * entries : distinct_values
  const rest = 1 - (frequencies ?? []).reduce((sum, share) => sum + share, 0)
  return { shares, ofOthers: Math.max(0, rest) / Math.max(1, distinct - shares.size) }
}
