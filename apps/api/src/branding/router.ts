import {
  BrandingPreview,
  BrandingView,
  GetBranding,
  PreviewBranding,
  UpdateBranding,
} from '@atrium/core/branding/branding'
import { adminOrOperator, memberOrOperator } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { getBranding } from './get.ts'
import { previewBranding } from './preview.ts'
import { updateBranding } from './update.ts'

const tags = ['branding']

export const brandingRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'branding:read',
      delegable: ['branding'],
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/branding',
        tags,
        summary: 'Read branding and message templates',
      },
    })
    .input(GetBranding)
    .output(BrandingView)
    .query(({ ctx, input }) => getBranding(ctx.services, ctx.access.tenant.id, input)),
  update: adminOrOperator
    .meta({
      scope: 'branding:write',
      delegable: ['branding'],
      openapi: {
        method: 'PUT',
        path: '/tenants/{slug}/branding',
        tags,
        summary: 'Change branding and message templates',
      },
      audit: 'branding.updated',
      errors: ['edit_conflict', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(UpdateBranding)
    .output(BrandingView)
    .mutation(({ ctx, input }) => updateBranding(ctx, ctx.access, input)),
  // A mutation by its method alone: a draft is too long for an address. It changes nothing.
  preview: adminOrOperator
    .meta({
      scope: 'branding:read',
      delegable: ['branding'],
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/branding/preview',
        tags,
        summary: 'Render a message with sample data',
      },
    })
    .input(PreviewBranding)
    .output(BrandingPreview)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.limits.take(ctx.request, [
        { limit: 'previews_minute', of: ctx.caller.subject, tenantId: ctx.access.tenant.id },
      ])
      return previewBranding(ctx.services, ctx.access.tenant.id, input)
    }),
})
