import type { ApprovalView } from '@atrium/core/billing/approvals'
import { toMinorNumber } from '@atrium/core/billing/money'
import type { ApprovalRow } from '@atrium/db/billing/approvals'
import type { ApprovalTerms } from '@atrium/db/schema/subscriptions'

/** One whose time is over reads as expired, also before the job has ended it. */
export function toApprovalView(row: ApprovalRow, now: Date): ApprovalView {
  const { id, kind, currency, before, after, partnerName, requestedBy, decidedBy, reason } = row
  const expired = row.status === 'pending' && row.expiresAt <= now
  return {
    id,
    kind,
    status: expired ? 'expired' : row.status,
    currency,
    before: before && termsOf(before),
    after: termsOf(after),
    addedMinor: toMinorNumber(row.addedAmount),
    partnerName,
    requestedBy,
    requestedAt: row.requestedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decidedBy,
    reason,
    version: row.version,
  }
}

const termsOf = ({ taxBehavior = 'exclusive', ...terms }: ApprovalTerms) => ({
  ...terms,
  taxBehavior,
})
