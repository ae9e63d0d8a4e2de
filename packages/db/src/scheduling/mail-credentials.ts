import type { CredentialSource } from '@atrium/core/scheduling/scheduling'
import { sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

export interface MailCredentialRow {
  hostId: string
  source: CredentialSource
  username: string
  /** Sealed: `encryption.ts`. */
  secret: Buffer
  /** Of the app password at the mail server; null for what a person gave. */
  externalId: string | null
  /** The mail server's account that the app password belongs to. */
  externalAccountId: string | null
  checkedAt: Date | null
  ok: boolean | null
  error: string | null
}

const columns = [
  'host_id as hostId',
  'source',
  'username',
  'secret',
  'external_id as externalId',
  'external_account_id as externalAccountId',
  'checked_at as checkedAt',
  'ok',
  'error',
] as const

export function findMailCredential(
  db: Db | Trx,
  hostId: string,
): Promise<MailCredentialRow | undefined> {
  return db
    .selectFrom('mail_credentials')
    .select(columns)
    .where('host_id', '=', hostId)
    .executeTakeFirst()
}

export function lockMailCredential(
  trx: Trx,
  hostId: string,
): Promise<MailCredentialRow | undefined> {
  return trx
    .selectFrom('mail_credentials')
    .select(columns)
    .where('host_id', '=', hostId)
    .forUpdate()
    .executeTakeFirst()
}

/** Replaces the host's credential. The caller has locked the host. */
export async function saveMailCredential(
  trx: Trx,
  tenantId: string,
  credential: Omit<MailCredentialRow, 'checkedAt' | 'ok' | 'error'> & { checkedAt: Date },
): Promise<void> {
  const values = {
    source: credential.source,
    username: credential.username,
    secret: credential.secret,
    external_id: credential.externalId,
    external_account_id: credential.externalAccountId,
    checked_at: credential.checkedAt,
    ok: true,
    error: null,
  }
  const { numUpdatedRows } = await trx
    .updateTable('mail_credentials')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .where('host_id', '=', credential.hostId)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  await trx
    .insertInto('mail_credentials')
    .values({ tenant_id: tenantId, host_id: credential.hostId, ...values })
    .execute()
}

/**
 * What the mail server said to the credential. Written only when it says something else than
 * before, or said it long ago.
 */
export async function noteCredentialCheck(
  db: Db | Trx,
  hostId: string,
  check: { at: Date; ok: boolean; error: string | null },
  unlessCheckedSince?: Date,
): Promise<void> {
  let update = db
    .updateTable('mail_credentials')
    .set({ checked_at: check.at, ok: check.ok, error: check.error })
    .where('host_id', '=', hostId)
  if (unlessCheckedSince) {
    update = update.where((row) =>
      row.or([
        row('ok', 'is', null),
        row('ok', '<>', check.ok),
        row('error', 'is distinct from', check.error),
        row('checked_at', 'is', null),
        row('checked_at', '<', unlessCheckedSince),
      ]),
    )
  }
  await update.execute()
}

/**
 * Clears the rejection of the credentials of hosts with this mailbox: the mail server rejected them
 * because the mailbox was disabled. Returns the hosts.
 */
export async function clearRejections(trx: Trx, mailAccountId: string): Promise<string[]> {
  const rows = await trx
    .updateTable('mail_credentials as c')
    .from('hosts as h')
    .set({ checked_at: null, ok: null, error: null })
    .whereRef('h.tenant_id', '=', 'c.tenant_id')
    .whereRef('h.id', '=', 'c.host_id')
    .where('h.mail_account_id', '=', mailAccountId)
    .where('c.ok', '=', false)
    .returning('c.host_id as hostId')
    .execute()
  return rows.map(({ hostId }) => hostId)
}

export async function deleteMailCredential(trx: Trx, hostId: string): Promise<void> {
  await trx.deleteFrom('mail_credentials').where('host_id', '=', hostId).execute()
}

/**
 * Credentials that are no longer needed: the host was removed or the person left, and no calendar
 * write is pending. Calendars of removed hosts keep theirs for a day. With `hostId`, only that
 * host's.
 */
export async function listUnneededCredentials(
  db: Db | Trx,
  limit: number,
  hostId?: string,
): Promise<string[]> {
  let query = db
    .selectFrom('mail_credentials as c')
    .innerJoin('hosts as h', (join) =>
      join.onRef('h.tenant_id', '=', 'c.tenant_id').onRef('h.id', '=', 'c.host_id'),
    )
    .select('c.host_id as hostId')
    .where(({ eb, and, or, not, exists, selectFrom }) =>
      or([
        and([
          eb('h.removed_at', 'is not', null),
          or([
            eb('h.removed_at', '<', secondsFromNow(-86_400)),
            not(
              exists(
                selectFrom('booking_hosts as b')
                  .select('b.host_id')
                  .whereRef('b.tenant_id', '=', 'h.tenant_id')
                  .whereRef('b.host_id', '=', 'h.id')
                  .where('b.calendar_state', '=', 'pending'),
              ),
            ),
          ]),
        ]),
        not(
          exists(
            selectFrom('memberships as m')
              .select('m.user_id')
              .whereRef('m.tenant_id', '=', 'h.tenant_id')
              .whereRef('m.user_id', '=', 'h.user_id')
              .where('m.status', '<>', 'removing'),
          ),
        ),
      ]),
    )
  if (hostId !== undefined) query = query.where('c.host_id', '=', hostId)
  const rows = await query.orderBy('c.host_id').limit(limit).execute()
  return rows.map((row) => row.hostId)
}

/**
 * An app password that has to leave the mail server, or may have been created there and has to if
 * it was. `description` is unique to the one attempt and finds it when its id never reached us.
 */
export type AppPasswordRemoval = Awaited<ReturnType<typeof claimAppPasswordRemovals>>[number]

export async function insertAppPasswordRemoval(
  db: Db | Trx,
  removal: {
    hostId: string
    accountId: string
    description: string
    externalId: string | null
    afterSeconds: number
  },
): Promise<string> {
  const { id } = await db
    .insertInto('app_password_removals')
    .values({
      tenant_id: ({ selectFrom }) =>
        selectFrom('hosts').select('tenant_id').where('id', '=', removal.hostId),
      host_id: removal.hostId,
      account_id: removal.accountId,
      description: removal.description,
      external_id: removal.externalId,
      next_at: secondsFromNow(removal.afterSeconds),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function deleteAppPasswordRemoval(db: Db | Trx, id: string): Promise<void> {
  await db.deleteFrom('app_password_removals').where('id', '=', id).execute()
}

/** Claims the removals that are due, each for two minutes, so that several processes share them. */
export function claimAppPasswordRemovals(db: Db, limit: number) {
  return db
    .updateTable('app_password_removals')
    .set((eb) => ({ next_at: secondsFromNow(120), attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('app_password_removals')
        .select('id')
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning([
      'id',
      'host_id as hostId',
      'account_id as accountId',
      'description',
      'external_id as externalId',
      'attempts',
    ])
    .execute()
}

export async function postponeAppPasswordRemoval(
  db: Db,
  id: string,
  afterSeconds: number,
  error: string,
): Promise<void> {
  await db
    .updateTable('app_password_removals')
    .set({ next_at: secondsFromNow(afterSeconds), error })
    .where('id', '=', id)
    .execute()
}
