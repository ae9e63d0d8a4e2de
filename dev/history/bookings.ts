import { createHash } from 'node:crypto'
import { seededNumbers } from '@atrium/core/demo/seeded-numbers'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { newBookingId } from '@atrium/db/scheduling/bookings'

const [minuteMs, dayMs] = [60_000, 86_400_000]
const visitors = [
  ...[
    'Vera Visitor',
    'Tom Okafor',
    'Lena Wirth',
    'Marco Bianchi',
    'Priya Nair',
    'Sven Dahl',
    'Ines Duarte',
    'Kofi Mensah',
    'Julia Hahn',
  ],
  ...[
    'Pierre Lambert',
    'Amira Saleh',
    'Jan Kowalski',
    'Freya Lund',
    'Omar Haddad',
    'Nele Bruns',
    'Chen Wei',
    'Laura Santos',
    'Milo Petrov',
  ],
]
const reasons = ['Something came up, sorry.', 'We found another time.', 'No longer needed.', null]

interface Bookable {
  readonly id: string
  readonly title: string
  readonly hostId: string
  readonly tenantId: string
  readonly zone: string
  readonly kind: 'video' | 'phone' | 'in_person' | 'visitor_phone'
  readonly location: string | null
  readonly minutes: number
}

/**
 * A year of bookings with Acme's hosts, and those of the next weeks, which the service writes into
 * the hosts' calendars. Does nothing where there is a booking already. The days are those of `day`,
 * the times those of this machine's zone, in which the demo hosts work.
 */
export async function insertBookings(db: Db, day: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const types = await bookable(trx)
    const any = await trx.selectFrom('bookings').select('id').limit(1).executeTakeFirst()
    if (any || types.length === 0) return
    const random = seededNumbers(271)
    for (let offset = -360; offset <= 21; offset++) {
      const date = new Date(day.getTime() + offset * dayMs)
      if (date.getUTCDay() % 6 === 0 || offset === 0) continue
      const hours = new Map<string, Set<number>>()
      const count =
        offset > 0 ? Math.floor(1.6 * random()) : Math.floor(2.8 * random() + (360 + offset) / 900)
      for (let n = 0; n < count; n++)
        await book(trx, { types, date, random, hours, coming: offset > 0 })
    }
  })
}

async function bookable(trx: Trx): Promise<Bookable[]> {
  const rows = await trx
    .selectFrom('event_types as e')
    .innerJoin('hosts as h', 'h.id', 'e.host_id')
    .innerJoin('tenants as t', 't.id', 'e.tenant_id')
    .select([
      'e.id',
      'e.title',
      'e.durations',
      'e.location',
      'e.location_kind as kind',
      'h.id as hostId',
      'h.zone',
      't.id as tenantId',
    ])
    .where('t.slug', '=', 'acme')
    // Those with seats share their time; the others have it for themselves.
    .where('e.seats', '=', 1)
    .orderBy('e.slug')
    .execute()
  return rows.map(({ durations, ...row }) => ({ ...row, minutes: durations[0] ?? 30 }))
}

interface Day {
  readonly types: readonly Bookable[]
  readonly date: Date
  readonly random: () => number
  /** What is taken of the day, by host. */
  readonly hours: Map<string, Set<number>>
  readonly coming: boolean
}

async function book(trx: Trx, { types, date, random, hours, coming }: Day): Promise<void> {
  const type = types[Math.floor(random() * types.length)]
  const hour = 9 + Math.floor(7 * random())
  const visitor = visitors[Math.floor(random() * visitors.length)] ?? ''
  const [fate, early, reason] = [
    random(),
    random(),
    reasons[Math.floor(random() * reasons.length)] ?? null,
  ]
  const taken = hours.get(type?.hostId ?? '') ?? new Set<number>()
  if (!type || taken.has(hour)) return
  hours.set(type.hostId, taken.add(hour))
  const start = new Date(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    hour,
    early < 0.4 ? 30 : 0,
  )
  const end = new Date(start.getTime() + type.minutes * minuteMs)
  const madeAt = new Date(
    Math.min(start.getTime() - (1 + 12 * early) * dayMs, Date.now() - minuteMs),
  )
  const cancelled = fate < 0.1
  const endedAt = cancelled
    ? new Date(
        Math.min(start.getTime() - (start.getTime() - madeAt.getTime()) / 3, Date.now() - minuteMs),
      )
    : null
  const email = `${visitor.toLowerCase().replace(' ', '.')}@example.org`
  const mark = `${type.id}.${start.toISOString()}`
  const id = await newBookingId(trx)
  await trx
    .insertInto('bookings')
    .values({
      id,
      tenant_id: type.tenantId,
      event_type_id: type.id,
      host_id: type.hostId,
      status: cancelled ? 'cancelled' : 'confirmed',
      source: 'public',
      uid: `${id}@atrium`,
      invited: true,
      title: type.title,
      location_kind: type.kind,
      location: type.location,
      start_at: start,
      end_at: end,
      host_zone: type.zone,
      host_wall: wallTime(start),
      visitor_name: visitor,
      visitor_email: email,
      visitor_zone: type.zone,
      visitor_locale: 'en',
      manage_hash: createHash('sha256').update(`manage ${mark}`).digest(),
      confirmed_at: madeAt,
      ended_at: endedAt,
      ended_by: cancelled ? 'visitor' : null,
      reason: cancelled ? reason : null,
      no_show: !cancelled && !coming && fate > 0.94,
      created_at: madeAt,
      updated_at: endedAt ?? madeAt,
      visitor_confirmed_at: madeAt,
    })
    .execute()
  const toCalendar = coming && !cancelled
  await trx
    .insertInto('booking_hosts')
    .values({
      booking_id: id,
      host_id: type.hostId,
      claim_start: start,
      claim_end: end,
      active: !cancelled,
      seat_group: id,
      calendar_state: toCalendar ? 'pending' : 'none',
      calendar_next_at: toCalendar ? new Date() : null,
    })
    .execute()
  await trx
    .insertInto('booking_changes')
    .values([
      { booking_id: id, kind: 'confirmed', by: 'visitor', to_start: start, at: madeAt },
      ...(endedAt
        ? [
            {
              booking_id: id,
              kind: 'cancelled' as const,
              by: 'visitor' as const,
              from_start: start,
              reason,
              at: endedAt,
            },
          ]
        : []),
    ])
    .execute()
}

/** As the hosts' clock shows it, which is this machine's: `2027-06-04T14:00`. */
function wallTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
