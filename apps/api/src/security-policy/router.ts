import { SavedSecurityPolicy, SecurityPolicy, UpdateSecurityPolicy } from '@atrium/core/security-policy'
import { TenantPath } from '@atrium/core/tenants'
import { adminOrOperator, memberOrOperator } from '../guards.ts'
import { router } from '../trpc.ts'
import { getSecurityPolicy } from './get.ts'
import { updateSecurityPolicy } from './update.ts'

const tags = ['security policy']
const path = '/tenants/{slug}/security-policy' as const

export const securityPolicyRouter = router({
  get: memberOrOperator
    .meta({ openapi: { method: 'GET', path, tags, summary: 'Read how members may sign in' } })
    .input(TenantPath)
    .output(SecurityPolicy)
    .query(({ ctx }) => getSecurityPolicy(ctx, ctx.access)),
  update: adminOrOperator
    .recentSignIn()
    .meta({ openapi: { method: 'PATCH', path, tags, summary: 'Change how members may sign in' }, audit: 'security_policy.updated' })
    .input(UpdateSecurityPolicy)
    .output(SavedSecurityPolicy)
    .mutation(({ ctx, input }) => updateSecurityPolicy(ctx, ctx.access, input)),
})
