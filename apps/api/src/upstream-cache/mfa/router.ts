import { MfaStatus, ReadMfaStatus } from '@atrium/core/upstream-cache/mfa'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { readMfaStatus } from './status.ts'

export const mfaRouter = router({
  status: memberOrOperator
    .meta({
      scope: 'members:read',
      delegable: ['members', 'security'],
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/mfa-status',
        tags: ['mfa'],
        summary: 'See who has a second factor',
      },
    })
    .input(ReadMfaStatus)
    .output(MfaStatus)
    .query(({ ctx, input }) => readMfaStatus(ctx, ctx.access, input)),
})
