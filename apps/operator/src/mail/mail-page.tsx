import { mailStates } from '@atrium/core/mail/mail-states'
import type { MailQueuePage } from '@atrium/core/outbox/outbox'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { Warnings } from '@atrium/ui/warnings'
import { Box, Button } from '@mantine/core'
import { IconMailForward, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { mailColumns } from './mail-columns.tsx'
import { type MailQueueSearch, mailQueueQuery } from './search.ts'
import { mailMeta } from './status-meta.ts'

const t = translations('operator.mail')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/mail')

export const Route = createLazyRoute('/authenticated/mail')({ component: MailPage })

const stateChoices = () => mailStates.map((value) => ({ value, label: mailMeta(value).label }))
const pollIntervalMs = 15_000

/** The mails that the platform sends automatically: waiting, failed and sent. */
function MailPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queue = useQuery(
    useTRPC().outbox.list.queryOptions(mailQueueQuery(search), {
      placeholderData: keepPreviousData,
      refetchInterval: pollIntervalMs,
    }),
  )
  const filtered = countFilters(search) > 0 || search.cursors !== undefined
  const troubling = queue.data ? troubles(queue.data.summary) : []
  const clear = () => void navigate({ search: {} })
  const narrow = (change: Partial<MailQueueSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {troubling.length > 0 && (
        <Box mb="lg">
          <Warnings title={t('troubles.title')} messages={troubling} />
        </Box>
      )}
      <FilterBar label={t('filter')}>
        <DebouncedInput
          label={t('search.label')}
          type="search"
          placeholder={t('search.placeholder')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label={t('columns.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
        {countFilters(search) > 0 && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => narrow({ q: undefined, state: undefined })}
          >
            {frame('clearFilters')}
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of={t('items')}
        failure={t('loadFailed')}
        found={queue}
        columns={mailColumns()}
        rowKey={(mail) => mail.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={<NoMails filtered={filtered} onClear={clear} />}
      />
    </>
  )
}

function troubles({ sending, waiting, failed, gaveUp }: MailQueuePage['summary']): string[] {
  return [
    ...(sending === 'off' ? [t('troubles.off', { count: waiting })] : []),
    ...(failed > 0 ? [t('troubles.failed', { count: failed })] : []),
    ...(gaveUp > 0 ? [t('troubles.gaveUp', { count: gaveUp })] : []),
  ]
}

function NoMails({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconMailForward size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title={t('noMatch.title')}
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          {frame('clearFilters')}
        </Button>
      }
    >
      {t('noMatch.hint')}
    </EmptyState>
  ) : (
    <EmptyState title={t('empty.title')} icon={icon}>
      {t('empty.hint')}
    </EmptyState>
  )
}
