import { canonicalAllowlist } from '@atrium/core/ip-allowlist'
import { SavedSecurityPolicy, SecurityPolicy, UpdateSecurityPolicy } from '@atrium/core/security-policy'
import { TenantPath } from '@atrium/core/tenants'
import { adminOrOperator, memberOrOperator } from '../guards.ts'
import { router } from '../trpc.ts'
import { getSecurityPolicy } from './get.ts'
import { updateSecurityPolicy } from './update.ts'

const tags = ['security policy']
const path = '/tenants/{slug}/security-policy' as const

/** With its networks read, so that one answer names every field that is wrong. */
const ReadableUpdate = UpdateSecurityPolicy.safeExtend({
  ipAllowlist: UpdateSecurityPolicy.shape.ipAllowlist.superRefine((entries = [], context) => {
    const read = canonicalAllowlist(entries)
    if (!('issues' in read)) return
    for (const { path, message } of read.issues) context.addIssue({ code: 'custom', path: [Number(path.split('.')[1])], message })
  }),
})

export const securityPolicyRouter = router({
  get: memberOrOperator
    .meta({ openapi: { method: 'GET', path, tags, summary: 'Read how members may sign in' } })
    .input(TenantPath)
    .output(SecurityPolicy)
    .query(({ ctx }) => getSecurityPolicy(ctx, ctx.access)),
  update: adminOrOperator
    .recentSignIn()
    .meta({ openapi: { method: 'PATCH', path, tags, summary: 'Change how members may sign in' }, audit: 'security_policy.updated' })
    .input(ReadableUpdate)
    .output(SavedSecurityPolicy)
    .mutation(({ ctx, input }) => updateSecurityPolicy(ctx, ctx.access, input)),
})
