import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db } from '../platform/connect.ts'

/** How long one process may take to rename a domain in the mail server; the call has less. */
const renameLeaseSeconds = 30

/** A domain that this process alone renames in the mail server. */
export interface DomainRename {
  id: string
  name: string
  mailDomainId: string
}

/**
 * Claims the domains of the tenant, or the given one, whose name the mail server does not have.
 * Those that another process holds are left out.
 */
export async function claimDomainRenames(
  db: Db,
  of: { tenantId: string } | { id: string },
): Promise<DomainRename[]> {
  const rows = await db
    .updateTable('domains')
    .set({ mail_rename_until: secondsFromNow(renameLeaseSeconds) })
    .where('id' in of ? 'id' : 'tenant_id', '=', 'id' in of ? of.id : of.tenantId)
    .where('mail_rename_due', '=', true)
    .where('mail_domain_id', 'is not', null)
    .where(leaseExpired('mail_rename_until'))
    .returning(['id', 'name', 'mail_domain_id as mailDomainId'])
    .$narrowType<{ mailDomainId: string }>()
    .execute()
  return rows
}

/**
 * Ends the claim. The rename stays due when it failed and when the domain has another name by now.
 */
export async function endDomainRename(
  db: Db,
  { id, name }: DomainRename,
  done: boolean,
): Promise<void> {
  await db
    .updateTable('domains')
    .set((eb) => ({
      mail_rename_until: null,
      ...(done && { mail_rename_due: eb('name', '<>', name).$castTo<boolean>() }),
    }))
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
