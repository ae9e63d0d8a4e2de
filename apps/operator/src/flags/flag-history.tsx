import type { FlagChange } from '@atrium/core/flags/flags'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { Pager } from '@atrium/ui/pager'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { changeLines, changeNames } from './labels.ts'
import { historyQuery } from './search.ts'

const route = getRouteApi('/authenticated/flags/$key')

const tones: Readonly<Record<FlagChange['kind'], Tone>> = {
  created: 'good',
  updated: 'neutral',
  killed: 'bad',
  removed: 'warning',
}

const columns: readonly Column<FlagChange>[] = [
  {
    key: 'note',
    header: 'Note',
    primary: true,
    cell: (change) => (
      <>
        <Text span inherit fw={550}>
          {change.note}
        </Text>
        <Text size="xs" c="dimmed">
          {change.actorEmail ?? 'The platform'}
        </Text>
      </>
    ),
  },
  {
    key: 'kind',
    header: 'Change',
    cell: (change) => <StatusBadge label={changeNames[change.kind]} tone={tones[change.kind]} />,
  },
  {
    key: 'what',
    header: 'What',
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
  { key: 'version', header: 'Version', align: 'end', cell: (change) => change.version },
  { key: 'at', header: 'When', cell: (change) => <When at={change.at} /> },
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
        title="The history could not be loaded."
        error={history.error}
        onRetry={() => void history.refetch()}
        retrying={history.isFetching}
      />
    )
  }
  if (history.isPending) return <LoadingRows label="Loading the history" />
  if (history.data.items.length === 0)
    return <EmptyState title="No earlier changes">Go back a page.</EmptyState>
  return (
    <>
      <ResponsiveTable
        caption="Changes"
        columns={columns}
        rows={history.data.items}
        rowKey={(change) => change.id}
        stale={history.isPlaceholderData}
      />
      <Pager
        label="Pages of changes"
        trail={search.trail}
        nextCursor={history.data.nextCursor}
        onChange={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
      />
    </>
  )
}
