import type { CredentialSource } from '@atrium/core/scheduling/scheduling'
import { sql } from 'kysely'
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

/** Puts the credential in the place of the one before. */
export async function saveMailCredential(
  trx: Trx,
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
  await trx
    .insertInto('mail_credentials')
    .values({ host_id: credential.hostId, ...values })
    .onConflict((conflict) =>
      conflict.column('host_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
    )
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
  const { rows } = await sql<{ hostId: string }>`
    update mail_credentials c set checked_at = null, ok = null, error = null from hosts h
    where h.id = c.host_id and h.mail_account_id = ${mailAccountId} and c.ok = false
    returning c.host_id as "hostId"`.execute(trx)
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
export async function listForsakenCredentials(
  db: Db | Trx,
  limit: number,
  hostId?: string,
): Promise<string[]> {
  const { rows } = await sql<{ hostId: string }>`
    select c.host_id as "hostId" from mail_credentials c join hosts h on h.id = c.host_id
    where ${hostId === undefined ? sql`true` : sql`c.host_id = ${hostId}`} and ((h.removed_at is not null and (h.removed_at < now() - interval '1 day'
        or not exists (select from booking_hosts b where b.host_id = h.id and b.calendar_state = 'pending')))
      or not exists (select from memberships m where m.tenant_id = h.tenant_id and m.user_id = h.user_id and m.status <> 'removing'))
    order by c.host_id limit ${limit}`.execute(db)
  return rows.map(({ hostId }) => hostId)
}

/**
 * An app password that has to leave the mail server, or may have been made there and has to if it
 * was.
 */
export interface AppPasswordRemoval {
  id: string
  hostId: string
  accountId: string
  /** Unique to the one attempt; what it is found by when its id never reached us. */
  description: string
  externalId: string | null
  attempts: number
}

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
      host_id: removal.hostId,
      account_id: removal.accountId,
      description: removal.description,
      external_id: removal.externalId,
      next_at: sql<Date>`now() + make_interval(secs => ${removal.afterSeconds})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function deleteAppPasswordRemoval(db: Db | Trx, id: string): Promise<void> {
  await db.deleteFrom('app_password_removals').where('id', '=', id).execute()
}

/** Takes the removals that are due, each for two minutes, so that several processes share them. */
export async function claimAppPasswordRemovals(
  db: Db,
  limit: number,
): Promise<AppPasswordRemoval[]> {
  const { rows } = await sql<AppPasswordRemoval>`
    update app_password_removals r set next_at = now() + interval '2 minutes', attempts = r.attempts + 1
    where r.id in (select id from app_password_removals where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning r.id, r.host_id as "hostId", r.account_id as "accountId", r.description, r.external_id as "externalId", r.attempts`.execute(
    db,
  )
  return rows
}

export async function postponeAppPasswordRemoval(
  db: Db,
  id: string,
  afterSeconds: number,
  error: string,
): Promise<void> {
  await db
    .updateTable('app_password_removals')
    .set({ next_at: sql<Date>`now() + make_interval(secs => ${afterSeconds})`, error })
    .where('id', '=', id)
    .execute()
}
