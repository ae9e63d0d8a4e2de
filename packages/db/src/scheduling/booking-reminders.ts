import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * Plans the reminders of a booking again, as its event type asks for: those whose time has not come
 * by `now`. None for a booking that is not confirmed. Those that went out before count for the time
 * that the meeting had then.
 */
export async function planReminders(trx: Trx, bookingId: string, now: Date): Promise<void> {
  await trx.deleteFrom('booking_reminders').where('booking_id', '=', bookingId).execute()
  await sql`
    insert into booking_reminders (booking_id, minutes_before, due_at)
    select distinct b.id, minutes, b.start_at - make_interval(mins => minutes)
    from bookings b join event_types e on e.id = b.event_type_id cross join unnest(e.reminders) minutes
    where b.id = ${bookingId} and b.status = 'confirmed' and b.start_at - make_interval(mins => minutes) > ${now}`.execute(
    trx,
  )
}

export interface DueReminder {
  bookingId: string
  minutesBefore: number
}

/**
 * Marks reminders as sent whose time has come at `now`. `toCome` are those of meetings that are
 * still to come: to be mailed in the same transaction. What another process holds is left to it.
 */
export async function takeDueReminders(
  trx: Trx,
  now: Date,
  limit: number,
): Promise<{ taken: number; toCome: DueReminder[] }> {
  const { rows } = await sql<DueReminder & { toCome: boolean }>`
    with due as (
      select booking_id, minutes_before from booking_reminders where sent_at is null and due_at <= ${now}
      order by due_at, booking_id limit ${limit} for update skip locked
    )
    update booking_reminders r set sent_at = ${now} from due, bookings b
    where r.booking_id = due.booking_id and r.minutes_before = due.minutes_before and b.id = r.booking_id
    returning r.booking_id as "bookingId", r.minutes_before as "minutesBefore", (b.status = 'confirmed' and b.start_at > ${now}) as "toCome"`.execute(
    trx,
  )
  return { taken: rows.length, toCome: rows.filter(({ toCome }) => toCome) }
}

export async function hasDueReminders(db: Db, now: Date): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from booking_reminders where sent_at is null and due_at <= ${now}) as due`.execute(
    db,
  )
  return rows[0]?.due ?? false
}
