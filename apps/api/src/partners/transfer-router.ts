import {
  CreatedTransferCode,
  LeavePartner,
  TransferCodeView,
  TransferOffer,
  TransferRequest,
} from '@atrium/core/partners/transfers'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { ownerOrOperator, partnerManager } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { acceptTransfer, previewTransfer } from './accept-transfer.ts'
import { leavePartner } from './leave.ts'
import { createTransferCode, getTransferCode, revokeTransferCode } from './transfer-code.ts'

const tags = ['partners']
const code = '/tenants/{slug}/transfer-code' as const
const transfers = '/partners/{slug}/transfers' as const

export const partnerTransfersRouter = router({
  getCode: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: { method: 'GET', path: code, tags, summary: 'See whether a transfer code is valid' },
    })
    .input(TenantPath)
    .output(TransferCodeView.nullable())
    .query(({ ctx }) => getTransferCode(ctx, ctx.access)),
  createCode: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: code,
        tags,
        summary: 'Create the code with which a partner takes the tenant over',
      },
      creates: true,
      audit: 'partner_transfer.code_created',
      secretResponse: true,
      errors: ['tenant_suspended', 'tenant_deleted'],
    })
    .input(TenantPath)
    .concat(recentSignIn)
    .output(CreatedTransferCode)
    .mutation(({ ctx }) => createTransferCode(ctx, ctx.access)),
  revokeCode: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: { method: 'DELETE', path: code, tags, summary: 'Revoke the transfer code' },
      audit: 'partner_transfer.code_revoked',
    })
    .input(TenantPath)
    .output(z.void())
    .mutation(({ ctx }) => revokeTransferCode(ctx, ctx.access)),
  leave: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: '/tenants/{slug}/partner',
        tags,
        summary: 'Leave the partner that manages the tenant',
      },
      audit: 'partner_transfer.left',
      errors: ['partner_unavailable', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(LeavePartner)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx }) => leavePartner(ctx, ctx.access)),
  preview: partnerManager
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${transfers}/preview`,
        tags,
        summary: 'See whom a transfer code brings',
      },
      errors: ['already_exists'],
    })
    .input(TransferRequest)
    .output(TransferOffer)
    .mutation(({ ctx, input }) => previewTransfer(ctx, ctx.partnerAccess, input)),
  accept: partnerManager
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: transfers,
        tags,
        summary: 'Take over the customer of a transfer code',
      },
      audit: 'partner_transfer.accepted',
      errors: ['already_exists', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(TransferRequest)
    .concat(recentSignIn)
    .output(TransferOffer)
    .mutation(({ ctx, input }) => acceptTransfer(ctx, ctx.partnerAccess, input)),
})
