import { plans, tenantStatuses } from '@atrium/core/tenants'
import { tenantStatusLooks } from '@atrium/ui/tones'
import { Button, Select } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { DebouncedInput } from '../parts/debounced-input.tsx'
import { FilterBar } from '../parts/filter-bar.tsx'
import { countFilters } from '../search.ts'
import type { TenantsSearch } from './search.ts'
import { planNames } from './words.ts'

interface Props {
  search: TenantsSearch
  onChange: (change: Partial<TenantsSearch>) => void
}

const none: Partial<TenantsSearch> = { q: undefined, status: undefined, plan: undefined, partnerSlug: undefined }

export function TenantFilters({ search, onChange }: Props) {
  return (
    <FilterBar label="Filter tenants">
      <DebouncedInput
        label="Search"
        type="search"
        placeholder="Name or slug"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear status' }}
        data={tenantStatuses.map((value) => ({ value, label: tenantStatusLooks[value].label }))}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        label="Plan"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear plan' }}
        data={plans.map((value) => ({ value, label: planNames[value] }))}
        value={search.plan ?? null}
        onChange={(plan) => onChange({ plan: plan ?? undefined })}
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
