import type { CacheGroup, CacheKind } from '@atrium/db/upstream-cache/upstream-cache'
import type { Services } from '../rpc/services.ts'
import { type Fetcher, refreshUpstreamCache } from './refresh.ts'

/** How each kind of entry is read; undefined where this installation lacks the system. */
export type Fetchers = Readonly<Record<CacheKind, (services: Services) => Fetcher | undefined>>

/** Runs the job that refreshes a group. Does nothing where the system is not connected. */
export async function refreshCacheGroup(
  services: Services,
  fetchers: Fetchers,
  group: CacheGroup,
  kind: CacheKind,
): Promise<void> {
  const fetcher = fetchers[kind](services)
  if (fetcher) await refreshUpstreamCache(services, fetcher, group)
}
