import type { MailedLink } from '@atrium/core/invitations/invitations'
import {
  endInvitation,
  findByLink,
  type InvitationRow,
  noteOpened,
} from '@atrium/db/invitations/invitations'
import { type AccessLinkTerms, findAccessLinkTerms } from '@atrium/db/users/access-links'
import type { Context } from '../rpc/context.ts'
import { takeAllowance } from '../rpc/visitor-limits.ts'
import { hashOfAccessToken } from '../users/access-link.ts'
import { invitationEntry } from '../users/record-invitation.ts'
import { noSuchLink } from './settle.ts'

/**
 * What a mailed link leads to, for its page. Changes nothing: programs that check the links of
 * mails follow it too. Throws AppError `not_found`, `rate_limited`.
 */
export async function showLink(ctx: Context): Promise<MailedLink> {
  const found = await find(ctx)
  return 'state' in found ? toMailedLink(found) : toPasswordLink(found)
}

/** The person continues from the page of the link. The same answer as `showLink`. */
export async function openLink(ctx: Context): Promise<MailedLink> {
  const found = await find(ctx)
  if (!('state' in found)) return toPasswordLink(found)
  const { database, audit } = ctx.services
  await database.db.transaction().execute(async (trx) => {
    if (await noteOpened(trx, found.id))
      await audit.recordVisitor(ctx, invitationEntry('invitation.opened', found), trx)
  })
  return toMailedLink(found)
}

/**
 * The person declines: the link opens nothing any more. A link to a new password cannot be
 * declined. Throws AppError `not_found`, `rate_limited`.
 */
export async function declineLink(ctx: Context): Promise<void> {
  const found = await find(ctx)
  if (!('state' in found)) throw noSuchLink()
  const { database, audit } = ctx.services
  await database.db.transaction().execute(async (trx) => {
    if (!(await endInvitation(trx, found.id, 'declined'))) throw noSuchLink()
    await audit.recordVisitor(ctx, invitationEntry('invitation.declined', found), trx)
  })
}

async function find(ctx: Context): Promise<InvitationRow | AccessLinkTerms> {
  const { db } = ctx.services.database
  await takeAllowance(ctx, 'invitation_links')
  const hash = hashOfAccessToken(ctx.bearerToken() ?? '')
  const found = hash && ((await findByLink(db, hash)) ?? (await findAccessLinkTerms(db, hash)))
  if (!found) throw noSuchLink()
  return found
}

export function toMailedLink(row: InvitationRow): MailedLink & { kind: InvitationRow['kind'] } {
  const { kind, email, inviter, role, access, message, expiresAt } = row
  return {
    kind,
    email,
    inviter,
    place: row.tenantName ?? row.partnerName,
    role,
    access,
    message,
    language: row.language ?? row.tenantLanguage,
    expiresAt: expiresAt.toISOString(),
  }
}

const toPasswordLink = ({ email, expiresAt }: AccessLinkTerms): MailedLink => ({
  kind: 'password',
  email,
  inviter: null,
  place: null,
  role: null,
  access: null,
  message: null,
  language: null,
  expiresAt: expiresAt.toISOString(),
})
