import { mailStates } from '@atrium/core/mail/mail-states'
import type { MailQueuePage } from '@atrium/core/outbox/outbox'
import { NoRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { Warnings } from '@atrium/ui/warnings'
import { Box } from '@mantine/core'
import { IconMailForward } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { mailColumns } from './mail-columns.tsx'
import { type MailQueueSearch, mailQueueQuery } from './search.ts'
import { mailMeta } from './status-meta.ts'

const t = translations('operator.mail')

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
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {troubling.length > 0 && (
        <Box mb="lg">
          <Warnings title={t('troubles.title')} messages={troubling} />
        </Box>
      )}
      <FilterBar
        label={t('filter')}
        onClear={countFilters(search) > 0 && (() => narrow({ q: undefined, state: undefined }))}
      >
        <SearchInput
          label={t('search.label')}
          placeholder={t('search.placeholder')}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label={t('columns.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
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
        empty={
          <NoRows
            icon={<IconMailForward size={32} stroke={1.5} aria-hidden />}
            filtered={filtered}
            noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
            none={{ title: t('empty.title'), hint: t('empty.hint') }}
            onClear={clear}
          />
        }
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
