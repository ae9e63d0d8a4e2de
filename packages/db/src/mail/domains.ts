import type { StoredVerdict } from '@atrium/core/mail/domain-records'
import type {
  DmarcPolicy,
  DnsRecord,
  DomainCheckCause,
  DomainState,
} from '@atrium/core/mail/domains'
import { type NotNull, sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { insertDomains } from '../tenants/tenants.ts'
import { enterProvenDomain, leaveProvenDomain } from './proven-domains.ts'

/** How long a claim is exclusive. */
const claimSeconds = 300

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
  'd.released_name as releasedName',
  'd.mail_rename_due as mailRenameDue',
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
  return select(db)
    .where('d.tenant_id', '=', tenantId)
    .orderBy('d.is_primary', 'desc')
    .orderBy('d.id')
    .execute()
}

export async function countDomains(db: Db | Trx, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('domains')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A domain of this tenant; `name` in canonical form. */
export function findDomain(db: Db | Trx, tenantId: string, name: string) {
  return select(db)
    .where('d.tenant_id', '=', tenantId)
    .where('d.name', '=', name)
    .executeTakeFirst()
}

export function findDomainById(db: Db, id: string) {
  return select(db).where('d.id', '=', id).executeTakeFirst()
}

/**
 * Whether the tenant has shown that it owns a domain. Names below `platformDomain` are the
 * platform's own and show nothing about who the tenant is.
 */
export async function hasProvenDomain(
  db: Db | Trx,
  tenantId: string,
  platformDomain: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('verified_at', 'is not', null)
    .where('name', 'not like', `%.${escapeLike(platformDomain)}`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Sets the tenant's primary domain. The caller locks the tenant's row, so that two changes do not
 * conflict in the unique index.
 */
export async function setPrimaryDomain(trx: Trx, tenantId: string, id: string): Promise<void> {
  await trx
    .updateTable('domains')
    .set({ is_primary: false })
    .where('tenant_id', '=', tenantId)
    .where('is_primary', '=', true)
    .execute()
  await trx
    .updateTable('domains')
    .set({ is_primary: true })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/**
 * Gives the tenant the domains that it lacks, and makes the first one primary. Returns which were
 * added, which others it has besides, and whether the first one is primary now: one whose ownership
 * was not shown does not become it.
 */
export async function arrangeDomains(
  trx: Trx,
  tenantId: string,
  names: readonly string[],
  platformDomain: string,
): Promise<{ added: string[]; others: string[]; firstIsPrimary: boolean }> {
  const before = await trx
    .selectFrom('domains')
    .select('name')
    .where('tenant_id', '=', tenantId)
    .execute()
  const had = new Set(before.map((domain) => domain.name))
  const added = names.filter((name) => !had.has(name))
  const others = [...had].filter((name) => !names.includes(name))
  await insertDomains(trx, tenantId, added, { platformDomain, withPrimary: false })
  const first = await trx
    .selectFrom('domains')
    .select(['id', 'is_primary as primary', 'verified_at as verifiedAt'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', names[0] ?? '')
    .executeTakeFirst()
  if (!first || first.primary) return { added, others, firstIsPrimary: true }
  if (first.verifiedAt !== null) await setPrimaryDomain(trx, tenantId, first.id)
  return { added, others, firstIsPrimary: first.verifiedAt !== null }
}

/**
 * Gives the tenant another primary domain than the one with this id: one that is proven, else the
 * one given, which is made.
 */
export async function replacePrimaryDomain(
  trx: Trx,
  tenantId: string,
  id: string,
  standIn: string,
): Promise<void> {
  const proven = await trx
    .selectFrom('domains')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '<>', id)
    .where('verified_at', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!proven) await enterProvenDomain(trx, { tenantId, name: standIn })
  const other =
    proven ??
    (await trx
      .insertInto('domains')
      .values({
        tenant_id: tenantId,
        name: standIn,
        dmarc_rua: `postmaster@${standIn}`,
        verified_at: sql<Date>`now()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow())
  await setPrimaryDomain(trx, tenantId, other.id)
}

export async function deleteDomain(trx: Trx, id: string): Promise<void> {
  const deleted = await trx
    .deleteFrom('domains')
    .where('id', '=', id)
    .returning(['tenant_id as tenantId', 'name', 'verified_at as verifiedAt'])
    .executeTakeFirst()
  if (deleted?.verifiedAt) await leaveProvenDomain(trx, deleted)
}

/**
 * Deletes a domain unless its ownership was shown meanwhile. Undefined when it was, and when the
 * domain is gone.
 */
export function deleteUnprovenDomain(
  trx: Trx,
  id: string,
): Promise<
  { primary: boolean; mailDomainId: string | null; mailPendingId: string | null } | undefined
> {
  return trx
    .deleteFrom('domains')
    .where('id', '=', id)
    .where('verified_at', 'is', null)
    .returning([
      'is_primary as primary',
      'mail_domain_id as mailDomainId',
      'mail_pending_id as mailPendingId',
    ])
    .executeTakeFirst()
}

/**
 * Records that ownership was shown. False when the domain is gone or was proven before. Throws the
 * violation of `proven_domains_pkey` when another tenant has proved the same domain.
 */
export async function proveDomain(trx: Trx, id: string): Promise<boolean> {
  const claim = await trx
    .selectFrom('domains')
    .select(['tenant_id as tenantId', 'name'])
    .where('id', '=', id)
    .where('verified_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!claim) return false
  await enterProvenDomain(trx, claim)
  await trx
    .updateTable('domains')
    .set({ verified_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
  return true
}

/** Whether another tenant has shown that the domain belongs to it. `tenantId` null: any tenant. */
export async function isProvenElsewhere(
  db: Db | Trx,
  tenantId: string | null,
  name: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where('verified_at', 'is not', null)
    .where('tenant_id', 'is distinct from', tenantId)
    .executeTakeFirst()
  return row !== undefined
}

/** The claims of all tenants to a domain whose ownership they have not shown. */
export function listClaims(db: Db, name: string): Promise<DomainRow[]> {
  return select(db)
    .where('d.name', '=', name)
    .where('d.verified_at', 'is', null)
    .orderBy('d.id')
    .execute()
}

export async function countClaims(db: Db | Trx, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('domains')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('verified_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Has the domain removed in the mail server, where it has this id; tried until it is gone there.
 */
export async function requestMailDomainRemoval(db: Db | Trx, mailDomainId: string): Promise<void> {
  await db
    .insertInto('mail_domain_removals')
    .values({ mail_domain_id: mailDomainId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Domains to remove from the mail server that are due, oldest first. Claims each for five minutes.
 */
export async function claimMailDomainRemovals(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .updateTable('mail_domain_removals')
    .set({ next_at: secondsFromNow(claimSeconds) })
    .where('mail_domain_id', 'in', ({ selectFrom }) =>
      selectFrom('mail_domain_removals')
        .select('mail_domain_id')
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('mail_domain_id as id')
    .execute()
  return rows.map((row) => row.id)
}

export async function endMailDomainRemoval(db: Db, mailDomainId: string): Promise<void> {
  await db.deleteFrom('mail_domain_removals').where('mail_domain_id', '=', mailDomainId).execute()
}

/** Stores the wanted policy and lets the next check come within a minute. */
export async function setDomainDmarc(
  db: Db | Trx,
  id: string,
  dmarc: { policy: DmarcPolicy; rua: string | null; pct: number },
): Promise<void> {
  await db
    .updateTable('domains')
    .set({
      dmarc_policy: dmarc.policy,
      dmarc_rua: dmarc.rua,
      dmarc_pct: dmarc.pct,
      next_check_at: secondsFromNow(60),
    })
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
export async function saveDomainMailState(
  db: Db,
  id: string,
  state: DomainMailState,
): Promise<boolean> {
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
  verdicts: readonly StoredVerdict[]
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
      next_check_at: secondsFromNow(check.nextInSeconds),
    })
    .where('id', '=', check.domainId)
    .returning('tenant_id')
    .executeTakeFirst()
  if (!updated) return false
  if (!check.remember) return true
  await trx
    .insertInto('domain_checks')
    .values({
      tenant_id: updated.tenant_id,
      domain_id: check.domainId,
      cause: check.cause,
      state: check.state,
      previous_state: check.previousState,
      regressed: check.regressed,
      verdicts,
    })
    .execute()
  await trx
    .deleteFrom('domain_checks')
    .where('domain_id', '=', check.domainId)
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('domain_checks')
        .select('id')
        .where('domain_id', '=', check.domainId)
        .orderBy('id', 'desc')
        .offset(rememberedChecks)
        .limit(1),
    )
    .execute()
  return true
}

/** The verdicts of the newest remembered check in which DNS could be asked. */
export async function lastKnownVerdicts(db: Db, domainId: string): Promise<StoredVerdict[]> {
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
export function listDomainChecks(
  db: Db,
  domainId: string,
  filter: { before?: string | undefined; limit: number },
) {
  let query = db
    .selectFrom('domain_checks')
    .select([
      'id',
      'at',
      'cause',
      'state',
      'previous_state as previousState',
      'regressed',
      'verdicts',
    ])
    .where('domain_id', '=', domainId)
  if (filter.before) query = query.where('id', '<', filter.before)
  return query
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

/**
 * Domains whose check is due, taken by this process for five minutes. Those of suspended and
 * deleted tenants rest, except claims that were not proven and are older than the given moment, and
 * those whose new name the mail server does not have yet.
 */
export async function claimDueDomains(
  db: Db,
  limit: number,
  unprovenBefore: Date,
): Promise<string[]> {
  const rows = await db
    .updateTable('domains')
    .set({ next_check_at: secondsFromNow(claimSeconds) })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('domains as d')
        .innerJoin('tenants as t', 't.id', 'd.tenant_id')
        .select('d.id')
        .where('d.next_check_at', '<=', sql<Date>`now()`)
        .where(({ eb, and, or, ref }) =>
          or([
            eb('t.status', 'in', ['pending', 'active']),
            ref('d.mail_rename_due'),
            and([eb('d.verified_at', 'is', null), eb('d.created_at', '<', unprovenBefore)]),
          ]),
        )
        .orderBy('d.next_check_at')
        .limit(limit)
        .forUpdate('d')
        .skipLocked(),
    )
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** The tenant's people whose mailbox is on the domain, up to `limit` of their addresses. */
export async function mailboxesOn(
  db: Db | Trx,
  tenantId: string,
  name: string,
  limit: number,
): Promise<{ count: number; examples: string[] }> {
  const rows = await db
    .selectFrom('memberships')
    .select(({ fn }) => ['mailbox_address as address', fn.countAll<number>().over().as('total')])
    .where('tenant_id', '=', tenantId)
    .where('mailbox_address', 'like', `%@${escapeLike(name)}`)
    .orderBy('mailbox_address')
    .limit(limit)
    .$narrowType<{ address: NotNull }>()
    .execute()
  return { count: rows[0]?.total ?? 0, examples: rows.map((row) => row.address) }
}
