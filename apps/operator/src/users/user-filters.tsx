import { tenantRoles } from '@atrium/core/tenants/tenants'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters } from '@atrium/ui/search-params'
import { ChoiceFilter } from '../parts/choice-filter.tsx'

import type { UsersSearch } from './search.ts'

const t = translations('operator.users')
const labels = translations('ui.labels')

interface Props {
  search: UsersSearch
  onChange: (change: Partial<UsersSearch>) => void
}

const none: Partial<UsersSearch> = {
  q: undefined,
  role: undefined,
  tenantSlug: undefined,
  partnerSlug: undefined,
  platformAdmin: undefined,
  status: undefined,
}
const accountChoices = () =>
  (['active', 'deactivated'] as const).map((value) => ({ value, label: t(`statuses.${value}`) }))
const adminChoices = () =>
  (['true', 'false'] as const).map((value) => ({
    value,
    label: t(`filters.platformAdmins.${value}`),
  }))
const roleChoices = () => tenantRoles.map((value) => ({ value, label: labels(`roles.${value}`) }))

export function UserFilters({ search, onChange }: Props) {
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
        label={t('filters.account')}
        value={search.status}
        choices={accountChoices()}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter
        label={t('filters.platformAdmin')}
        value={search.platformAdmin}
        choices={adminChoices()}
        onChange={(platformAdmin) => onChange({ platformAdmin })}
      />
      <ChoiceFilter
        label={t('filters.role')}
        value={search.role}
        choices={roleChoices()}
        onChange={(role) => onChange({ role })}
      />
      <DebouncedInput
        label={t('filters.tenant')}
        placeholder={t('filters.tenantPlaceholder')}
        autoCapitalize="none"
        spellCheck={false}
        value={search.tenantSlug}
        onChange={(tenantSlug) => onChange({ tenantSlug })}
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
