import { expireBookings } from '@atrium/api/scheduling/bookings/expire'
import type { BookingsTestApp, TestHost } from '@atrium/testing/bookings-test-app'
import type { TestResponse } from '@atrium/testing/test-app'
import { offered, visit, wish } from '@atrium/testing/visitors'
import fc from 'fast-check'
import type { Slice } from './slice.ts'

/** Minutes since the beginning of the workplace's time. */
type Minute = number

interface ModelBooking {
  status: 'pending' | 'confirmed' | 'cancelled' | 'declined' | 'expired'
  start: Minute
  minutes: 30 | 60
  /** Until when the host can decide. */
  decideUntil: Minute | null
}

/**
 * One host, two event types, three visitors who hold times: what docs/reference/contract.md says of
 * them, without buffers, seats and limits.
 */
interface Model {
  now: Minute
  bookings: ModelBooking[]
  /** By visitor; those who never held one have no token either. */
  holds: Map<number, { offer: Offer; start: Minute; minutes: 30 | 60; until: Minute }>
}

interface Real {
  host: TestHost
  eventTypes: Record<Offer, string>
  /** Ids and manage tokens, in the order of the model's bookings. */
  bookings: { id: string; token: string }[]
  lockTokens: Map<number, string>
  now: Minute
}

/** `asks`: the host has to accept the booking, within two hours. */
type Offer = 'direct' | 'asks'

type Act =
  | { act: 'hold'; visitor: number; offer: Offer; slot: number; minutes: 30 | 60 }
  | { act: 'let go'; visitor: number }
  | { act: 'book'; visitor: number; offer: Offer; slot: number; minutes: 30 | 60 }
  | { act: 'move'; by: 'visitor' | 'host'; booking: number; slot: number }
  | { act: 'cancel'; by: 'visitor' | 'host'; booking: number }
  | { act: 'confirm' | 'decline'; booking: number }
  | { act: 'time passes'; minutes: number }
  | { act: 'job runs' }
  | { act: 'list'; minutes: 30 | 60 }

const slots = 8
/** The first slot begins an hour after the beginning. */
const startOf = (slot: number): Minute => 60 + 30 * slot
const holdMinutes = 5
const decideMinutes = 120

const visitor = fc.nat({ max: 2 })
const slot = fc.nat({ max: slots - 1 })
const offer = fc.constantFrom<Offer>('direct', 'asks')
const minutes = fc.constantFrom<30 | 60>(30, 60)
const booking = fc.nat({ max: 9 })
const by = fc.constantFrom<'visitor' | 'host'>('visitor', 'host')
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('book'), visitor, offer, slot, minutes }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('hold'), visitor, offer, slot, minutes }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('move'), by, booking, slot }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('cancel'), by, booking }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('confirm', 'decline'), booking }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('time passes'), minutes: fc.constantFrom(3, 5, 20) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('let go'), visitor }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('job runs') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('list'), minutes }) },
)

const overlaps = (
  one: { start: Minute; minutes: number },
  other: { start: Minute; minutes: number },
) => one.start < other.start + other.minutes && other.start < one.start + one.minutes
const isOpen = ({ status }: ModelBooking) => status === 'pending' || status === 'confirmed'
const undecided = (model: Model, { status, start, decideUntil }: ModelBooking) =>
  status === 'pending' && model.now < start && model.now < (decideUntil ?? Number.POSITIVE_INFINITY)
/** A request that can no longer be decided is free at once, before the job ends it. */
const takesTime = (model: Model, one: ModelBooking) =>
  one.status === 'confirmed' || undecided(model, one)
const isLive = (model: Model, one: ModelBooking) =>
  undecided(model, one) || (one.status === 'confirmed' && model.now < one.start + one.minutes)

/**
 * The response to a visitor who wants this time. `except`: its holder, and the booking that is to
 * move there.
 */
function requestedTime(
  model: Model,
  time: { start: Minute; minutes: number },
  except: { visitor?: number; booking?: ModelBooking } = {},
): 'ok' | 'too_soon' | 'slot_taken' | 'slot_locked' {
  if (time.start < model.now) return 'too_soon'
  if (
    model.bookings.some(
      (one) => one !== except.booking && takesTime(model, one) && overlaps(one, time),
    )
  )
    return 'slot_taken'
  const held = [...model.holds].some(
    ([who, hold]) => who !== except.visitor && hold.until > model.now && overlaps(hold, time),
  )
  return held ? 'slot_locked' : 'ok'
}

function hold(model: Model, act: Extract<Act, { act: 'hold' }>): string {
  const time = { start: startOf(act.slot), minutes: act.minutes }
  const said = requestedTime(model, time, { visitor: act.visitor })
  if (said === 'ok')
    model.holds.set(act.visitor, { ...time, offer: act.offer, until: model.now + holdMinutes })
  return said
}

function book(model: Model, act: Extract<Act, { act: 'book' }>): string {
  const time = { start: startOf(act.slot), minutes: act.minutes }
  const said = requestedTime(model, time, { visitor: act.visitor })
  const held = model.holds.get(act.visitor)
  if (said === 'slot_taken' || said === 'slot_locked') {
    const holds =
      held && held.offer === act.offer && held.start === time.start && held.until > model.now
    return held === undefined || holds ? said : 'lock_expired'
  }
  if (said !== 'ok') return said
  const asks = act.offer === 'asks'
  const decideUntil = asks ? Math.min(time.start, model.now + decideMinutes) : null
  model.bookings.push({ ...time, status: asks ? 'pending' : 'confirmed', decideUntil })
  // The token stays known to the visitor, and holds nothing any more.
  if (held) held.until = model.now
  return said
}

function move(model: Model, one: ModelBooking, act: Extract<Act, { act: 'move' }>): string {
  if (!isOpen(one)) return 'invalid_state'
  if (act.by === 'visitor' && model.now > one.start) return 'cutoff_passed'
  if (!isLive(model, one)) return 'invalid_state'
  const start = startOf(act.slot)
  if (start === one.start) return 'ok'
  const said = requestedTime(model, { start, minutes: one.minutes }, { booking: one })
  if (said === 'ok') {
    one.start = start
    // The host is asked again.
    if (one.decideUntil !== null) one.decideUntil = Math.min(start, model.now + decideMinutes)
  }
  return said
}

function cancel(model: Model, one: ModelBooking, act: Extract<Act, { act: 'cancel' }>): string {
  if (one.status === 'cancelled') return 'ok'
  if (!isOpen(one)) return 'invalid_state'
  if (act.by === 'visitor' && model.now > one.start) return 'cutoff_passed'
  if (!isLive(model, one)) return 'invalid_state'
  one.status = 'cancelled'
  return 'ok'
}

function freeStarts(model: Model, length: 30 | 60): Minute[] {
  return Array.from({ length: slots }, (_, n) => startOf(n)).filter(
    (start) => requestedTime(model, { start, minutes: length }) === 'ok',
  )
}

function expected(model: Model, act: Act): string {
  switch (act.act) {
    case 'hold':
      return hold(model, act)
    case 'let go': {
      const held = model.holds.get(act.visitor)
      if (held) held.until = model.now
      return 'ok'
    }
    case 'book':
      return book(model, act)
    case 'list':
      return freeStarts(model, act.minutes).join()
    case 'time passes':
      model.now += act.minutes
      return 'ok'
    case 'job runs':
      for (const one of model.bookings)
        if (one.status === 'pending' && !undecided(model, one)) one.status = 'expired'
      return 'ok'
    default:
      return onBooking(model, act)
  }
}

function onBooking(model: Model, act: Extract<Act, { booking: number }>): string {
  const one = model.bookings[act.booking % model.bookings.length]
  if (!one) return 'none'
  switch (act.act) {
    case 'move':
      return move(model, one, act)
    case 'cancel':
      return cancel(model, one, act)
    case 'confirm':
    case 'decline':
      if (!undecided(model, one)) return 'invalid_state'
      one.status = act.act === 'confirm' ? 'confirmed' : 'declined'
      return 'ok'
  }
}

const say = ({ status, body }: TestResponse) =>
  status >= 200 && status < 300 ? 'ok' : String(body?.code ?? status)

/**
 * Bookings of one host over the REST API, against what docs/reference/contract.md says of holding,
 * booking, moving, deciding and cancelling.
 */
export function bookingsSlice(testApp: BookingsTestApp): Slice<Model, Real, Act> {
  const instant = (minute: Minute) => new Date(testApp.at(0).getTime() + minute * 60_000)
  const asVisitor = (
    path: string,
    token: string | undefined,
    body: unknown,
    headers: Record<string, string> = {},
  ) => visit(testApp, 'POST', path, { body, headers, token })

  async function carryOut(real: Real, act: Act): Promise<string> {
    testApp.time.now = instant(real.now)
    switch (act.act) {
      case 'hold': {
        const held = real.lockTokens.get(act.visitor)
        const requested = {
          eventTypeId: real.eventTypes[act.offer],
          start: instant(startOf(act.slot)).toISOString(),
          duration: act.minutes,
        }
        const response = await asVisitor(
          '/slot-locks',
          undefined,
          requested,
          held ? { 'x-lock-token': held } : {},
        )
        if (response.status === 201) real.lockTokens.set(act.visitor, response.body.lockToken)
        return say(response)
      }
      case 'let go':
        return letGo(real, act.visitor)
      case 'book': {
        const lockToken = real.lockTokens.get(act.visitor)
        const fields = { duration: act.minutes, ...(lockToken ? { lockToken } : {}) }
        const response = await asVisitor(
          '/bookings',
          undefined,
          wish(real.eventTypes[act.offer], instant(startOf(act.slot)), fields),
        )
        if (response.status === 201)
          real.bookings.push({ id: response.body.booking.id, token: response.body.manageToken })
        return say(response)
      }
      case 'list': {
        const range = [real.eventTypes.direct, instant(0), instant(startOf(slots))] as const
        const starts = await offered(testApp, ...range, { query: `&duration=${act.minutes}` })
        const first = startOf(0)
        return starts
          .map((start) => (Date.parse(start) - testApp.at(0).getTime()) / 60_000)
          .filter((start) => start >= first)
          .join()
      }
      case 'time passes':
        real.now += act.minutes
        return 'ok'
      case 'job runs':
        await expireBookings(testApp.app.services)
        return 'ok'
      default:
        return actOnBooking(real, act)
    }
  }

  /** Only the visitor's token releases a hold, whatever its id is by now. */
  async function letGo(real: Real, who: number): Promise<string> {
    const lockToken = real.lockTokens.get(who)
    if (lockToken === undefined) return 'ok'
    const rows = await testApp.database.db
      .selectFrom('slot_locks')
      .select('lock_id')
      .where('host_id', '=', real.host.id)
      .execute()
    for (const { lock_id: id } of rows) {
      const response = await visit(testApp, 'DELETE', `/slot-locks/${id}`, {
        headers: { 'x-lock-token': lockToken },
      })
      if (response.status !== 204) return say(response)
    }
    return 'ok'
  }

  async function actOnBooking(real: Real, act: Extract<Act, { booking: number }>): Promise<string> {
    const one = real.bookings[act.booking % real.bookings.length]
    if (!one) return 'none'
    const byHost = async (path: string, body: object = {}) =>
      say(await testApp.act(await real.host.token(), 'POST', `/${one.id}${path}`, body))
    const byVisitor = (path: string, body: object = {}) =>
      asVisitor(`/manage/booking${path}`, one.token, body).then(say)
    switch (act.act) {
      case 'move': {
        const body = { start: instant(startOf(act.slot)).toISOString() }
        return act.by === 'host' ? byHost('/reschedule', body) : byVisitor('/reschedule', body)
      }
      case 'cancel':
        return act.by === 'host' ? byHost('/cancel', { reason: 'Ill' }) : byVisitor('/cancel')
      case 'confirm':
      case 'decline':
        return byHost(`/${act.act}`)
    }
  }

  return {
    name: 'bookings: hold, book, move, cancel, decide, expire, list',
    acts,
    async setup() {
      testApp.time.now = instant(0)
      const host = await testApp.newHost()
      const eventTypes = {
        direct: await testApp.newEventType(host),
        asks: await testApp.newEventType(host, {
          requires_confirmation: true,
          approval_hours: decideMinutes / 60,
        }),
      }
      return {
        model: { now: 0, bookings: [], holds: new Map() },
        real: { host, eventTypes, bookings: [], lockTokens: new Map(), now: 0 },
      }
    },
    expected,
    carryOut: (real, act) => carryOut(real, act),
    async compare(model, real) {
      const rows = await testApp.database.db
        .selectFrom('bookings as b')
        .innerJoin('booking_hosts as p', 'p.booking_id', 'b.id')
        .select(['b.id', 'b.status', 'b.start_at', 'b.end_at', 'p.active', 'p.claim_start'])
        .where('b.host_id', '=', real.host.id)
        .execute()
      // The claim of a request that can no longer be decided ends with it, or before where somebody
      // else claims its time.
      const claim = (one: ModelBooking | undefined, active: boolean) =>
        one && isOpen(one) && !takesTime(model, one) ? 'either' : active
      const found = real.bookings.map(({ id }, n) => {
        const row = rows.find((one) => one.id === id)
        const active = row && claim(model.bookings[n], row.active)
        return row && [row.status, row.start_at, row.end_at, active, row.claim_start]
      })
      const modelled = model.bookings.map((one) => {
        const start = instant(one.start)
        const active = claim(one, takesTime(model, one))
        return [one.status, start, instant(one.start + one.minutes), active, start]
      })
      return { modelled, found: rows.length === found.length ? found : rows }
    },
  }
}
