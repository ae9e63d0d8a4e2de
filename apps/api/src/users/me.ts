import type { UserView } from '@atrium/core/users'
import { syncUserFromToken } from '@atrium/db/users'
import type { Caller, Context } from '../context.ts'
import { readUser, toUserView } from './view.ts'

/** Creates or updates the caller's record from the token on every call, and answers it. No other call writes from a token. */
export async function readMe({ house }: Context, caller: Caller): Promise<UserView> {
  const { token } = caller
  const { id } = await syncUserFromToken(house.database.db, {
    subject: token.subject,
    email: token.email,
    name: token.name,
    groups: token.groups,
    issuedAt: token.issuedAt,
    platformAdminGroup: house.config.groups.platformAdmins,
  })
  return toUserView(await readUser(house.database.db, id), { own: true })
}
