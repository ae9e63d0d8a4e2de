import type { ListState } from '@atrium/core/mail/lists'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'

export interface ListSummaryRow {
  id: string
  address: string
  name: string
  state: ListState
  error: string | null
  recipientCount: number
  createdAt: Date
  updatedAt: Date
}
export type ListRow = Omit<ListSummaryRow, 'recipientCount'> & { recipients: string[] }

const columns = [
  'l.id',
  'l.address',
  'l.name',
  'l.state',
  'l.error',
  'l.created_at as createdAt',
  'l.updated_at as updatedAt',
] as const
const recipientsOf = sql<
  string[]
>`array(select r.address from mail_list_recipients r where r.list_id = l.id order by r.address collate "C")`

/** Newest first, one row more than asked. `q` looks at address, name and recipients. */
export async function listMailLists(
  db: Db,
  tenantId: string,
  filter: { q?: string | undefined; before?: string | undefined; limit: number },
): Promise<ListSummaryRow[]> {
  const pattern = filter.q ? `%${escapeLike(filter.q.toLowerCase())}%` : undefined
  let query = db
    .selectFrom('mail_lists as l')
    .select([
      ...columns,
      sql<number>`(select count(*)::int from mail_list_recipients r where r.list_id = l.id)`.as(
        'recipientCount',
      ),
    ])
    .where('l.tenant_id', '=', tenantId)
  if (filter.before) query = query.where('l.id', '<', filter.before)
  if (pattern) {
    query = query.where(sql<SqlBool>`(l.address like ${pattern} or lower(l.name) like ${pattern}
      or exists (select from mail_list_recipients r where r.list_id = l.id and r.address like ${pattern}))`)
  }
  return query
    .orderBy('l.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findMailList(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<ListRow | undefined> {
  return db
    .selectFrom('mail_lists as l')
    .select([...columns, recipientsOf.as('recipients')])
    .where('l.tenant_id', '=', tenantId)
    .where('l.id', '=', id)
    .executeTakeFirst()
}

/** How many lists the tenant has. */
export async function countMailLists(db: Db | Trx, tenantId: string): Promise<number> {
  const row = await db
    .selectFrom('mail_lists')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
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

/**
 * Lets one transaction at a time change what lists send to, over all tenants: a loop may go through
 * lists of several, and two changes that are harmless alone may close one together.
 */
export async function lockListRecipients(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('mail_list_recipients'))`.execute(trx)
}

/**
 * Recipients of every list that mail to one of the addresses reaches, by the list's address. Ends
 * also where there are loops.
 */
export async function recipientsReachedFrom(
  trx: Trx,
  addresses: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ address: string; recipients: string[] }>`
    with recursive reached(id, address) as (
      select l.id, l.address from mail_lists l where l.address = any(${[...addresses]}) and l.state <> 'removing'
      union
      select l.id, l.address from reached
        join mail_list_recipients r on r.list_id = reached.id
        join mail_lists l on l.address = r.address and l.state <> 'removing'
    )
    select address, array(select r.address from mail_list_recipients r where r.list_id = reached.id) as recipients from reached`.execute(
    trx,
  )
  return new Map(rows.map((row) => [row.address, row.recipients]))
}

/**
 * Throws `mail_lists_address_key` when another list has the address. The list is due immediately;
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
  await replaceRecipients(trx, id, list.recipients)
  return id
}

async function replaceRecipients(
  trx: Trx,
  listId: string,
  recipients: readonly string[],
): Promise<void> {
  await trx.deleteFrom('mail_list_recipients').where('list_id', '=', listId).execute()
  await sql`insert into mail_list_recipients (list_id, address) select ${listId}, unnest(${[...recipients]}::text[])`.execute(
    trx,
  )
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
  await trx
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
    .execute()
  if (change.recipients) await replaceRecipients(trx, id, change.recipients)
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
    .where(sql<SqlBool>`split_part(address, '@', 2) = ${domain}`)
  const { count } = await on
    .select(sql<number>`count(*)::int`.as('count'))
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
      push_run: sql<string>`new_id()`,
      push_lease_until: secondsFromNow(pushLeaseSeconds),
      attempt: row('attempt', '+', 1),
    }))
    .where('id', '=', id)
    .where(sql<SqlBool>`coalesce(push_lease_until < now(), true)`)
    .returning('push_run as run')
    .executeTakeFirst()
  // A statement of its own: one that waited for a change of the list would read its new version and
  // the recipients of before.
  const { rows } = await sql<Omit<ListPush, 'removing'> & { state: ListState }>`
    select l.push_run as run, l.id, l.address, l.name, l.mail_list_id as "mailListId", l.address_vacant as "addressVacant", l.version, l.attempt, l.state,
      ${recipientsOf} as recipients,
      (select t.slug from tenants t where t.id = l.tenant_id) as "tenantSlug",
      (select d.mail_domain_id from domains d
        where d.tenant_id = l.tenant_id and d.name = split_part(l.address, '@', 2) and not d.mail_rename_due) as "mailDomainId"
    from mail_lists l where l.id = ${id}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  if (!claimed || row.run !== claimed.run) return 'held'
  const { state, ...push } = row
  return { ...push, removing: state === 'removing' }
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
  const changed = sql<boolean>`version <> ${push.version}`
  const saved = await db
    .updateTable('mail_lists')
    .set(
      'error' in outcome
        ? {
            ...common,
            state: sql<ListState>`case when state = 'removing' then state else 'error' end`,
            error: outcome.error,
            next_at: sql<Date>`case when ${changed} then now() else ${secondsFromNow(outcome.retryInSeconds)} end`,
          }
        : {
            ...common,
            state: sql<ListState>`case when state = 'removing' then state when ${changed} then 'pending' else 'ok' end`,
            error: null,
            attempt: 0,
            next_at: sql<Date>`case when ${changed} then now() end`,
          },
    )
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
 * Gives back a list that was inserted and could not be pushed for a reason that its maker has to
 * mend.
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
    .where(
      sql<SqlBool>`coalesce(l.next_at <= now(), true) and coalesce(l.push_lease_until < now(), true)`,
    )
    // Of a deleted tenant, whose lists rest, one that must not send to a domain that was released.
    .where(({ or, eb }) => or([eb('t.status', '<>', 'deleted'), eb('l.state', '=', 'pending')]))
    .orderBy('l.next_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

function secondsFromNow(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
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
  await lockListRecipients(trx)
  const { rows } = await sql<{ id: string }>`
    delete from mail_list_recipients r using mail_lists l
    where r.list_id = l.id and l.tenant_id = ${tenantId} and l.state <> 'removing' and r.address = any(${[...addresses]})
    returning l.id`.execute(trx)
  const ids = [...new Set(rows.map((row) => row.id))]
  if (by !== null && ids.length > 0) {
    await sql`insert into mail_list_recipients (list_id, address) select unnest(${ids}::uuid[]), ${by} on conflict do nothing`.execute(
      trx,
    )
  }
  for (const id of ids) await changeMailList(trx, id, {}, nextInSeconds)
  if (ids.length === 0) return []
  const { rows: touched } = await sql<TouchedList>`
    select l.id, l.address, (select count(*)::int from mail_list_recipients r where r.list_id = l.id) as left
    from mail_lists l where l.id = any(${ids}::uuid[]) order by l.address`.execute(trx)
  return touched
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
