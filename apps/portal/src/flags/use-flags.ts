import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** A killed feature is gone from an open page after this long. */
const askAgainMs = 10_000

/** Which features are on for a tenant, by the keys of their flags. */
export function useFlags(tenantSlug: string): (key: string) => boolean {
  const flags = useQuery(
    useTRPC().flags.evaluate.queryOptions(
      { tenantSlug },
      { staleTime: askAgainMs, refetchInterval: askAgainMs, retry: false },
    ),
  )
  return (key) => isOn(flags, key)
}

/**
 * A flag that is unknown, not yet read, or could not be read again is off: a stale value does not
 * count.
 */
export function isOn(
  { data, isError }: { data: Readonly<Record<string, boolean>> | undefined; isError: boolean },
  key: string,
): boolean {
  return !isError && data !== undefined && Object.hasOwn(data, key) && data[key] === true
}
