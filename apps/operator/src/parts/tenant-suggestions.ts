import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** The first tenants whose slug, name or domain matches what is being typed; none for blanks. */
export function useTenantSuggestions(typed: string) {
  const [q] = useDebouncedValue(typed.trim(), 250)
  const tenants = useQuery(
    useTRPC().tenants.list.queryOptions(
      { q, limit: 8 },
      { enabled: q !== '', placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  return q === '' ? [] : (tenants.data?.items ?? [])
}
