import { canonicalAllowlist } from '@atrium/core/security-policy/ip-allowlist'
import {
  PreviewSecurityPolicy,
  SavedSecurityPolicy,
  SecurityPolicyPreview,
  SecurityPolicyView,
  UpdateSecurityPolicy,
} from '@atrium/core/security-policy/security-policy'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { adminOrOperator, memberOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { getSecurityPolicy } from './get.ts'
import { previewSecurityPolicy } from './preview.ts'
import { updateSecurityPolicy } from './update.ts'

const tags = ['security policy']
const path = '/tenants/{slug}/security-policy' as const

/** Reads the networks too, so that one response names every field that is wrong. */
const ipAllowlist = UpdateSecurityPolicy.shape.ipAllowlist.superRefine((entries = [], context) => {
  const read = canonicalAllowlist(entries)
  if (!('issues' in read)) return
  for (const { path, message } of read.issues)
    context.addIssue({ code: 'custom', path: [Number(path.split('.')[1])], message })
})
const ReadableUpdate = UpdateSecurityPolicy.safeExtend({ ipAllowlist }).meta({
  ...UpdateSecurityPolicy.meta(), // An extended schema has no metadata of its own.
})
const ReadablePreview = PreviewSecurityPolicy.extend({ ipAllowlist })

export const securityPolicyRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'security:read',
      delegable: ['security'],
      openapi: { method: 'GET', path, tags, summary: 'Read how members may sign in' },
    })
    .input(TenantPath)
    .output(SecurityPolicyView)
    .query(({ ctx }) => getSecurityPolicy(ctx, ctx.access)),
  update: adminOrOperator
    .meta({
      scope: 'security:write',
      delegable: ['security'],
      openapi: { method: 'PATCH', path, tags, summary: 'Change how members may sign in' },
      audit: 'security_policy.updated',
      errors: [
        'edit_conflict',
        'policy_locks_out_caller',
        'policy_locks_out_admins',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(ReadableUpdate)
    .concat(recentSignIn)
    .output(SavedSecurityPolicy)
    .mutation(({ ctx, input }) => updateSecurityPolicy(ctx, ctx.access, input)),
  preview: adminOrOperator
    .meta({
      scope: 'security:read',
      delegable: ['security'],
      openapi: {
        method: 'POST',
        path: `${path}/preview`,
        tags,
        summary: 'Show whom a policy would affect',
      },
    })
    .input(ReadablePreview)
    .output(SecurityPolicyPreview)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.limits.take(ctx.request, [
        { limit: 'previews_minute', of: ctx.caller.subject, tenantId: ctx.access.tenant.id },
      ])
      return previewSecurityPolicy(ctx, ctx.access, input)
    }),
})
