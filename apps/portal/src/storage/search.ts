import type { ReadStorage } from '@atrium/core/upstream-cache/storage'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, searchReader } from '@atrium/ui/search-params'

/** What the address of the storage page carries. */
export const readStorageSearch = searchReader({ cursors })
export type StorageSearch = ReturnType<typeof readStorageSearch>

export function storageQuery(slug: string, { cursors }: StorageSearch): ReadStorage {
  return { slug, cursor: currentCursor(cursors), limit: 50 }
}
