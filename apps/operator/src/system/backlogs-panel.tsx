import type { Backlog, BacklogKind } from '@atrium/core/system/system'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { When } from '../parts/when.tsx'
import { backlogNames } from './labels.ts'

const count = (value: number) => value.toLocaleString('en')

/** The page where such work is listed, where there is one. */
function Name({ kind }: { kind: BacklogKind }) {
  const name = backlogNames[kind]
  const meta = { fz: 'inherit', underline: 'hover' } as const
  if (kind === 'mails')
    return (
      <LinkAnchor to="/mail" {...meta}>
        {name}
      </LinkAnchor>
    )
  if (kind === 'events')
    return (
      <LinkAnchor to="/webhooks" {...meta}>
        {name}
      </LinkAnchor>
    )
  if (kind === 'provisioning')
    return (
      <LinkAnchor to="/tenants" {...meta}>
        {name}
      </LinkAnchor>
    )
  return name
}

const columns: readonly Column<Backlog>[] = [
  { key: 'kind', header: 'Work', primary: true, cell: ({ kind }) => <Name kind={kind} /> },
  { key: 'waiting', header: 'Waiting', cell: ({ waiting }) => count(waiting) },
  {
    key: 'failing',
    header: 'Failing, retried',
    cell: ({ failing }) =>
      failing === 0 ? '0' : <StatusBadge label={count(failing)} tone="warning" />,
  },
  {
    key: 'gaveUp',
    header: 'Given up',
    cell: ({ gaveUp }) => (gaveUp === 0 ? '0' : <StatusBadge label={count(gaveUp)} tone="bad" />),
  },
  {
    key: 'oldest',
    header: 'Oldest from',
    cell: ({ oldestAt }) => (oldestAt === null ? '–' : <When at={oldestAt} />),
  },
]

/** Work in rows of our own that is not done. */
export function BacklogsPanel({ backlogs }: { backlogs: readonly Backlog[] }) {
  return (
    <Panel title="Pending work" description="Changes that upstream systems have not received yet.">
      <ResponsiveTable
        caption="Work under way"
        columns={columns}
        rows={backlogs}
        rowKey={({ kind }) => kind}
      />
    </Panel>
  )
}
