import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** A domain of a tenant as the rules about addresses need it, the primary one first. */
export interface AddressDomainRow {
  name: string
  primary: boolean
  mailDomainId: string | null
  verifiedAt: Date | null
}

export function listAddressDomains(db: Db | Trx, tenantId: string): Promise<AddressDomainRow[]> {
  return db
    .selectFrom('domains')
    .select([
      'name',
      'is_primary as primary',
      'mail_domain_id as mailDomainId',
      'verified_at as verifiedAt',
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy('is_primary', 'desc')
    .orderBy('id')
    .execute()
}

/**
 * What holds the address in our records: a mailbox, a list, or the sign-in address of someone other
 * than `exceptUserId`. Aliases exist in the mail server only.
 */
export async function addressHolder(
  db: Db | Trx,
  address: string,
  exceptUserId: string | null,
): Promise<'mailbox' | 'list' | 'user' | undefined> {
  const by = (holder: 'mailbox' | 'list' | 'user') => sql.lit(holder).as('holder')
  const row = await db
    .selectFrom('memberships')
    .select(by('mailbox'))
    .where('mailbox_address', '=', address)
    .unionAll(db.selectFrom('mail_lists').select(by('list')).where('address', '=', address))
    .unionAll(
      db
        .selectFrom('users')
        .select(by('user'))
        .where('email', '=', address)
        .where('removed_at', 'is', null)
        .where('id', 'is distinct from', exceptUserId),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.holder
}

export interface MailboxMemberRow {
  id: string
  name: string
  email: string
  mailboxAddress: string | null
}

/** The tenant's members by the id of their mailbox in the mail server. */
export async function membersOfMailAccounts(
  db: Db,
  tenantId: string,
  accountIds: readonly string[],
): Promise<Map<string, MailboxMemberRow>> {
  if (accountIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      'u.id',
      'u.name',
      'u.email',
      'm.mailbox_address as mailboxAddress',
      'm.mail_account_id as mailAccountId',
    ])
    .where('m.tenant_id', '=', tenantId)
    .where('m.mail_account_id', 'in', [...accountIds])
    .execute()
  return new Map(rows.map(({ mailAccountId, ...row }) => [mailAccountId ?? '', row]))
}
