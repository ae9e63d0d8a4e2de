import type { OutsideSystemHealth } from '@atrium/core/system/system'
import { FailureText } from '@atrium/ui/failure-text'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { DaysStrip } from './days-strip.tsx'
import { systemMeta, systemNames } from './labels.ts'

const columns = (now: Date): readonly Column<OutsideSystemHealth>[] => [
  { key: 'system', header: 'System', primary: true, cell: ({ system }) => systemNames[system] },
  {
    key: 'state',
    header: 'State',
    cell: ({ state, message }) => (
      <>
        <StatusBadge {...systemMeta[state]} />
        {message && (
          <Text size="sm" mt={4} component="div">
            <FailureText text={message} />
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'since',
    header: 'Since',
    cell: ({ since }) => (since === null ? '–' : <When at={since} />),
  },
  {
    key: 'latency',
    header: 'Response time',
    cell: ({ state, latencyMs }) =>
      state === 'off' || latencyMs === null ? '–' : `${latencyMs.toLocaleString('en')} ms`,
  },
  {
    key: 'lastError',
    header: 'Last failure',
    cell: ({ state, lastError }) =>
      lastError === null ? (
        'None in 90 days'
      ) : (
        <>
          <When at={lastError.at} />
          {state !== 'error' && (
            <Text size="xs" c="dimmed" component="div">
              <FailureText text={lastError.message} />
            </Text>
          )}
        </>
      ),
  },
  {
    key: 'days',
    header: 'Last 90 days',
    cell: ({ state, days }) => (state === 'off' ? '–' : <DaysStrip days={days} now={now} />),
  },
]

/**
 * The state of each upstream system as the responding API process last saw it, and the calls of all
 * processes over 90 days.
 */
export function SystemsPanel({
  systems,
  at,
}: {
  systems: readonly OutsideSystemHealth[]
  at: string
}) {
  return (
    <Panel
      title="Upstream systems"
      description="Every API process checks them each minute. Failures of all calls count."
    >
      <ResponsiveTable
        caption="Upstream systems"
        columns={columns(new Date(at))}
        rows={systems}
        rowKey={({ system }) => system}
      />
    </Panel>
  )
}
