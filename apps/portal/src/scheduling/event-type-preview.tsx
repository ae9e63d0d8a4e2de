import type { EventTypePreview } from '@atrium/core/scheduling/event-types'
import type { HostView } from '@atrium/core/scheduling/hosts'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { viewerLocale as locale } from '@atrium/ui/page-language'
import { ActionIcon, Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCalendarX, IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPCClient } from '../trpc.ts'
import { type EventTypeFormValues, toPreview } from './event-type-form.ts'
import classes from './event-type-preview.module.css'
import { dateText, nextDate, todayIn } from './time-text.ts'
import { ownZone, ZoneSelect } from './zone-select.tsx'

const t = translations('portal.scheduling-event-types')

interface Props {
  host: HostView
  eventTypeId: string
  values: EventTypeFormValues
}

const days = 7

/**
 * What visitors would see of the settings as they are typed: the same slots, from the host's
 * calendar as it is now.
 */
export function EventTypePreviewPanel({ host, eventTypeId, values }: Props) {
  const { slug } = useTenant()
  const client = useTRPCClient()
  const [timeZone, setTimeZone] = useState(ownZone)
  const [minutes, setMinutes] = useState<number>()
  const [week, setWeek] = useState(0)
  const today = todayIn(timeZone)
  const from = nextDate(today, week * days)
  const [draft] = useDebouncedValue(values, 400)
  const input = toPreview({ slug, hostId: host.id, eventTypeId }, draft, {
    timeZone,
    from,
    days,
    minutes,
  })
  const query = useQuery({
    queryKey: ['event type preview', input],
    // A mutation by its method alone, because a draft is too long for an address. It changes
    // nothing.
    queryFn: input
      ? ({ signal }) => client.scheduling.eventTypes.preview.mutate(input, { signal })
      : skipToken,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 10_000,
  })
  const lengths = values.durations.filter((one) => one !== '')
  const shown = minutes !== undefined && lengths.includes(minutes) ? minutes : lengths[0]
  return (
    <div className={classes.visitor}>
      <Stack gap="sm">
        <div>
          <Text size="sm" c="dimmed">
            {host.name}
          </Text>
          <Title order={3} size="h3">
            {values.title.trim() || t('preview.untitled')}
          </Title>
          <Text size="sm" c="dimmed">
            {[
              shown !== undefined && formatMinutes(shown),
              t(`preview.places.${values.locationKind}`),
              values.requiresConfirmation && t('preview.toConfirm'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </div>
        {values.description.trim() !== '' && (
          <Text size="sm" className={classes.description}>
            {values.description}
          </Text>
        )}
        {lengths.length > 1 && (
          <Group gap={6} role="group" aria-label={t('preview.length')}>
            {lengths.map((length) => (
              <Button
                key={length}
                size="compact-sm"
                variant={length === shown ? 'filled' : 'default'}
                aria-pressed={length === shown}
                onClick={() => setMinutes(length)}
              >
                {formatMinutes(length)}
              </Button>
            ))}
          </Group>
        )}
        <ZoneSelect label={t('preview.zone')} size="xs" value={timeZone} onChange={setTimeZone} />
        <Group justify="space-between" wrap="nowrap">
          <ActionIcon
            variant="default"
            size={34}
            aria-label={t('preview.earlier')}
            disabled={week === 0}
            onClick={() => setWeek(week - 1)}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <Text size="sm" fw={550} ta="center">
            {week === 0 ? t('preview.nextDays') : t('preview.from', { date: dateText(from) })}
          </Text>
          <ActionIcon
            variant="default"
            size={34}
            aria-label={t('preview.later')}
            disabled={week >= 50}
            onClick={() => setWeek(week + 1)}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </Group>
        {input === undefined ? (
          <Text size="sm" c="dimmed">
            {t('preview.invalid')}
          </Text>
        ) : query.isPending ? (
          <LoadingRows label={t('preview.loading')} rows={3} />
        ) : query.isError ? (
          <ErrorState
            title={t('preview.failed')}
            error={query.error}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        ) : (
          <Days preview={query.data} stale={query.isPlaceholderData} seats={values.seats} />
        )}
      </Stack>
    </div>
  )
}

function Days({
  preview,
  stale,
  seats,
}: {
  preview: EventTypePreview
  stale: boolean
  seats: EventTypeFormValues['seats']
}) {
  if (!preview.calendarRead) {
    return (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconCalendarX aria-hidden />}
        title={t('preview.noTimes')}
      >
        {preview.reason}
      </Alert>
    )
  }
  const open = preview.days.filter(({ slots }) => slots.length > 0)
  const time = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: preview.timeZone,
    hourCycle: 'h23',
  })
  return (
    <section
      data-stale={stale || undefined}
      className={classes.days}
      aria-label={t('preview.times')}
      aria-busy={stale}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list is reached by keyboard
      tabIndex={0}
    >
      {open.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('preview.noneFree')}
        </Text>
      )}
      {open.map(({ date, slots }) => (
        <section key={date} aria-label={dateText(date)} className={classes.day}>
          <Text size="sm" fw={600}>
            {dateText(date)}
          </Text>
          <ul className={classes.slots}>
            {slots.map(({ start, seatsLeft }) => (
              <li key={start} className={classes.slot}>
                {time.format(new Date(start))}
                {typeof seats === 'number' && seats > 1 && (
                  <span className={classes.seats}>
                    {t('preview.placesLeft', { count: seatsLeft })}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}
