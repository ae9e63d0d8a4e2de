import { patchScimGroup, readScimGroup, type ScimGroupAttributes } from '@atrium/core/scim/group'
import { readPatch } from '@atrium/core/scim/patch'
import type { ChangeScimResource, ScimGroup } from '@atrium/core/scim/schemas'
import type { Trx } from '@atrium/db/platform/connect'
import { setListExternalId } from '@atrium/db/scim/groups'
import { changeList } from '../mail/lists/update.ts'
import { changeRoles } from '../members/change-roles.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import {
  addressesOf,
  type CurrentGroup,
  fixedGroup,
  getGroup,
  rejectTakenName,
  requireGroup,
} from './groups.ts'
import { requireVersion } from './view.ts'

/**
 * Replaces the group with what the client sent; members that are left out leave it. Throws AppError
 * as `change`.
 */
export function replaceGroup(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimGroup> {
  const desired = readScimGroup(input.resource)
  return change(ctx, access, input, () => desired)
}

/** Applies the operations of a PATCH. Throws AppError as `change`. */
export function patchGroup(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimGroup> {
  const operations = readPatch(input.resource)
  return change(ctx, access, input, ({ row, members }) =>
    patchScimGroup(
      {
        displayName: row.displayName,
        externalId: row.externalId,
        members: members.map(({ id }) => id),
      },
      operations,
    ),
  )
}

/** Throws AppError `not_found`, and as `applyToAdmins` and `applyToList`. */
async function change(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
  desiredOf: (group: CurrentGroup) => ScimGroupAttributes,
): Promise<ScimGroup> {
  const { row } = await requireGroup(ctx.services.database.db, access, input.id)
  const readGroup = async (trx: Trx) => {
    const group = await requireGroup(trx, access, row.id)
    requireVersion(group.group, input.ifMatch)
    return { ...group, desired: desiredOf(group) }
  }
  const apply = row.kind === 'admins' ? applyToAdmins : applyToList
  await apply(ctx, access, row.id, readGroup)
  return getGroup(ctx, access, { ...input, id: row.id })
}

/** The group under the tenant's lock, and what it is to become. */
type ReadGroup = (trx: Trx) => Promise<CurrentGroup & { desired: ScimGroupAttributes }>

/**
 * Name, members and external id change together. Recipients that are no members stay. A list that
 * its last member leaves stays too, and reaches nobody. Throws AppError `precondition_failed`,
 * `already_exists`, `invalid_input`, and as `changeList`.
 */
async function applyToList(
  ctx: Context,
  access: Access,
  id: string,
  readGroup: ReadGroup,
): Promise<void> {
  await changeList(ctx, access, id, async (trx, { recipients }) => {
    const { row, members, desired } = await readGroup(trx)
    const { displayName, externalId } = desired
    if (displayName.toLowerCase() !== row.displayName.toLowerCase())
      await rejectTakenName(trx, access, displayName)
    const addresses = await addressesOf(trx, access, desired.members)
    const leaving = new Set(members.flatMap(({ id, email }) => (addresses.has(id) ? [] : [email])))
    const staying = recipients.filter((address) => !leaving.has(address))
    if (externalId !== row.externalId)
      await setListExternalId(trx, access.tenant.id, id, externalId)
    return { name: displayName, recipients: [...new Set([...staying, ...addresses.values()])] }
  })
}

/**
 * Gives and takes the role `admin`, of all members or of none. The owner has more, and stays as it
 * is; so does the external id, which the group does not have. Throws AppError
 * `precondition_failed`, `forbidden_field`, `invalid_input`, and as `changeRoles`.
 */
async function applyToAdmins(
  ctx: Context,
  access: Access,
  _: string,
  readGroup: ReadGroup,
): Promise<void> {
  await changeRoles(ctx, access, async (trx) => {
    const { row, members, desired } = await readGroup(trx)
    if (desired.displayName !== row.displayName) throw fixedGroup()
    const ids = await addressesOf(trx, access, desired.members)
    const had = new Set(members.map(({ id }) => id))
    const joining = [...ids.keys()].filter((id) => !had.has(id))
    const leaving = [...had].filter((id) => !ids.has(id))
    return new Map([
      ...joining.map((id) => [id, 'admin'] as const),
      ...leaving.map((id) => [id, 'member'] as const),
    ])
  })
}
