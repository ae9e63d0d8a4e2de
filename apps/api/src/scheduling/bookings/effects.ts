import type { BookingEvent } from '@atrium/core/scheduling/booking-transitions'
import type { Trx } from '@atrium/db/platform/connect'
import {
  claimCalendars,
  isBeingWritten,
  markCalendarsDue,
  retryCalendars,
} from '@atrium/db/scheduling/booking-calendars'
import { deleteReminders, planReminders } from '@atrium/db/scheduling/booking-reminders'
import { type BookingRow, findBooking } from '@atrium/db/scheduling/bookings'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { withHosts } from '../calendars/invitation.ts'
import { writeCalendar } from '../calendars/sync.ts'
import type { Actor } from './actor.ts'
import type { BookingWithHosts } from './facts.ts'
import { inviteGuestsByMail, sendChangeMails, sendConflictMail } from './mails.ts'

/** How long the caller who changes a booking waits for the calendars. */
const settleMs = 5_000

/** What happened to a booking, and the booking as it is after it. */
export interface BookingChange extends BookingWithHosts {
  event: BookingEvent
  actor: Pick<Actor, 'by' | 'actorId'>
  /** Where it was before, for `rescheduled`. */
  previousStart?: Date | undefined
  /** The booking as it was with another host, where the change gave it to this one. */
  before?: BookingRow | undefined
  /** In the caller's words; used in the mails. */
  reason?: string | undefined
}

/**
 * What follows from a change of a booking, queued in the transaction that makes it and after its
 * rows are written: mails to visitor, guests and hosts, reminders, and the calendars of its hosts.
 * A second call for the same version of the booking sends nothing twice.
 */
export async function queueEffects(
  trx: Trx,
  services: InTransaction,
  { booking, hosts, event, actor, ...change }: BookingChange,
): Promise<void> {
  const { by, actorId } = actor
  if (event === 'guests_invited') {
    if (booking.status === 'confirmed') await inviteGuestsByMail(trx, services, booking)
  } else
    await sendChangeMails(
      trx,
      services,
      { booking, hosts },
      { ...change, kind: event, by, actorId },
    )
  if (event === 'no_show' || event === 'link_renewed') return
  const now = services.clock.now()
  // Reminders follow the time of the meeting, which an invitation of guests does not change.
  if (event !== 'guests_invited') {
    // Before a booking is confirmed it has none.
    if (event !== 'requested' && event !== 'confirmed') await deleteReminders(trx, booking.id)
    if (booking.status === 'confirmed') await planReminders(trx, booking.id, now)
  }
  // The caller's process tries first; the job is for what is left then, or by a process that died.
  if (await markCalendarsDue(trx, booking.id, now))
    await services.jobs.enqueueCalendars(booking.id, settleMs / 1000 + 1, trx)
}

/**
 * Tries at once to bring the hosts' calendars to the booking as it is. Never throws, and comes back
 * within the deadline; what is under way then goes on, and what is left is a job's.
 */
export async function syncCalendar(
  services: Services,
  bookingId: string,
  { deadlineMs = settleMs } = {},
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, deadlineMs)
  })
  const until = performance.now() + deadlineMs
  const work = settle(services, bookingId, until)
  services.background.run('the calendars of a booking', () => work)
  // Failures are the background's to log.
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}

/**
 * Another process may hold one of the calendars: its outcome is awaited, because the response
 * reports it.
 */
async function settle(services: Services, bookingId: string, until: number): Promise<void> {
  const { db } = services.database
  for (let pause = 25; performance.now() < until; pause = Math.min(2 * pause, 200)) {
    const claimed = await claimCalendars(db, services.clock.now(), 20, bookingId)
    await Promise.all(claimed.map((one) => writeCalendar(services, one)))
    if (claimed.length === 0 && !(await isBeingWritten(db, bookingId))) return
    if (claimed.length === 0) await new Promise((done) => setTimeout(done, pause))
  }
}

/**
 * Notifies a host that an entry of their own calendar overlaps this booking. Once per version of
 * the booking and host.
 */
export async function reportConflict(
  trx: Trx,
  services: InTransaction,
  { bookingId, hostId }: { bookingId: string; hostId: string },
): Promise<void> {
  const booking = await findBooking(trx, bookingId)
  if (booking) await sendConflictMail(trx, services, await withHosts(trx, booking), hostId)
}

/**
 * Makes the missing writes to a host's calendar due again, with a full number of attempts: the
 * calendar was connected, or works again.
 */
export async function retryCalendar(
  trx: Trx,
  services: InTransaction,
  hostId: string,
): Promise<void> {
  const bookingId = await retryCalendars(trx, hostId, services.clock.now())
  if (bookingId !== undefined) await services.jobs.enqueueCalendars(bookingId, 0, trx)
}
