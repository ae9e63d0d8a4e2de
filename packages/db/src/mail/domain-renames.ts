import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/** How long one process may take to tell the mail server a name; it is given less. */
const renameLeaseSeconds = 30

/** A domain whose name this process alone tells the mail server now. */
export interface DomainRename {
  id: string
  name: string
  mailDomainId: string
}

/**
 * Domains of the tenant, or the one given, whose name the mail server does not have. Those that
 * another process tells now are left out.
 */
export async function claimDomainRenames(
  db: Db,
  of: { tenantId: string } | { id: string },
): Promise<DomainRename[]> {
  const rows = await db
    .updateTable('domains')
    .set({ mail_rename_until: sql<Date>`now() + make_interval(secs => ${renameLeaseSeconds})` })
    .where('id' in of ? 'id' : 'tenant_id', '=', 'id' in of ? of.id : of.tenantId)
    .where('mail_rename_due', '=', true)
    .where('mail_domain_id', 'is not', null)
    .where(sql<boolean>`coalesce(mail_rename_until < now(), true)`)
    .returning(['id', 'name', 'mail_domain_id as mailDomainId'])
    .$narrowType<{ mailDomainId: string }>()
    .execute()
  return rows
}

/**
 * Ends the telling. The name stays due when it failed, and when the domain has another one by now.
 */
export async function endDomainRename(
  db: Db,
  { id, name }: DomainRename,
  done: boolean,
): Promise<void> {
  await db
    .updateTable('domains')
    .set({
      mail_rename_until: null,
      ...(done ? { mail_rename_due: sql<boolean>`name <> ${name}` } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/** Whether the mail server still has a domain of the tenant under another name. */
export async function hasDueRename(db: Db, tenantId: string): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('mail_rename_due', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
