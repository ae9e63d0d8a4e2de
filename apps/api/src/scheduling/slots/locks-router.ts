import {
  LockTokenHeader,
  RenewedSlotLock,
  SlotLockPath,
  TakenSlotLock,
  TakeSlotLock,
} from '@atrium/core/scheduling/slot-availability'
import { z } from 'zod'
import { publicProcedure } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { lockSlot, releaseLock, renewLock } from './locks.ts'

const shared = { tags: ['booking'], protect: false, requestHeaders: LockTokenHeader }
const one = '/api/v1/slot-locks/{id}'

/** The caller proves to be the holder by the header `X-Lock-Token`. */
export const locksRouter = router({
  take: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/v1/slot-locks',
        ...shared,
        summary: 'Hold a time for five minutes',
      },
      secretResponse: true,
      visitors: 'locks',
      errors: [
        'slot_taken',
        'slot_locked',
        'not_found',
        'too_soon',
        'outside_window',
        'calendar_unavailable',
      ],
    })
    .input(TakeSlotLock)
    .output(TakenSlotLock)
    .mutation(({ ctx, input }) => lockSlot(ctx, input)),
  renew: publicProcedure
    .meta({
      openapi: { method: 'PATCH', path: one, ...shared, summary: 'Hold a time for longer' },
      errors: ['not_found', 'lock_expired', 'limit_reached', 'rate_limited'],
    })
    .input(SlotLockPath)
    .output(RenewedSlotLock)
    .mutation(({ ctx, input }) => renewLock(ctx, input.id)),
  release: publicProcedure
    .meta({
      openapi: { method: 'DELETE', path: one, ...shared, summary: 'Give a held time back' },
      errors: ['rate_limited'],
    })
    .input(SlotLockPath)
    .output(z.void())
    .mutation(({ ctx, input }) => releaseLock(ctx, input.id)),
})
