import { CheckedBillingInfo, UpdateBillingInfo } from '@atrium/core/billing/billing-info'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { adminOrOperator, memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { getBillingInfo } from './get.ts'
import { updateBillingInfo } from './update.ts'

const tags = ['billing info']
const path = '/tenants/{slug}/billing-info' as const

export const billingInfoRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path,
        tags,
        summary: 'Read whom invoices go to, with what is known of the VAT number',
      },
    })
    .input(TenantPath)
    .output(CheckedBillingInfo)
    .query(({ ctx }) => getBillingInfo(ctx, ctx.access)),
  update: adminOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: { method: 'PATCH', path, tags, summary: 'Change whom invoices go to' },
      audit: 'billing_info.updated',
      errors: ['edit_conflict', 'tenant_deleted'],
    })
    .input(UpdateBillingInfo)
    .output(CheckedBillingInfo)
    .mutation(({ ctx, input }) => updateBillingInfo(ctx, ctx.access, input)),
})
