import type { Backlog, BacklogKind } from '@atrium/core/system/system'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { When } from '../parts/when.tsx'

const t = translations('operator.system')

/** The name of the work, as a link to the page that lists it, if there is one. */
function Name({ kind }: { kind: BacklogKind }) {
  const name = t(`backlogs.names.${kind}`)
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

const columns = (): readonly Column<Backlog>[] => [
  {
    key: 'kind',
    header: t('backlogs.columns.work'),
    primary: true,
    cell: ({ kind }) => <Name kind={kind} />,
  },
  {
    key: 'waiting',
    header: t('backlogs.columns.waiting'),
    cell: ({ waiting }) => formatCount(waiting),
  },
  {
    key: 'failing',
    header: t('backlogs.columns.failing'),
    cell: ({ failing }) =>
      failing === 0 ? '0' : <StatusBadge label={formatCount(failing)} tone="warning" />,
  },
  {
    key: 'gaveUp',
    header: t('backlogs.columns.gaveUp'),
    cell: ({ gaveUp }) =>
      gaveUp === 0 ? '0' : <StatusBadge label={formatCount(gaveUp)} tone="bad" />,
  },
  {
    key: 'oldest',
    header: t('backlogs.columns.oldest'),
    cell: ({ oldestAt }) => (oldestAt === null ? '–' : <When at={oldestAt} />),
  },
]

/** Work in Atrium's own tables that is not done yet. */
export function BacklogsPanel({ backlogs }: { backlogs: readonly Backlog[] }) {
  return (
    <Panel title={t('backlogs.title')} description={t('backlogs.hint')}>
      <ResponsiveTable
        caption={t('backlogs.title')}
        columns={columns()}
        rows={backlogs}
        rowKey={({ kind }) => kind}
      />
    </Panel>
  )
}
