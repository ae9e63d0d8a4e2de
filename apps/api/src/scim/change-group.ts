import { AppError, findAppError } from '@atrium/core/platform/errors'
import { patchScimGroup, readScimGroup, type ScimGroupAttributes } from '@atrium/core/scim/group'
import { readPatch } from '@atrium/core/scim/patch'
import type { ChangeScimResource, ScimGroup } from '@atrium/core/scim/schemas'
import { getList } from '../mail/lists/get.ts'
import { updateList } from '../mail/lists/update.ts'
import { updateMember } from '../members/update.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import {
  addressesOf,
  type CurrentGroup,
  fixedGroup,
  getGroup,
  rejectTakenName,
  requireGroup,
  writeExternalId,
} from './groups.ts'
import { requireVersion, toScimGroup } from './view.ts'

/**
 * Makes the group what the client sent; members that are left out leave it. Throws AppError as
 * `change`.
 */
export function replaceGroup(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimGroup> {
  const wanted = readScimGroup(input.resource)
  return change(ctx, access, input, () => wanted)
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

/** Directories send many changes of a large group at the same time. */
const mostTries = 20

/**
 * Reads the group again and repeats the change while others come first. Throws AppError
 * `not_found`, `precondition_failed`, `invalid_input`, `edit_conflict`, and as `updateList` and
 * `updateMember`.
 */
async function change(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
  want: (group: CurrentGroup) => ScimGroupAttributes,
): Promise<ScimGroup> {
  for (let tries = 1; ; tries++) {
    const group = await requireGroup(ctx, access, input.id)
    requireVersion(toScimGroup(group.row, group.members, access.tenant.slug), input.ifMatch)
    try {
      const apply = group.row.kind === 'admins' ? changeAdmins : changeList
      await apply(ctx, access, group, want(group))
      return await getGroup(ctx, access, { ...input, id: group.row.id })
    } catch (error) {
      if (findAppError(error)?.code !== 'edit_conflict' || tries === mostTries) throw error
    }
  }
}

/**
 * Recipients that are no members stay. A list that its last member leaves stays too, and reaches
 * nobody.
 */
async function changeList(
  ctx: Context,
  access: Access,
  { row, members }: CurrentGroup,
  { displayName, externalId, members: ids }: ScimGroupAttributes,
): Promise<void> {
  const renamed = displayName !== row.displayName
  if (renamed && displayName.toLowerCase() !== row.displayName.toLowerCase())
    await rejectTakenName(ctx, access, displayName)
  const wanted = await addressesOf(ctx, access, ids)
  const had = new Set(members.map(({ id }) => id))
  const leaving = new Set(members.flatMap(({ id, email }) => (wanted.has(id) ? [] : [email])))
  const joining = [...wanted].flatMap(([id, email]) => (had.has(id) ? [] : [email]))
  if (renamed || leaving.size > 0 || joining.length > 0) {
    const list = await getList(ctx, access, row.id)
    const staying = list.recipients.filter((address) => !leaving.has(address))
    await updateList(ctx, access, {
      slug: access.tenant.slug,
      listId: row.id,
      ...(renamed && { name: displayName }),
      recipients: [...new Set([...staying, ...joining])],
      expectedVersion: list.editVersion,
    })
  }
  if (externalId !== row.externalId) await writeExternalId(ctx, access, row.id, externalId)
}

/**
 * Gives and takes the role `admin`. The owner has more, and stays as it is; so does the external
 * id, which the group does not have.
 */
async function changeAdmins(
  ctx: Context,
  access: Access,
  { row, members }: CurrentGroup,
  { displayName, members: ids }: ScimGroupAttributes,
): Promise<void> {
  if (displayName !== row.displayName) throw fixedGroup()
  const wanted = await addressesOf(ctx, access, ids)
  const had = new Set(members.map(({ id }) => id))
  const { slug } = access.tenant
  for (const userId of wanted.keys())
    if (!had.has(userId)) await orOwner(updateMember(ctx, access, { slug, userId, role: 'admin' }))
  for (const userId of had)
    if (!wanted.has(userId)) await updateMember(ctx, access, { slug, userId, role: 'member' })
}

async function orOwner(promoted: Promise<unknown>): Promise<void> {
  await promoted.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'role_locked_owner') throw error
  })
}
