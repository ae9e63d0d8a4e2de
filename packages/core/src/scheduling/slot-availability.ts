import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { calendarDate, instant } from '../platform/text.ts'
import { bookingDuration, bookingStart } from './bookings.ts'
import { timeZoneName } from './scheduling.ts'
import { explanationRules } from './slot-explanation.ts'

const day = calendarDate()
/** An instant, or a date that is read in the zone of the question. */
const edge = z
  .string()
  .refine(
    (value) => instant.safeParse(value).success || day.safeParse(value).success,
    says('dateOrTime'),
  )
  .meta({ openapi: { anyOf: [{ format: 'date' }, { format: 'date-time' }] } })

/**
 * `[from, to)` for instants; a bare date as `to` is included. `rescheduleOf` is the id of a booking
 * whose manage token the request bears: its own time is then free. A lock of the visitor's own
 * comes in the header `X-Lock-Token`, because addresses are logged.
 */
export const GetSlots = z.strictObject({
  id: z.uuid(),
  from: edge,
  to: edge,
  timeZone: timeZoneName,
  duration: bookingDuration.optional(),
  rescheduleOf: z.uuid().optional(),
})
export type GetSlots = z.infer<typeof GetSlots>

/**
 * Where a booking can be moved to by its host: `[from, to)` as for visitors. Without `duration` it
 * stays as it is.
 */
export const GetMoveSlots = z.strictObject({
  slug: z.string().max(200),
  bookingId: z.uuid(),
  from: edge,
  to: edge,
  timeZone: timeZoneName,
  duration: bookingDuration.optional(),
})
export type GetMoveSlots = z.infer<typeof GetMoveSlots>

export const SlotView = z.object({
  /** In UTC, as every instant. */
  start: instant,
  end: instant,
  /** Places that are left; only where several visitors may share a start. */
  seatsLeft: z.number().int().optional(),
})
export type SlotView = z.infer<typeof SlotView>

/**
 * Dates are those of `timeZone`: every existing date of the range, also without slots, each
 * ascending. A response with very many starts ends before a date, `nextFrom`: continue with it as
 * `from` and the same `to`.
 */
export const SlotsView = z.object({
  timeZone: z.string(),
  /** In minutes. */
  duration: z.number().int(),
  from: instant,
  to: instant,
  slots: z.record(z.string(), z.array(SlotView)),
  /** The first date omitted to limit the response; null when it covers the whole range. */
  nextFrom: z.string().nullable(),
  generatedAt: instant,
})
export type SlotsView = z.infer<typeof SlotsView>

const tenantSlug = z.string().max(200)

export const ExplainSlot = z.strictObject({
  slug: tenantSlug,
  eventTypeId: z.uuid(),
  start: bookingStart,
  duration: bookingDuration.optional(),
})
export type ExplainSlot = z.infer<typeof ExplainSlot>

/**
 * Per host the rules in the order in which they are looked at. `offered` is what visitors see: for
 * round robin one host is enough.
 */
export const SlotExplanation = z.object({
  start: instant,
  duration: z.number().int(),
  offered: z.boolean(),
  hosts: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      offered: z.boolean(),
      rules: z.array(
        z.object({ rule: z.enum(explanationRules), passed: z.boolean(), detail: z.string() }),
      ),
    }),
  ),
})
export type SlotExplanation = z.infer<typeof SlotExplanation>

/**
 * A lock that the visitor holds already, named in the header `X-Lock-Token`, is given back for the
 * new one, which has the same token. A token may be chosen before the first lock: 32 random bytes
 * as base64url. `rescheduleOf` as for slots: the time is held for the move of that booking.
 */
export const TakeSlotLock = z.strictObject({
  eventTypeId: z.uuid(),
  start: bookingStart,
  duration: bookingDuration.optional(),
  rescheduleOf: z.uuid().optional(),
})
export type TakeSlotLock = z.infer<typeof TakeSlotLock>

/** `lockToken` is returned only once: it identifies the holder of the time. */
export const TakenSlotLock = z.object({
  id: z.uuid(),
  lockToken: z.string(),
  start: instant,
  end: instant,
  expiresAt: instant,
})
export type TakenSlotLock = z.infer<typeof TakenSlotLock>

/** For the description of the API: who holds a time shows it by this header. */
export const LockTokenHeader = z.object({ 'X-Lock-Token': z.string().optional() })

export const SlotLockPath = z.strictObject({ id: z.uuid() })
export type SlotLockPath = z.infer<typeof SlotLockPath>

export const RenewedSlotLock = z.object({ expiresAt: instant })
export type RenewedSlotLock = z.infer<typeof RenewedSlotLock>
