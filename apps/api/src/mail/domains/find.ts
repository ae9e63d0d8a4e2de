import { canonicalDomain } from '@atrium/core/mail/domains'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type DomainRow, findDomain } from '@atrium/db/mail/domains'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'

/**
 * The tenant's domain of the path, however it is written. 404 for one of another tenant as for an
 * unknown one.
 */
export async function readDomain(db: Db | Trx, tenantId: string, name: string): Promise<DomainRow> {
  const canonical = canonicalDomain(name)
  const row = canonical === undefined ? undefined : await findDomain(db, tenantId, canonical)
  if (!row) throw new AppError('not_found', errorText('unknownDomain'))
  return row
}

/** What the audit entry of a change tells of the mail server. */
export function mailErrorOf({ mailError }: DomainRow): Pick<AuditEntry, 'metadata'> {
  return mailError === null ? {} : { metadata: { mailError } }
}

/** How the audit log names a domain. */
export function auditedDomain(row: DomainRow) {
  return {
    resourceType: 'domain',
    resourceId: row.id,
    resourceName: row.name,
    tenantSlug: row.tenantSlug,
    partnerSlug: row.partnerSlug,
  }
}
