import type { LogEvent } from 'kysely'
import type pg from 'pg'
import type { KeyPart, NamedStatement } from './keyed-read.ts'
import type { PipelinedQueries } from './pipelined-queries.ts'

export interface EndedStatement {
  /** Its own name, or its verb and its first table. */
  name: string
  ms: number
  failed: boolean
}

/** Called with each ended statement, in the async context of its caller. Must not throw. */
export type StatementWatch = (statement: EndedStatement) => void

/**
 * The verb and the first table of a statement. Values are parameters, so the label never contains
 * one.
 */
export function statementName(text: string): string {
  const verb = /^[\s(]*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const table =
    /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_]\w*)"?(?:\."?([a-z_]\w*)"?)?/i.exec(text)
  const named = table?.[2] ?? table?.[1]
  return named === undefined ? verb : `${verb} ${named.toLowerCase()}`
}

/** For Kysely's log. */
export function toWatch(watch: StatementWatch): (event: LogEvent) => void {
  return ({ level, query, queryDurationMillis }) =>
    watch({ name: statementName(query.sql), ms: queryDurationMillis, failed: level === 'error' })
}

/** The same reads, each reported with its duration, including the wait for others. */
export function watched(
  readers: PipelinedQueries,
  watch: StatementWatch | undefined,
): PipelinedQueries {
  if (!watch) return readers
  return {
    async read<Row extends pg.QueryResultRow>(
      statement: NamedStatement,
      values: readonly KeyPart[],
    ) {
      const started = performance.now()
      let failed = true
      try {
        const rows = await readers.read<Row>(statement, values)
        failed = false
        return rows
      } finally {
        watch({ name: statement.name, ms: performance.now() - started, failed })
      }
    },
    close: () => readers.close(),
  }
}
