import { tenantRoles } from '@atrium/core/tenants/tenants'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { roleNames } from '../tenants/labels.ts'
import type { UsersSearch } from './search.ts'

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
const accountChoices = [
  { value: 'active', label: 'Active' },
  { value: 'deactivated', label: 'Deactivated' },
] as const
const adminChoices = [
  { value: 'true', label: 'Platform admins' },
  { value: 'false', label: 'Everybody else' },
] as const
const roleChoices = tenantRoles.map((value) => ({ value, label: roleNames[value] }))

export function UserFilters({ search, onChange }: Props) {
  return (
    <FilterBar label="Filter users">
      <DebouncedInput
        label="Search"
        type="search"
        placeholder="Name or address"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <ChoiceFilter
        label="Account"
        value={search.status}
        choices={accountChoices}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter
        label="Platform admin"
        value={search.platformAdmin}
        choices={adminChoices}
        onChange={(platformAdmin) => onChange({ platformAdmin })}
      />
      <ChoiceFilter
        label="Role in a tenant"
        value={search.role}
        choices={roleChoices}
        onChange={(role) => onChange({ role })}
      />
      <DebouncedInput
        label="Tenant"
        placeholder="Slug of the tenant"
        autoCapitalize="none"
        spellCheck={false}
        value={search.tenantSlug}
        onChange={(tenantSlug) => onChange({ tenantSlug })}
      />
      <DebouncedInput
        label="Partner"
        placeholder="Slug of the partner"
        autoCapitalize="none"
        spellCheck={false}
        value={search.partnerSlug}
        onChange={(partnerSlug) => onChange({ partnerSlug })}
      />
      {countFilters(search) > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange(none)}>
          Clear filters
        </Button>
      )}
    </FilterBar>
  )
}
