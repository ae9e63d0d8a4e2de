import { Bookkeeping, ExportBookkeeping, ReadBookkeeping } from '@atrium/core/billing/bookkeeping'
import { operator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { exportBookkeeping } from './export.ts'
import { getBookkeeping } from './read.ts'

const tags = ['billing']
const path = '/billing/bookkeeping/{month}' as const

/** The books of a month, for the accountant. */
export const bookkeepingRouter = router({
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path,
        tags,
        summary: "Compare a month's books with the payment processor's balance",
      },
    })
    .input(ReadBookkeeping)
    .output(Bookkeeping)
    .query(({ ctx, input }) => getBookkeeping(ctx.services, input)),
  export: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${path}/export`,
        tags,
        summary: 'Export a month as CSV or as a DATEV batch',
      },
      errors: ['not_found'],
      export: {
        fileName: 'bookkeeping',
        nameFields: ['month', 'currency', 'part'],
        formats: ['csv', 'datev'],
      },
    })
    .input(ExportBookkeeping)
    .query(({ ctx, input }) => exportBookkeeping(ctx, ctx.caller, input)),
})
