import {
  ExplainSlot,
  GetSlots,
  LockTokenHeader,
  SlotExplanation,
  SlotsView,
} from '@atrium/core/scheduling/slot-availability'
import { memberOrOperator, publicProcedure } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { explainSlot } from './explain.ts'
import { getSlots } from './slots.ts'

export const slotsRouter = router({
  list: publicProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/v1/event-types/{id}/slots',
        tags: ['booking'],
        protect: false,
        requestHeaders: LockTokenHeader,
        summary: 'List the times that can be booked',
      },
      errors: ['range_too_long', 'slot_taken', 'not_found', 'rate_limited', 'calendar_unavailable'],
    })
    .input(GetSlots)
    .output(SlotsView)
    .query(({ ctx, input }) => getSlots(ctx, input)),
  explain: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: {
        method: 'GET',
        path: '/api/v1/tenants/{slug}/event-types/{eventTypeId}/explain',
        tags: ['event types'],
        summary: 'Read why a time is on offer or is not',
      },
      errors: ['calendar_unavailable', 'host_not_connected', 'scheduling_not_configured'],
    })
    .input(ExplainSlot)
    .output(SlotExplanation)
    .query(({ ctx, input }) => explainSlot(ctx, ctx.access, input)),
})
