import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * Forgets the reminders of a booking, also those that went out: they count for the time that the
 * meeting had then.
 */
export async function deleteReminders(trx: Trx, bookingId: string): Promise<void> {
  await trx.deleteFrom('booking_reminders').where('booking_id', '=', bookingId).execute()
}

/**
 * Plans the reminders of a confirmed booking, as its event type asks for: those whose time has not
 * come by `now`. Those that it has stay.
 */
export async function planReminders(trx: Trx, bookingId: string, now: Date): Promise<void> {
  // Plain SQL: the builder has no `unnest`.
  await sql`
    insert into booking_reminders (tenant_id, booking_id, minutes_before, due_at)
    select distinct b.tenant_id, b.id, minutes, b.start_at - make_interval(mins => minutes)
    from bookings b join event_types e on e.tenant_id = b.tenant_id and e.id = b.event_type_id cross join unnest(e.reminders) minutes
    where b.id = ${bookingId} and b.status = 'confirmed' and b.start_at - make_interval(mins => minutes) > ${now}
    on conflict do nothing`.execute(trx)
}

/**
 * Marks reminders as sent whose time has come at `now`. `toCome` are those of meetings that are
 * still to come: to be mailed in the same transaction. What another process holds is left to it.
 */
export async function takeDueReminders(trx: Trx, now: Date, limit: number) {
  const taken = await trx
    .with('due', (cte) =>
      cte
        .selectFrom('booking_reminders')
        .select(['booking_id', 'minutes_before'])
        .where('sent_at', 'is', null)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('booking_id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('booking_reminders as r')
    .from(['due', 'bookings as b'])
    .set({ sent_at: now })
    .whereRef('r.booking_id', '=', 'due.booking_id')
    .whereRef('r.minutes_before', '=', 'due.minutes_before')
    .whereRef('b.tenant_id', '=', 'r.tenant_id')
    .whereRef('b.id', '=', 'r.booking_id')
    .returning(({ eb, and }) => [
      'r.booking_id as bookingId',
      'r.minutes_before as minutesBefore',
      and([eb('b.status', '=', 'confirmed'), eb('b.start_at', '>', now)]).as('toCome'),
    ])
    .execute()
  return { taken: taken.length, toCome: taken.filter(({ toCome }) => toCome) }
}

export async function hasDueReminders(db: Db, now: Date): Promise<boolean> {
  const due = await db
    .selectFrom('booking_reminders')
    .select('booking_id')
    .where('sent_at', 'is', null)
    .where('due_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return due !== undefined
}
