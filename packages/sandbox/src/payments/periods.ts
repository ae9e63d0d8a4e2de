/** Seconds since 1970, as Stripe counts. */
export type Seconds = number

export type Interval = 'month' | 'year'

/**
 * The moment `count` intervals after the anchor: the same day and time of the month in UTC, or the
 * month's last day where it has no such day. Counted from the anchor, so that 31 January is
 * followed by 28 February and then by 31 March.
 */
export function afterAnchor(anchor: Seconds, interval: Interval, count: number): Seconds {
  const start = new Date(anchor * 1000)
  const months = start.getUTCMonth() + count * (interval === 'year' ? 12 : 1)
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), months + 1, 0)).getUTCDate()
  const day = Math.min(start.getUTCDate(), lastDay)
  const time = anchor - Math.floor(anchor / 86_400) * 86_400
  return Date.UTC(start.getUTCFullYear(), months, day) / 1000 + time
}

/** The end of the period that begins at `start`, on the anchor's grid. */
export function periodEnd(anchor: Seconds, interval: Interval, start: Seconds): Seconds {
  for (let count = 0; ; count += 1) {
    const end = afterAnchor(anchor, interval, count)
    if (end > start) return end
  }
}
