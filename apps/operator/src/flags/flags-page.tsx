import { flagStates } from '@atrium/core/flags/flags'
import { NoRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { IconFlag, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { flagColumns } from './flag-columns.tsx'
import { stateName } from './labels.ts'
import { type FlagsSearch, flagsQuery } from './search.ts'

const t = translations('operator.flags')

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
    void navigate({ search: narrowedBy(change), replace: true })
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
          label={t('fields.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
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
        empty={
          <NoRows
            icon={<IconFlag size={32} stroke={1.5} aria-hidden />}
            filtered={filtered}
            noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
            none={{
              title: t('empty.title'),
              hint: t('empty.hint'),
              action: <LinkButton to="/flags/new">{t('new')}</LinkButton>,
            }}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}
