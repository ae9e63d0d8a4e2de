import { memberAddressOf } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { chooseAttributes } from '@atrium/core/scim/choose'
import { parseScimFilter } from '@atrium/core/scim/filter'
import {
  type CreateScimResource,
  type ListScimResources,
  listOf,
  type ReadScimResource,
  type RemoveScimResource,
  type ScimUser,
} from '@atrium/core/scim/schemas'
import { displayNameOf, readScimUser } from '@atrium/core/scim/user'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Selection } from '@atrium/db/scim/filter'
import { listScimGroupsOfUsers } from '@atrium/db/scim/groups'
import {
  findScimUser,
  listScimUsers,
  type ScimUserRow,
  setScimIdentifiers,
} from '@atrium/db/scim/users'
import { z } from 'zod'
import { addMember } from '../members/create.ts'
import { removeMember } from '../members/remove.ts'
import { suspendMember } from '../members/suspend.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { requireVersion, toScimUser } from './view.ts'

/** The members as SCIM users. Throws AppError `invalid_input` for a filter. */
export async function listUsers({ services }: Context, access: Access, input: ListScimResources) {
  const { filter, startIndex, count } = input
  const { users, total } = await findUsers(services.database.db, access, {
    filter: filter === undefined ? undefined : parseScimFilter(filter),
    offset: startIndex - 1,
    limit: count,
  })
  return listOf(
    users.map((user) => chooseAttributes(user, input)),
    total,
    startIndex,
  )
}

/** The members that a filter selects. Throws AppError as `listScimUsers`. */
export async function findUsers(
  db: Db,
  { tenant }: Access,
  selection: Selection,
): Promise<{ users: ScimUser[]; total: number }> {
  const { rows, total } = await listScimUsers(db, tenant.id, selection)
  const found = await listScimGroupsOfUsers(
    db,
    tenant.id,
    rows.map(({ id }) => id),
  )
  const groups = Map.groupBy(found, ({ userId }) => userId)
  return {
    users: rows.map((row) => toScimUser(row, groups.get(row.id) ?? [], tenant.slug)),
    total,
  }
}

/** One member as a SCIM user. Throws AppError `not_found`. */
export async function getUser(
  ctx: Context,
  access: Access,
  input: ReadScimResource,
): Promise<ScimUser> {
  const { user } = await requireUser(ctx.services.database.db, access, input.id)
  return chooseAttributes(user, input)
}

/** A member as it is at present. */
export interface CurrentUser {
  row: ScimUserRow
  user: ScimUser
}

/** Throws AppError `not_found`, also for a text that is no id. */
export async function requireUser(
  db: Db | Trx,
  { tenant }: Access,
  id: string,
): Promise<CurrentUser> {
  const row = z.uuid().safeParse(id).success ? await findScimUser(db, tenant.id, id) : undefined
  if (!row) throw new AppError('not_found', errorText('unknownScimUser'))
  const groups = await listScimGroupsOfUsers(db, tenant.id, [row.id])
  return { row, user: toScimUser(row, groups, tenant.slug) }
}

/**
 * Creates a member with the role `member`, without a one-time password: the person signs in through
 * the directory, or gets a password from an admin. Throws AppError as `addMember`.
 */
export async function createUser(
  ctx: Context,
  access: Access,
  input: CreateScimResource,
): Promise<ScimUser> {
  const user = readScimUser(input.resource)
  const { externalId, userName, firstName, lastName, phone } = user
  const { id } = await addMember(
    ctx,
    access,
    {
      email: addressOf(userName),
      role: 'member',
      name: displayNameOf(user),
      firstName,
      lastName,
      phone,
    },
    {
      inserted: (trx, { user: { id: userId } }) =>
        setScimIdentifiers(trx, access.tenant.id, userId, { externalId, userName }),
    },
  )
  if (user.active === false) await suspendMember(ctx, access, id)
  return getUser(ctx, access, { ...input, id })
}

/**
 * The address that a user name is. A name without @ is completed with the primary domain by the
 * changes of members. Throws AppError `invalid_input`.
 */
export function addressOf(userName: string): string {
  const read = memberAddressOf(userName)
  if ('address' in read) return read.address
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'userName', message: read.fault }],
  })
}

/** Removes the member. Throws AppError as `removeMember`, and `precondition_failed`. */
export async function removeUser(
  ctx: Context,
  access: Access,
  { id, ifMatch }: RemoveScimResource,
): Promise<void> {
  const { row } = await requireUser(ctx.services.database.db, access, id)
  await removeMember(ctx, access, row.id, async (trx) => {
    const { user } = await requireUser(trx, access, row.id)
    requireVersion(user, ifMatch)
  })
}
