import type { InvitationKind, InvitationState } from '@atrium/core/invitations/invitations'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { Language } from '@atrium/core/platform/language'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { matchesText } from '../platform/text-search.ts'
import type { InvitationsTable } from '../schema/invitations.ts'
import type { Tables } from '../schema/tables.ts'

/** Of `invitations i`. Only ends are stored; by the database's clock. */
const state = sql<InvitationState>`case
  when i.accepted_at is not null then 'accepted' when i.declined_at is not null then 'declined'
  when i.revoked_at is not null then 'revoked'
  when i.expired_at is not null or i.expires_at <= now() then 'expired'
  when i.opened_at is not null then 'opened' else 'pending' end`

// The words of the partial indexes.
const unended = sql<boolean>`(i.accepted_at is null and i.declined_at is null and i.revoked_at is null and i.expired_at is null)`
const open = sql<boolean>`(${unended} and i.expires_at > now())`

const selectInvitations = (db: Db | Trx) =>
  db
    .selectFrom('invitations as i')
    .leftJoin('tenants as t', 't.id', 'i.tenant_id')
    .leftJoin('partners as p', 'p.id', 'i.partner_id')
    .leftJoin('partners as tp', 'tp.id', 't.partner_id')
    .select([
      'i.id',
      'i.kind',
      'i.email',
      'i.name',
      'i.first_name as firstName',
      'i.last_name as lastName',
      'i.phone',
      'i.alternative_email as alternativeEmail',
      'i.role',
      'i.access',
      'i.list_ids as listIds',
      'i.language',
      'i.message',
      'i.inviter_name as inviter',
      'i.sends',
      'i.created_at as createdAt',
      'i.sent_at as sentAt',
      'i.opened_at as openedAt',
      'i.accepted_at as acceptedAt',
      'i.declined_at as declinedAt',
      'i.revoked_at as revokedAt',
      'i.expires_at as expiresAt',
      't.id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      't.language as tenantLanguage',
      'p.id as partnerId',
      'p.name as partnerName',
    ])
    // The partner whose staff is invited, or that the tenant belongs to.
    .select(({ fn }) => fn.coalesce('p.slug', 'tp.slug').as('partnerSlug'))
    .select(state.as('state'))

export type InvitationRow = NonNullable<Awaited<ReturnType<typeof findInvitation>>>

export function findInvitation(db: Db | Trx, id: string) {
  return selectInvitations(db).where('i.id', '=', id).executeTakeFirst()
}

/** The open invitation whose link has this token. */
export function findByLink(db: Db | Trx, hash: Buffer): Promise<InvitationRow | undefined> {
  return selectInvitations(db).where('i.token_hash', '=', hash).where(open).executeTakeFirst()
}

/** The accepted invitation by whose link the person still gets a password. */
export function findAcceptedByLink(db: Db, hash: Buffer): Promise<InvitationRow | undefined> {
  return selectInvitations(db)
    .where('i.token_hash', '=', hash)
    .where('i.accepted_at', 'is not', null)
    .executeTakeFirst()
}

/** The invitation under a row lock. */
export async function lockInvitation(trx: Trx, id: string): Promise<InvitationRow | undefined> {
  await trx.selectFrom('invitations').select('id').where('id', '=', id).forUpdate().execute()
  return findInvitation(trx, id)
}

/** Open invitations to an address, the newest first. */
export function listOpenInvitations(db: Db, email: string): Promise<InvitationRow[]> {
  return selectInvitations(db)
    .where('i.email', '=', email)
    .where(open)
    .orderBy('i.id', 'desc')
    .limit(100)
    .execute()
}

/** Whose invitations are meant. Operators read those of all. */
export interface InvitationScope {
  tenantId?: string
  partnerId?: string
}

const one = expressionBuilder<Tables & { i: InvitationsTable }, 'i'>()

function within({ tenantId, partnerId }: InvitationScope): Expression<SqlBool> {
  if (tenantId !== undefined) return one('i.tenant_id', '=', tenantId)
  return partnerId === undefined ? sql.lit(true) : one('i.partner_id', '=', partnerId)
}

export interface InvitationFilter {
  q?: string | undefined
  state?: InvitationState | undefined
  kind?: InvitationKind | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export function listInvitations(
  db: Db,
  scope: InvitationScope,
  filter: InvitationFilter,
): Promise<InvitationRow[]> {
  const { q, kind, before, limit } = filter
  const conditions: Expression<SqlBool>[] = [within(scope)]
  if (kind) conditions.push(one('i.kind', '=', kind))
  if (filter.state) conditions.push(sql<boolean>`${state} = ${filter.state}`)
  if (before) conditions.push(one('i.id', '<', before))
  if (q) conditions.push(matchesText([one.ref('i.email'), one.fn('lower', ['i.name'])], q))
  return selectInvitations(db)
    .where(({ and }) => and(conditions))
    .orderBy('i.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Seats that open invitations hold. An owner who is a member already holds one more until then. */
export async function countReservedSeats(db: Db | Trx, tenantId: string): Promise<number> {
  const row = await db
    .selectFrom('invitations as i')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('i.tenant_id', '=', tenantId)
    .where(open)
    .executeTakeFirstOrThrow()
  return row.count
}

export interface NewInvitation extends InvitationScope {
  kind: InvitationKind
  email: string
  name: string
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  phone?: string | null | undefined
  alternativeEmail?: string | null | undefined
  role?: TenantRole | undefined
  access?: PartnerAccess | undefined
  listIds?: readonly string[] | undefined
  language?: Language | null | undefined
  message?: string | null | undefined
  inviter: { id: string | null; name: string }
  /** How long it is open. */
  days: number
}

/**
 * Inserts an invitation. Undefined when an open one is there for the address, or for the owner of
 * the tenant. Requires the lock of the tenant or partner, or of the address.
 */
export async function insertInvitation(
  trx: Trx,
  invitation: NewInvitation,
): Promise<InvitationRow | undefined> {
  const { inviter, days, listIds = [], ...fields } = invitation
  const inserted = await trx
    .insertInto('invitations')
    .values({
      kind: fields.kind,
      tenant_id: fields.tenantId ?? null,
      partner_id: fields.partnerId ?? null,
      email: fields.email,
      name: fields.name,
      first_name: fields.firstName ?? null,
      last_name: fields.lastName ?? null,
      phone: fields.phone ?? null,
      alternative_email: fields.alternativeEmail ?? null,
      role: fields.role ?? null,
      access: fields.access ?? null,
      list_ids: [...listIds],
      language: fields.language ?? null,
      message: fields.message ?? null,
      invited_by: inviter.id,
      inviter_name: inviter.name,
      expires_at: secondsFromNow(days * 86_400),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted && findInvitation(trx, inserted.id)
}

/** Open again for so many days; the link of an earlier mail is void with the next one. */
export async function renewInvitation(trx: Trx, id: string, days: number): Promise<void> {
  await trx
    .updateTable('invitations')
    .set({ expires_at: secondsFromNow(days * 86_400), expired_at: null, opened_at: null })
    .where('id', '=', id)
    .execute()
}

/**
 * Stores the link of the newest mail as the valid one. Returns false when the invitation is no
 * longer open. Only the hash is stored.
 */
export async function saveInvitationLink(db: Db, id: string, hash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('invitations as i')
    .set((eb) => ({
      token_hash: hash,
      sent_at: sql<Date>`now()`,
      sends: eb('i.sends', '+', 1),
    }))
    .where('i.id', '=', id)
    .where(open)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The person continued from the page of the link. False when that was noted before. */
export async function noteOpened(db: Db | Trx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('invitations as i')
    .set({ opened_at: sql<Date>`now()` })
    .where('i.id', '=', id)
    .where('i.opened_at', 'is', null)
    .where(open)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends an invitation. False when it is not open any more: then nothing was changed. */
export async function endInvitation(
  db: Db | Trx,
  id: string,
  end: { acceptedBy: string } | 'declined' | 'revoked',
): Promise<boolean> {
  const now = sql<Date>`now()`
  const ended = sql<boolean>`(${unended} and (${end === 'revoked'} or i.expires_at > now()))`
  const { numUpdatedRows } = await db
    .updateTable('invitations as i')
    .set(
      end === 'declined'
        ? { declined_at: now, token_hash: null }
        : end === 'revoked'
          ? { revoked_at: now, token_hash: null }
          : { accepted_at: now, accepted_by: end.acceptedBy },
    )
    .where('i.id', '=', id)
    .where(ended)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The owner of the tenant was chosen in another way. Returns the invitation that ends with it. */
export async function revokeOwnerInvitation(
  trx: Trx,
  tenantId: string,
): Promise<InvitationRow | undefined> {
  const row = await trx
    .selectFrom('invitations as i')
    .select('i.id')
    .where('i.tenant_id', '=', tenantId)
    .where('i.kind', '=', 'owner')
    .where(unended)
    .executeTakeFirst()
  if (!row || !(await endInvitation(trx, row.id, 'revoked'))) return undefined
  return findInvitation(trx, row.id)
}

export interface ExpiredInvitation {
  id: string
  kind: InvitationKind
  email: string
  tenantSlug: string | null
  partnerSlug: string | null
}

/**
 * Records that invitations have expired, at most `limit`; with `to`, those to one address within a
 * scope. Returns them.
 */
export async function expireInvitations(
  db: Db | Trx,
  { limit, to }: { limit: number; to?: InvitationScope & { kind: InvitationKind; email: string } },
): Promise<ExpiredInvitation[]> {
  const due = db
    .selectFrom('invitations as i')
    .select('i.id')
    .where(unended)
    .where('i.expires_at', '<=', sql<Date>`now()`)
    .$if(to !== undefined, (query) =>
      query
        .where(within(to ?? {}))
        // An owner's place is taken by any expired invitation of an owner.
        .where(({ or, eb }) =>
          or([
            eb('i.email', '=', to?.email ?? ''),
            ...(to?.kind === 'owner' ? [eb('i.kind', '=', 'owner')] : []),
          ]),
        )
        .where(to?.kind === 'operator' ? one('i.kind', '=', 'operator') : sql.lit(true)),
    )
    .orderBy('i.expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .updateTable('invitations as i')
    .set({ expired_at: sql<Date>`now()`, token_hash: null })
    .where('i.id', 'in', due)
    .returning('i.id')
    .execute()
  if (rows.length === 0) return []
  return selectInvitations(db)
    .where(
      'i.id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
}

/** Erases invitations so many days after their end. Returns how many. */
export async function deleteEndedInvitations(db: Db, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where(
      sql<Date>`coalesce(accepted_at, declined_at, revoked_at, expired_at)`,
      '<',
      secondsFromNow(-days * 86_400),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
