import type { FlagGuardReading, SignalReading } from '@atrium/core/flags/flag-guards'
import type { FlagView } from '@atrium/core/flags/flags'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatCount } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import type { StatusMeta } from '@atrium/ui/tones'
import { Group, Progress, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { EditGuards } from './edit-flag.tsx'
import { guardSentence, percent, rateText, signalNames } from './labels.ts'

interface Props {
  flag: FlagView
}

const readEveryMs = 15_000

/** The guard rules of a flag with what they see at this moment. */
export function GuardsPanel({ flag }: Props) {
  return (
    <Panel
      title="Guards"
      description="What turns the flag off by itself while it rolls out."
      actions={<EditGuards flag={flag} />}
    >
      {flag.guards.length === 0 ? (
        <Text size="sm" c="dimmed">
          No rules. With one, a rollout that makes things fail ends by itself.
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
        title="The guards could not be read."
        error={readings.error}
        onRetry={() => void readings.refetch()}
        retrying={readings.isFetching}
      />
    )
  }
  if (readings.isPending)
    return <LoadingRows label="Loading what the guards see" rows={flag.guards.length} />
  const { acting, at, guards } = readings.data
  return (
    <Stack gap="lg">
      {guards.map((guard) => (
        <Reading key={`${guard.signal} ${guard.windowMinutes}`} guard={guard} acting={acting} />
      ))}
      <Text size="xs" c="dimmed">
        {acting ? 'Looked at every minute.' : 'The rules act only while the flag is in rollout.'}{' '}
        Figures of <Time at={at} />.
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
          {signalNames[signal]}
        </Text>
        <StatusBadge {...lookOf(guard, acting)} />
      </Group>
      <Text size="sm" c="dimmed" mb={8}>
        {guardSentence(guard)}
      </Text>
      <Progress
        value={nearness}
        color={rate > threshold ? 'red' : 'teal'}
        aria-label={`${signalNames[signal]}: ${rateText(on)} with the flag, the limit is ${percent(threshold)}`}
      />
      <Group justify="space-between" gap="xs" mt={6}>
        <Side name="With the flag" count={on} />
        <Side name="Without it" count={off} />
      </Group>
      {acting && on.events < minimum && (
        <Text size="xs" c="dimmed" mt={4}>
          {formatCount(minimum - on.events)} more events with the flag are needed before this rule
          can act.
        </Text>
      )}
    </div>
  )
}

function Side({ name, count }: { name: string; count: SignalReading }) {
  return (
    <Text size="sm">
      {name}: <b>{rateText(count)}</b>{' '}
      <Text span inherit c="dimmed">
        ({formatCount(count.failures)} of {formatCount(count.events)};{' '}
        {formatCount(count.failingTenants)} of {formatCount(count.tenants)}{' '}
        {count.tenants === 1 ? 'tenant' : 'tenants'} failing)
      </Text>
    </Text>
  )
}

function lookOf({ broken, on, minimum }: FlagGuardReading, acting: boolean): StatusMeta {
  if (broken) return { label: acting ? 'Broken, turning off' : 'Would turn it off', tone: 'bad' }
  if (on.events < minimum) return { label: 'Too few events', tone: 'neutral' }
  return on.failingTenants > 0
    ? { label: 'Some tenants failing', tone: 'warning' }
    : { label: 'Within the limit', tone: 'good' }
}
