import type { MailTemplateKey } from '@atrium/core/branding/template-keys'
import type { MailState } from '@atrium/core/mail/mail-states'
import type { MailValues, OutgoingMail } from '@atrium/core/outbox/outbox'
import { type ExpressionBuilder, type NotNull, sql } from 'kysely'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * How long a sender may hold a mail without telling an outcome; longer than its deadline. A killed
 * process's mails are free after that.
 */
export const mailLeaseSeconds = 60

/**
 * Queues a mail, due at `now`. Returns its id; undefined when a mail of that key was queued before.
 * `host` ends the Message-ID, which stays the same however often the mail is tried.
 */
export async function insertMail(
  trx: Trx,
  mail: Omit<OutgoingMail, 'userId' | 'language' | 'values'> & { values: MailValues },
  { host, now }: { host: string; now: Date },
): Promise<string | undefined> {
  // Plain SQL: the message id is built from the id that the same statement creates.
  const { rows } = await sql<{ id: string }>`
    insert into outbox (id, key, tenant_id, template, recipient, recipient_name, "values", booking_id, calendar, message_id, next_at,
      created_at, changed_at)
    select id, ${mail.key}, ${mail.tenantId}::uuid, ${mail.template}, ${mail.to}, ${mail.name ?? null}, ${JSON.stringify(mail.values)}::jsonb,
      ${mail.bookingId ?? null}::uuid, ${mail.calendar ? JSON.stringify(mail.calendar) : null}::jsonb, '<' || id || '@' || ${host}::text || '>', ${now}, ${now}, ${now}
    from (select new_id() as id) made
    on conflict (key) do nothing
    returning id`.execute(trx)
  return rows[0]?.id
}

/** Whether a mail of this key was queued before, sent or not. */
export async function isMailQueued(trx: Trx, key: string): Promise<boolean> {
  return (
    (await trx.selectFrom('outbox').select('id').where('key', '=', key).executeTakeFirst()) !==
    undefined
  )
}

/** A mail claimed for one try; `attempts` includes it. */
export type ClaimedMail = Awaited<ReturnType<typeof claimMails>>[number]

/** Whether a mail is due at `now` and no living process holds it. */
const isDueAt = (now: Date) => (eb: ExpressionBuilder<Tables, 'outbox'>) =>
  eb.and([
    eb('state', 'in', ['queued', 'sending', 'failed']),
    eb('next_at', '<=', now),
    leaseExpired('lease_until'),
  ])

/**
 * Claims mails that are due at `now`, the longest waiting first. Leases go by the clock of the
 * database, which all processes share.
 */
export function claimMails(db: Db, now: Date, limit: number) {
  return (
    db
      .with('due', (cte) =>
        cte
          .selectFrom('outbox')
          .select('id')
          .where(isDueAt(now))
          .orderBy('next_at')
          .orderBy('id')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .updateTable('outbox as o')
      .from('due')
      .set((eb) => ({
        state: 'sending',
        attempts: eb('o.attempts', '+', 1),
        run: sql<string>`new_id()`,
        changed_at: now,
        lease_until: secondsFromNow(mailLeaseSeconds),
      }))
      .whereRef('o.id', '=', 'due.id')
      .returning([
        'o.id',
        'o.run',
        'o.tenant_id as tenantId',
        'o.template',
        'o.recipient',
        'o.recipient_name as recipientName',
        'o.values',
        'o.booking_id as bookingId',
        'o.calendar',
        'o.message_id as messageId',
        'o.attempts',
      ])
      // A mail without a recipient is over and never due.
      .$narrowType<{ run: NotNull; recipient: NotNull }>()
      .execute()
  )
}

/** `nextAt` null: not retried automatically. */
export type MailOutcome = { sent: true } | { error: string; nextAt: Date | null }

/** The end of a try. */
export interface EndedTry {
  mail: Pick<ClaimedMail, 'id' | 'run'>
  outcome: MailOutcome
  now: Date
}

/**
 * Ends tries. Returns the ids of those that were saved: nothing is written for a mail that another
 * process took over meanwhile.
 */
export async function saveMailOutcomes(
  db: Db,
  tries: readonly EndedTry[],
): Promise<ReadonlySet<string>> {
  const rows = tries.map(({ mail, outcome, now }) =>
    'sent' in outcome
      ? { ...mail, state: 'sent', now, sentAt: now, nextAt: null, error: null }
      : {
          ...mail,
          state: outcome.nextAt === null ? 'gave_up' : 'failed',
          now,
          sentAt: null,
          nextAt: outcome.nextAt,
          error: outcome.error,
        },
  )
  const column = <Key extends keyof (typeof rows)[number]>(key: Key) => rows.map((row) => row[key])
  // Plain SQL: one array per column, so that the statement is the same for any number of tries.
  const saved = await sql<{ id: string }>`
    update outbox o set state = ended.state, run = null, lease_until = null, changed_at = ended.now, sent_at = ended.sent_at,
      next_at = ended.next_at, error = ended.error
    from unnest(${column('id')}::uuid[], ${column('run')}::uuid[], ${column('state')}::text[], ${column('now')}::timestamptz[],
      ${column('sentAt')}::timestamptz[], ${column('nextAt')}::timestamptz[], ${column('error')}::text[])
      as ended (id, run, state, now, sent_at, next_at, error)
    where o.id = ended.id and o.run = ended.run returning o.id`.execute(db)
  return new Set(saved.rows.map(({ id }) => id))
}

/**
 * Whether a later mail about the same booking went out to the same recipient, or is to: what one
 * that was held up says no longer holds then. Reminders and conflicts say nothing about the state
 * of a booking; and a host who booked with himself reads both sides.
 */
export async function isOvertaken(db: Db, mail: ClaimedMail): Promise<boolean> {
  const later = await db
    .selectFrom('outbox')
    .select('id')
    .where('booking_id', '=', mail.bookingId)
    .where('id', '>', mail.id)
    .where('recipient', '=', mail.recipient)
    .where('state', '<>', 'gave_up')
    .where('template', 'not in', ['booking.reminder', 'booking.host_conflict', 'booking.replaced'])
    .where(({ eb, fn, val }) =>
      eb(
        fn<boolean>('starts_with', ['template', val(toHost)]),
        '=',
        mail.template.startsWith(toHost),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return later !== undefined
}

/** How the keys of mails to hosts begin. */
const toHost = 'booking.host_'

/**
 * Releases a mail that was claimed and not attempted, so that the next worker can claim it. Does
 * nothing when another process took it over meanwhile.
 */
export async function releaseMail(db: Db, mail: Pick<ClaimedMail, 'id' | 'run'>): Promise<void> {
  await db
    .updateTable('outbox')
    .set((eb) => ({
      state: 'queued',
      run: null,
      lease_until: null,
      attempts: eb('attempts', '-', 1),
    }))
    .where('id', '=', mail.id)
    .where('run', '=', mail.run)
    .execute()
}

/**
 * Takes a mail out of the queue that is no longer worth sending. Nothing when another process took
 * it over meanwhile.
 */
export async function dropMail(db: Db, mail: ClaimedMail): Promise<void> {
  await db.deleteFrom('outbox').where('id', '=', mail.id).where('run', '=', mail.run).execute()
}

/**
 * Makes an unsent mail due immediately, with a full number of attempts. A mail that is being sent
 * stays as it is.
 */
export async function requeueMail(trx: Trx, id: string, now: Date): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ state: 'queued', attempts: 0, next_at: now, error: null, changed_at: now })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'failed', 'gave_up'])
    .where('recipient', 'is not', null)
    .execute()
}

/** True while a mail is due at `now` and unclaimed. */
export async function hasDueMail(db: Db, now: Date): Promise<boolean> {
  const due = await db
    .selectFrom('outbox')
    .select('id')
    .where(isDueAt(now))
    .limit(1)
    .executeTakeFirst()
  return due !== undefined
}

/**
 * Erases recipient and values of mails that were over before the given moment. Returns how many.
 */
export async function eraseOldMails(db: Db, before: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ recipient: null, recipient_name: null, values: '{}', calendar: null })
    .where('state', 'in', ['sent', 'gave_up'])
    .where('changed_at', '<', before)
    .where('recipient', 'is not', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export interface MailRow {
  id: string
  template: MailTemplateKey
  tenantSlug: string | null
  recipient: string | null
  state: MailState
  attempts: number
  nextAt: Date | null
  error: string | null
  messageId: string
  createdAt: Date
  sentAt: Date | null
}

const columns = [
  'o.id',
  'o.template',
  't.slug as tenantSlug',
  'o.recipient',
  'o.state',
  'o.attempts',
  'o.next_at as nextAt',
  'o.error',
  'o.message_id as messageId',
  'o.created_at as createdAt',
  'o.sent_at as sentAt',
] as const

/** Newest first, one row more than requested. `q` searches template keys and tenant slugs. */
export function listMails(
  db: Db,
  filter: {
    state?: MailState | undefined
    q?: string | undefined
    tenantSlug?: string | undefined
    before?: string | undefined
    limit: number
  },
): Promise<MailRow[]> {
  let query = db
    .selectFrom('outbox as o')
    .leftJoin('tenants as t', 't.id', 'o.tenant_id')
    .select(columns)
  if (filter.state) query = query.where('o.state', '=', filter.state)
  if (filter.tenantSlug) query = query.where('t.slug', '=', filter.tenantSlug)
  if (filter.before) query = query.where('o.id', '<', filter.before)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q)}%`
    query = query.where(({ eb, or, cast }) =>
      or([
        eb(cast<string>('o.template', 'text'), 'ilike', pattern),
        eb('t.slug', 'ilike', pattern),
      ]),
    )
  }
  return query
    .orderBy('o.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findMail(db: Db | Trx, id: string): Promise<MailRow | undefined> {
  return db
    .selectFrom('outbox as o')
    .leftJoin('tenants as t', 't.id', 'o.tenant_id')
    .select(columns)
    .where('o.id', '=', id)
    .executeTakeFirst()
}

/** Holds the mail until the transaction ends. */
export async function lockMail(trx: Trx, id: string): Promise<MailRow | undefined> {
  const locked = await trx
    .selectFrom('outbox')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return locked && findMail(trx, id)
}

/**
 * How many mails wait (being sent included), have failed and are due again, and were given up;
 * since when the oldest of them waits.
 */
export function countMails(db: Db) {
  return db
    .selectFrom('outbox')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('state', 'in', ['queued', 'sending']).as('waiting'),
      fn.countAll<number>().filterWhere('state', '=', 'failed').as('failed'),
      fn.countAll<number>().filterWhere('state', '=', 'gave_up').as('gaveUp'),
      fn
        .min('created_at')
        .filterWhere('state', 'in', ['queued', 'sending', 'failed'])
        .$castTo<Date | null>()
        .as('oldestWaiting'),
    ])
    .where('state', '<>', 'sent')
    .executeTakeFirstOrThrow()
}
