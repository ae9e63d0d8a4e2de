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
} from '@atrium/core/users'
import { z } from 'zod'
import { operator, signedIn } from '../guards.ts'
import { router } from '../trpc.ts'
import { createUser, deleteUser, getUser, updateUser } from './change.ts'
import { deactivateUser, reactivateUser } from './deactivate.ts'
import { inviteUser } from './invite.ts'
import { listUsers } from './list.ts'
import { readMe } from './me.ts'

const tags = ['users']

export const usersRouter = router({
  me: signedIn
    .meta({ openapi: { method: 'GET', path: '/users/me', tags, summary: 'Read yourself, bringing your record up to date from the token' } })
    .input(z.strictObject({}).optional())
    .output(UserView)
    .query(({ ctx }) => readMe(ctx, ctx.caller)),
  list: operator
    .meta({ openapi: { method: 'GET', path: '/users', tags, summary: 'List users' } })
    .input(ListUsers)
    .output(UserPage)
    .query(({ ctx, input }) => listUsers(ctx, input)),
  create: operator
    .meta({ openapi: { method: 'POST', path: '/users', tags, summary: 'Create a record for an existing identity' }, audit: 'user.created' })
    .input(CreateUser)
    .output(UserView)
    .mutation(({ ctx, input }) => createUser(ctx, ctx.caller, input)),
  invite: operator
    .recentSignIn()
    .meta({
      openapi: { method: 'POST', path: '/users/invite', tags, summary: 'Invite an operator' },
      audit: 'platform.user_invited',
      secretAnswer: true,
    })
    .input(InviteUser)
    .output(Invitation)
    .mutation(({ ctx, input }) => inviteUser(ctx, ctx.caller, input)),
  get: signedIn
    .meta({ openapi: { method: 'GET', path: '/users/{id}', tags, summary: 'Read a user' } })
    .input(UserPath)
    .output(UserView)
    .query(({ ctx, input }) => getUser(ctx, ctx.caller, input.id)),
  update: signedIn
    .meta({ openapi: { method: 'PATCH', path: '/users/{id}', tags, summary: 'Change a user' }, audit: 'user.updated' })
    .input(UpdateUser)
    .recentSignIn({
      when: (input) => operatorOnlyUserFields.some((field) => input[field] !== undefined),
      said: `when it has ${operatorOnlyUserFields.map((field) => `\`${field}\``).join(', ')}`,
    })
    .output(UserView)
    .mutation(({ ctx, input }) => updateUser(ctx, ctx.caller, input)),
  delete: operator
    .recentSignIn()
    .meta({ openapi: { method: 'DELETE', path: '/users/{id}', tags, summary: 'Delete the record of a user' }, audit: 'user.deleted' })
    .input(UserPath)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteUser(ctx, ctx.caller, input.id)),
  deactivate: operator
    .recentSignIn()
    .meta({ openapi: { method: 'POST', path: '/users/{id}/deactivate', tags, summary: 'Shut a user out' }, audit: 'user.deactivated' })
    .input(DeactivateUser)
    .output(UserView)
    .mutation(({ ctx, input }) => deactivateUser(ctx, ctx.caller, input)),
  reactivate: operator
    .recentSignIn()
    .meta({ openapi: { method: 'POST', path: '/users/{id}/reactivate', tags, summary: 'Let a user in again' }, audit: 'user.reactivated' })
    .input(DeactivateUser)
    .output(UserView)
    .mutation(({ ctx, input }) => reactivateUser(ctx, ctx.caller, input)),
})
