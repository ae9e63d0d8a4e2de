import { z } from 'zod'
import { cursor, pageLimit } from '../platform/paging.ts'
import { instant } from '../platform/text.ts'

/**
 * Of the tenant's space. The first four are the file storage's own steps of use (75, 90 and 99 %).
 * `no_space`: there is none. `unavailable`: it could not be read, and `reason` says why. `unknown`:
 * it was read, and its state was none of these.
 */
export const storageState = z.enum([
  'normal',
  'nearing',
  'critical',
  'exceeded',
  'disabled',
  'unknown',
  'no_space',
  'unavailable',
])
export type StorageState = z.infer<typeof storageState>

export const MemberStorage = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  /** `no_account`: the person has no account in the file storage. */
  state: z.enum(['known', 'no_account', 'unknown']),
  /** Bytes in the person's own space; null when it is not known. */
  used: z.number().nullable(),
  /** When the file storage was last asked about this person; null when it never was. */
  checkedAt: instant.nullable(),
  /** Why the last attempt failed, fit to be shown. */
  reason: z.string().nullable(),
})
export type MemberStorage = z.infer<typeof MemberStorage>

const members = z.object({
  items: z.array(MemberStorage),
  nextCursor: z.string().nullable(),
  /** Over all members of the tenant, whatever the page. `used`: bytes of those that are known. */
  summary: z.object({
    members: z.number().int(),
    known: z.number().int(),
    unknown: z.number().int(),
    used: z.number(),
  }),
  /** True while some of it is still being read; ask again in a moment. */
  refreshing: z.boolean(),
})

export const StorageView = z.object({
  state: storageState,
  /** Bytes; null when unlimited or not known. */
  total: z.number().nullable(),
  /** Bytes; null when not known, never 0 for that. */
  used: z.number().nullable(),
  /** Bytes; null when unlimited or not known. */
  remaining: z.number().nullable(),
  unlimited: z.boolean(),
  reason: z.string().nullable(),
  /** Each person's own space, apart from the tenant's. */
  members,
})
export type StorageView = z.infer<typeof StorageView>

export const ReadStorage = z.strictObject({
  slug: z.string().max(200),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ReadStorage = z.infer<typeof ReadStorage>
