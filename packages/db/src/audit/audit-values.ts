import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/**
 * Values of the audit log that hold a text, as its indexes know them: actors and names in lower
 * case.
 */
export interface AuditValues {
  actions: string[]
  names: string[]
  actors: string[]
  tenants: string[]
}

const entriesPerStep = 20_000

/**
 * Fills in the values of entries that were written before values were stored (migration 0025), one
 * transaction per step, until none is left. An interruption loses at most one step; concurrent runs
 * take turns. Returns the number of steps.
 */
export async function fillAuditValues(db: Db, entries = entriesPerStep): Promise<number> {
  for (let step = 0; ; step++) {
    // Plain SQL, here and below: a call of one SQL function.
    const { rows } = await sql<{
      done: boolean
    }>`select audit_fill_values(${entries}) as done`.execute(db)
    if (rows[0]?.done !== false) return step
  }
}

/**
 * All values that hold the text of a pattern in whatever case; null when there are `most` or more,
 * and while not all values are kept yet or the index of names is not there.
 */
export async function lookUpAuditValues(
  db: Db,
  pattern: string,
  most: number,
): Promise<AuditValues | null> {
  const [first, second] = probesOf(pattern)
  const { rows } = await sql<{ ready: boolean; field: string[] | null; value: string[] | null }>`
    select ready, field, value from audit_look_up(lower(${pattern}), lower(${first}), lower(${second}), ${most})`.execute(
    db,
  )
  const [found] = rows
  const { field: fields, value: values } = { field: found?.field ?? [], value: found?.value ?? [] }
  if (!found?.ready || values.length >= most) return null
  const of = (name: string) => [...new Set(values.filter((_, n) => fields[n] === name))]
  return { actions: of('action'), names: of('name'), actors: of('actor'), tenants: of('tenant') }
}

/**
 * Two parts of four characters each, from the two longest words or from one. Uses only letters
 * whose lower case does not depend on their position in a word. A text without such a part is its
 * own probe.
 */
function probesOf(pattern: string): [string, string] {
  const words = (pattern.match(/[a-z0-9]{4,}/gi) ?? []).sort((a, b) => b.length - a.length)
  const [first, second] = words
  if (first === undefined) return [pattern, pattern]
  const middle = (word: string) => `%${word.slice((word.length - 4) / 2).slice(0, 4)}%`
  return second === undefined
    ? [`%${first.slice(0, 4)}%`, `%${first.slice(-4)}%`]
    : [middle(first), middle(second)]
}
