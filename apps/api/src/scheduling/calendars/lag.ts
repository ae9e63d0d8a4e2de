import type { Db } from '@atrium/db/platform/connect'
import { countLaggingCalendars } from '@atrium/db/scheduling/booking-calendars'
import { Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics.ts'

/** Lets the metrics report how many calendars lag behind their bookings, counted on each scrape. */
export function observeCalendarLag({ registry }: Metrics, db: Db): void {
  new Gauge({
    name: 'booking_calendars_lagging',
    help: "Bookings that a host's calendar has not got: waiting to be written, or failed and given up while the meeting is still to come",
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      const counted = await countLaggingCalendars(db).catch(() => undefined)
      this.reset()
      if (!counted) return
      this.set({ state: 'waiting' }, counted.waiting)
      this.set({ state: 'failed' }, counted.failed)
    },
  })
}
