import type { CacheGroup, CacheKind } from '@atrium/db/upstream-cache/upstream-cache'
import type { Services } from '../rpc/services.ts'
import { factorsFetcher } from './mfa/reader.ts'
import { type Fetcher, refreshUpstreamCache } from './refresh.ts'
import { usageFetcher } from './storage/reader.ts'

const fetchers: Record<CacheKind, (services: Services) => Fetcher | undefined> = {
  second_factors: factorsFetcher,
  file_usage: usageFetcher,
}

/** A job's wake-up. Where the system is not connected there is nothing to read. */
export async function refreshCacheGroup(
  services: Services,
  group: CacheGroup,
  kind: CacheKind,
): Promise<void> {
  const fetcher = fetchers[kind](services)
  if (fetcher) await refreshUpstreamCache(services, fetcher, group)
}
