import { partnerStatuses } from '@atrium/core/partners/partner-access'
import { NoRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { IconBriefcase, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { partnerColumns } from './partner-columns.tsx'
import { type PartnersSearch, partnersQuery } from './search.ts'

const t = translations('operator.partners')

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
    void navigate({ search: narrowedBy(change), replace: true })
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
        <SearchInput
          label={t('filters.search')}
          placeholder={t('filters.searchPlaceholder')}
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
          <NoRows
            icon={<IconBriefcase size={36} stroke={1.5} aria-hidden />}
            filtered={countFilters(search) > 0 || search.cursors !== undefined}
            noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
            none={{
              title: t('empty.none.title'),
              hint: t('empty.none.hint'),
              action: <LinkButton to="/partners/new">{t('new')}</LinkButton>,
            }}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}
