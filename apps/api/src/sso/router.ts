import {
  CreatedSsoApp,
  CreateSsoApp,
  ListSsoApps,
  RemoveSsoApp,
  SsoAppList,
} from '@atrium/core/sso/sso'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { createSsoApp } from './create.ts'
import { listSsoApps } from './list.ts'
import { removeSsoApp } from './remove.ts'

const tags = ['sso']

export const ssoRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'sso:read',
      delegable: ['sso'],
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/sso-apps',
        tags,
        summary: 'List the single sign-on applications',
      },
    })
    .input(ListSsoApps)
    .output(SsoAppList)
    .query(({ ctx, signal }) => listSsoApps(ctx, ctx.access, signal)),
  create: adminOrOperator
    .meta({
      scope: 'sso:write',
      delegable: ['sso'],
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/sso-apps',
        tags,
        summary: 'Register a single sign-on application',
      },
      audit: 'sso_app.created',
      secretResponse: true,
      creates: true,
      errors: [
        'integration_off',
        'tenant_not_provisioned',
        'already_exists',
        'upstream_failed',
        'billing_limited',
        'limit_reached',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(CreateSsoApp)
    .concat(recentSignIn)
    .output(CreatedSsoApp)
    .mutation(({ ctx, input }) => createSsoApp(ctx, ctx.access, input)),
  remove: adminOrOperator
    .meta({
      scope: 'sso:write',
      delegable: ['sso'],
      openapi: {
        method: 'DELETE',
        path: '/tenants/{slug}/sso-apps/{appId}',
        tags,
        summary: 'Remove a single sign-on application',
      },
      audit: 'sso_app.deleted',
      errors: [
        'provisioning_in_progress',
        'upstream_failed',
        'integration_off',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(RemoveSsoApp)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeSsoApp(ctx, ctx.access, input)),
})
