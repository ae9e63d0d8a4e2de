import type { GrantStatus, GrantView } from '@atrium/core/access-grants/access-grants'
import type { GrantRow } from '@atrium/db/access-grants/access-grants'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'

/** One whose time is over reads as such, also before the job has ended it. */
export function toGrantView(row: GrantRow, caller: Pick<Caller, 'id'>, now: Date): GrantView {
  const { userId, userEmail, userName, partnerSlug, partnerName } = row
  const status = statusAt(row, now)
  const over = status !== row.status
  return {
    id: row.id,
    tenantSlug: row.tenantSlug,
    tenantName: row.tenantName,
    kind: row.kind,
    status,
    holder:
      userId !== null && userEmail !== null && userName !== null
        ? { id: userId, email: userEmail, name: userName }
        : null,
    partner:
      partnerSlug !== null && partnerName !== null
        ? { slug: partnerSlug, name: partnerName }
        : null,
    role: row.role,
    scopes: row.scopes,
    reason: row.reason,
    requestedAt: row.requestedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endsAt: row.endsAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decidedBy: row.decidedBy,
    declineReason: row.declineReason,
    endedAt: (over ? timeOver(row) : row.endedAt)?.toISOString() ?? null,
    ending: over ? 'time' : row.ending,
    acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
    own: userId !== null && userId === caller.id,
  }
}

/** What a grant is at a moment: a request expires and an access ends by themselves. */
export function statusAt(row: GrantRow, now: Date): GrantStatus {
  if ((row.status !== 'pending' && row.status !== 'active') || timeOver(row) > now)
    return row.status
  return row.status === 'pending' ? 'expired' : 'ended'
}

function timeOver({ status, expiresAt, endsAt }: GrantRow): Date {
  return status === 'pending' && expiresAt < endsAt ? expiresAt : endsAt
}

/** How the audit log names a grant: in the logs of the tenant and of the holder's partner. */
export function grantEntry(
  row: GrantRow,
  action: AuditEntry['action'],
  metadata: Record<string, unknown> = {},
): AuditEntry {
  return {
    action,
    resourceType: 'access_grant',
    resourceId: row.id,
    resourceName: row.userEmail,
    tenantSlug: row.tenantSlug,
    partnerSlug: row.partnerSlug,
    metadata: {
      grantId: row.id,
      role: row.role,
      scopes: row.scopes,
      reason: row.reason,
      endsAt: row.endsAt,
      ...metadata,
    },
  }
}
