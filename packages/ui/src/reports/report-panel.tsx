import { Button, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, LoadingRows } from '../data-states.tsx'
import { translations } from '../messages.ts'
import { Panel } from '../panel.tsx'

const t = translations('ui.reports')

interface Props<Data> {
  title: string
  description?: ReactNode
  query: UseQueryResult<Data, unknown>
  /** Name of the file without its end, and the report as CSV. */
  csv: { name: string; of: (data: Data) => string }
  /** What to say, and do next, while there is nothing to show. */
  empty: { when: (data: Data) => boolean; text: string }
  children: (data: Data) => ReactNode
}

/** A report with its states and its download. */
export function ReportPanel<Data>({
  title,
  description,
  query,
  csv,
  empty,
  children,
}: Props<Data>) {
  const { data } = query
  const nothing = data !== undefined && empty.when(data)
  return (
    <Panel
      title={title}
      description={description}
      actions={
        data !== undefined &&
        !nothing && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={15} aria-hidden />}
            aria-label={t('report.download', { report: title })}
            onClick={() => download(`${csv.name}.csv`, csv.of(data))}
          >
            CSV
          </Button>
        )
      }
    >
      {query.isPending ? (
        <LoadingRows label={t('report.loading', { report: title })} rows={4} />
      ) : query.isError ? (
        <ErrorState
          title={t('report.failed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : nothing ? (
        <Text c="dimmed">{empty.text}</Text>
      ) : (
        children(query.data)
      )}
    </Panel>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once: some browsers read the file after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
