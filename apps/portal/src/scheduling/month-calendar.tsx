import { weekdays } from '@atrium/core/scheduling/schedules'
import { dateOf, dayOf, weekdayOf } from '@atrium/core/scheduling/time-zones'
import { translations } from '@atrium/ui/messages'
import { viewerLocale as locale } from '@atrium/ui/page-language'
import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './month-calendar.module.css'
import { dateText, dayName } from './time-text.ts'

const t = translations('portal.scheduling-availability')

interface Props {
  /** Names the calendar. */
  label: string
  today: string
  chosen: string | undefined
  onChoose: (date: string) => void
  /** Highlighted dates, with the reason: "closed". */
  marks: ReadonlyMap<string, { kind: 'closed' | 'other'; label: string }>
}

const monthName = new Intl.DateTimeFormat(locale, {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** The first of a month so many months from the date's. */
function firstOfMonth(date: string, months = 0): string {
  const [year = 1970, month = 1] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}

/**
 * One month to choose a date from. Arrow keys go from day to day, Page Up and Page Down from month
 * to month.
 */
export function MonthCalendar({ label, today, chosen, onChoose, marks }: Props) {
  const [month, setMonth] = useState(firstOfMonth(chosen ?? today))
  const [focused, setFocused] = useState(chosen ?? today)
  const first = dayOf(month)
  const last = dayOf(firstOfMonth(month, 1)) - 1
  const inMonth = dayOf(focused) >= first && dayOf(focused) <= last
  const reachable = inMonth ? focused : month

  function moveTo(date: string, table: HTMLElement) {
    setFocused(date)
    setMonth(firstOfMonth(date))
    // After the month that holds it is there.
    requestAnimationFrame(() => table.querySelector<HTMLElement>(`[data-date="${date}"]`)?.focus())
  }
  const steps: Readonly<Record<string, (date: string) => string>> = {
    ArrowLeft: (date) => dateOf(dayOf(date) - 1),
    ArrowRight: (date) => dateOf(dayOf(date) + 1),
    ArrowUp: (date) => dateOf(dayOf(date) - 7),
    ArrowDown: (date) => dateOf(dayOf(date) + 7),
    PageUp: (date) => firstOfMonth(date, -1),
    PageDown: (date) => firstOfMonth(date, 1),
    Home: (date) => dateOf(dayOf(date) - weekdayOf(dayOf(date))),
    End: (date) => dateOf(dayOf(date) + 6 - weekdayOf(dayOf(date))),
  }
  const weeks = Math.ceil((last - first + 1 + weekdayOf(first)) / 7)
  return (
    <div>
      <Group justify="space-between" maw={340} mb={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('month.previous')}
          onClick={() => setMonth(firstOfMonth(month, -1))}
        >
          <IconChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <Text fw={600} size="sm" aria-live="polite">
          {monthName.format(first * 86_400_000)}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('month.next')}
          onClick={() => setMonth(firstOfMonth(month, 1))}
        >
          <IconChevronRight size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col">
                {dayName(weekday, 'short')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          onKeyDown={(event) => {
            const date = (event.target as HTMLElement).dataset.date
            const step = steps[event.key]
            if (date === undefined || !step) return
            event.preventDefault()
            moveTo(step(date), event.currentTarget)
          }}
        >
          {Array.from({ length: weeks }, (_, week) => (
            <tr key={week}>
              {weekdays.map((name, weekday) => {
                const day = first - weekdayOf(first) + week * 7 + weekday
                if (day < first || day > last) return <td key={name} />
                const date = dateOf(day)
                const mark = marks.get(date)
                return (
                  <td key={name}>
                    <button
                      type="button"
                      className={classes.day}
                      data-date={date}
                      data-mark={mark?.kind}
                      data-past={date < today || undefined}
                      data-today={date === today || undefined}
                      aria-pressed={date === chosen}
                      aria-label={labelOf(date, mark?.label, date === today)}
                      tabIndex={date === reachable ? 0 : -1}
                      onFocus={() => setFocused(date)}
                      onClick={() => onChoose(date)}
                    >
                      {Number(date.slice(8))}
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function labelOf(date: string, mark: string | undefined, isToday: boolean): string {
  const marked =
    mark === undefined ? dateText(date) : t('month.marked', { date: dateText(date), mark })
  return isToday ? t('month.today', { date: marked }) : marked
}
