import {
  NotificationSettings,
  Unsubscribed,
  UpdateNotification,
} from '@atrium/core/account/notifications'
import { OwnSecondFactors } from '@atrium/core/account/second-factors'
import { EndedSessions, EndSession, EndSignIn, OwnSessions } from '@atrium/core/account/sessions'
import { FollowLink } from '@atrium/core/invitations/invitations'
import { z } from 'zod'
import { publicProcedure, signedIn } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { readNotifications, updateNotification } from './notifications.ts'
import { listOwnSecondFactors } from './second-factors.ts'
import { endOtherSessions, endOwnSession, endOwnSignIn, listOwnSessions } from './sessions.ts'
import { unsubscribe } from './unsubscribe.ts'

const tags = ['account']

export const accountRouter = router({
  sessions: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/users/me/sessions',
        tags,
        summary: 'List your own sessions and sign-ins',
      },
    })
    .input(z.strictObject({}).optional())
    .output(OwnSessions)
    .query(({ ctx }) => listOwnSessions(ctx, ctx.caller)),
  secondFactors: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/users/me/second-factors',
        tags,
        summary: 'List your own second factors',
      },
    })
    .input(z.strictObject({}).optional())
    .output(OwnSecondFactors)
    .query(({ ctx }) => listOwnSecondFactors(ctx, ctx.caller)),
  notifications: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/users/me/notifications',
        tags,
        summary: 'Read which mails you get',
      },
      errors: ['not_found'],
    })
    .input(z.strictObject({}).optional())
    .output(NotificationSettings)
    .query(({ ctx }) => readNotifications(ctx, ctx.caller)),
  updateNotification: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'PATCH',
        path: '/users/me/notifications',
        tags,
        summary: 'Switch a group of mails on or off',
      },
      audit: 'user.updated',
      errors: ['not_found'],
    })
    .input(UpdateNotification)
    .output(NotificationSettings)
    .mutation(({ ctx, input }) => updateNotification(ctx, ctx.caller, input)),
  unsubscribe: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/unsubscribe',
        tags,
        summary: 'Switch off what the link of a mail names, whose token is the bearer token',
      },
      audit: 'user.updated',
      creates: false,
      errors: ['not_found', 'rate_limited'],
    })
    .input(FollowLink)
    .output(Unsubscribed)
    .mutation(({ ctx }) => unsubscribe(ctx)),
  endSession: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: '/users/me/sessions/{id}',
        tags,
        summary: 'End one of your own sessions',
      },
      audit: 'user.sessions_ended',
      errors: ['not_found'],
    })
    .input(EndSession)
    .output(z.void())
    .mutation(({ ctx, input }) => endOwnSession(ctx, ctx.caller, input.id)),
  endSignIn: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: '/users/me/sign-ins/{id}',
        tags,
        summary: 'End one of your own sign-ins at the identity provider',
      },
      audit: 'user.sessions_ended',
      errors: ['not_found', 'upstream_failed'],
    })
    .input(EndSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => endOwnSignIn(ctx, ctx.caller, input.id)),
  endOtherSessions: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/users/me/sessions/end-others',
        tags,
        summary: 'End all of your sessions but this one',
      },
      audit: 'user.sessions_ended',
      creates: false,
      errors: ['upstream_failed'],
    })
    .input(z.strictObject({}).optional())
    .output(EndedSessions)
    .mutation(({ ctx }) => endOtherSessions(ctx, ctx.caller)),
})
