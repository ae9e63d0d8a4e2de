import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Button, Chip, Group, Stack, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { localDate, timeIn, weeksUntil } from './booking-times.ts'
import { dateText } from './time-text.ts'
import { ownZone } from './zone-select.tsx'

const t = translations('portal.scheduling-bookings')

interface Props {
  slug: string
  /** That is to move; its week is shown first. */
  booking: Pick<TenantBooking, 'id' | 'start' | 'end'>
  duration: number
  /** ISO instant of the chosen start. */
  value: string | undefined
  onChange: (start: string) => void
}

const daysAtOnce = 7

/**
 * The times to which a booking can be moved by the rules that visitors go by, a week at a time, in
 * the viewer's zone.
 */
export function SlotPicker({ slug, booking, duration, value, onChange }: Props) {
  const [week, setWeek] = useState(() => weeksUntil(booking.start))
  const timeZone = ownZone()
  const from = localDate(week * daysAtOnce)
  const query = useQuery(
    useTRPC().scheduling.bookings.slots.queryOptions(
      {
        slug,
        bookingId: booking.id,
        from,
        to: localDate((week + 1) * daysAtOnce - 1),
        timeZone,
        duration,
      },
      { placeholderData: keepPreviousData, staleTime: 15_000 },
    ),
  )
  // Moving to where it is already is no move.
  const isNow = ({ start, end }: { start: string; end: string }) =>
    Date.parse(start) === Date.parse(booking.start) && Date.parse(end) === Date.parse(booking.end)
  const days = Object.entries(query.data?.slots ?? {}).map(
    ([date, slots]) => [date, slots.filter((slot) => !isNow(slot))] as const,
  )
  const free = days.filter(([, slots]) => slots.length > 0)
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550} aria-live="polite">
        {t('move.week', { date: dateText(from) })}
      </Text>
      <Group gap="xs" component="nav" aria-label={t('move.weeks')}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChevronLeft size={16} aria-hidden />}
          disabled={week === 0}
          onClick={() => setWeek(week - 1)}
        >
          {t('move.earlier')}
        </Button>
        <Button
          variant="default"
          size="xs"
          rightSection={<IconChevronRight size={16} aria-hidden />}
          onClick={() => setWeek(week + 1)}
        >
          {t('move.later')}
        </Button>
      </Group>
      <QueryState
        query={query}
        loading={t('move.loading')}
        failed={t('move.loadFailed')}
        rows={3}
      />
      {query.data && !query.error && (
        <Stack gap="md" aria-busy={query.isPlaceholderData}>
          {free.length === 0 && <Text size="sm">{t('move.none')}</Text>}
          {free.map(([date, slots]) => (
            <Day
              key={date}
              date={date}
              starts={slots.map(({ start }) => start)}
              value={value}
              onChange={onChange}
            />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

function Day({
  date,
  starts,
  value,
  onChange,
}: { date: string; starts: readonly string[] } & Pick<Props, 'value' | 'onChange'>) {
  const id = useId()
  return (
    <div role="radiogroup" aria-labelledby={id}>
      <Text size="sm" fw={550} mb={6} id={id}>
        {dateText(date)}
      </Text>
      <Chip.Group
        value={value ?? null}
        onChange={(start) => typeof start === 'string' && onChange(start)}
      >
        <Group gap={6}>
          {starts.map((start) => (
            <Chip key={start} value={start} size="sm" variant="outline">
              {timeIn(start)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </div>
  )
}
