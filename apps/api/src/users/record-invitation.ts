import type { AuditAction } from '@atrium/core/audit/audit'
import type { ExpiredInvitation, InvitationRow } from '@atrium/db/invitations/invitations'
import type { Trx } from '@atrium/db/platform/connect'
import { type AuditEntry, inChainOrder } from '../rpc/audit-recorder.ts'
import type { InTransaction } from '../rpc/services.ts'

/** What an audit entry says of an invitation: in the log of its tenant and of its partner. */
export const invitationEntry = (
  action: Extract<AuditAction, `invitation.${string}`>,
  { id, kind, email, tenantSlug, partnerSlug }: ExpiredInvitation,
  metadata: Record<string, unknown> = {},
): AuditEntry => ({
  action,
  resourceType: 'invitation',
  resourceId: id,
  resourceName: email,
  tenantSlug,
  partnerSlug,
  metadata: { kind, ...metadata },
})

/** The terms of an invitation, for the entry of its creation. */
export const termsOf = ({ role, access }: InvitationRow): Record<string, unknown> => ({
  ...(role === null ? {} : { role }),
  ...(access === null ? {} : { access }),
})

export async function recordExpired(
  { audit }: InTransaction,
  trx: Trx,
  expired: readonly ExpiredInvitation[],
): Promise<void> {
  const entries = expired.map((invitation) => invitationEntry('invitation.expired', invitation))
  for (const entry of inChainOrder(entries)) await audit.recordSystem(entry, trx)
}
