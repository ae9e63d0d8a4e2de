import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type {
  CreateBooking,
  CreatedBooking,
  CreatedTenantBooking,
  CreateTenantBooking,
} from '@atrium/core/scheduling/bookings'
import { checkAnswers, enteredPhone } from '@atrium/core/scheduling/form-answers'
import type { BookingSource } from '@atrium/core/scheduling/scheduling'
import { wallTimeOf } from '@atrium/core/scheduling/time-zones'
import type { Trx } from '@atrium/db/platform/connect'
import type { Keyring } from '@atrium/db/platform/encryption'
import {
  type BookingRow,
  findBooking,
  insertBooking,
  insertBookingChange,
  newBookingId,
} from '@atrium/db/scheduling/bookings'
import { findEventType } from '@atrium/db/scheduling/event-types'
import { hostsHeld } from '@atrium/db/scheduling/slot-locks'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectClosed } from '../../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { limitedAddress } from '../../rpc/visitor-address.ts'
import { takeAllowance } from '../../rpc/visitor-limits.ts'
import { canActForAll, requireHostAccess } from '../access.ts'
import { type Actor, hostActor, visitorActor } from '../bookings/actor.ts'
import { withHostLocks, writeClaims } from '../bookings/claim.ts'
import { queueEffects } from '../bookings/effects.ts'
import { findConflict } from '../bookings/host-conflict.ts'
import { confirmationDue } from '../bookings/state.ts'
import { settleTransition, type Transition } from '../bookings/transition.ts'
import { toBooking, toTenantBooking } from '../bookings/view.ts'
import { withHosts } from '../calendars/invitation.ts'
import { reasonForHosts } from '../calendars/reason.ts'
import { type Bookable, bookableById, durationOf, hostsWhoTake } from '../slots/bookable.ts'
import {
  type Chosen,
  chooseHosts,
  nothingBusy,
  type RequestedStart,
  readBusyFor,
} from '../slots/choose-hosts.ts'
import { hashOfLockToken } from '../slots/lock-token.ts'
import { requireCapacity } from '../slots/visitor-capacity.ts'
import { bookingRequestOf, madeByRequest, onceForRequest } from './booking-request.ts'
import { type ManageToken, newManageToken, readManageToken } from './manage-token.ts'

type BookingInput = Pick<
  CreateBooking,
  'start' | 'duration' | 'attendee' | 'guests' | 'answers' | 'note' | 'lockToken'
> &
  Pick<RequestedStart, 'ignoreNotice' | 'ignoreWindow'>

/**
 * Creates a visitor's booking of an offered time. The mail to the visitor and the entries in the
 * hosts' calendars follow in the background; the response waits up to five seconds for the
 * calendars. Throws AppError `not_found`, `invalid_input`, `too_soon`, `outside_window`,
 * `slot_taken`, `slot_locked`, `lock_expired`, `limit_reached`, `calendar_unavailable`,
 * `scheduling_not_configured`, `rate_limited`, `idempotency_mismatch`; nothing is stored then. A
 * repeated request with the same Idempotency-Key, during or after the first, gets the booking that
 * it made, with its manage token.
 */
export async function bookAsVisitor(ctx: Context, input: CreateBooking): Promise<CreatedBooking> {
  const { services } = ctx
  const request = bookingRequestOf(ctx, limitedAddress(ctx), input)
  const allowed = async () => {
    await takeAllowance(ctx, 'bookings')
    const before = await madeByRequest(services, request)
    return before ? { before } : { bookable: await bookableById(services, input.eventTypeId) }
  }
  const { before, bookable } = await services.keyedLimiter.take(
    `visitors of ${input.eventTypeId}`,
    allowed,
    visitorConcurrency,
  )
  if (before) return bookingAgain(services, before)
  ctx.request.logFields.tenant = bookable.page.tenantSlug
  const by: By = { source: 'public', actor: visitorActor(ctx), requestHash: request?.hash }
  const done = await onceForRequest(ctx, request, () => book(services, bookable, input, by))
  if ('earlier' in done) return bookingAgain(services, done.earlier)
  const { booking, manageToken } = done.made
  services.background.run('look for a conflict in the calendar', () =>
    findConflict(services, booking),
  )
  return { booking: toBooking(booking), manageToken }
}

function bookingAgain(services: Services, booking: BookingRow): CreatedBooking {
  return { booking: toBooking(booking), manageToken: manageTokenAgain(services, booking) }
}

/**
 * Of a booking that was made before. Throws AppError `idempotency_answer_withheld` once the link's
 * life is over.
 */
function manageTokenAgain({ config }: Services, booking: BookingRow): string {
  const token = config.keyring && readManageToken(config.keyring, booking)
  if (!token) throw new AppError('idempotency_answer_withheld')
  return token
}

/**
 * The same by the tenant's own people, who need keep to neither notice nor booking window, nor to
 * what is switched off; busy time, other bookings and hours hold for them, too. Members book for
 * the host that they are, admins for all. Throws AppError `not_admin`, `host_not_connected`,
 * `tenant_suspended`, `tenant_deleted` besides. An Idempotency-Key works as for visitors, per
 * person.
 */
export async function bookForTenant(
  ctx: Context,
  access: Access,
  { slug: _, ...input }: CreateTenantBooking,
): Promise<CreatedTenantBooking> {
  const { services } = ctx
  rejectClosed(access.tenant.status)
  const eventType = await findEventType(services.database.db, input.eventTypeId)
  if (!eventType || eventType.tenantId !== access.tenant.id || eventType.removedAt) {
    throw new AppError('not_found', errorText('unknownEventTypeId'))
  }
  const hosts = await hostsWhoTake(services.database.db, eventType)
  if (hosts.length === 0) throw new AppError('invalid_state', errorText('eventTypeWithoutHost'))
  if (!canActForAll(access)) for (const host of hosts) requireHostAccess(access, host)
  const request = bookingRequestOf(ctx, access.caller.subject, input)
  const by: By = {
    source: 'host',
    actor: hostActor(ctx, access),
    requestHash: request?.hash,
  }
  const done = await onceForRequest(ctx, request, () =>
    book(services, { eventType, hosts }, input, by).catch(reasonForHosts),
  )
  const booking = 'earlier' in done ? done.earlier : done.made.booking
  const manageToken =
    'earlier' in done ? manageTokenAgain(services, booking) : done.made.manageToken
  const hostConflict = await findConflict(services, booking)
  return { booking: toTenantBooking(booking, services.clock.now()), manageToken, hostConflict }
}

/**
 * How many of those who want the same event type are looked at at once, per process. A thousand who
 * come in one second would else wait for the connections of the database so long that they are
 * turned away as if it were down.
 */
const visitorConcurrency = 16

interface By {
  source: BookingSource
  actor: Actor
  requestHash?: Buffer | undefined
}

/**
 * In the order of docs/reference/contract.md, scheduling: what is known without a calendar, the
 * calendars, then everything again under the hosts' locks.
 */
async function book(
  services: Services,
  { eventType, hosts }: Pick<Bookable, 'eventType' | 'hosts'>,
  request: BookingInput,
  by: By,
) {
  const { keyring } = services.config
  if (!keyring) throw new AppError('scheduling_not_configured')
  const minutes = durationOf(eventType, request.duration)
  const { issues, answers } = checkAnswers(eventType.fields, request.answers)
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  const { lockToken, ignoreNotice, ignoreWindow } = request
  const requested: RequestedStart = {
    eventType,
    hosts,
    minutes,
    start: Date.parse(request.start),
    now: services.clock.now(),
    lockToken,
    ignoreNotice,
    ignoreWindow,
  }
  const claim = async () => {
    await chooseHosts(services.database.db, requested, nothingBusy(requested))
    const busy = await readBusyFor(services, requested)
    return services.keyedLimiter.take(`host ${hosts[0]?.id}`, async () => {
      // The previous holder of the slot has usually taken the time: detecting it here saves a
      // transaction.
      await chooseHosts(services.database.db, requested, busy)
      return withHostLocks(
        services.database.db,
        hosts.map(({ id }) => id),
        async (trx) => {
          await by.actor.rejectFormer?.(trx, hosts)
          const current = { ...requested, now: services.clock.now() }
          const chosen = await chooseHosts(trx, current, busy)
          return write(trx, services, keyring, {
            request: { ...request, answers },
            requested: current,
            chosen,
            by,
          })
        },
      )
    })
  }
  try {
    const made = await services.keyedLimiter.take(
      `bookings of ${eventType.id}`,
      claim,
      visitorConcurrency,
    )
    return { booking: await settleTransition(services, made), manageToken: made.manage.token }
  } catch (error) {
    throw await forHolder(services, requested, error)
  }
}

interface Writing {
  request: BookingInput
  requested: RequestedStart
  chosen: readonly Chosen[]
  by: By
}

async function write(
  trx: Trx,
  services: InTransaction,
  keyring: Keyring,
  { request, requested, chosen, by }: Writing,
): Promise<Transition & { manage: ManageToken }> {
  const { eventType, minutes, start, now, lockToken } = requested
  const [organizer] = chosen
  if (!organizer) throw new AppError('slot_taken')
  const { host, offer } = organizer
  if (by.source === 'public')
    await requireCapacity(trx, host.id, eventType, request.attendee.email, now)
  const id = await newBookingId(trx)
  const uid = `${id}@${services.config.tenantDomain}`
  const manage = newManageToken(keyring, id)
  const end = start + minutes * 60_000
  const pending = eventType.requiresConfirmation && by.source === 'public'
  const kind = pending ? 'requested' : 'confirmed'
  await insertBooking(trx, {
    id,
    tenant_id: eventType.tenantId,
    event_type_id: eventType.id,
    host_id: host.id,
    source: by.source,
    status: pending ? 'pending' : 'confirmed',
    uid,
    title: eventType.title,
    // Its mail is a REQUEST, and every change from then on needs a higher sequence.
    invited: !pending,
    start_at: new Date(start),
    end_at: new Date(end),
    before_minutes: eventType.beforeMinutes,
    after_minutes: eventType.afterMinutes,
    location_kind: eventType.locationKind,
    location:
      eventType.locationKind === 'visitor_phone'
        ? enteredPhone(eventType.fields, request.answers)
        : eventType.location,
    organizer: host.mailAddress,
    host_zone: offer.schedule.zone,
    host_wall: wallTimeOf(offer.schedule.zone, start),
    visitor_name: request.attendee.name,
    visitor_email: request.attendee.email,
    visitor_zone: request.attendee.timeZone,
    visitor_locale: request.attendee.locale,
    guests: request.guests,
    answers: JSON.stringify(request.answers),
    note: request.note ?? null,
    // The tenant's own staff is responsible for whom they invite.
    visitor_confirmed_at: by.source === 'host' ? now : null,
    manage_hash: manage.hash,
    manage_sealed: manage.sealed,
    request_hash: by.requestHash ?? null,
    approval_expires_at: pending ? confirmationDue(eventType, start, now) : null,
    confirmed_at: pending ? null : now,
    created_at: now,
    updated_at: now,
  })
  const hostIds = chosen.map((one) => one.host.id)
  await writeClaims(trx, { booking: { id, uid }, eventType, start, end, lockToken, now }, hostIds)
  const { actor } = by
  await insertBookingChange(
    trx,
    { id, tenantId: eventType.tenantId },
    {
      kind,
      by: actor.by,
      actorId: actor.actorId,
      toStart: new Date(start),
      at: now,
    },
  )
  const booking = await findBooking(trx, id)
  if (!booking) throw new Error(`the booking ${id} has vanished`)
  await queueEffects(trx, services, { ...(await withHosts(trx, booking)), event: kind, actor })
  const action = pending ? 'booking.requested' : 'booking.confirmed'
  await actor.record(trx, booking, action, { by: actor.by })
  // The callers look for a conflict: some wait for the outcome.
  return { booking, effects: { hostIds, findConflict: false }, manage }
}

/** A visitor whose hold expired learns that when the time is gone. */
async function forHolder(
  services: Services,
  { eventType, start, lockToken }: RequestedStart,
  error: unknown,
): Promise<unknown> {
  const gone =
    error instanceof AppError && (error.code === 'slot_taken' || error.code === 'slot_locked')
  if (!gone || lockToken === undefined) return error
  const held = await hostsHeld(
    services.database.db,
    hashOfLockToken(lockToken),
    eventType.id,
    new Date(start),
    services.clock.now(),
  )
  return held.length > 0 ? error : new AppError('lock_expired', undefined, { cause: error })
}
