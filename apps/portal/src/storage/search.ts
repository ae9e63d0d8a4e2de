import type { ReadStorage } from '@atrium/core/storage'
import { currentCursor } from '@atrium/ui/paging'
import { trail } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the storage page carries. */
export const StorageSearch = z.object({ trail })
export type StorageSearch = z.infer<typeof StorageSearch>

export function storageQuery(slug: string, { trail }: StorageSearch): ReadStorage {
  return { slug, cursor: currentCursor(trail), limit: 50 }
}
