import type { AuditAction } from '@atrium/core/audit/audit'
import type { ExpiredInvitation, InvitationRow } from '@atrium/db/invitations/invitations'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Services } from '../rpc/services.ts'

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
  services: Services,
  expired: readonly ExpiredInvitation[],
): Promise<void> {
  for (const invitation of expired)
    await services.audit.recordSystem(invitationEntry('invitation.expired', invitation))
}
