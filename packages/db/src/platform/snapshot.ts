import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

const rowsPerPage = 1_000

/**
 * Yields what `read` yields, all of it from one moment of the database. Takes one connection of the
 * pool until the reader is done or leaves (`signal`), which ends it without an error. Rejects when
 * the reader takes nothing for a minute.
 */
export async function* readSnapshot<Piece>(
  db: Db,
  signal: AbortSignal,
  read: (trx: Trx) => AsyncIterable<Piece>,
): AsyncGenerator<Piece, void> {
  const trx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  let ended: Promise<void> | undefined
  const end = () => (ended ??= trx.rollback().execute())
  // A reader that left may never ask for the next piece.
  const leave = () => void end().catch(() => undefined)
  signal.addEventListener('abort', leave, { once: true })
  try {
    await sql`set local idle_in_transaction_session_timeout = '60s'`.execute(trx)
    yield* read(trx)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', leave)
    await end()
  }
}

/**
 * The rows of a query in pages. The server runs the query once and keeps the place in a cursor, so
 * memory stays flat. One query at a time in a transaction.
 */
export async function* pagesOf<Row>(trx: Trx, query: RawBuilder<Row>): AsyncGenerator<Row[], void> {
  await sql`declare pages no scroll cursor for ${query}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsPerPage)} from pages`.execute(trx)
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerPage) break
  }
  await sql`close pages`.execute(trx)
}
