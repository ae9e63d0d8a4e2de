import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** How long a password that another person has seen is valid. */
export interface TemporaryPasswordTerm {
  issuedAt: Date
  expiresAt: Date
}

/**
 * Records a temporary password, in place of an earlier one. The person is named by their record, or
 * by the identity that it has.
 */
export async function saveTemporaryPassword(
  db: Db,
  person: { userId: string } | { idpUserId: string },
  { issuedAt, expiresAt }: TemporaryPasswordTerm,
): Promise<void> {
  const term = {
    issued_at: issuedAt,
    expires_at: expiresAt,
    ending_at: null,
    ended_at: null,
  }
  await db
    .insertInto('temporary_passwords')
    .columns(['user_id', 'issued_at', 'expires_at'])
    .expression(
      db
        .selectFrom('users')
        .select(({ val }) => [
          'id',
          val(issuedAt).$castTo<Date>().as('issued_at'),
          val(expiresAt).$castTo<Date>().as('expires_at'),
        ])
        .where(({ eb }) =>
          'userId' in person
            ? eb('id', '=', person.userId)
            : eb('idp_user_id', '=', person.idpUserId),
        )
        .where('removed_at', 'is', null)
        .limit(1),
    )
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(({ ref }) => ({ ...term, next_at: ref('excluded.next_at') })),
    )
    .execute()
}

export interface TemporaryPassword extends TemporaryPasswordTerm {
  userId: string
  subject: string
  email: string
  idpUserId: string | null
  endingAt: Date | null
}

/** Those to be looked at that were not ended yet, the longest due first. */
export function findDueTemporaryPasswords(
  db: Db,
  now: Date,
  limit: number,
): Promise<TemporaryPassword[]> {
  return db
    .selectFrom('temporary_passwords as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .select([
      'p.user_id as userId',
      'u.idp_subject_id as subject',
      'u.email',
      'u.idp_user_id as idpUserId',
      'p.ending_at as endingAt',
      'p.issued_at as issuedAt',
      'p.expires_at as expiresAt',
    ])
    .where('p.ended_at', 'is', null)
    .where('p.next_at', '<=', now)
    .orderBy('p.next_at')
    .limit(limit)
    .execute()
}

/** Looked at again then, unless another one is issued or the person signs in before. */
export async function postponeTemporaryPassword(
  db: Db,
  { userId, issuedAt }: { userId: string; issuedAt: Date },
  nextAt: Date,
): Promise<void> {
  await db
    .updateTable('temporary_passwords')
    .set({ next_at: nextAt })
    .where('user_id', '=', userId)
    .where('issued_at', '=', issuedAt)
    .execute()
}

/** The person has signed in: the password is looked at by the next run. */
export async function expediteTemporaryPassword(db: Db, subject: string): Promise<void> {
  await db
    .updateTable('temporary_passwords as p')
    .from('users as u')
    .set({ next_at: sql<Date>`now()` })
    .whereRef('u.id', '=', 'p.user_id')
    .where('u.idp_subject_id', '=', subject)
    .where('p.ended_at', 'is', null)
    .execute()
}

/** Records that it is being replaced. False for one that was issued since. */
export async function markTemporaryPasswordEnding(
  db: Db,
  { userId, issuedAt }: { userId: string; issuedAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('temporary_passwords')
    .set({ ending_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('issued_at', '=', issuedAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Says that it expired before its person replaced it. One that was issued since is left alone.
 * False where another process has said so.
 */
export async function markTemporaryPasswordEnded(
  db: Db | Trx,
  { userId, issuedAt }: { userId: string; issuedAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('temporary_passwords')
    .set({ ended_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('issued_at', '=', issuedAt)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Forgets it. With `issuedAt`, one that was issued since is left alone. False where there was none.
 */
export async function deleteTemporaryPassword(
  db: Db | Trx,
  { userId, issuedAt }: { userId: string; issuedAt?: Date },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('temporary_passwords')
    .where('user_id', '=', userId)
    .$if(issuedAt !== undefined, (query) => query.where('issued_at', '=', issuedAt ?? new Date(0)))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
