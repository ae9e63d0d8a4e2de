import { tenantRoles } from '@atrium/core/platform/choices'
import type { ListUsers } from '@atrium/core/users/users'
import { currentCursor } from '@atrium/ui/paging'
import {
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
  words,
} from '@atrium/ui/search-params'

/** What the address of the users list carries. */
export const readUsersSearch = searchReader({
  q: words,
  role: oneOf(tenantRoles),
  tenantSlug: slugText,
  partnerSlug: slugText,
  platformAdmin: oneOf(['true', 'false']),
  status: oneOf(['active', 'deactivated']),
  cursors: cursorHistoryOf(recordId),
})
export type UsersSearch = ReturnType<typeof readUsersSearch>

export const usersPerPage = 25

/** The query of the page that an address names. */
export function usersQuery({ cursors, platformAdmin, ...filters }: UsersSearch): ListUsers {
  return {
    ...filters,
    platformAdmin: platformAdmin === undefined ? undefined : platformAdmin === 'true',
    cursor: currentCursor(cursors),
    limit: usersPerPage,
  }
}
