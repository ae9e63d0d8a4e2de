import type { FlagGuardReading, SignalReading } from '@atrium/core/flags/flag-guards'
import type { FlagView } from '@atrium/core/flags/flags'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatCount, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import type { StatusMeta } from '@atrium/ui/tones'
import { Group, Progress, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { EditGuards } from './edit-flag.tsx'
import { guardSentence, rateText } from './labels.ts'

const t = translations('operator.flags')

interface Props {
  flag: FlagView
}

const readEveryMs = 15_000

/** The guard rules of a flag, each with its current reading. */
export function GuardsPanel({ flag }: Props) {
  return (
    <Panel
      title={t('guards.title')}
      description={t('guards.hint')}
      actions={<EditGuards flag={flag} />}
    >
      {flag.guards.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('guards.none')}
        </Text>
      ) : (
        <Readings flag={flag} />
      )}
    </Panel>
  )
}

function Readings({ flag }: Props) {
  const readings = useQuery(
    useTRPC().flags.guards.queryOptions(
      { key: flag.key },
      { refetchInterval: readEveryMs, placeholderData: keepPreviousData },
    ),
  )
  if (readings.isError) {
    return (
      <ErrorState
        title={t('guards.loadFailed')}
        error={readings.error}
        onRetry={() => void readings.refetch()}
        retrying={readings.isFetching}
      />
    )
  }
  if (readings.isPending)
    return <LoadingRows label={t('guards.loading')} rows={flag.guards.length} />
  const { acting, at, guards } = readings.data
  return (
    <Stack gap="lg">
      {guards.map((guard) => (
        <Reading key={`${guard.signal} ${guard.windowMinutes}`} guard={guard} acting={acting} />
      ))}
      <Text size="xs" c="dimmed">
        {t.rich(acting ? 'guards.acting' : 'guards.idle', { time: () => <Time at={at} /> })}
      </Text>
    </Stack>
  )
}

function Reading({ guard, acting }: { guard: FlagGuardReading; acting: boolean }) {
  const { signal, threshold, minimum, on, off } = guard
  const rate = on.rate ?? 0
  // Full at the limit.
  const nearness = rate > threshold ? 100 : threshold === 0 ? 0 : (rate / threshold) * 100
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={550}>
          {t(`guards.signals.${signal}`)}
        </Text>
        <StatusBadge {...lookOf(guard, acting)} />
      </Group>
      <Text size="sm" c="dimmed" mb={8}>
        {guardSentence(guard)}
      </Text>
      <Progress
        value={nearness}
        color={rate > threshold ? 'red' : 'teal'}
        aria-label={t('guards.reading', {
          signal: t(`guards.signals.${signal}`),
          rate: rateText(on),
          limit: formatPercent(threshold),
        })}
      />
      <Group justify="space-between" gap="xs" mt={6}>
        <Side flag="with" count={on} />
        <Side flag="without" count={off} />
      </Group>
      {acting && on.events < minimum && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('guards.missing', { count: minimum - on.events })}
        </Text>
      )}
    </div>
  )
}

function Side({ flag, count }: { flag: 'with' | 'without'; count: SignalReading }) {
  const { failures, events, failingTenants, tenants } = count
  return (
    <Text size="sm">
      {t.rich(`guards.${flag}`, {
        rate: () => <b>{rateText(count)}</b>,
        counts: (chunks) => (
          <Text span inherit c="dimmed">
            {chunks}
          </Text>
        ),
        failures: formatCount(failures),
        events: formatCount(events),
        failing: formatCount(failingTenants),
        tenants,
      })}
    </Text>
  )
}

function lookOf({ broken, on, minimum }: FlagGuardReading, acting: boolean): StatusMeta {
  if (broken)
    return { label: t(`guards.status.${acting ? 'turningOff' : 'wouldTurnOff'}`), tone: 'bad' }
  if (on.events < minimum) return { label: t('guards.status.tooFew'), tone: 'neutral' }
  return on.failingTenants > 0
    ? { label: t('guards.status.someFailing'), tone: 'warning' }
    : { label: t('guards.status.within'), tone: 'good' }
}
