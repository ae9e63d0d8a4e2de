import type { ReadStorage } from '@atrium/core/upstream-cache/storage'
import { currentCursor } from '@atrium/ui/paging'
import { searchReader, trail } from '@atrium/ui/search-params'

/** What the address of the storage page carries. */
export const readStorageSearch = searchReader({ trail })
export type StorageSearch = ReturnType<typeof readStorageSearch>

export function storageQuery(slug: string, { trail }: StorageSearch): ReadStorage {
  return { slug, cursor: currentCursor(trail), limit: 50 }
}
