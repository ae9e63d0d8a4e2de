import type { OutsideSystemHealth } from '@atrium/core/system/system'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Text } from '@mantine/core'
import classes from './days-strip.module.css'

const t = translations('operator.system')

const shown = 90
const dayMs = 86_400_000

/**
 * One bar for each of the last 90 days, with the calls to the system and how many of them failed.
 * The text below has the sums.
 */
export function DaysStrip({ days, now }: { days: OutsideSystemHealth['days']; now: Date }) {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: shown }, (_, index) =>
    new Date(now.getTime() - (shown - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
  const calls = days.reduce((sum, day) => sum + day.calls, 0)
  const failures = days.reduce((sum, day) => sum + day.failures, 0)
  if (calls === 0) return t('systems.noCalls')
  return (
    <div>
      <div className={classes.strip} aria-hidden>
        {all.map((name) => {
          const day = byDay.get(name)
          const meta = !day ? 'none' : day.failures === 0 ? 'good' : 'bad'
          const title = day
            ? t('systems.dayFailed', {
                day: formatDay(name),
                failures: day.failures,
                calls: day.calls,
              })
            : t('systems.dayNoCalls', { day: formatDay(name) })
          return <span key={name} data-look={meta} title={title} />
        })}
      </div>
      <Text size="xs" c="dimmed">
        {t('systems.callsFailed', { failures, calls })}
      </Text>
    </div>
  )
}
