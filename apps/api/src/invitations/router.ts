import { AcceptedInvitation, AcceptInvitation } from '@atrium/core/members/invitations'
import { publicProcedure } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { acceptInvitation } from './accept.ts'

export const invitationsRouter = router({
  accept: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/invitations/accept',
        tags: ['invitations'],
        summary: 'Follow a mailed link, whose token is the bearer token',
      },
      audit: 'user.address_proved',
      creates: false,
      secretResponse: true,
      errors: [
        'not_found',
        'email_taken',
        'member_not_active',
        'upstream_failed',
        'partner_suspended',
        'partner_terminated',
        'tenant_suspended',
        'tenant_deleted',
        'email_exists',
        'rate_limited',
      ],
    })
    .input(AcceptInvitation)
    .output(AcceptedInvitation)
    .mutation(({ ctx }) => acceptInvitation(ctx)),
})
