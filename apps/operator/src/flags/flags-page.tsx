import { flagStates } from '@atrium/core/flags/flags'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconFlag, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { flagColumns } from './flag-columns.tsx'
import { stateName } from './labels.ts'
import { type FlagsSearch, flagsQuery } from './search.ts'

const t = translations('operator.flags')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/flags')

export const Route = createLazyRoute('/authenticated/flags')({ component: FlagsPage })

const stateChoices = () => flagStates.map((value) => ({ value, label: stateName(value) }))

function FlagsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const flags = useQuery(
    useTRPC().flags.list.queryOptions(flagsQuery(search), { placeholderData: keepPreviousData }),
  )
  const filtered = countFilters(search) > 0 || search.cursors !== undefined
  const narrow = (change: Partial<FlagsSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/flags/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('new')}
          </LinkButton>
        }
      />
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
          label={t('fields.state')}
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
        found={flags}
        columns={flagColumns()}
        rowKey={(flag) => flag.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={<NoFlags filtered={filtered} onClear={() => void navigate({ search: {} })} />}
      />
    </>
  )
}

function NoFlags({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconFlag size={32} stroke={1.5} aria-hidden />
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
    <EmptyState
      title={t('empty.title')}
      icon={icon}
      action={<LinkButton to="/flags/new">{t('new')}</LinkButton>}
    >
      {t('empty.hint')}
    </EmptyState>
  )
}
