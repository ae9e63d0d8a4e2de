import type { PartnerMargins as Margins, PartnerView } from '@atrium/core/partners/partners'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatDay, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { IconPercentage } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.partners')

const MarginEditor = lazy(() =>
  import('./margin-editor.tsx').then((part) => ({ default: part.MarginEditor })),
)

type Margin = Margins['items'][number]

const stateTones: Readonly<Record<Margin['state'], Tone>> = {
  past: 'neutral',
  current: 'good',
  upcoming: 'waiting',
}

const columns = (): readonly Column<Margin>[] => [
  {
    key: 'from',
    header: t('margins.columns.from'),
    primary: true,
    cell: ({ effectiveFrom }) => formatDay(effectiveFrom),
  },
  {
    key: 'margin',
    header: t('margins.columns.margin'),
    align: 'end',
    cell: ({ marginPct }) => formatPercent(marginPct),
  },
  {
    key: 'state',
    header: t('margins.columns.state'),
    cell: ({ state }) => (
      <StatusBadge tone={stateTones[state]} label={t(`margins.states.${state}`)} />
    ),
  },
  {
    key: 'by',
    header: t('margins.columns.setBy'),
    cell: ({ setBy }) => setBy ?? '–',
  },
  {
    key: 'reason',
    header: t('margins.columns.reason'),
    cell: ({ reason }) => reason ?? '–',
  },
  { key: 'at', header: t('margins.columns.set'), cell: ({ createdAt }) => <When at={createdAt} /> },
]

/** The past, current and upcoming margins of a partner. */
export function PartnerMargins({ partner }: { partner: PartnerView }) {
  const margins = useQuery(useTRPC().partners.margins.queryOptions({ slug: partner.slug }))
  return (
    <Panel
      title={t('margins.title')}
      description={t('margins.description')}
      actions={
        partner.status !== 'terminated' && (
          <EditDialog
            label={t('margins.set.action')}
            title={t('margins.set.title', { partner: partner.name })}
          >
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
          title={t('margins.failed')}
          error={margins.error}
          onRetry={() => void margins.refetch()}
          retrying={margins.isFetching}
        />
      ) : margins.isPending ? (
        <LoadingRows label={t('margins.loading')} rows={3} />
      ) : margins.data.items.length === 0 ? (
        <EmptyState
          icon={<IconPercentage size={32} stroke={1.5} aria-hidden />}
          title={t('margins.empty.title')}
        >
          {t('margins.empty.hint', { margin: formatPercent(partner.marginPct ?? 0) })}
        </EmptyState>
      ) : (
        <ResponsiveTable
          caption={t('margins.caption')}
          columns={columns()}
          rows={margins.data.items}
          rowKey={({ effectiveFrom }) => effectiveFrom}
        />
      )}
    </Panel>
  )
}
