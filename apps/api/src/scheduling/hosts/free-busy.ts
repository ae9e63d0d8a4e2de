import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { FreeBusyView, HostFreeBusy } from '@atrium/core/scheduling/hosts'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { Span } from '@atrium/core/scheduling/slots'
import { joinSpans } from '@atrium/core/scheduling/spans'
import { bookedSpansOf } from '@atrium/db/scheduling/hosts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readBusy } from '../calendars/busy-times.ts'
import { requireKeyring } from './open.ts'
import { readHostRecord } from './view.ts'

const dayMs = 86_400_000

/**
 * When the host is not free: calendar and bookings in one, without saying which. Throws AppError
 * `not_found`, `range_too_long`, `invalid_input`, `host_not_connected`, `calendar_unavailable`.
 */
export async function hostFreeBusy(
  { services }: Context,
  { tenant }: Access,
  input: HostFreeBusy,
): Promise<FreeBusyView> {
  requireKeyring(services)
  const span = rangeOf(input)
  const { db } = services.database
  const host = await readHostRecord(services, tenant.id, input.hostId)
  if (host.credentialSource === null) throw new AppError('host_not_connected')
  const busy = (await readBusy(services, [host], span, { fresh: false })).get(host.id) ?? []
  const booked = await bookedSpansOf(db, host.id, span)
  const periods = joinSpans([...busy, ...booked], span)
  return {
    from: iso(span.start),
    to: iso(span.end),
    zone: host.zone,
    busy: periods.map(({ start, end }) => ({ start: iso(start), end: iso(end) })),
  }
}

const iso = (instant: number) => new Date(instant).toISOString()

function rangeOf({ from, to }: HostFreeBusy): Span {
  const span = { start: Date.parse(from), end: Date.parse(to) }
  if (span.end <= span.start) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'to', message: errorText('rangeEnd') }],
    })
  }
  if (span.end - span.start > schedulingLimits.rangeDays * dayMs) {
    const message = errorText('rangeTooLong', { rangeDays: schedulingLimits.rangeDays })
    throw new AppError('range_too_long', message, { issues: [{ path: 'to', message }] })
  }
  return span
}
