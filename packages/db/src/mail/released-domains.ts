import { releasedLabel } from '@atrium/core/mail/domains'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { syncAfterSeconds } from '../users/identity-sync-tasks.ts'
import { lockOfEmail } from '../users/users.ts'

export interface MovedDomain {
  id: string
  /** The name that was released. */
  name: string
  /** The name below the platform's domain. */
  replacedBy: string
}

/**
 * Gives the tenant's own domains up: each proven one that is not below the platform's domain gets a
 * name below the tenant's label there, and with it everything on it. Others can prove the old name
 * from the commit on. A second call finds nothing. Under the tenant's lock.
 */
export async function releaseDomains(
  trx: Trx,
  tenant: { id: string; slug: string },
  platformDomain: string,
): Promise<MovedDomain[]> {
  const rows = await trx
    .selectFrom('domains')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenant.id)
    .where('verified_at', 'is not', null)
    .where('name', 'not like', `%.${escapeLike(platformDomain)}`)
    .orderBy('id')
    .execute()
  const moved: MovedDomain[] = []
  for (const { id, name } of rows) {
    const replacedBy = await freeName(trx, name, `${tenant.slug}.${platformDomain}`)
    await renameDomain(trx, tenant.id, { id, from: name, to: replacedBy, released: name })
    moved.push({ id, name, replacedBy })
  }
  return moved
}

async function freeName(trx: Trx, name: string, parent: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = `${releasedLabel(name, number)}.${parent}`
    const there = await trx
      .selectFrom('domains')
      .select('id')
      .where('name', '=', candidate)
      .executeTakeFirst()
    if (!there) return candidate
  }
}

/**
 * Restores the tenant's released domains with everything on them. Returns those that another tenant
 * verified meanwhile: they keep their name below the platform's domain permanently. Throws the
 * violation of `domains_proven_name` when another tenant verifies one concurrently. The caller
 * holds the tenant's lock.
 */
export async function takeBackDomains(trx: Trx, tenantId: string): Promise<MovedDomain[]> {
  const rows = await trx
    .selectFrom('domains as d')
    .select(({ exists, selectFrom }) => [
      'd.id',
      'd.name as replacedBy',
      'd.released_name as name',
      exists(
        selectFrom('domains as o')
          .select('o.id')
          .whereRef('o.name', '=', 'd.released_name')
          .where('o.verified_at', 'is not', null)
          .where('o.tenant_id', '<>', tenantId),
      ).as('lost'),
    ])
    .where('d.tenant_id', '=', tenantId)
    .where('d.released_name', 'is not', null)
    .orderBy('d.id')
    .$narrowType<{ name: string }>()
    .execute()
  for (const { id, name, replacedBy, lost } of rows) {
    if (lost)
      await trx.updateTable('domains').set({ released_name: null }).where('id', '=', id).execute()
    else await renameDomain(trx, tenantId, { id, from: replacedBy, to: name, released: null })
  }
  return rows
    .filter(({ lost }) => lost)
    .map(({ id, name, replacedBy }) => ({ id, name, replacedBy }))
}

async function renameDomain(
  trx: Trx,
  tenantId: string,
  { id, from, to, released }: { id: string; from: string; to: string; released: string | null },
): Promise<void> {
  await trx
    .updateTable('domains')
    .set({
      name: to,
      released_name: released,
      // What was read from the mail server and from DNS names the other domain.
      dmarc_rua: sql<
        string | null
      >`case when split_part(dmarc_rua, '@', 2) = ${from} then split_part(dmarc_rua, '@', 1) || '@' || ${to} else dmarc_rua end`,
      mail_report_address: null,
      mail_records: null,
      mail_records_complete: false,
      mail_error: null,
      state: 'unchecked',
      verdicts: '[]',
      mail_rename_due: sql<boolean>`mail_domain_id is not null`,
      next_check_at: sql<Date>`now() + interval '1 minute'`,
    })
    .where('id', '=', id)
    .execute()
  await movePeople(trx, tenantId, from, to)
  await moveMail(trx, tenantId, from, to)
}

const onDomain = (column: string, domain: string) =>
  sql<boolean>`split_part(${sql.ref(column)}, '@', 2) = ${domain}`
const movedTo = (column: string, domain: string) =>
  sql<string>`split_part(${sql.ref(column)}, '@', 1) || '@' || ${domain}`

/**
 * Replaces members' mailboxes and sign-in addresses: the next owner of the domain can read mail
 * sent to them. Platform operators keep theirs. Addresses that another person holds meanwhile are
 * skipped.
 */
async function movePeople(trx: Trx, tenantId: string, from: string, to: string): Promise<void> {
  // In the order of every act on a person: members, then the person, then what is due.
  await trx
    .updateTable('memberships')
    .set({ mailbox_address: movedTo('mailbox_address', to) })
    .where('tenant_id', '=', tenantId)
    .where(onDomain('mailbox_address', from))
    .execute()
  const { rows } = await sql<{ id: string; email: string }>`
    select u.id, ${movedTo('u.email', to)} as email from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${tenantId} and ${onDomain('u.email', from)} and not u.platform_admin and not u.invited and u.removed_at is null
    order by email`.execute(trx)
  if (rows.length === 0) return
  const locks = rows.map(({ email }) => lockOfEmail(email))
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${locks}::text[]) with ordinality as l (name, at) order by at`.execute(
    trx,
  )
  const ids = rows.map(({ id }) => id)
  await trx
    .updateTable('memberships')
    .set({
      profile_due: true,
      identity_state: 'pending',
      identity_error: null,
      files_state: sql`case when files_state = 'skipped' then files_state else 'pending' end`,
      files_error: null,
      // A token of before names the other address.
      identity_changed_at: sql<Date>`now()`,
      next_at: null,
      attempt: 0,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('tenant_id', '=', tenantId)
    .where('user_id', 'in', ids)
    .execute()
  await sql`
    with moved as (
      update users u set email = ${movedTo('u.email', to)}, updated_at = now()
      where u.id = any(${ids}::uuid[]) and not exists (
        select from users o where o.email = ${movedTo('u.email', to)} and o.removed_at is null and not o.invited and o.id <> u.id)
      returning u.id)
    insert into identity_dues (user_id, profile, address, mark, attempts, next_at)
    select id, true, true, new_id(), 0, now() + make_interval(secs => ${syncAfterSeconds}) from moved
    on conflict (user_id) do update set profile = true, address = true, mark = excluded.mark, attempts = 0, next_at = excluded.next_at, error = null`.execute(
    trx,
  )
}

/**
 * Lists, their recipients, hosts of bookings. Aliases are in the mail server alone and follow its
 * domain.
 */
async function moveMail(trx: Trx, tenantId: string, from: string, to: string): Promise<void> {
  await trx
    .updateTable('mail_lists')
    .set({ address: movedTo('address', to) })
    .where('tenant_id', '=', tenantId)
    .where(onDomain('address', from))
    .execute()
  // Lists and hosts must not send mail to the next owner of the domain.
  await sql`
    with moved as (
      update mail_list_recipients r set address = ${movedTo('r.address', to)} from mail_lists l
      where r.list_id = l.id and l.tenant_id = ${tenantId} and ${onDomain('r.address', from)} returning l.id)
    update mail_lists set state = case when state = 'removing' then state else 'pending' end, error = null, version = version + 1, next_at = null
    where id in (select id from moved)`.execute(trx)
  await trx
    .updateTable('hosts')
    .set({ mail_address: movedTo('mail_address', to) })
    .where('tenant_id', '=', tenantId)
    .where(onDomain('mail_address', from))
    .execute()
  await sql`
    update mail_credentials set username = ${movedTo('username', to)}
    where ${onDomain('username', from)} and host_id in (select id from hosts where tenant_id = ${tenantId})`.execute(
    trx,
  )
  await trx.deleteFrom('mail_profile_links').where(onDomain('address', from)).execute()
}

/** Lists of the tenant that were not pushed since they changed. */
export async function listsToPush(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mail_lists')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'pending')
    .execute()
  return rows.map(({ id }) => id)
}

/** What keeps working under the names in the place of lost ones. */
export async function countOn(
  db: Db | Trx,
  tenantId: string,
  domain: string,
): Promise<{ mailboxes: number; lists: number; signIns: number }> {
  const { rows } = await sql<{ mailboxes: number; lists: number; signIns: number }>`
    select (select count(*)::int from memberships where tenant_id = ${tenantId} and ${onDomain('mailbox_address', domain)}) as mailboxes,
      (select count(*)::int from mail_lists where tenant_id = ${tenantId} and ${onDomain('address', domain)}) as lists,
      (select count(*)::int from memberships m join users u on u.id = m.user_id
        where m.tenant_id = ${tenantId} and ${onDomain('u.email', domain)}) as "signIns"`.execute(
    db,
  )
  return rows[0] ?? { mailboxes: 0, lists: 0, signIns: 0 }
}
