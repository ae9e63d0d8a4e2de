import { GetImport, ImportPath, ImportView, StartImport } from '@atrium/core/members/member-import'
import { adminOrOperator } from '../rpc/guards.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { getImport, importsAdmins, resumeImport, startImport } from './import.ts'

const tags = ['members']
const imports = '/tenants/{slug}/user-imports' as const

/** Imports of many members. */
export const memberImportsRouter = router({
  startImport: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      recentSignIn: 'when a row makes an admin and it is no dry run',
      openapi: {
        method: 'POST',
        path: imports,
        tags,
        summary: 'Create members from CSV, or judge the rows',
      },
      audit: 'member.imported',
      errors: [
        'on_behalf_excluded',
        'email_taken',
        'seats_exhausted',
        'tenant_suspended',
        'tenant_deleted',
        'domain_not_verified',
        'member_busy',
        'integration_off',
        'billing_limited',
      ],
    })
    .input(StartImport)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => importsAdmins(input))
      return next()
    })
    .output(ImportView)
    .mutation(({ ctx, input }) => startImport(ctx, ctx.access, input)),
  getImport: adminOrOperator
    .meta({
      scope: 'members:read',
      delegable: ['members'],
      openapi: { method: 'GET', path: `${imports}/{importId}`, tags, summary: 'Follow an import' },
    })
    .input(GetImport)
    .output(ImportView)
    .query(({ ctx, input }) => getImport(ctx, ctx.access, input)),
  resumeImport: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${imports}/{importId}/resume`,
        tags,
        summary: 'Go on with a stopped import',
      },
      audit: 'member.imported',
      errors: [
        'on_behalf_excluded',
        'tenant_suspended',
        'tenant_deleted',
        'member_busy',
        'domain_not_verified',
        'integration_off',
        'email_taken',
        'billing_limited',
        'seats_exhausted',
      ],
    })
    .input(ImportPath)
    .output(ImportView)
    .mutation(({ ctx, input }) => resumeImport(ctx, ctx.access, input.importId)),
})
