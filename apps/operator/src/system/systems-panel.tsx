import type { OutsideSystemHealth } from '@atrium/core/system'
import { FailureText } from '@atrium/ui/failure-text'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { systemLooks, systemNames } from './words.ts'

const columns: readonly Column<OutsideSystemHealth>[] = [
  { key: 'system', header: 'System', primary: true, cell: ({ system }) => systemNames[system] },
  {
    key: 'state',
    header: 'State',
    cell: ({ state, message }) => (
      <>
        <StatusBadge {...systemLooks[state]} />
        {message && (
          <Text size="sm" mt={4} component="div">
            <FailureText text={message} />
          </Text>
        )}
      </>
    ),
  },
  { key: 'since', header: 'Since', cell: ({ since }) => (since === null ? '–' : <When at={since} />) },
  {
    key: 'latency',
    header: 'Answer took',
    cell: ({ state, latencyMs }) => (state === 'off' || latencyMs === null ? '–' : `${latencyMs.toLocaleString('en')} ms`),
  },
  {
    key: 'lastError',
    header: 'Last failure',
    cell: ({ state, lastError }) =>
      lastError === null ? (
        'None seen'
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
]

/** Whether the outside systems answer, as the API process that was asked last saw them. */
export function SystemsPanel({ systems }: { systems: readonly OutsideSystemHealth[] }) {
  return (
    <Panel title="Outside systems" description="As seen by the API process that answered; each process asks for itself.">
      <ResponsiveTable caption="Outside systems" columns={columns} rows={systems} rowKey={({ system }) => system} />
    </Panel>
  )
}
