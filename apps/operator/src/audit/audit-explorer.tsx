import type { AuditEvent, AuditPage } from '@atrium/core/audit/audit'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { type AuditFilterName, AuditFilters } from '@atrium/ui/audit-filters'
import { SearchFurtherBack } from '@atrium/ui/audit-further'
import { AuditTable } from '@atrium/ui/audit-table'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { Group, NativeSelect } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import { type AuditSearch, auditPerPage, pageSizes } from './search.ts'

const t = translations('operator.audit')

/** The parts of a query's state that the explorer shows. */
interface Log {
  data: AuditPage | undefined
  error: unknown
  isError: boolean
  isFetching: boolean
  isPlaceholderData: boolean
  refetch: () => Promise<unknown>
}

interface Props {
  search: AuditSearch
  /** The filters to offer. */
  fields: readonly AuditFilterName[]
  log: Log
  showTenant?: boolean
  /** Changes the address. A change of filters returns to the first page. */
  onSearch: (change: Partial<AuditSearch>) => void
}

/** Filters, entries and pages of the audit log of the platform or one tenant. */
export function AuditExplorer({ search, fields, log, showTenant = false, onSearch }: Props) {
  const [opened, setOpened] = useState<AuditEvent>()
  const narrow = (change: Partial<AuditSearch>) => {
    setOpened(undefined)
    onSearch({ ...change, cursors: undefined })
  }
  return (
    <>
      <AuditFilters
        value={search}
        fields={search.grantId === undefined ? fields : [...fields, 'grantId']}
        onChange={narrow}
      />
      {log.isError ? (
        <ErrorState
          title={t('loadFailed')}
          error={log.error}
          onRetry={() => void log.refetch()}
          retrying={log.isFetching}
        />
      ) : log.data === undefined ? (
        <LoadingRows label={t('loading')} rows={10} />
      ) : (
        <>
          {log.data.items.length > 0 && (
            <AuditTable
              caption={t('caption')}
              events={log.data.items}
              onOpen={setOpened}
              onNarrow={narrow}
              showTenant={showTenant}
              showAction
              stale={log.isPlaceholderData}
            />
          )}
          {log.data.items.length === 0 && !log.data.more && (
            <EmptyState
              title={t('empty.title')}
              icon={<IconHistory size={32} stroke={1.5} aria-hidden />}
            >
              {t(search.cursors === undefined ? 'empty.hint' : 'empty.hintFurther')}
            </EmptyState>
          )}
          <SearchFurtherBack
            page={log.data}
            cursors={search.cursors}
            onChange={(cursors) => onSearch({ cursors })}
          />
          <Pager
            label={t('pages')}
            cursors={search.cursors}
            nextCursor={log.data.more ? null : log.data.nextCursor}
            onChange={(cursors) => onSearch({ cursors })}
          />
          {log.data.items.length > 0 && (
            <Group justify="flex-end" mt="sm">
              <NativeSelect
                label={t('perPage')}
                size="xs"
                value={search.limit ?? String(auditPerPage)}
                data={[...pageSizes]}
                onChange={(event) =>
                  narrow({ limit: pageSizes.find((size) => size === event.currentTarget.value) })
                }
              />
            </Group>
          )}
        </>
      )}
      <AuditEntryDrawer event={opened} onClose={() => setOpened(undefined)} onNarrow={narrow} />
    </>
  )
}
