import type { FlagChange } from '@atrium/core/flags/flags'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { changeLines } from './labels.ts'
import { historyQuery } from './search.ts'

const t = translations('operator.flags')

const route = getRouteApi('/authenticated/flags/$key')

const tones: Readonly<Record<FlagChange['kind'], Tone>> = {
  created: 'good',
  updated: 'neutral',
  killed: 'bad',
  removed: 'warning',
}

const columns = (): readonly Column<FlagChange>[] => [
  {
    key: 'note',
    header: t('history.columns.note'),
    primary: true,
    cell: (change) => (
      <>
        <Text span inherit fw={550}>
          {change.note}
        </Text>
        <Text size="xs" c="dimmed">
          {change.actorEmail ?? t('history.platform')}
        </Text>
      </>
    ),
  },
  {
    key: 'kind',
    header: t('history.columns.change'),
    cell: ({ kind }) => <StatusBadge label={t(`history.kinds.${kind}`)} tone={tones[kind]} />,
  },
  {
    key: 'what',
    header: t('history.columns.details'),
    cell: (change) => {
      const lines = changeLines(change)
      return lines.length === 0 ? (
        '–'
      ) : (
        <Stack gap={2} miw={{ base: 0, sm: 260 }}>
          {lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </Stack>
      )
    },
  },
  {
    key: 'version',
    header: t('history.columns.version'),
    align: 'end',
    cell: (change) => change.version,
  },
  { key: 'at', header: t('history.columns.when'), cell: (change) => <When at={change.at} /> },
]

/** Every change of the flag, newest first. */
export function FlagHistoryTab({ name }: { name: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const history = useQuery(
    useTRPC().flags.history.queryOptions(historyQuery(name, search), {
      placeholderData: keepPreviousData,
    }),
  )
  if (history.isError) {
    return (
      <ErrorState
        title={t('history.loadFailed')}
        error={history.error}
        onRetry={() => void history.refetch()}
        retrying={history.isFetching}
      />
    )
  }
  if (history.isPending) return <LoadingRows label={t('history.loading')} />
  if (history.data.items.length === 0)
    return <EmptyState title={t('history.empty.title')}>{t('history.empty.hint')}</EmptyState>
  return (
    <>
      <ResponsiveTable
        caption={t('history.caption')}
        columns={columns()}
        rows={history.data.items}
        rowKey={(change) => change.id}
        stale={history.isPlaceholderData}
      />
      <Pager
        label={t('history.pages')}
        cursors={search.cursors}
        nextCursor={history.data.nextCursor}
        onChange={(cursors) => void navigate({ search: (before) => ({ ...before, cursors }) })}
      />
    </>
  )
}
