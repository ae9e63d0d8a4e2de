import type { AcceptedInvitation } from '@atrium/core/invitations/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findAcceptedByLink,
  findByLink,
  type InvitationRow,
} from '@atrium/db/invitations/invitations'
import { findPerson } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { type AccessLink, deleteAccessLink, findByAccessLink } from '@atrium/db/users/access-links'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { pushTouchedLists } from '../mail/lists/members.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Services } from '../rpc/services.ts'
import { takeAllowance } from '../rpc/visitor-limits.ts'
import { hashOfAccessToken } from '../users/access-link.ts'
import { findUnfinished } from '../users/create-identity.ts'
import { orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import type { Handover } from '../users/new-identity.ts'
import { invitationEntry, termsOf } from '../users/record-invitation.ts'
import { activate, linkStays, setUp } from './set-up.ts'
import { noSuchLink, settleInvitation, settlePassword } from './settle.ts'

/**
 * Follows a mailed link, whose token is the bearer token: proves that the person reads the mail of
 * the address, makes them what the invitation says, and creates a sign-in where they need one. An
 * unproved identity is given up first, with its sessions, tokens and second factors, because its
 * creator may still control it. The link works once; when an upstream system fails it stays valid.
 * Throws AppError `not_found`, `email_taken`, `address_claim_required`, `member_not_active`,
 * `seats_exhausted`, `billing_limited`, `tenant_suspended`, `tenant_deleted`, `partner_suspended`,
 * `partner_terminated`, `email_exists`, `upstream_failed`, `rate_limited`.
 */
export async function acceptInvitation(ctx: Context): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { db } = services.database
  await takeAllowance(ctx, 'invitation_links')
  const hash = hashOfAccessToken(ctx.bearerToken() ?? '')
  const addressed = hash && ((await findByLink(db, hash)) ?? (await findByAccessLink(db, hash)))
  if (!hash || !addressed) throw noSuchLink()
  const identity = requireIdentity(services)
  return takingTurns(services, addressed.email, async () => {
    const open = await findByLink(db, hash)
    return open ? accept(ctx, identity, open, hash) : goOn(ctx, identity, hash)
  })
}

/** One acceptance for an address at a time. */
export function takingTurns<Result>(
  services: Services,
  email: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // Each holds a connection for the lock, so those of one process follow one another.
  return services.keyedLimiter.take('invitations', () =>
    // Not the lock of the address, which others wait for while they hold a tenant: that one is
    // taken in their order, by the transaction.
    services.database.exclusively(`invitation:${email}`, work),
  )
}

async function accept(
  ctx: Context,
  identity: IdentityProvider,
  invitation: InvitationRow,
  hash: Buffer,
): Promise<AcceptedInvitation> {
  const { services } = ctx
  await rejectOutsider(services, identity, invitation)
  const record = (trx: Trx, userId: string) => {
    const metadata = { ...termsOf(invitation), userId }
    const entry = invitationEntry('invitation.accepted', invitation, metadata)
    return services.audit.recordVisitor(ctx, entry, trx)
  }
  const settled = await settleInvitation(services, invitation, { hash }, record)
  const { userId, handsOver, lists } = settled
  pushTouchedLists(services, lists)
  return finish(ctx, identity, { userId, invitation, hash, handsOver })
}

/**
 * The link gives a new password: it was mailed for that, or belongs to an accepted invitation whose
 * person has none yet.
 */
async function goOn(
  ctx: Context,
  identity: IdentityProvider,
  hash: Buffer,
): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { userId, email, ...link } = await settlePassword(services, hash)
  const invitation = await findAcceptedByLink(services.database.db, hash)
  return finish(ctx, identity, {
    userId,
    invitation: invitation ?? { email },
    hash,
    handsOver: true,
    link,
  })
}

async function finish(
  ctx: Context,
  identity: IdentityProvider,
  done: {
    userId: string
    invitation: InvitationRow | { email: string }
    hash: Buffer
    handsOver: boolean
    link?: Pick<AccessLink, 'sentTo' | 'senderSlug'>
  },
): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { userId, hash, handsOver } = done
  const invitation = 'id' in done.invitation ? done.invitation : undefined
  await setUp(services, identity, { userId, tenantId: invitation?.tenantId ?? null })
  const handover = handsOver ? await activate(services, identity, userId) : undefined
  const handoff = handoffOf(handover)
  const { sentTo = null, senderSlug = null } = done.link ?? {}
  const person = {
    resourceType: 'user',
    resourceId: userId,
    resourceName: done.invitation.email,
  } as const
  const entry: AuditEntry =
    sentTo !== null
      ? {
          ...person,
          action: 'user.password_link_followed',
          tenantSlug: senderSlug,
          metadata: { handoff, sentTo },
        }
      : {
          ...person,
          action: 'user.address_proved',
          tenantSlug: invitation?.tenantSlug ?? null,
          partnerSlug: invitation?.partnerSlug ?? null,
          metadata: { handoff, ...(invitation ? { invitation: true } : {}) },
        }
  await services.database.db.transaction().execute(async (trx) => {
    await deleteAccessLink(trx, hash)
    await services.audit.recordVisitor(ctx, entry, trx)
  })
  return { email: done.invitation.email, ...placeOf(invitation), handoff, ...handover }
}

/** What the person belongs to now, and where they go on. */
export function placeOf(invitation: InvitationRow | undefined): {
  joined: string | null
  path: string
} {
  if (invitation?.tenantSlug)
    return { joined: invitation.tenantName, path: `/t/${invitation.tenantSlug}` }
  if (invitation?.kind === 'staff') return { joined: invitation.partnerName, path: '/partner' }
  return { joined: null, path: '/' }
}

const handoffOf = (handover: Handover | undefined) =>
  handover === undefined ? 'existing' : handover.link === undefined ? 'tempPassword' : 'link'

/**
 * An identity with this address that is on no record was not created here, so we must not hand it
 * over.
 */
async function rejectOutsider(
  services: Services,
  identity: IdentityProvider,
  { email, name }: InvitationRow,
): Promise<void> {
  if (await findPerson(services.database.db, { email })) return
  const found = await orUpstreamFailed(() => identity.findUserByEmail(email), linkStays)
  if (
    !found ||
    (await orUpstreamFailed(() => findUnfinished(services, identity, { email, name }), linkStays))
  )
    return
  throw new AppError('email_taken', errorText('identityKnownElsewhere'))
}
