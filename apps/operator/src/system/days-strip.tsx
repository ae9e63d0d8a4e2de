import type { OutsideSystemHealth } from '@atrium/core/system/system'
import { formatCount } from '@atrium/ui/format'
import { Text } from '@mantine/core'
import classes from './days-strip.module.css'

const shown = 90
const dayMs = 86_400_000

/**
 * One bar for each of the last 90 days: calls to the system, and how many of them failed. Said in
 * words below.
 */
export function DaysStrip({ days, now }: { days: OutsideSystemHealth['days']; now: Date }) {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: shown }, (_, index) =>
    new Date(now.getTime() - (shown - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
  const calls = days.reduce((sum, day) => sum + day.calls, 0)
  const failures = days.reduce((sum, day) => sum + day.failures, 0)
  if (calls === 0) return 'No calls yet'
  return (
    <div>
      <div className={classes.strip} aria-hidden>
        {all.map((name) => {
          const day = byDay.get(name)
          const meta = !day ? 'none' : day.failures === 0 ? 'good' : 'bad'
          const title = day
            ? `${name}: ${formatCount(day.failures)} of ${formatCount(day.calls)} calls failed`
            : `${name}: no calls`
          return <span key={name} data-look={meta} title={title} />
        })}
      </div>
      <Text size="xs" c="dimmed">
        {formatCount(failures)} of {formatCount(calls)} calls failed
      </Text>
    </div>
  )
}
