import { randomBytes } from 'node:crypto'
import type { ListView } from '@atrium/core/mail/lists'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError } from '@atrium/core/platform/errors'
import { chooseAttributes } from '@atrium/core/scim/choose'
import { parseScimFilter } from '@atrium/core/scim/filter'
import {
  administratorsGroup,
  readScimGroup,
  type ScimGroupAttributes,
} from '@atrium/core/scim/group'
import {
  type CreateScimResource,
  type ListScimResources,
  listOf,
  mostGroups,
  type ReadScimResource,
  type RemoveScimResource,
  type ScimGroup,
} from '@atrium/core/scim/schemas'
import { slugify } from '@atrium/core/tenants/slugs'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Selection } from '@atrium/db/scim/filter'
import {
  findMemberAddresses,
  findScimGroup,
  hasListNamed,
  listScimGroupMembers,
  listScimGroups,
  type ScimGroupMember,
  type ScimGroupRow,
  setListExternalId,
} from '@atrium/db/scim/groups'
import { z } from 'zod'
import { createList } from '../mail/lists/create.ts'
import { removeList } from '../mail/lists/remove.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { requireVersion, toScimGroup } from './view.ts'

/** The admins and the distribution lists as groups. Throws AppError `invalid_input`. */
export async function listGroups({ services }: Context, access: Access, input: ListScimResources) {
  const { filter, startIndex, count } = input
  const { groups, total } = await findGroups(services.database.db, access, {
    filter: filter === undefined ? undefined : parseScimFilter(filter),
    offset: startIndex - 1,
    limit: count,
  })
  return listOf(
    groups.map((group) => chooseAttributes(group, input)),
    total,
    startIndex,
  )
}

/** The groups that a filter selects, at most `mostGroups`. Throws AppError as `listScimGroups`. */
export async function findGroups(
  db: Db,
  { tenant }: Access,
  selection: Selection,
): Promise<{ groups: ScimGroup[]; total: number }> {
  const limit = Math.min(selection.limit, mostGroups)
  const { rows, total } = await listScimGroups(db, tenant.id, { ...selection, limit })
  const found = await listScimGroupMembers(db, tenant.id, rows)
  const members = Map.groupBy(found, ({ groupId }) => groupId)
  return {
    groups: rows.map((row) => toScimGroup(row, members.get(row.id) ?? [], tenant.slug)),
    total,
  }
}

/** One group with its members. Throws AppError `not_found`. */
export async function getGroup(
  ctx: Context,
  access: Access,
  input: ReadScimResource,
): Promise<ScimGroup> {
  const { group } = await requireGroup(ctx.services.database.db, access, input.id)
  return chooseAttributes(group, input)
}

/** A group and its members at present. */
export interface CurrentGroup {
  row: ScimGroupRow
  members: ScimGroupMember[]
  group: ScimGroup
}

/** Throws AppError `not_found`, also for a text that is no id. */
export async function requireGroup(
  db: Db | Trx,
  { tenant }: Access,
  id: string,
): Promise<CurrentGroup> {
  const row = z.uuid().safeParse(id).success ? await findScimGroup(db, tenant.id, id) : undefined
  if (!row) throw new AppError('not_found', errorText('unknownScimGroup'))
  const members = await listScimGroupMembers(db, tenant.id, [row])
  return { row, members, group: toScimGroup(row, members, tenant.slug) }
}

/**
 * Creates a distribution list with the name of the group and an address made of it. Throws AppError
 * `already_exists` for a name that a group has, `invalid_input` for a member that the tenant does
 * not have, and as `createList`.
 */
export async function createGroup(
  ctx: Context,
  access: Access,
  input: CreateScimResource,
): Promise<ScimGroup> {
  const desired = readScimGroup(input.resource)
  const { db } = ctx.services.database
  const recipients = [...(await addressesOf(db, access, desired.members)).values()]
  const { id } = await createNamedList(ctx, access, desired, recipients)
  return getGroup(ctx, access, { ...input, id })
}

/** The address gets an ending where the one made of the name is in use. */
async function createNamedList(
  ctx: Context,
  access: Access,
  { displayName: name, externalId }: ScimGroupAttributes,
  recipients: string[],
): Promise<ListView> {
  const { slug, id } = access.tenant
  const address = slugify(name) ?? 'group'
  const create = (as: string) =>
    createList(
      ctx,
      access,
      { slug, address: as, name, recipients },
      {
        check: (trx) => rejectTakenName(trx, access, name),
        inserted: (trx, listId) => setListExternalId(trx, id, listId, externalId),
      },
    )
  return create(address).catch((error: unknown) => {
    if (findAppError(error)?.code !== 'email_taken') throw error
    return create(`${address}-${randomBytes(3).toString('hex')}`)
  })
}

/** Directories find a group again by its name. Throws AppError `already_exists`. */
export async function rejectTakenName(
  db: Db | Trx,
  { tenant }: Access,
  name: string,
): Promise<void> {
  const ofAdmins = name.toLowerCase() === administratorsGroup.toLowerCase()
  if (ofAdmins || (await hasListNamed(db, tenant.id, name)))
    throw new AppError('already_exists', errorText('scimGroupName'))
}

/** Their addresses by id. Throws AppError `invalid_input` for an id that is no member's. */
export async function addressesOf(
  db: Db | Trx,
  { tenant }: Access,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await findMemberAddresses(db, tenant.id, ids)
  const issues = ids.flatMap((id, index) =>
    found.has(id)
      ? []
      : [{ path: `members.${index}.value`, message: errorText('scimUnknownMember', { id }) }],
  )
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  return found
}

/**
 * Removes the list. Throws AppError `precondition_failed`, `forbidden_field` for the group of
 * admins, and as `removeList`.
 */
export async function removeGroup(
  ctx: Context,
  access: Access,
  { id, ifMatch }: RemoveScimResource,
): Promise<void> {
  const { row } = await requireGroup(ctx.services.database.db, access, id)
  if (row.kind === 'admins') throw fixedGroup()
  await removeList(ctx, access, row.id, async (trx) => {
    const { group } = await requireGroup(trx, access, row.id)
    requireVersion(group, ifMatch)
  })
}

export const fixedGroup = () => new AppError('forbidden_field', errorText('scimAdministrators'))
