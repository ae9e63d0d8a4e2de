import { plans } from '@atrium/core/billing/plans'
import { tenantStatuses } from '@atrium/core/platform/choices'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters } from '@atrium/ui/search-params'
import { planName } from '@atrium/ui/subscription-status-meta'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import type { TenantsSearch } from './search.ts'

const t = translations('operator.tenants')

interface Props {
  search: TenantsSearch
  onChange: (change: Partial<TenantsSearch>) => void
}

const none: Partial<TenantsSearch> = {
  q: undefined,
  status: undefined,
  plan: undefined,
  partnerSlug: undefined,
}
const statusChoices = () =>
  tenantStatuses.map((value) => ({
    value,
    label: tenantStatusMeta(value).label,
  }))
const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))

export function TenantFilters({ search, onChange }: Props) {
  return (
    <FilterBar
      label={t('filters.label')}
      onClear={countFilters(search) > 0 && (() => onChange(none))}
    >
      <SearchInput
        label={t('filters.search')}
        placeholder={t('filters.searchPlaceholder')}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <ChoiceFilter
        label={t('filters.status')}
        value={search.status}
        choices={statusChoices()}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter
        label={t('filters.plan')}
        value={search.plan}
        choices={planChoices()}
        onChange={(plan) => onChange({ plan })}
      />
      <DebouncedInput
        label={t('filters.partner')}
        placeholder={t('filters.partnerPlaceholder')}
        autoCapitalize="none"
        spellCheck={false}
        value={search.partnerSlug}
        onChange={(partnerSlug) => onChange({ partnerSlug })}
      />
    </FilterBar>
  )
}
