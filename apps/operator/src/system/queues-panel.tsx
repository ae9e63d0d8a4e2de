import type { JobQueue } from '@atrium/core/system/system'
import { formatCount } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { When } from '../parts/when.tsx'

const t = translations('operator.system')

const columns = (): readonly Column<JobQueue>[] => [
  { key: 'name', header: t('queues.columns.queue'), primary: true, cell: ({ name }) => name },
  {
    key: 'waiting',
    header: t('queues.columns.due'),
    cell: ({ waiting }) => formatCount(waiting),
  },
  {
    key: 'oldest',
    header: t('queues.columns.oldest'),
    cell: ({ oldestAt }) => (oldestAt === null ? '–' : <When at={oldestAt} />),
  },
  {
    key: 'running',
    header: t('queues.columns.running'),
    cell: ({ running }) => formatCount(running),
  },
  {
    key: 'later',
    header: t('queues.columns.later'),
    cell: ({ later }) => formatCount(later),
  },
  {
    key: 'failed',
    header: t('queues.columns.failed'),
    cell: ({ failed }) =>
      failed === 0 ? '0' : <StatusBadge label={formatCount(failed)} tone="bad" />,
  },
]

const busy = ({ waiting, running, later, failed }: JobQueue) =>
  waiting + running + later + failed > 0

/** Depth of the job engine's queues. Idle queues are hidden until requested. */
export function QueuesPanel({ queues, engine }: { queues: readonly JobQueue[]; engine: string }) {
  const [all, setAll] = useState(false)
  const shown = all ? queues : queues.filter(busy)
  return (
    <Panel
      title={t('queues.title')}
      description={
        engine === 'ok' ? t('queues.hint') : t('queues.engineFailed', { problem: engine })
      }
      actions={
        <Button variant="default" size="xs" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? t('queues.showBusy') : t('queues.showAll', { count: queues.length })}
        </Button>
      }
    >
      {shown.length === 0 ? (
        <Text c="dimmed">{t('queues.empty', { count: queues.length })}</Text>
      ) : (
        <ResponsiveTable
          caption={t('queues.title')}
          columns={columns()}
          rows={shown}
          rowKey={({ name }) => name}
        />
      )}
    </Panel>
  )
}
