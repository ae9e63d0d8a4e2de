import { releasedLabel } from '@atrium/core/mail/domains'
import { expressionBuilder, sql } from 'kysely'
import { reopened, reopenedFiles } from '../members/reopened.ts'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { syncAfterSeconds } from '../users/identity-sync-tasks.ts'
import { lockOfEmail } from '../users/users.ts'
import { enterProvenDomain, leaveProvenDomain } from './proven-domains.ts'

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
 * violation of `proven_domains_pkey` when another tenant verifies one concurrently. The caller
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
  await leaveProvenDomain(trx, { tenantId, name: from })
  await enterProvenDomain(trx, { tenantId, name: to })
  await trx
    .updateTable('domains')
    .set((eb) => ({
      name: to,
      released_name: released,
      // What was read from the mail server and from DNS names the other domain.
      dmarc_rua: eb
        .case()
        .when(onDomain('dmarc_rua', from))
        .then(movedTo('dmarc_rua', to))
        .else(eb.ref('dmarc_rua'))
        .end(),
      mail_report_address: null,
      mail_records: null,
      mail_records_complete: false,
      mail_error: null,
      state: 'unchecked',
      verdicts: '[]',
      mail_rename_due: eb('mail_domain_id', 'is not', null).$castTo<boolean>(),
      next_check_at: secondsFromNow(60),
    }))
    .where('id', '=', id)
    .execute()
  await movePeople(trx, tenantId, from, to)
  await moveMail(trx, tenantId, from, to)
}

const { fn, lit, val } = expressionBuilder()
const partOf = (column: string, part: 1 | 2) =>
  fn<string>('split_part', [sql.ref(column), val('@'), lit(part)])
const onDomain = (column: string, domain: string) => sql<boolean>`${partOf(column, 2)} = ${domain}`
const movedTo = (column: string, domain: string) =>
  sql<string>`${partOf(column, 1)} || '@' || ${domain}`

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
  const rows = await trx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', movedTo('u.email', to).as('email')])
    .where('m.tenant_id', '=', tenantId)
    .where(onDomain('u.email', from))
    .where('u.platform_admin', '=', false)
    .where('u.removed_at', 'is', null)
    .orderBy('email')
    .execute()
  if (rows.length === 0) return
  const locks = rows.map(({ email }) => lockOfEmail(email))
  // One statement takes all locks, in the order of the addresses.
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${locks}::text[]) with ordinality as l (name, at) order by at`.execute(
    trx,
  )
  const ids = rows.map(({ id }) => id)
  await trx
    .updateTable('memberships')
    .set((eb) => ({
      profile_due: true,
      ...reopenedFiles(eb),
      ...reopened(eb.ref('version'), ['identity']),
      // An earlier token names the other address.
      identity_changed_at: sql<Date>`now()`,
    }))
    .where('tenant_id', '=', tenantId)
    .where('user_id', 'in', ids)
    .execute()
  await trx
    .with('moved', (cte) =>
      cte
        .updateTable('users as u')
        .set({ email: movedTo('u.email', to), updated_at: sql<Date>`now()` })
        .where('u.id', 'in', ids)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('users as o')
                .select('o.id')
                .where('o.email', '=', movedTo('u.email', to))
                .where('o.removed_at', 'is', null)
                .whereRef('o.id', '<>', 'u.id'),
            ),
          ),
        )
        .returning('u.id'),
    )
    .insertInto('identity_dues')
    .columns(['user_id', 'profile', 'address', 'mark', 'attempts', 'next_at'])
    .expression((eb) =>
      eb
        .selectFrom('moved')
        .select([
          'id',
          lit(true).as('profile'),
          lit(true).as('address'),
          sql<string>`new_id()`.as('mark'),
          lit(0).as('attempts'),
          secondsFromNow(syncAfterSeconds).as('nextAt'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((eb) => ({
        profile: true,
        address: true,
        mark: eb.ref('excluded.mark'),
        attempts: 0,
        next_at: eb.ref('excluded.next_at'),
        error: null,
      })),
    )
    .execute()
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
  await trx
    .with('moved', (cte) =>
      cte
        .updateTable('mail_list_recipients as r')
        .from('mail_lists as l')
        .set({ address: movedTo('r.address', to) })
        .whereRef('r.list_id', '=', 'l.id')
        .where('l.tenant_id', '=', tenantId)
        .where(onDomain('r.address', from))
        .returning('l.id'),
    )
    .updateTable('mail_lists')
    .set((eb) => ({
      state: eb
        .case()
        .when('state', '=', 'removing')
        .then(eb.ref('state'))
        .else('pending' as const)
        .end(),
      error: null,
      version: eb('version', '+', 1),
      next_at: null,
    }))
    .where('id', 'in', ({ selectFrom }) => selectFrom('moved').select('moved.id'))
    .execute()
  await trx
    .updateTable('hosts')
    .set({ mail_address: movedTo('mail_address', to) })
    .where('tenant_id', '=', tenantId)
    .where(onDomain('mail_address', from))
    .execute()
  await trx
    .updateTable('mail_credentials')
    .set({ username: movedTo('username', to) })
    .where(onDomain('username', from))
    .where('host_id', 'in', ({ selectFrom }) =>
      selectFrom('hosts').select('id').where('tenant_id', '=', tenantId),
    )
    .execute()
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
export function countOn(db: Db | Trx, tenantId: string, domain: string) {
  return db
    .selectNoFrom(({ selectFrom, fn: { countAll } }) => {
      const count = countAll<number>().as('count')
      const memberships = selectFrom('memberships as m')
        .select(count)
        .where('m.tenant_id', '=', tenantId)
      return [
        memberships
          .where(onDomain('m.mailbox_address', domain))
          .$asScalar()
          .$notNull()
          .as('mailboxes'),
        selectFrom('mail_lists')
          .select(count)
          .where('tenant_id', '=', tenantId)
          .where(onDomain('address', domain))
          .$asScalar()
          .$notNull()
          .as('lists'),
        memberships
          .innerJoin('users as u', 'u.id', 'm.user_id')
          .where(onDomain('u.email', domain))
          .$asScalar()
          .$notNull()
          .as('signIns'),
      ]
    })
    .executeTakeFirstOrThrow()
}
