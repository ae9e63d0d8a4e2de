import { cutPage } from '@atrium/core/platform/paging'
import type { ListUsers, UserView } from '@atrium/core/users/users'
import { listUsers as queryUsers } from '@atrium/db/users/users'
import type { Context } from '../rpc/context.ts'
import { toUserView } from './view.ts'

/** Users under the filters, newest first. */
export async function listUsers(
  { services }: Context,
  input: ListUsers,
): Promise<{ items: UserView[]; nextCursor: string | null }> {
  const { cursor, limit, ...filter } = input
  const { items, nextCursor } = cutPage(
    await queryUsers(services.database.db, { ...filter, before: cursor, limit }),
    limit,
  )
  return { items: items.map((row) => toUserView(row)), nextCursor }
}
