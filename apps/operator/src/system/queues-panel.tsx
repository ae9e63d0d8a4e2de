import type { JobQueue } from '@atrium/core/system/system'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { When } from '../parts/when.tsx'

const columns: readonly Column<JobQueue>[] = [
  { key: 'name', header: 'Queue', primary: true, cell: ({ name }) => name },
  { key: 'waiting', header: 'Due', cell: ({ waiting }) => waiting.toLocaleString('en') },
  {
    key: 'oldest',
    header: 'Oldest due from',
    cell: ({ oldestAt }) => (oldestAt === null ? '–' : <When at={oldestAt} />),
  },
  { key: 'running', header: 'Running', cell: ({ running }) => running.toLocaleString('en') },
  { key: 'later', header: 'For later', cell: ({ later }) => later.toLocaleString('en') },
  {
    key: 'failed',
    header: 'Failed in the last hour',
    cell: ({ failed }) =>
      failed === 0 ? '0' : <StatusBadge label={failed.toLocaleString('en')} tone="bad" />,
  },
]

const busy = ({ waiting, running, later, failed }: JobQueue) =>
  waiting + running + later + failed > 0

/** Depth of the job engine's queues; those at rest are shown when asked for. */
export function QueuesPanel({ queues, engine }: { queues: readonly JobQueue[]; engine: string }) {
  const [all, setAll] = useState(false)
  const shown = all ? queues : queues.filter(busy)
  return (
    <Panel
      title="Job queues"
      description={
        engine === 'ok'
          ? 'A job only starts work whose state is stored elsewhere, so the next sweep repeats a lost one.'
          : `The job engine is not well: ${engine}`
      }
      actions={
        <Button variant="default" size="xs" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? 'Show busy queues only' : `Show all ${queues.length}`}
        </Button>
      }
    >
      {shown.length === 0 ? (
        <Text c="dimmed">All {queues.length} queues are empty.</Text>
      ) : (
        <ResponsiveTable
          caption="Job queues"
          columns={columns}
          rows={shown}
          rowKey={({ name }) => name}
        />
      )}
    </Panel>
  )
}
