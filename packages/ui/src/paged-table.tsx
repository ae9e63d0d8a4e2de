import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, LoadingRows } from './data-states.tsx'
import { translations } from './messages.ts'
import { Pager } from './pager.tsx'
import { type Column, ResponsiveTable } from './responsive-table.tsx'

const t = translations('ui.frame')

interface Props<Row> {
  /** What is listed, in the plural and as within a sentence: "tenants", „Mandanten“. */
  of: string
  /** Leads the sentence of a failed load, where "The tenants could not be loaded." is not it. */
  failure?: string
  /** Names the table, where "Tenants" is not it. */
  caption?: string
  found: UseQueryResult<{ items: Row[]; nextCursor: string | null }, unknown>
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Shown where nothing was found. */
  empty: ReactNode
  cursors: string | undefined
  onCursorHistory: (cursors: string | undefined) => void
  /** How many rows the placeholder shows. */
  loadingRows?: number
}

/**
 * A list that is read in pages: waiting, failed, empty, or its rows with the way to further ones.
 */
export function PagedTable<Row>({
  of,
  failure,
  caption,
  found,
  columns,
  rowKey,
  empty,
  cursors,
  onCursorHistory,
  loadingRows = 6,
}: Props<Row>) {
  if (found.isError) {
    return (
      <ErrorState
        title={failure ?? t('list.failed', { items: of })}
        error={found.error}
        onRetry={() => void found.refetch()}
        retrying={found.isFetching}
      />
    )
  }
  if (found.isPending)
    return <LoadingRows label={t('list.loading', { items: of })} rows={loadingRows} />
  const { items, nextCursor } = found.data
  if (items.length === 0) return empty
  return (
    <>
      <ResponsiveTable
        caption={caption ?? of.charAt(0).toUpperCase() + of.slice(1)}
        columns={columns}
        rows={items}
        rowKey={rowKey}
        stale={found.isPlaceholderData}
      />
      <Pager
        label={t('list.pages', { items: of })}
        cursors={cursors}
        nextCursor={nextCursor}
        onChange={onCursorHistory}
      />
    </>
  )
}
