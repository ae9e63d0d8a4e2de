import { randomUUID } from 'node:crypto'
import type { ListState } from '@atrium/core/mail/lists'
import { expressionBuilder, sql } from 'kysely'
import { clock, clockAt, isDue, leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import type { MailListsTable } from '../schema/mail.ts'
import type { Tables } from '../schema/tables.ts'

export type ListSummaryRow = Awaited<ReturnType<typeof listMailLists>>[number]
export type ListRow = NonNullable<Awaited<ReturnType<typeof findMailList>>>

const columns = [
  'l.id',
  'l.address',
  'l.name',
  'l.state',
  'l.error',
  'l.created_at as createdAt',
  'l.updated_at as updatedAt',
] as const

/** For `mail_lists as l`. */
const list = expressionBuilder<Tables & { l: MailListsTable }, 'l'>()

const recipients = list
  .selectFrom('mail_list_recipients as r')
  .whereRef('r.tenant_id', '=', 'l.tenant_id')
  .whereRef('r.list_id', '=', 'l.id')

// The builder has no `array(…)`.
const recipientAddresses = sql<
  string[]
>`array(${recipients.select('r.address').orderBy(sql`r.address collate "C"`)})`

const recipientCount = recipients
  .select(({ fn }) => fn.countAll<number>().as('count'))
  .$asScalar()
  .$notNull()

/** Newest first, one row more than requested. `q` searches address, name and recipients. */
export function listMailLists(
  db: Db,
  tenantId: string,
  filter: { q?: string | undefined; before?: string | undefined; limit: number },
) {
  let query = db
    .selectFrom('mail_lists as l')
    .select([...columns, recipientCount.as('recipientCount')])
    .where('l.tenant_id', '=', tenantId)
  if (filter.before) query = query.where('l.id', '<', filter.before)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    query = query.where(({ eb, fn, or, exists }) =>
      or([
        eb('l.address', 'like', pattern),
        eb(fn('lower', ['l.name']), 'like', pattern),
        exists(recipients.select('r.address').where('r.address', 'like', pattern)),
      ]),
    )
  }
  return query
    .orderBy('l.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findMailList(db: Db | Trx, tenantId: string, id: string) {
  return db
    .selectFrom('mail_lists as l')
    .select([...columns, recipientAddresses.as('recipients')])
    .where('l.tenant_id', '=', tenantId)
    .where('l.id', '=', id)
    .executeTakeFirst()
}

/** How many lists the tenant has. */
export async function countMailLists(db: Db | Trx, tenantId: string): Promise<number> {
  const row = await db
    .selectFrom('mail_lists')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return row.count
}

/**
 * Holds the list until the transaction ends, so that changes of its recipients come one after
 * another.
 */
export async function lockMailList(
  trx: Trx,
  tenantId: string,
  id: string,
): Promise<ListRow | undefined> {
  const locked = await trx
    .selectFrom('mail_lists')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return locked && findMailList(trx, tenantId, id)
}

/** A list that mail reaches, with the recipients that it has now. */
export interface ReachedList {
  tenantId: string
  address: string
  recipients: string[]
}

/**
 * Takes the turn of a change to what the tenant's lists send to, until the transaction ends.
 * Changes of one tenant come one after another. `reached` are the other tenants whose lists the
 * mail may reach: two changes of different tenants that could close a loop together each reach the
 * other's tenant, so one waits for the other; changes that only reach the same tenant do not wait.
 * One statement takes all locks in the order of ids, so that two changes cannot wait for each
 * other.
 */
export async function lockListRecipients(
  trx: Trx,
  tenantId: string,
  reached: readonly string[],
): Promise<void> {
  const others = [...new Set(reached)].filter((id) => id !== tenantId)
  // Plain SQL: functions of PostgreSQL alone, called in an order.
  await sql`
    select case when id = ${tenantId}
      then pg_advisory_xact_lock(hashtextextended('list recipients ' || id, 0))
      else pg_advisory_xact_lock_shared(hashtextextended('list recipients ' || id, 0)) end
    from unnest(${[tenantId, ...others].sort()}::text[]) with ordinality as l (id, at)
    order by at`.execute(trx)
}

/** From here on `releaseListLocks` gives locks back (PostgreSQL documentation, section 13.3.5). */
export async function markListLocks(trx: Trx): Promise<void> {
  await sql`savepoint list_locks`.execute(trx)
}

/** Releases the locks that were taken, and undoes what was written, since `markListLocks`. */
export async function releaseListLocks(trx: Trx): Promise<void> {
  await sql`rollback to savepoint list_locks`.execute(trx)
}

/** Every list that mail to one of the addresses reaches. Ends also where there are loops. */
export function listsReachedFrom(trx: Trx, addresses: readonly string[]): Promise<ReachedList[]> {
  return trx
    .withRecursive('reached(id, address, tenant_id)', (recursive) =>
      recursive
        .selectFrom('mail_lists as l')
        .select(['l.id', 'l.address', 'l.tenant_id'])
        .where('l.address', 'in', addresses)
        .where('l.state', '<>', 'removing')
        .union((eb) =>
          eb
            .selectFrom('reached')
            .innerJoin('mail_list_recipients as r', 'r.list_id', 'reached.id')
            .innerJoin('mail_lists as l', 'l.address', 'r.address')
            .select(['l.id', 'l.address', 'l.tenant_id'])
            .where('l.state', '<>', 'removing'),
        ),
    )
    .selectFrom('reached as l')
    .select(['l.tenant_id as tenantId', 'l.address', recipientAddresses.as('recipients')])
    .execute()
}

/** The tenants that have proved one of the domains. */
export async function tenantsOfDomains(trx: Trx, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const rows = await trx
    .selectFrom('domains')
    .select('tenant_id')
    .distinct()
    .where('name', 'in', names)
    .where('verified_at', 'is not', null)
    .execute()
  return rows.map((row) => row.tenant_id)
}

/**
 * Throws `mail_lists_of_address` when another list has the address. The list is due immediately;
 * another worker may push it after `nextInSeconds`.
 */
export async function insertMailList(
  trx: Trx,
  list: { tenantId: string; address: string; name: string; recipients: readonly string[] },
  nextInSeconds: number,
): Promise<string> {
  const { id } = await trx
    .insertInto('mail_lists')
    .values({
      tenant_id: list.tenantId,
      address: list.address,
      name: list.name,
      next_at: secondsFromNow(nextInSeconds),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await replaceRecipients(trx, { tenantId: list.tenantId, id }, list.recipients)
  return id
}

async function replaceRecipients(
  trx: Trx,
  { tenantId, id }: { tenantId: string; id: string },
  recipients: readonly string[],
): Promise<void> {
  await trx.deleteFrom('mail_list_recipients').where('list_id', '=', id).execute()
  if (recipients.length > 0)
    await trx
      .insertInto('mail_list_recipients')
      .values(recipients.map((address) => ({ tenant_id: tenantId, list_id: id, address })))
      .execute()
}

/** Writes what a list is to be and marks it as not yet pushed. Absent fields stay. */
export async function changeMailList(
  trx: Trx,
  id: string,
  change: {
    name?: string | undefined
    recipients?: readonly string[] | undefined
    removing?: boolean
  },
  nextInSeconds: number,
): Promise<void> {
  const changed = await trx
    .updateTable('mail_lists')
    .set((row) => ({
      ...(change.name === undefined ? {} : { name: change.name }),
      state: change.removing ? 'removing' : 'pending',
      error: null,
      version: row('version', '+', 1),
      next_at: secondsFromNow(nextInSeconds),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .returning('tenant_id as tenantId')
    .executeTakeFirst()
  if (changed && change.recipients)
    await replaceRecipients(trx, { ...changed, id }, change.recipients)
}

/**
 * The tenant's lists with their address on the domain: how many, and the first of them by name.
 * Those that the mail server does not have yet count.
 */
export async function mailListsOn(
  db: Db | Trx,
  tenantId: string,
  domain: string,
  limit: number,
): Promise<{ count: number; examples: string[] }> {
  const on = db
    .selectFrom('mail_lists')
    .where('tenant_id', '=', tenantId)
    .where(({ eb, fn, lit, val }) =>
      eb(fn<string>('split_part', ['address', val('@'), lit(2)]), '=', domain),
    )
  const { count } = await on
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const rows =
    count === 0 ? [] : await on.select('address').orderBy('address').limit(limit).execute()
  return { count, examples: rows.map((row) => row.address) }
}

/**
 * How long one push holds its list without ending; longer than its deadline. A killed process's
 * lists are free after that.
 */
export const pushLeaseSeconds = 20

/** A claimed push: the list as it is to be, read when the claim was made. */
export interface ListPush {
  run: string
  id: string
  tenantSlug: string
  address: string
  name: string
  mailListId: string | null
  /** The address was seen to be free in the mail server, so a list found there later is ours. */
  addressVacant: boolean
  removing: boolean
  version: number
  /** Pushes since the last that succeeded, this one included. */
  attempt: number
  recipients: string[]
  /**
   * The id of the list's domain in the mail server; null while it has none, or the tenant no longer
   * has the domain.
   */
  mailDomainId: string | null
}

/**
 * Takes a list for one push. `held` while another push has it, undefined when there is no list.
 * Works by the database's clock.
 */
export async function claimMailList(db: Db, id: string): Promise<ListPush | 'held' | undefined> {
  const claimed = await db
    .updateTable('mail_lists')
    .set((row) => ({
      push_run: randomUUID(),
      push_lease_until: secondsFromNow(pushLeaseSeconds),
      attempt: row('attempt', '+', 1),
    }))
    .where('id', '=', id)
    .where(leaseExpired('push_lease_until'))
    .returning('push_run as run')
    .executeTakeFirst()
  // A statement of its own: one that waited for a change of the list would read its new version and
  // the recipients of before.
  const row = await db
    .selectFrom('mail_lists as l')
    .innerJoin('tenants as t', 't.id', 'l.tenant_id')
    .select([
      'l.push_run as run',
      'l.id',
      'l.address',
      'l.name',
      'l.mail_list_id as mailListId',
      'l.address_vacant as addressVacant',
      'l.version',
      'l.attempt',
      'l.state',
      't.slug as tenantSlug',
      recipientAddresses.as('recipients'),
    ])
    .select(({ selectFrom, fn, lit, val }) =>
      selectFrom('domains as d')
        .select('d.mail_domain_id')
        .whereRef('d.tenant_id', '=', 'l.tenant_id')
        .where('d.name', '=', fn<string>('split_part', ['l.address', val('@'), lit(2)]))
        .where('d.mail_rename_due', '=', false)
        .as('mailDomainId'),
    )
    .where('l.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { state, run, ...push } = row
  if (run === null || run !== claimed?.run) return 'held'
  return { ...push, run, removing: state === 'removing' }
}

export type PushOutcome =
  | { mailListId: string }
  | { removed: true }
  | { error: string; mailListId?: string | null; retryInSeconds: number }

/**
 * Ends a push with its outcome. A list that was changed meanwhile stays unpushed and is due at
 * once. Nothing happens when another push took over. Returns the state that the list is in;
 * undefined when it is gone or another's.
 */
export async function saveMailListPush(
  db: Db,
  push: ListPush,
  outcome: PushOutcome,
): Promise<ListState | undefined> {
  if ('removed' in outcome) {
    await db
      .deleteFrom('mail_lists')
      .where('id', '=', push.id)
      .where('push_run', '=', push.run)
      .execute()
    return undefined
  }
  const common = {
    push_run: null,
    push_lease_until: null,
    ...(outcome.mailListId === undefined ? {} : { mail_list_id: outcome.mailListId }),
  }
  const saved = await db
    .updateTable('mail_lists')
    .from(clockAt('error' in outcome ? outcome.retryInSeconds : 0))
    .set((eb) => {
      const changed = eb('version', '<>', push.version)
      const state = eb.case().when('state', '=', 'removing').then(eb.ref('state'))
      if ('error' in outcome)
        return {
          ...common,
          state: state.else<ListState>('error').end(),
          error: outcome.error,
          next_at: eb.case().when(changed).then(clock.now).else(clock.later).end(),
        }
      return {
        ...common,
        state: state.when(changed).then<ListState>('pending').else<ListState>('ok').end(),
        error: null,
        attempt: 0,
        next_at: eb.case().when(changed).then(clock.now).end(),
      }
    })
    .where('id', '=', push.id)
    .where('push_run', '=', push.run)
    .returning('state')
    .executeTakeFirst()
  return saved?.state
}

/**
 * Written before the list is created upstream, so that a list whose create response was lost is
 * recognized as ours.
 */
export async function markAddressVacant(db: Db, push: ListPush): Promise<void> {
  await db
    .updateTable('mail_lists')
    .set({ address_vacant: true })
    .where('id', '=', push.id)
    .where('push_run', '=', push.run)
    .execute()
}

/**
 * Deletes a list that was inserted and could not be pushed for a reason that its creator has to
 * fix.
 */
export async function deleteMailList(db: Db, push: ListPush): Promise<void> {
  await db
    .deleteFrom('mail_lists')
    .where('id', '=', push.id)
    .where('push_run', '=', push.run)
    .execute()
}

/** Lists whose push is due and that no living push holds, the longest overdue first. */
export async function findDueMailLists(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('mail_lists as l')
    .innerJoin('tenants as t', 't.id', 'l.tenant_id')
    .select('l.id')
    .where('l.state', '<>', 'ok')
    .where(isDue('l.next_at'))
    .where(leaseExpired('l.push_lease_until'))
    // Lists of a deleted tenant rest, except those that must stop sending to a released domain.
    .where(({ or, eb }) => or([eb('t.status', '<>', 'deleted'), eb('l.state', '=', 'pending')]))
    .orderBy('l.next_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** A list whose recipients changed because a person's address changed or was removed. */
export interface TouchedList {
  id: string
  address: string
  /**
   * Its number of recipients now. A list without recipients accepts mail and delivers it to no one.
   */
  left: number
}

/**
 * Removes or replaces addresses in the tenant's lists and marks those lists as not pushed. Lists
 * that are being removed stay unchanged. The caller locks the tenant's row. This cannot create a
 * loop: a person's address is never a list's.
 */
export async function replaceInMailLists(
  trx: Trx,
  tenantId: string,
  { addresses, by }: { addresses: readonly string[]; by: string | null },
  nextInSeconds: number,
): Promise<TouchedList[]> {
  if (addresses.length === 0) return []
  await lockListRecipients(trx, tenantId, [])
  const changed = await trx
    .deleteFrom('mail_list_recipients as r')
    .using('mail_lists as l')
    .whereRef('r.list_id', '=', 'l.id')
    .where('r.tenant_id', '=', tenantId)
    .where('l.tenant_id', '=', tenantId)
    .where('l.state', '<>', 'removing')
    .where('r.address', 'in', addresses)
    .returning('l.id')
    .execute()
  const ids = [...new Set(changed.map((row) => row.id))]
  if (ids.length === 0) return []
  if (by !== null)
    await trx
      .insertInto('mail_list_recipients')
      .values(ids.map((id) => ({ tenant_id: tenantId, list_id: id, address: by })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  for (const id of ids) await changeMailList(trx, id, {}, nextInSeconds)
  return trx
    .selectFrom('mail_lists as l')
    .select(['l.id', 'l.address', recipientCount.as('left')])
    .where('l.id', 'in', ids)
    .orderBy('l.address')
    .execute()
}

/** Every list of a tenant, those that are being removed too. */
export async function listMailListIds(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mail_lists')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .execute()
  return rows.map(({ id }) => id)
}

/** A list that a tenant still has, with what its last push failed for. */
export function findLeftMailList(db: Db, tenantId: string) {
  return db
    .selectFrom('mail_lists')
    .select(['address', 'error'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
}

/** Deletes our records only. Where there is a mail server, its lists must be deleted first. */
export async function deleteMailLists(db: Db, tenantId: string): Promise<void> {
  await db.deleteFrom('mail_lists').where('tenant_id', '=', tenantId).execute()
}
