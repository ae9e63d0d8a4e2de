import type { InvitationOutcomes, InvitationView } from '@atrium/core/invitations/invitations'
import type { InvitationRow } from '@atrium/db/invitations/invitations'
import { readerLanguage } from '../rpc/reader-language.ts'
import type { Outcome } from './invite-each.ts'

export function toInvitationView(row: InvitationRow): InvitationView {
  const at = (moment: Date | null) => moment?.toISOString() ?? null
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    email: row.email,
    name: row.name,
    role: row.role,
    access: row.access,
    listIds: row.listIds,
    language: row.language,
    message: row.message,
    inviter: row.inviter,
    tenantSlug: row.tenantSlug,
    partnerSlug: row.partnerSlug,
    sends: row.sends,
    createdAt: row.createdAt.toISOString(),
    sentAt: at(row.sentAt),
    openedAt: at(row.openedAt),
    acceptedAt: at(row.acceptedAt),
    declinedAt: at(row.declinedAt),
    revokedAt: at(row.revokedAt),
    expiresAt: row.expiresAt.toISOString(),
  }
}

/** The outcomes in the language of the reader. */
export function toOutcomes(outcomes: readonly Outcome[]): InvitationOutcomes {
  return {
    items: outcomes.map(({ email, invitation, rejection }) => ({
      email,
      invitation: invitation ? toInvitationView(invitation) : null,
      code: rejection?.code ?? null,
      message: rejection?.messageIn(readerLanguage()) ?? null,
    })),
  }
}
