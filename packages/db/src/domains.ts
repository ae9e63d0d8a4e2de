import type { DmarcPolicy, DnsRecord, DomainCheckCause, DomainState, RecordVerdict } from '@atrium/core/domains'
import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'
import { escapeLike } from './tenants.ts'

const columns = [
  'd.id',
  'd.tenant_id as tenantId',
  't.slug as tenantSlug',
  't.status as tenantStatus',
  'p.slug as partnerSlug',
  'd.name',
  'd.is_primary as primary',
  'd.mail_domain_id as mailDomainId',
  'd.mail_pending_id as mailPendingId',
  'd.state',
  'd.verified_at as verifiedAt',
  'd.ownership_token as ownershipToken',
  'd.dmarc_policy as dmarcPolicy',
  'd.dmarc_rua as dmarcRua',
  'd.dmarc_pct as dmarcPct',
  'd.mail_records as mailRecords',
  'd.mail_records_complete as mailRecordsComplete',
  'd.mail_report_address as mailReportAddress',
  'd.mail_error as mailError',
  'd.verdicts',
  'd.last_checked_at as lastCheckedAt',
  'd.next_check_at as nextCheckAt',
  'd.created_at as createdAt',
] as const

function select(db: Db | Trx) {
  return db
    .selectFrom('domains as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(columns)
}

export type DomainRow = NonNullable<Awaited<ReturnType<typeof findDomain>>>

/** The primary one first, then in the order they were added. */
export function listDomains(db: Db, tenantId: string) {
  return select(db).where('d.tenant_id', '=', tenantId).orderBy('d.is_primary', 'desc').orderBy('d.id').execute()
}

/** A domain of this tenant; `name` in canonical form. */
export function findDomain(db: Db | Trx, tenantId: string, name: string) {
  return select(db).where('d.tenant_id', '=', tenantId).where('d.name', '=', name).executeTakeFirst()
}

export function findDomainById(db: Db, id: string) {
  return select(db).where('d.id', '=', id).executeTakeFirst()
}

/** Makes the domain the tenant's primary one. The tenant's row is locked by the caller, so that two do not meet in the unique index. */
export async function setPrimaryDomain(trx: Trx, tenantId: string, id: string): Promise<void> {
  await trx.updateTable('domains').set({ is_primary: false }).where('tenant_id', '=', tenantId).where('is_primary', '=', true).execute()
  await trx.updateTable('domains').set({ is_primary: true }).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Gives the tenant another primary domain than the one with this id: one that is proven, else the one given, which is made. */
export async function replacePrimaryDomain(trx: Trx, tenantId: string, id: string, standIn: string): Promise<void> {
  const proven = await trx
    .selectFrom('domains')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '<>', id)
    .where('verified_at', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const other =
    proven ??
    (await trx
      .insertInto('domains')
      .values({ tenant_id: tenantId, name: standIn, dmarc_rua: `postmaster@${standIn}`, verified_at: sql<Date>`now()` })
      .returning('id')
      .executeTakeFirstOrThrow())
  await setPrimaryDomain(trx, tenantId, other.id)
}

export async function deleteDomain(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('domains').where('id', '=', id).execute()
}

/** Stores the wanted policy and lets the next check come within a minute. */
export async function setDomainDmarc(
  db: Db | Trx,
  id: string,
  dmarc: { policy: DmarcPolicy; rua: string | null; pct: number },
): Promise<void> {
  await db
    .updateTable('domains')
    .set({ dmarc_policy: dmarc.policy, dmarc_rua: dmarc.rua, dmarc_pct: dmarc.pct, next_check_at: sql<Date>`now() + interval '1 minute'` })
    .where('id', '=', id)
    .execute()
}

export interface DomainMailState {
  mailDomainId: string | null
  /** The domain in the mail server that takes no mail yet, because its ownership was not shown. */
  mailPendingId: string | null
  mailRecords: readonly DnsRecord[] | null
  mailRecordsComplete: boolean
  mailReportAddress: string | null
  mailError: string | null
}

/** Saves what the mail server has of the domain. False when the domain was removed meanwhile. */
export async function saveDomainMailState(db: Db, id: string, state: DomainMailState): Promise<boolean> {
  const updated = await db
    .updateTable('domains')
    .set({
      mail_domain_id: state.mailDomainId,
      mail_pending_id: state.mailPendingId,
      mail_records: state.mailRecords && JSON.stringify(state.mailRecords),
      mail_records_complete: state.mailRecordsComplete,
      mail_report_address: state.mailReportAddress,
      mail_error: state.mailError,
    })
    .where('id', '=', id)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

export interface DomainCheck {
  domainId: string
  cause: DomainCheckCause
  state: DomainState
  previousState: DomainState
  regressed: boolean
  /** Ownership is shown now; the first time is kept. */
  proven: boolean
  verdicts: readonly RecordVerdict[]
  /** Whether it goes into the history. */
  remember: boolean
  nextInSeconds: number
}

const rememberedChecks = 200

/** Saves a check with its history. False when the domain was removed meanwhile. */
export async function saveDomainCheck(trx: Trx, check: DomainCheck): Promise<boolean> {
  const verdicts = JSON.stringify(check.verdicts)
  const updated = await trx
    .updateTable('domains')
    .set({
      state: check.state,
      verdicts,
      last_checked_at: sql<Date>`now()`,
      next_check_at: sql<Date>`now() + make_interval(secs => ${check.nextInSeconds})`,
      ...(check.proven ? { verified_at: sql<Date>`coalesce(verified_at, now())` } : {}),
    })
    .where('id', '=', check.domainId)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) return false
  if (!check.remember) return true
  await trx
    .insertInto('domain_checks')
    .values({
      domain_id: check.domainId,
      cause: check.cause,
      state: check.state,
      previous_state: check.previousState,
      regressed: check.regressed,
      verdicts,
    })
    .execute()
  await sql`
    delete from domain_checks where domain_id = ${check.domainId} and id <= (
      select id from domain_checks where domain_id = ${check.domainId} order by id desc offset ${rememberedChecks} limit 1
    )`.execute(trx)
  return true
}

/** The verdicts of the newest remembered check in which DNS could be asked. */
export async function lastKnownVerdicts(db: Db, domainId: string): Promise<RecordVerdict[]> {
  const row = await db
    .selectFrom('domain_checks')
    .select('verdicts')
    .where('domain_id', '=', domainId)
    .where('state', '<>', 'unknown')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.verdicts ?? []
}

/** Newest first, one row more than asked. */
export function listDomainChecks(db: Db, domainId: string, filter: { before?: string | undefined; limit: number }) {
  let query = db
    .selectFrom('domain_checks')
    .select(['id', 'at', 'cause', 'state', 'previous_state as previousState', 'regressed', 'verdicts'])
    .where('domain_id', '=', domainId)
  if (filter.before) query = query.where('id', '<', filter.before)
  return query
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

/** How long a claimed check is nobody else's. */
const claimSeconds = 300

/**
 * Domains whose check is due, taken by this process for five minutes. Those of suspended and deleted tenants rest, except claims that were not
 * proven and are older than the given moment.
 */
export async function claimDueDomains(db: Db, limit: number, unprovenBefore: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update domains set next_check_at = now() + make_interval(secs => ${claimSeconds})
    where id in (
      select d.id from domains d join tenants t on t.id = d.tenant_id
      where d.next_check_at <= now()
        and (t.status in ('pending', 'active') or (d.verified_at is null and d.created_at < ${unprovenBefore}))
      order by d.next_check_at limit ${limit} for update of d skip locked
    ) returning id`.execute(db)
  return rows.map((row) => row.id)
}

/** People of any tenant whose mailbox is on the domain, up to `limit` of their addresses. */
export async function mailboxesOn(db: Db | Trx, name: string, limit: number): Promise<{ count: number; examples: string[] }> {
  const { rows } = await sql<{ address: string; total: number }>`
    select mailbox_address as address, count(*) over () as total from memberships
    where mailbox_address like ${`%@${escapeLike(name)}`} order by mailbox_address limit ${limit}`.execute(db)
  return { count: Number(rows[0]?.total ?? 0), examples: rows.map((row) => row.address) }
}
