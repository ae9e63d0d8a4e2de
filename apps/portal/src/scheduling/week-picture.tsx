import { type WeeklyHours, weekdays } from '@atrium/core/scheduling/schedules'
import { merged } from '@atrium/core/scheduling/slots'
import { translations } from '@atrium/ui/messages'
import { weekAtAGlance } from './schedule-form.ts'
import { dayName, hoursText } from './time-text.ts'
import classes from './week-picture.module.css'

const t = translations('portal.scheduling-availability')

const column = { width: 34, gap: 6, left: 26 }
const height = 240
const top = 14
const marks = [0, 6, 12, 18, 24]
const yOf = (minutes: number) => top + (minutes / 1_440) * height

/** A week of these hours drawn to scale, with what reaches over midnight on the day where it is. */
export function WeekPicture({ weekly }: { weekly: WeeklyHours }) {
  const days = weekdays
    .map((day) => t('week.day', { day: dayName(day), hours: hoursText(weekly[day]) }))
    .join('; ')
  const width = column.left + 7 * (column.width + column.gap)
  return (
    <svg
      viewBox={`0 0 ${width} ${height + top + 8}`}
      className={classes.picture}
      role="img"
      aria-label={t('week.picture', { days })}
    >
      {weekAtAGlance(weekly).map((spans, index) => {
        const x = column.left + index * (column.width + column.gap)
        const day = weekdays[index] ?? 'mon'
        return (
          <g key={day}>
            <text x={x + column.width / 2} y={9} textAnchor="middle" className={classes.label}>
              {dayName(day, 'short')}
            </text>
            <rect
              x={x}
              y={top}
              width={column.width}
              height={height}
              rx={4}
              className={classes.track}
            />
            {merged(spans).map(({ start, end }) => (
              <rect
                key={start}
                x={x}
                y={yOf(start)}
                width={column.width}
                height={Math.max(2, yOf(end) - yOf(start))}
                rx={3}
                className={classes.open}
              />
            ))}
          </g>
        )
      })}
      {marks.map((hour) => (
        <g key={hour}>
          <line
            x1={column.left - 4}
            x2={width}
            y1={yOf(hour * 60)}
            y2={yOf(hour * 60)}
            className={classes.line}
          />
          <text x={0} y={yOf(hour * 60) + 3} className={classes.label}>
            {String(hour).padStart(2, '0')}
          </text>
        </g>
      ))}
    </svg>
  )
}
