import { chooseAttributes } from '@atrium/core/scim/choose'
import { parseScimFilter } from '@atrium/core/scim/filter'
import { type ListScimResources, listOf } from '@atrium/core/scim/schemas'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { findGroups } from './groups.ts'
import { findUsers } from './users.ts'

/**
 * Users, then groups. Attributes that one type does not have are without a value there (RFC 7644,
 * section 3.4.2.1). Throws AppError `invalid_input`.
 */
export async function searchAll({ services }: Context, access: Access, input: ListScimResources) {
  const { db } = services.database
  const { startIndex, count } = input
  const filter = input.filter === undefined ? undefined : parseScimFilter(input.filter)
  const all = { filter, others: 'absent' } as const
  const offset = startIndex - 1
  const first = await findUsers(db, access, { ...all, offset, limit: count })
  const second = await findGroups(db, access, {
    ...all,
    offset: Math.max(offset - first.total, 0),
    limit: count - first.users.length,
  })
  return listOf(
    [...first.users, ...second.groups].map((resource) => chooseAttributes(resource, input)),
    first.total + second.total,
    startIndex,
  )
}
