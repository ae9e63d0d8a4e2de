import type { HealthDay } from '@atrium/core/health-scores/health-reports'
import { Text } from '@mantine/core'
import { formatDay } from './format.ts'
import classes from './health-trend.module.css'
import { translations } from './messages.ts'

const t = translations('ui.tenants')

const width = 320
const height = 56
const edge = 3
/** The least score of the band "healthy". */
const healthyFrom = 75

/**
 * The score over the days of which it is known, as a line; said in words as well. Nothing is drawn
 * of fewer than two days.
 */
export function HealthTrend({ days }: { days: readonly HealthDay[] }) {
  const known = days.flatMap(({ day, score }) =>
    score === null ? [] : [{ at: Date.parse(day), day, score }],
  )
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || first === last) return null
  const span = last.at - first.at
  const x = (at: number) => edge + ((at - first.at) / span) * (width - 2 * edge)
  const y = (score: number) => edge + (1 - score / 100) * (height - 2 * edge)
  const points = known
    .map(({ at, score }) => `${x(at).toFixed(1)},${y(score).toFixed(1)}`)
    .join(' ')
  return (
    <div>
      <svg
        className={classes.trend}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        <line className={classes.green} x1={0} x2={width} y1={y(healthyFrom)} y2={y(healthyFrom)} />
        <polyline className={classes.line} points={points} />
      </svg>
      <Text size="xs" c="dimmed">
        {t('health.trend', {
          first: first.score,
          firstDay: formatDay(first.day),
          last: last.score,
          lastDay: formatDay(last.day),
          mark: healthyFrom,
        })}
      </Text>
    </div>
  )
}
