import type { CreateBooking, CreatedBooking, CreatedTenantBooking, CreateTenantBooking } from '@atrium/core/bookings'
import { AppError } from '@atrium/core/errors'
import { checkAnswers, phoneAnswer } from '@atrium/core/form-answers'
import type { BookingSource } from '@atrium/core/scheduling'
import { wallTimeOf } from '@atrium/core/time-zones'
import { type BookingRow, countLiveBookings, findBooking, insertBooking, insertBookingChange, newBookingId } from '@atrium/db/bookings'
import type { Trx } from '@atrium/db/connect'
import type { Keyring } from '@atrium/db/encryption'
import { type EventTypeRow, findEventType } from '@atrium/db/event-types'
import { hostsHeld } from '@atrium/db/slot-locks'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House, InTransaction } from '../house.ts'
import { refuseClosed } from '../tenants/open.ts'
import { limitedAddress } from '../visitor-address.ts'
import { actsForAll, requireHostAccess } from './access.ts'
import { type Bookable, bookableById, durationOf, hostsWhoTake } from './bookable.ts'
import { type Acting, actingAsHost, actingAsVisitor } from './booking-acting.ts'
import { answerDue } from './booking-change.ts'
import { bookingRequestOf, madeByRequest, onceForRequest } from './booking-request.ts'
import { toBooking, toTenantBooking } from './booking-view.ts'
import { forgetBusy } from './busy-times.ts'
import { reasonForHosts } from './calendar-reason.ts'
import { type Chosen, chooseHosts, nothingBusy, readBusyFor, type WantedStart } from './choose-hosts.ts'
import { withHostLocks, writeClaims } from './claim.ts'
import { bookingChanged, settleCalendar } from './effects.ts'
import { lookForConflict } from './host-conflict.ts'
import { takeAllowance } from './limits.ts'
import { hashOfLockToken } from './lock-token.ts'
import { type ManageToken, newManageToken, readManageToken } from './manage-token.ts'

type Wish = Pick<CreateBooking, 'start' | 'duration' | 'attendee' | 'guests' | 'answers' | 'note' | 'lockToken'> &
  Pick<WantedStart, 'ignoreNotice' | 'ignoreWindow'>

/**
 * A visitor's booking of what is on offer. The mail to the visitor and the entry in the hosts' calendars follow by themselves; the answer
 * waits up to five seconds for the calendars. Throws AppError `not_found`, `invalid_input`, `too_soon`, `outside_window`, `slot_taken`,
 * `slot_locked`, `lock_expired`, `limit_reached`, `calendar_unavailable`, `scheduling_not_configured`, `rate_limited`,
 * `idempotency_mismatch`; nothing is kept then. A request with an Idempotency-Key that comes again, while or after it
 * is carried out, gets the booking that it made, with its manage token.
 */
export async function bookAsVisitor(ctx: Context, input: CreateBooking): Promise<CreatedBooking> {
  const { house } = ctx
  const request = bookingRequestOf(ctx, limitedAddress(ctx), input)
  const allowed = async () => {
    await takeAllowance(ctx, 'bookings')
    const before = await madeByRequest(house, request)
    return before ? { before } : { bookable: await bookableById(house, input.eventTypeId) }
  }
  const { before, bookable } = await house.turns.take(`visitors of ${input.eventTypeId}`, allowed, crowd)
  if (before) return bookingAgain(house, before)
  ctx.request.line.tenant = bookable.page.tenantSlug
  const by: By = { source: 'public', acting: actingAsVisitor(ctx), requestHash: request?.hash }
  const done = await onceForRequest(ctx, request, () => book(house, bookable, input, by))
  if ('earlier' in done) return bookingAgain(house, done.earlier)
  const { booking, manageToken } = done.made
  house.background.run('look for a conflict in the calendar', () => lookForConflict(house, booking))
  return { booking: toBooking(booking), manageToken }
}

function bookingAgain(house: House, booking: BookingRow): CreatedBooking {
  return { booking: toBooking(booking), manageToken: manageTokenAgain(house, booking) }
}

/** Of a booking that was made before. Throws AppError `idempotency_answer_withheld` once the link's life is over. */
function manageTokenAgain({ config }: House, booking: BookingRow): string {
  const token = config.keyring && readManageToken(config.keyring, booking)
  if (!token) throw new AppError('idempotency_answer_withheld')
  return token
}

/**
 * The same by the tenant's own people, who need keep to neither notice nor booking window, nor to what is switched off; busy time, other
 * bookings and hours hold for them, too. Members book for the host that they are, admins for all. Throws AppError `not_admin`,
 * `host_not_connected`, `tenant_suspended`, `tenant_deleted` besides. An Idempotency-Key works as for visitors, per person.
 */
export async function bookForTenant(
  ctx: Context,
  access: Access,
  { slug: _, ...input }: CreateTenantBooking,
): Promise<CreatedTenantBooking> {
  const { house } = ctx
  refuseClosed(access.tenant.status)
  const eventType = await findEventType(house.database.db, input.eventTypeId)
  if (!eventType || eventType.tenantId !== access.tenant.id || eventType.removedAt) {
    throw new AppError('not_found', 'The tenant has no event type with this id.')
  }
  const hosts = await hostsWhoTake(house, eventType)
  if (hosts.length === 0) throw new AppError('invalid_state', 'The event type has no host who can take bookings.')
  if (!actsForAll(access)) for (const host of hosts) requireHostAccess(access, host)
  const request = bookingRequestOf(ctx, access.caller.subject, input)
  const by: By = { source: 'host', acting: actingAsHost(ctx, access.caller), requestHash: request?.hash }
  const done = await onceForRequest(ctx, request, () => book(house, { eventType, hosts }, input, by).catch(reasonForHosts))
  const booking = 'earlier' in done ? done.earlier : done.made.booking
  const manageToken = 'earlier' in done ? manageTokenAgain(house, booking) : done.made.manageToken
  const hostConflict = await lookForConflict(house, booking)
  return { booking: toTenantBooking(booking, house.clock.now()), manageToken, hostConflict }
}

/**
 * How many of those who want the same event type are looked at at once, per process. A thousand who come in one second would else wait for
 * the connections of the database so long that they are turned away as if it were down.
 */
const crowd = 16

interface By {
  source: BookingSource
  acting: Acting
  requestHash?: Buffer | undefined
}

/** In the order of docs/contract.md, scheduling: what is known without a calendar, the calendars, then everything again under the hosts' locks. */
async function book(house: House, { eventType, hosts }: Pick<Bookable, 'eventType' | 'hosts'>, wish: Wish, by: By) {
  const { keyring } = house.config
  if (!keyring) throw new AppError('scheduling_not_configured')
  const minutes = durationOf(eventType, wish.duration)
  const { issues, answers } = checkAnswers(eventType.fields, wish.answers)
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  const { lockToken, ignoreNotice, ignoreWindow } = wish
  const wanted: WantedStart = {
    ...{ eventType, hosts, minutes, start: Date.parse(wish.start), now: house.clock.now() },
    ...{ lockToken, ignoreNotice, ignoreWindow },
  }
  const claim = async () => {
    await chooseHosts(house.database.db, wanted, nothingBusy(wanted))
    const busy = await readBusyFor(house, wanted)
    return house.turns.take(`host ${hosts[0]?.id}`, async () => {
      // Whoever had the turn before has mostly taken the time: seen here, it costs no transaction.
      await chooseHosts(house.database.db, wanted, busy)
      return withHostLocks(
        house.database.db,
        hosts.map(({ id }) => id),
        async (trx) => {
          const current = { ...wanted, now: house.clock.now() }
          const chosen = await chooseHosts(trx, current, busy)
          return write(trx, house, keyring, { wish: { ...wish, answers }, wanted: current, chosen, by })
        },
      )
    })
  }
  try {
    const made = await house.turns.take(`bookings of ${eventType.id}`, claim, crowd)
    return { booking: await follow(house, made.id, by.acting), manageToken: made.manage.token }
  } catch (error) {
    throw await forHolder(house, wanted, error)
  }
}

interface Writing {
  wish: Wish
  wanted: WantedStart
  chosen: readonly Chosen[]
  by: By
}

async function write(
  trx: Trx,
  house: InTransaction,
  keyring: Keyring,
  { wish, wanted, chosen, by }: Writing,
): Promise<{ id: string; manage: ManageToken }> {
  const { eventType, minutes, start, now, lockToken } = wanted
  const [organizer] = chosen
  if (!organizer) throw new AppError('slot_taken')
  const { host, offer } = organizer
  if (by.source === 'public') await requireRoom(trx, host.id, eventType, wish.attendee.email, now)
  const id = await newBookingId(trx)
  const manage = newManageToken(keyring, id)
  const end = start + minutes * 60_000
  const pending = eventType.requiresConfirmation && by.source === 'public'
  const kind = pending ? 'requested' : 'confirmed'
  await insertBooking(trx, {
    ...{ id, tenant_id: eventType.tenantId, event_type_id: eventType.id, host_id: host.id, source: by.source },
    ...{ status: pending ? 'pending' : 'confirmed', uid: `${id}@${house.config.tenantDomain}`, title: eventType.title },
    ...{ start_at: new Date(start), end_at: new Date(end), before_minutes: eventType.beforeMinutes, after_minutes: eventType.afterMinutes },
    location_kind: eventType.locationKind,
    location: eventType.locationKind === 'visitor_phone' ? phoneAnswer(eventType.fields, wish.answers) : eventType.location,
    organizer: host.mailAddress,
    host_zone: offer.schedule.zone,
    host_wall: wallTimeOf(offer.schedule.zone, start),
    visitor_name: wish.attendee.name,
    visitor_email: wish.attendee.email,
    visitor_zone: wish.attendee.timeZone,
    visitor_locale: wish.attendee.locale,
    guests: wish.guests,
    answers: JSON.stringify(wish.answers),
    note: wish.note ?? null,
    // The tenant's own people answer for whom they invite.
    visitor_confirmed_at: by.source === 'host' ? now : null,
    manage_hash: manage.hash,
    manage_sealed: manage.sealed,
    request_hash: by.requestHash ?? null,
    approval_expires_at: pending ? answerDue(eventType, start, now) : null,
    confirmed_at: pending ? null : now,
    created_at: now,
    updated_at: now,
  })
  const hostIds = chosen.map((one) => one.host.id)
  await writeClaims(trx, { booking: { id }, eventType, start, end, lockToken, now }, hostIds)
  const { by: party, actorId } = by.acting
  await insertBookingChange(trx, id, { kind, by: party, actorId, toStart: new Date(start), at: now })
  await bookingChanged(trx, house, { bookingId: id, kind })
  return { id, manage }
}

/** One visitor does not fill a host's days. */
async function requireRoom(
  trx: Trx,
  hostId: string,
  { bookingsPerVisitor: most }: Pick<EventTypeRow, 'bookingsPerVisitor'>,
  email: string,
  now: Date,
): Promise<void> {
  if (most === null || (await countLiveBookings(trx, hostId, email, now)) < most) return
  const bookings = most === 1 ? 'one upcoming booking' : `${most} upcoming bookings`
  throw new AppError('limit_reached', `You can have ${bookings} with this host. Cancel one, or book after it. The host can allow more.`)
}

/** After the commit: nothing from here on takes the booking back. */
async function follow(house: House, id: string, acting: Acting): Promise<BookingRow> {
  const made = await findBooking(house.database.db, id)
  if (!made) throw new Error(`the booking ${id} has vanished`)
  await acting.record(made, made.status === 'pending' ? 'booking.requested' : 'booking.confirmed', { by: acting.by })
  for (const { hostId } of made.hosts) forgetBusy(house, hostId)
  await settleCalendar(house, id)
  return (await findBooking(house.database.db, id)) ?? made
}

/** Whoever held the time and let it run out is told that, when it has gone. */
async function forHolder(house: House, { eventType, start, lockToken }: WantedStart, error: unknown): Promise<unknown> {
  const gone = error instanceof AppError && (error.code === 'slot_taken' || error.code === 'slot_locked')
  if (!gone || lockToken === undefined) return error
  const held = await hostsHeld(house.database.db, hashOfLockToken(lockToken), eventType.id, new Date(start), house.clock.now())
  return held.length > 0 ? error : new AppError('lock_expired', undefined, { cause: error })
}
