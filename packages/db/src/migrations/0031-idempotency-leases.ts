import { type Kysely, sql } from 'kysely'

/**
 * A request under an Idempotency-Key holds a lease: `run` is its holder, `lease_until` the lease's
 * end. The kept answer is encrypted in `sealed`. Rows with a clear `body` are of the program before
 * and expire within a day.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table idempotency_keys
      add column run uuid,
      add column lease_until timestamptz,
      add column sealed bytea`.execute(db)
}
