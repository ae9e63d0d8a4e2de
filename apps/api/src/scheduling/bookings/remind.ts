import { hasDueReminders, takeDueReminders } from '@atrium/db/scheduling/booking-reminders'
import { findBooking } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { sendReminderMails } from './mails.ts'

/** Reminders of one transaction. */
const batch = 50

/**
 * Queues due reminders, each once: it is marked in the transaction that queues its mails. Any
 * number of processes may run this at once. Reminders that became due while no process ran are sent
 * late, as long as the meeting is still to come.
 */
export async function sendReminders(services: Services): Promise<void> {
  const { db } = services.database
  while (!services.background.ending && (await hasDueReminders(db, services.clock.now()))) {
    const taken = await db.transaction().execute(async (trx) => {
      const due = await takeDueReminders(trx, services.clock.now(), batch)
      for (const { bookingId, minutesBefore } of due.toCome) {
        const booking = await findBooking(trx, bookingId)
        // A deleted tenant holds no meetings; what becomes due there is taken off all the same.
        if (booking && booking.tenantStatus !== 'deleted')
          await sendReminderMails(trx, services, booking, minutesBefore)
      }
      return due.taken
    })
    // The rest is another process's.
    if (taken === 0) return
  }
}
