import {
  ForcedLogout,
  MemberPath,
  MemberView,
  RemindedOfSecondFactors,
  RemindOfSecondFactors,
  ResetMemberPassword,
  ResetPassword,
  ResetSecondFactors,
} from '@atrium/core/members/members'
import { adminOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { forceLogout } from './force-logout.ts'
import { remindOfSecondFactors } from './remind-second-factors.ts'
import { resetPassword } from './reset-password.ts'
import { resetSecondFactors } from './reset-second-factors.ts'
import { resumeMember, suspendMember } from './suspend.ts'

const tags = ['members']
const users = '/tenants/{slug}/users' as const
const one = `${users}/{userId}` as const

/** How a member signs in: suspension, sessions, password and second factors. */
export const memberSignInRouter = router({
  suspend: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/suspend`,
        tags,
        summary: 'Shut a member out, keeping everything',
      },
      audit: 'member.suspended',
      errors: [
        'on_behalf_excluded',
        'self_suspend',
        'owner_locked',
        'already_suspended',
        'member_not_active',
        'last_admin',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => suspendMember(ctx, ctx.access, input.userId)),
  resume: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: { method: 'POST', path: `${one}/resume`, tags, summary: 'Let a member in again' },
      audit: 'member.resumed',
      errors: [
        'on_behalf_excluded',
        'not_suspended',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => resumeMember(ctx, ctx.access, input.userId)),
  forceLogout: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/force-logout`,
        tags,
        summary: "End a member's sessions",
      },
      audit: 'member.sessions_ended',
      errors: [
        'on_behalf_excluded',
        'self_force_logout',
        'member_busy',
        'identity_not_managed',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(ForcedLogout)
    .mutation(({ ctx, input }) => forceLogout(ctx, ctx.access, input.userId)),
  resetPassword: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/reset-password`,
        tags,
        summary: 'Set a one-time password on identity and mailbox, or mail a link to a new one',
      },
      audit: 'member.password_reset',
      secretResponse: true,
      errors: [
        'on_behalf_excluded',
        'member_busy',
        'member_not_active',
        'upstream_failed',
        'owner_locked',
        'integration_off',
        'identity_not_managed',
        'address_not_proved',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(ResetMemberPassword)
    .concat(recentSignIn)
    .output(ResetPassword)
    .mutation(({ ctx, input }) => resetPassword(ctx, ctx.access, input)),
  resetSecondFactors: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${one}/reset-second-factors`,
        tags,
        summary: 'Remove the second factors of a member who lost theirs',
      },
      audit: 'member.second_factors_reset',
      errors: [
        'on_behalf_excluded',
        'self_second_factors',
        'member_busy',
        'member_not_active',
        'owner_locked',
        'identity_not_managed',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .concat(recentSignIn)
    .output(ResetSecondFactors)
    .mutation(({ ctx, input }) => resetSecondFactors(ctx, ctx.access, input.userId)),
  remindOfSecondFactors: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/second-factor-reminders',
        tags,
        summary: 'Remind members without a second factor',
      },
      audit: 'member.second_factors_reminded',
      errors: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(RemindOfSecondFactors)
    .output(RemindedOfSecondFactors)
    .mutation(({ ctx, input }) => remindOfSecondFactors(ctx, ctx.access, input.userIds)),
})
