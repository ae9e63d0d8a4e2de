import { type Kysely, sql } from 'kysely'

/** No row breaks the constraints of 0120 any more. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table users validate constraint users_not_invited`.execute(db)
  await sql`alter table member_import_rows validate constraint member_import_rows_state_check`.execute(
    db,
  )
}
