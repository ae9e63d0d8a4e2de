import type { DateOverride, Hours, WeeklyHours } from '@atrium/core/scheduling/schedules'
import { translations } from '@atrium/ui/messages'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCalendarOff, IconClockEdit } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { HoursFields } from './hours-fields.tsx'
import { MonthCalendar } from './month-calendar.tsx'
import { withDate } from './schedule-form.ts'
import { dateText, dayName, hoursText, nextDate, weekdayOfDate } from './time-text.ts'

const t = translations('portal.scheduling-availability')

interface Props {
  overrides: readonly DateOverride[]
  weekly: WeeklyHours
  /** The date that it is in the schedule's zone. */
  today: string
  errors: Readonly<Record<string, ReactNode>>
  disabled: boolean
  onChange: (overrides: DateOverride[]) => void
}

/** Dates on which other hours hold than in an ordinary week. */
export function OverridesEditor({ overrides, weekly, today, errors, disabled, onChange }: Props) {
  const [date, setDate] = useState<string>()
  const marks = new Map(
    overrides.map(({ date: of, windows }) => [
      of,
      {
        kind: windows.length === 0 ? ('closed' as const) : ('other' as const),
        label: hoursText(windows),
      },
    ]),
  )
  const coming = overrides.filter((entry) => entry.date >= today)
  return (
    <Stack gap="lg">
      <Group align="flex-start" gap="xl">
        <Stack flex="0 1 340px" miw={280}>
          <MonthCalendar
            label={t('dates.calendar')}
            today={today}
            chosen={date}
            onChoose={setDate}
            marks={marks}
          />
        </Stack>
        <Stack flex="1 1 260px" gap="sm">
          {date === undefined ? (
            <Text size="sm" c="dimmed" maw="40ch">
              {t('dates.choose')}
            </Text>
          ) : (
            <ChosenDate {...{ date, overrides, weekly, errors, disabled, onChange }} />
          )}
        </Stack>
      </Group>
      {errors.overrides !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {errors.overrides}
        </Text>
      )}
      {!disabled && (
        <CloseSeveral today={today} onClose={(dates) => onChange(closed(overrides, dates))} />
      )}
      {coming.length > 0 && (
        <div>
          <Text size="sm" fw={550} mb={4}>
            {t('dates.upcoming')}
          </Text>
          <Stack gap={2} component="ul" m={0} p={0}>
            {coming.slice(0, 12).map(({ date: of, windows }) => (
              <Group key={of} component="li" gap="xs">
                <Button size="compact-sm" variant="subtle" onClick={() => setDate(of)}>
                  {dateText(of)}
                </Button>
                <Text size="sm" c="dimmed">
                  {hoursText(windows)}
                </Text>
              </Group>
            ))}
          </Stack>
          {coming.length > 12 && (
            <Text size="sm" c="dimmed" mt={4}>
              {t('dates.more', { count: coming.length - 12 })}
            </Text>
          )}
        </div>
      )}
    </Stack>
  )
}

function closed(overrides: readonly DateOverride[], dates: readonly string[]): DateOverride[] {
  return dates.reduce<DateOverride[]>((all, date) => withDate(all, date, []), [...overrides])
}

function ChosenDate({
  date,
  overrides,
  weekly,
  errors,
  disabled,
  onChange,
}: Omit<Props, 'today'> & { date: string }) {
  const index = overrides.findIndex((entry) => entry.date === date)
  const own = overrides[index]
  const weekday = weekdayOfDate(date)
  const set = (windows: Hours[] | undefined) => onChange(withDate(overrides, date, windows))
  const usual = weekly[weekday]
  return (
    <Stack gap="sm" role="group" aria-label={dateText(date)}>
      <Text fw={600}>{dateText(date)}</Text>
      {own ? (
        <>
          <HoursFields
            day={dateText(date)}
            following={dateText(nextDate(date))}
            path={`overrides.${index}.windows`}
            hours={own.windows}
            errors={errors}
            disabled={disabled}
            onChange={set}
          />
          {!disabled && (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => set(undefined)}>
                {t('dates.reset')}
              </Button>
            </Group>
          )}
        </>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            {t('dates.follows', { day: dayName(weekday), hours: hoursText(usual) })}
          </Text>
          {!disabled && (
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                leftSection={<IconCalendarOff size={16} aria-hidden />}
                onClick={() => set([])}
              >
                {t('dates.close')}
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconClockEdit size={16} aria-hidden />}
                onClick={() =>
                  set(
                    usual.length > 0
                      ? usual.map((hours) => ({ ...hours }))
                      : [{ start: '09:00', end: '17:00' }],
                  )
                }
              >
                {t('dates.change')}
              </Button>
            </Group>
          )}
        </>
      )}
    </Stack>
  )
}

const longestHoliday = 366

/** A holiday: every date from one to another. */
function CloseSeveral({ today, onClose }: { today: string; onClose: (dates: string[]) => void }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [fault, setFault] = useState<string>()

  function close() {
    const dates: string[] = []
    for (
      let date = from;
      date !== '' && date <= to && dates.length <= longestHoliday;
      date = nextDate(date)
    )
      dates.push(date)
    if (from === '' || to === '') return setFault(t('dates.bothNeeded'))
    if (dates.length === 0) return setFault(t('dates.wrongOrder'))
    if (dates.length > longestHoliday) return setFault(t('dates.tooMany'))
    setFault(undefined)
    onClose(dates)
    setFrom('')
    setTo('')
  }

  return (
    <Stack gap={4} role="group" aria-label={t('dates.closeSeveral')}>
      <Group gap="xs" align="flex-end">
        <TextInput
          type="date"
          label={t('dates.from')}
          min={today}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t('dates.to')}
          min={from || today}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button variant="default" onClick={close}>
          {t('dates.closeThese')}
        </Button>
      </Group>
      {fault && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
    </Stack>
  )
}
