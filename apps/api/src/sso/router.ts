import { CreatedSsoApp, CreateSsoApp, ListSsoApps, RemoveSsoApp, SsoAppList } from '@atrium/core/sso'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../guards.ts'
import { router } from '../trpc.ts'
import { createSsoApp } from './create.ts'
import { listSsoApps } from './list.ts'
import { removeSsoApp } from './remove.ts'

const tags = ['sso']

export const ssoRouter = router({
  list: memberOrOperator
    .meta({ openapi: { method: 'GET', path: '/tenants/{slug}/sso-apps', tags, summary: 'List the single sign-on applications' } })
    .input(ListSsoApps)
    .output(SsoAppList)
    .query(({ ctx, signal }) => listSsoApps(ctx, ctx.access, signal)),
  create: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'POST', path: '/tenants/{slug}/sso-apps', tags, summary: 'Register a single sign-on application' },
      audit: 'sso_app.created',
      secretAnswer: true,
      creates: true,
    })
    .input(CreateSsoApp)
    .output(CreatedSsoApp)
    .mutation(({ ctx, input }) => createSsoApp(ctx, ctx.access, input)),
  remove: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'DELETE', path: '/tenants/{slug}/sso-apps/{appId}', tags, summary: 'Remove a single sign-on application' },
      audit: 'sso_app.deleted',
    })
    .input(RemoveSsoApp)
    .output(z.void())
    .mutation(({ ctx, input }) => removeSsoApp(ctx, ctx.access, input)),
})
