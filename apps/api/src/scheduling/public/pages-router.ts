import {
  GetEventTypePage,
  GetHostPage,
  GetTenantPage,
  PublicEventTypePage,
  PublicHostPage,
  PublicTenantPage,
} from '@atrium/core/scheduling/booking-pages'
import { publicProcedure } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { getEventTypePage, getHostPage, getTenantPage } from './pages.ts'

const tags = ['booking pages']
const path = '/api/v1/pages/{tenantSlug}'

export const pagesRouter = router({
  tenant: publicProcedure
    .meta({
      openapi: {
        method: 'GET',
        path,
        tags,
        protect: false,
        summary: 'Read a tenant with the hosts that can be booked',
      },
      errors: ['not_found', 'rate_limited'],
    })
    .input(GetTenantPage)
    .output(PublicTenantPage)
    .query(({ ctx, input }) => getTenantPage(ctx, input.tenantSlug)),
  host: publicProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/{hostSlug}`,
        tags,
        protect: false,
        summary: 'Read a host with their event types',
      },
      errors: ['not_found', 'rate_limited'],
    })
    .input(GetHostPage)
    .output(PublicHostPage)
    .query(({ ctx, input }) => getHostPage(ctx, input)),
  eventType: publicProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/{hostSlug}/{eventSlug}`,
        tags,
        protect: false,
        summary: 'Read what can be booked, with its form',
      },
      errors: ['not_found', 'rate_limited'],
    })
    .input(GetEventTypePage)
    .output(PublicEventTypePage)
    .query(({ ctx, input }) => getEventTypePage(ctx, input)),
})
