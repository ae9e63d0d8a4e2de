import {
  type Hours,
  type Weekday,
  type WeeklyHours,
  weekdays,
} from '@atrium/core/scheduling/schedules'
import { translations } from '@atrium/ui/messages'
import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { HoursFields } from './hours-fields.tsx'
import { copyDay } from './schedule-form.ts'
import { dayName } from './time-text.ts'
import classes from './week-fields.module.css'

const t = translations('portal.scheduling-availability')

interface Props {
  weekly: WeeklyHours
  errors: Readonly<Record<string, ReactNode>>
  disabled: boolean
  onChange: (weekly: WeeklyHours) => void
}

/** The hours of an ordinary week, day by day. */
export function WeekFields({ weekly, errors, disabled, onChange }: Props) {
  const set = (day: Weekday, hours: Hours[]) => onChange({ ...weekly, [day]: hours })
  return (
    <ul className={classes.week}>
      {weekdays.map((day, index) => (
        <li key={day} className={classes.day}>
          <span className={classes.name}>{dayName(day)}</span>
          <HoursFields
            day={dayName(day)}
            following={dayName(weekdays[(index + 1) % 7] as Weekday)}
            path={`weekly.${day}`}
            hours={weekly[day]}
            errors={errors}
            disabled={disabled}
            onChange={(hours) => set(day, hours)}
          />
          {!disabled && (
            <CopyMenu day={day} onCopy={(days) => onChange(copyDay(weekly, day, days))} />
          )}
        </li>
      ))}
    </ul>
  )
}

const workdays = weekdays.slice(0, 5)

function CopyMenu({ day, onCopy }: { day: Weekday; onCopy: (days: Weekday[]) => void }) {
  const others = (days: readonly Weekday[]) => days.filter((other) => other !== day)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('weekly.copy', { day: dayName(day) })}
        >
          <IconCopy size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onCopy(others(workdays))}>{t('weekly.toWorkdays')}</Menu.Item>
        <Menu.Item onClick={() => onCopy(others(weekdays))}>{t('weekly.toEveryDay')}</Menu.Item>
        {others(weekdays).map((other) => (
          <Menu.Item key={other} onClick={() => onCopy([other])}>
            {t('weekly.toDay', { day: dayName(other) })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
