import { tenantRole, tenantRoles } from '@atrium/core/tenants'
import { Button, Select } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { DebouncedInput } from '../parts/debounced-input.tsx'
import { FilterBar } from '../parts/filter-bar.tsx'
import { countFilters } from '../search.ts'
import { roleNames } from '../tenants/words.ts'
import { UsersSearch } from './search.ts'

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

const { status: statusWord, platformAdmin: flagWord } = UsersSearch.shape

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
      <Select
        label="Account"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear account' }}
        data={[
          { value: 'active', label: 'Active' },
          { value: 'deactivated', label: 'Deactivated' },
        ]}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: statusWord.parse(status ?? undefined) })}
      />
      <Select
        label="Platform admin"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear platform admin' }}
        data={[
          { value: 'true', label: 'Platform admins' },
          { value: 'false', label: 'Everybody else' },
        ]}
        value={search.platformAdmin ?? null}
        onChange={(flag) => onChange({ platformAdmin: flagWord.parse(flag ?? undefined) })}
      />
      <Select
        label="Role in a tenant"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear role in a tenant' }}
        data={tenantRoles.map((value) => ({ value, label: roleNames[value] }))}
        value={search.role ?? null}
        onChange={(role) => onChange({ role: tenantRole.optional().parse(role ?? undefined) })}
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
