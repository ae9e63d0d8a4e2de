import type { PartnerMargins as Margins, PartnerView } from '@atrium/core/partners/partners'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatDay } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { StatusMeta } from '@atrium/ui/tones'
import { IconPercentage } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'

const MarginEditor = lazy(() =>
  import('./margin-editor.tsx').then((part) => ({ default: part.MarginEditor })),
)

type Margin = Margins['items'][number]

const stateMeta: Readonly<Record<Margin['state'], StatusMeta>> = {
  past: { label: 'Past', tone: 'neutral' },
  current: { label: 'In force', tone: 'good' },
  upcoming: { label: 'Upcoming', tone: 'waiting' },
}

const columns: readonly Column<Margin>[] = [
  {
    key: 'from',
    header: 'From',
    primary: true,
    cell: ({ effectiveFrom }) => formatDay(effectiveFrom),
  },
  { key: 'margin', header: 'Margin', align: 'end', cell: ({ marginPct }) => `${marginPct} %` },
  { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge {...stateMeta[state]} /> },
  { key: 'by', header: 'Set by', cell: ({ setBy }) => setBy ?? '–' },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => reason ?? '–' },
  { key: 'at', header: 'Set', cell: ({ createdAt }) => <When at={createdAt} /> },
]

/** What the partner earned, earns and is going to earn of what its customers pay. */
export function PartnerMargins({ partner }: { partner: PartnerView }) {
  const margins = useQuery(useTRPC().partners.margins.queryOptions({ slug: partner.slug }))
  return (
    <Panel
      title="Margin"
      description="An invoice earns by the margin that was in force on the day it was finalized. What holds already is never changed."
      actions={
        partner.status !== 'terminated' && (
          <EditDialog label="Set a margin" title={`Set the margin of ${partner.name}`}>
            {(close) => (
              <MarginEditor
                partner={partner}
                first={margins.data?.items.length === 0}
                onClose={close}
              />
            )}
          </EditDialog>
        )
      }
    >
      {margins.isError ? (
        <ErrorState
          title="The margins could not be loaded."
          error={margins.error}
          onRetry={() => void margins.refetch()}
          retrying={margins.isFetching}
        />
      ) : margins.isPending ? (
        <LoadingRows label="Loading margins" rows={3} />
      ) : margins.data.items.length === 0 ? (
        <EmptyState
          icon={<IconPercentage size={32} stroke={1.5} aria-hidden />}
          title="No margin has a date yet"
        >
          The partner earns {partner.marginPct ?? 0} %. Set a margin to begin its history.
        </EmptyState>
      ) : (
        <ResponsiveTable
          caption="Margins"
          columns={columns}
          rows={margins.data.items}
          rowKey={({ effectiveFrom }) => effectiveFrom}
        />
      )}
    </Panel>
  )
}
