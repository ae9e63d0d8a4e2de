import type { Hours } from '@atrium/core/scheduling/schedules'
import { translations } from '@atrium/ui/messages'
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { furtherHours } from './schedule-form.ts'
import { acrossMidnight } from './time-text.ts'

const t = translations('portal.scheduling-availability')

interface Props {
  /** Whose hours they are: "Monday". */
  day: string
  /** The day after: what reaches over midnight ends on it. */
  following: string
  /** Their path in the form: `weekly.mon`. */
  path: string
  hours: readonly Hours[]
  errors: Readonly<Record<string, ReactNode>>
  disabled?: boolean
  onChange: (hours: Hours[]) => void
}

const most = 20

/** The windows of one day, each from a time to a time. */
export function HoursFields({
  day,
  following,
  path,
  hours,
  errors,
  disabled = false,
  onChange,
}: Props) {
  const change = (index: number, part: Partial<Hours>) =>
    onChange(hours.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <Stack gap={6}>
      {hours.map((one, index) => {
        const nth = hours.length > 1
        const names = { day, position: index + 1 }
        const error = errors[`${path}.${index}.start`] ?? errors[`${path}.${index}.end`]
        const note = acrossMidnight(one, following)
        return (
          // A position is the only name that a window has: two may be the same while they are being
          // typed.
          <div key={index}>
            <Group gap={6} wrap="nowrap">
              <TextInput
                type="time"
                required
                aria-label={t(nth ? 'hours.startNth' : 'hours.start', names)}
                value={one.start}
                disabled={disabled}
                error={errors[`${path}.${index}.start`] !== undefined}
                data-path={`${path}.${index}.start`}
                onChange={(event) => change(index, { start: event.currentTarget.value })}
              />
              <Text span c="dimmed" aria-hidden>
                –
              </Text>
              <TextInput
                type="time"
                required
                aria-label={t(nth ? 'hours.endNth' : 'hours.end', names)}
                value={one.end}
                disabled={disabled}
                error={errors[`${path}.${index}.end`] !== undefined}
                data-path={`${path}.${index}.end`}
                onChange={(event) => change(index, { end: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                disabled={disabled}
                aria-label={t(nth ? 'hours.removeNth' : 'hours.remove', names)}
                onClick={() => onChange(hours.filter((_, at) => at !== index))}
              >
                <IconX size={17} aria-hidden />
              </ActionIcon>
            </Group>
            {note && (
              <Text size="xs" c="dimmed" mt={2}>
                {note}
              </Text>
            )}
            {error !== undefined && (
              <Text size="xs" c="var(--mantine-color-error)" mt={2} role="alert">
                {error}
              </Text>
            )}
          </div>
        )
      })}
      {errors[path] !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {errors[path]}
        </Text>
      )}
      {!disabled && hours.length < most && (
        <Group gap="xs">
          {hours.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('hours.closed')}
            </Text>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={15} aria-hidden />}
            aria-label={t('hours.addTo', { day })}
            onClick={() => onChange([...hours, furtherHours(hours)])}
          >
            {t('hours.add')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
