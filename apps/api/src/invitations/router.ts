import {
  AcceptedInvitation,
  FollowLink,
  InvitationOutcomes,
  InvitationPage,
  InvitationPath,
  InvitationView,
  InviteManyStaff,
  InviteMembers,
  InviteOperators,
  JoinedPlace,
  ListInvitations,
  ListPartnerInvitations,
  ListTenantInvitations,
  MailedLink,
  OwnInvitations,
  PartnerInvitationPath,
  TenantInvitationPage,
  TenantInvitationPath,
} from '@atrium/core/invitations/invitations'
import type { ErrorCode } from '@atrium/core/platform/errors'
import { z } from 'zod'
import { inviteManyStaff } from '../partners/invite.ts'
import {
  adminOrOperator,
  operator,
  partnerOwner,
  publicProcedure,
  signedIn,
} from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { acceptInvitation } from './accept.ts'
import { resendInvitation, revokeInvitation } from './change.ts'
import { inviteMembers, inviteOperators } from './invite.ts'
import { declineLink, openLink, showLink } from './link.ts'
import { listInvitations, listPartnerInvitations, listTenantInvitations } from './list.ts'
import { acceptOwnInvitation, declineOwnInvitation, listOwnInvitations } from './mine.ts'

const tags = ['invitations']
const ofTenant = '/tenants/{slug}/invitations' as const
const ofPartner = '/partners/{slug}/invitations' as const
const tenantErrors: ErrorCode[] = ['tenant_suspended', 'tenant_deleted']
const resendErrors: ErrorCode[] = [
  'invitation_ended',
  'email_taken',
  'integration_off',
  'rate_limited',
]
const joining: ErrorCode[] = [
  ...tenantErrors,
  'not_found',
  'email_taken',
  'address_claim_required',
  'address_claim_held',
  'email_exists',
  'member_not_active',
  'seats_exhausted',
  'billing_limited',
  'partner_suspended',
  'partner_terminated',
]

export const invitationsRouter = router({
  list: operator
    .meta({
      scope: 'users:read',
      openapi: {
        method: 'GET',
        path: '/invitations',
        tags,
        summary: 'List invitations of every kind',
      },
    })
    .input(ListInvitations)
    .output(InvitationPage)
    .query(({ ctx, input }) => listInvitations(ctx, input)),
  ofTenant: adminOrOperator
    .meta({
      scope: 'members:read',
      delegable: ['members'],
      openapi: { method: 'GET', path: ofTenant, tags, summary: 'List invitations to a tenant' },
    })
    .input(ListTenantInvitations)
    .output(TenantInvitationPage)
    .query(({ ctx, input }) => listTenantInvitations(ctx, ctx.access, input)),
  ofPartner: partnerOwner
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: ofPartner,
        tags,
        summary: "List invitations to a partner's staff",
      },
    })
    .input(ListPartnerInvitations)
    .output(InvitationPage)
    .query(({ ctx, input }) => listPartnerInvitations(ctx, ctx.partnerAccess, input)),
  inviteMembers: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      recentSignIn: 'when `role` is `admin` or `owner`',
      openapi: {
        method: 'POST',
        path: ofTenant,
        tags,
        summary: 'Invite members, or the owner, of a tenant',
      },
      audit: 'invitation.created',
      errors: [...tenantErrors, 'integration_off', 'rate_limited', 'on_behalf_excluded'],
    })
    .input(InviteMembers)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => input.role !== 'member')
      return next()
    })
    .output(InvitationOutcomes)
    .mutation(({ ctx, input }) => inviteMembers(ctx, ctx.access, input)),
  inviteStaff: partnerOwner
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: ofPartner, tags, summary: 'Invite staff of a partner' },
      audit: 'invitation.created',
      errors: ['integration_off', 'rate_limited'],
    })
    .input(InviteManyStaff)
    .concat(recentSignIn)
    .output(InvitationOutcomes)
    .mutation(({ ctx, input }) => inviteManyStaff(ctx, ctx.partnerAccess, input)),
  inviteOperators: operator
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: '/invitations', tags, summary: 'Invite operators' },
      audit: 'invitation.created',
      errors: ['integration_off', 'rate_limited'],
    })
    .input(InviteOperators)
    .concat(recentSignIn)
    .output(InvitationOutcomes)
    .mutation(({ ctx, input }) => inviteOperators(ctx, ctx.caller, input)),
  resendOfTenant: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${ofTenant}/{invitationId}/resend`,
        tags,
        summary: 'Send an invitation to a tenant again',
      },
      audit: 'invitation.resent',
      errors: [
        ...tenantErrors,
        ...resendErrors,
        'seats_exhausted',
        'billing_limited',
        'on_behalf_excluded',
      ],
    })
    .input(TenantInvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      resendInvitation(ctx, { access: ctx.access }, input.invitationId),
    ),
  resendOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${ofPartner}/{invitationId}/resend`,
        tags,
        summary: "Send an invitation to a partner's staff again",
      },
      audit: 'invitation.resent',
      errors: resendErrors,
    })
    .input(PartnerInvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      resendInvitation(ctx, { partner: ctx.partnerAccess }, input.invitationId),
    ),
  resend: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/invitations/{invitationId}/resend',
        tags,
        summary: 'Send the invitation of an operator again',
      },
      audit: 'invitation.resent',
      errors: ['not_found', ...resendErrors],
    })
    .input(InvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      resendInvitation(ctx, { operator: ctx.caller }, input.invitationId),
    ),
  revokeOfTenant: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${ofTenant}/{invitationId}/revoke`,
        tags,
        summary: 'Revoke an invitation to a tenant',
      },
      audit: 'invitation.revoked',
      errors: [...tenantErrors, 'invitation_ended', 'on_behalf_excluded'],
    })
    .input(TenantInvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      revokeInvitation(ctx, { access: ctx.access }, input.invitationId),
    ),
  revokeOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${ofPartner}/{invitationId}/revoke`,
        tags,
        summary: "Revoke an invitation to a partner's staff",
      },
      audit: 'invitation.revoked',
      errors: ['invitation_ended'],
    })
    .input(PartnerInvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      revokeInvitation(ctx, { partner: ctx.partnerAccess }, input.invitationId),
    ),
  revoke: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/invitations/{invitationId}/revoke',
        tags,
        summary: 'Revoke the invitation of an operator',
      },
      audit: 'invitation.revoked',
      errors: ['not_found', 'invitation_ended'],
    })
    .input(InvitationPath)
    .output(InvitationView)
    .mutation(({ ctx, input }) =>
      revokeInvitation(ctx, { operator: ctx.caller }, input.invitationId),
    ),
  mine: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/invitations/mine',
        tags,
        summary: "List open invitations to the caller's proved address",
      },
    })
    .input(z.strictObject({}).optional())
    .output(OwnInvitations)
    .query(({ ctx }) => listOwnInvitations(ctx, ctx.caller)),
  acceptMine: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/invitations/mine/{invitationId}/accept',
        tags,
        summary: "Accept an invitation to the caller's proved address",
      },
      audit: 'invitation.accepted',
      errors: joining,
    })
    .input(InvitationPath)
    .output(JoinedPlace)
    .mutation(({ ctx, input }) => acceptOwnInvitation(ctx, ctx.caller, input.invitationId)),
  declineMine: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/invitations/mine/{invitationId}/decline',
        tags,
        summary: "Decline an invitation to the caller's proved address",
      },
      audit: 'invitation.declined',
      errors: ['not_found'],
    })
    .input(InvitationPath)
    .output(z.void())
    .mutation(({ ctx, input }) => declineOwnInvitation(ctx, ctx.caller, input.invitationId)),
  show: publicProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/invitations/link',
        tags,
        summary: 'Show what a mailed link leads to; its token is the bearer token',
      },
      errors: ['not_found', 'rate_limited'],
    })
    .input(z.strictObject({}).optional())
    .output(MailedLink)
    .query(({ ctx }) => showLink(ctx)),
  open: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/invitations/open',
        tags,
        summary: 'Continue from the page of a mailed link, whose token is the bearer token',
      },
      audit: 'invitation.opened',
      creates: false,
      errors: ['not_found', 'rate_limited'],
    })
    .input(FollowLink)
    .output(MailedLink)
    .mutation(({ ctx }) => openLink(ctx)),
  decline: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/invitations/decline',
        tags,
        summary: 'Decline the invitation of a mailed link, whose token is the bearer token',
      },
      audit: 'invitation.declined',
      creates: false,
      errors: ['not_found', 'rate_limited'],
    })
    .input(FollowLink)
    .output(z.void())
    .mutation(({ ctx }) => declineLink(ctx)),
  accept: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/invitations/accept',
        tags,
        summary: 'Follow a mailed link, whose token is the bearer token',
      },
      audit: 'invitation.accepted',
      creates: false,
      secretResponse: true,
      errors: [...joining, 'upstream_failed', 'rate_limited'],
    })
    .input(FollowLink)
    .output(AcceptedInvitation)
    .mutation(({ ctx }) => acceptInvitation(ctx)),
})
