import { tenantRoles } from '@atrium/core/tenants/tenants'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { ChoiceFilter } from '../parts/choice-filter.tsx'

import type { UsersSearch } from './search.ts'

const t = translations('operator.users')
const frame = translations('ui.frame')
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
    <FilterBar label={t('filters.label')}>
      <DebouncedInput
        label={t('filters.search')}
        type="search"
        placeholder={t('filters.searchPlaceholder')}
        leftSection={<IconSearch size={16} aria-hidden />}
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
      {countFilters(search) > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange(none)}>
          {frame('clearFilters')}
        </Button>
      )}
    </FilterBar>
  )
}
