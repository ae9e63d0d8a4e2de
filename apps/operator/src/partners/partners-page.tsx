import { partnerStatuses } from '@atrium/core/partners/partner-access'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconBriefcase, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { partnerColumns } from './partner-columns.tsx'
import { type PartnersSearch, partnersQuery } from './search.ts'

const t = translations('operator.partners')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/partners')

export const Route = createLazyRoute('/authenticated/partners')({ component: PartnersPage })

const statusChoices = () =>
  partnerStatuses.map((value) => ({
    value,
    label: partnerStatusMeta(value).label,
  }))

function PartnersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const partners = useQuery(
    trpc.partners.list.queryOptions(partnersQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<PartnersSearch>) =>
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
          <LinkButton to="/partners/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('new')}
          </LinkButton>
        }
      />
      <FilterBar label={t('filters.label')}>
        <DebouncedInput
          label={t('filters.search')}
          type="search"
          placeholder={t('filters.searchPlaceholder')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label={t('filters.status')}
          value={search.status}
          choices={statusChoices()}
          onChange={(status) => narrow({ status })}
        />
      </FilterBar>
      <PagedTable
        of={t('items')}
        found={partners}
        columns={partnerColumns()}
        rowKey={({ id }) => id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        loadingRows={8}
        empty={
          <NoPartners
            filtered={countFilters(search) > 0 || search.cursors !== undefined}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}

function NoPartners({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconBriefcase size={36} stroke={1.5} aria-hidden />
  if (filtered) {
    return (
      <EmptyState
        icon={icon}
        title={t('empty.filtered.title')}
        action={
          <Button variant="default" onClick={onClear}>
            {frame('clearFilters')}
          </Button>
        }
      >
        {t('empty.filtered.hint')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={t('empty.none.title')}
      action={<LinkButton to="/partners/new">{t('new')}</LinkButton>}
    >
      {t('empty.none.hint')}
    </EmptyState>
  )
}
