import { cursor } from '@atrium/core/paging'
import { tenantRole } from '@atrium/core/tenants'
import type { ListUsers } from '@atrium/core/users'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

/** What the address of the users list carries. */
export const UsersSearch = z.object({
  q: words,
  role: lenient(tenantRole),
  tenantSlug: slugWord,
  partnerSlug: slugWord,
  platformAdmin: lenient(z.enum(['true', 'false'])),
  status: lenient(z.enum(['active', 'deactivated'])),
  trail: trailOf(cursor),
})
export type UsersSearch = z.infer<typeof UsersSearch>

export const usersPerPage = 25

/** The query of the page that an address names. */
export function usersQuery({ trail, platformAdmin, ...filters }: UsersSearch): ListUsers {
  return {
    ...filters,
    platformAdmin: platformAdmin === undefined ? undefined : platformAdmin === 'true',
    cursor: currentCursor(trail),
    limit: usersPerPage,
  }
}
