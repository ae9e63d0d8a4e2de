import {
  CreateUser,
  DeactivateUser,
  Invitation,
  InviteUser,
  ListUsers,
  operatorOnlyUserFields,
  UpdateUser,
  UserPage,
  UserPath,
  UserView,
} from '@atrium/core/users/users'
import { z } from 'zod'
import { operator, signedIn } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { createUser, deleteUser, getUser, updateUser } from './change.ts'
import { deactivateUser, reactivateUser } from './deactivate.ts'
import { inviteUser } from './invite.ts'
import { listUsers } from './list.ts'
import { readMe } from './me.ts'

const tags = ['users']

export const usersRouter = router({
  me: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/users/me',
        tags,
        summary: 'Read yourself, bringing your record up to date from the token',
      },
      errors: ['not_found', 'rate_limited'],
    })
    .input(z.strictObject({}).optional())
    .output(UserView)
    .query(({ ctx }) => readMe(ctx, ctx.caller)),
  list: operator
    .meta({
      scope: 'users:read',
      openapi: { method: 'GET', path: '/users', tags, summary: 'List users' },
    })
    .input(ListUsers)
    .output(UserPage)
    .query(({ ctx, input }) => listUsers(ctx, input)),
  create: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/users',
        tags,
        summary: 'Create a record for an existing identity',
      },
      audit: 'user.created',
      errors: ['email_exists', 'already_exists', 'not_found'],
    })
    .input(CreateUser)
    .output(UserView)
    .mutation(({ ctx, input }) => createUser(ctx, ctx.caller, input)),
  invite: operator
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: '/users/invite', tags, summary: 'Invite an operator' },
      audit: 'platform.user_invited',
      secretResponse: true,
      errors: ['email_exists', 'upstream_failed'],
    })
    .input(InviteUser)
    .concat(recentSignIn)
    .output(Invitation)
    .mutation(({ ctx, input }) => inviteUser(ctx, ctx.caller, input)),
  get: signedIn
    .meta({
      scope: 'users:read',
      openapi: { method: 'GET', path: '/users/{id}', tags, summary: 'Read a user' },
      errors: ['not_found'],
    })
    .input(UserPath)
    .output(UserView)
    .query(({ ctx, input }) => getUser(ctx, ctx.caller, input.id)),
  update: signedIn
    .meta({
      scope: 'never',
      recentSignIn: `when it has ${operatorOnlyUserFields.map((field) => `\`${field}\``).join(', ')}`,
      openapi: { method: 'PATCH', path: '/users/{id}', tags, summary: 'Change a user' },
      audit: 'user.updated',
      errors: [
        'not_found',
        'operator_required',
        'not_platform_admin',
        'partner_unavailable',
        'version_conflict',
        'last_partner_owner',
        'last_platform_admin',
        'email_exists',
        'already_exists',
        'address_not_proved',
        'upstream_failed',
      ],
    })
    .input(UpdateUser)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () =>
        operatorOnlyUserFields.some((field) => input[field] !== undefined),
      )
      return next()
    })
    .output(UserView)
    .mutation(({ ctx, input }) => updateUser(ctx, ctx.caller, input)),
  delete: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: '/users/{id}',
        tags,
        summary: 'Delete the record of a user',
      },
      audit: 'user.deleted',
      errors: [
        'self_deactivate',
        'last_platform_admin',
        'not_found',
        'user_in_use',
        'partner_unavailable',
        'version_conflict',
        'last_partner_owner',
        'member_busy',
        'email_exists',
        'already_exists',
        'address_not_proved',
      ],
    })
    .input(UserPath)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteUser(ctx, ctx.caller, input.id)),
  deactivate: operator
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: '/users/{id}/deactivate', tags, summary: 'Shut a user out' },
      audit: 'user.deactivated',
      errors: [
        'self_deactivate',
        'last_platform_admin',
        'not_found',
        'upstream_failed',
        'member_busy',
      ],
    })
    .input(DeactivateUser)
    .concat(recentSignIn)
    .output(UserView)
    .mutation(({ ctx, input }) => deactivateUser(ctx, ctx.caller, input)),
  reactivate: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/users/{id}/reactivate',
        tags,
        summary: 'Let a user in again',
      },
      audit: 'user.reactivated',
      errors: ['not_found', 'upstream_failed', 'member_busy'],
    })
    .input(DeactivateUser)
    .concat(recentSignIn)
    .output(UserView)
    .mutation(({ ctx, input }) => reactivateUser(ctx, ctx.caller, input)),
})
