import { randomBytes } from 'node:crypto'
import type { ListView } from '@atrium/core/mail/lists'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError } from '@atrium/core/platform/errors'
import { chooseAttributes } from '@atrium/core/scim/choose'
import { parseScimFilter } from '@atrium/core/scim/filter'
import { administratorsGroup, readScimGroup } from '@atrium/core/scim/group'
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
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { requireVersion, toScimGroup } from './view.ts'

/** The admins and the distribution lists as groups. Throws AppError `invalid_input`. */
export async function listGroups({ services }: Context, access: Access, input: ListScimResources) {
  const { db } = services.database
  const { slug, id } = access.tenant
  const { filter, startIndex, count } = input
  const { rows, total } = await listScimGroups(db, id, {
    filter: filter === undefined ? undefined : parseScimFilter(filter),
    offset: startIndex - 1,
    limit: Math.min(count, mostGroups),
  })
  const members = Map.groupBy(await listScimGroupMembers(db, id, rows), ({ groupId }) => groupId)
  const groups = rows.map((row) => toScimGroup(row, members.get(row.id) ?? [], slug))
  return listOf(
    groups.map((group) => chooseAttributes(group, input)),
    total,
    startIndex,
  )
}

/** One group with its members. Throws AppError `not_found`. */
export async function getGroup(
  ctx: Context,
  access: Access,
  input: ReadScimResource,
): Promise<ScimGroup> {
  const { row, members } = await requireGroup(ctx, access, input.id)
  return chooseAttributes(toScimGroup(row, members, access.tenant.slug), input)
}

/** A group and its members at present. */
export interface CurrentGroup {
  row: ScimGroupRow
  members: ScimGroupMember[]
}

/** Throws AppError `not_found`, also for a text that is no id. */
export async function requireGroup(
  { services }: Context,
  { tenant }: Access,
  id: string,
): Promise<CurrentGroup> {
  const { db } = services.database
  const row = z.uuid().safeParse(id).success ? await findScimGroup(db, tenant.id, id) : undefined
  if (!row) throw new AppError('not_found', errorText('unknownScimGroup'))
  return { row, members: await listScimGroupMembers(db, tenant.id, [row]) }
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
  const { displayName, externalId, members } = readScimGroup(input.resource)
  await rejectTakenName(ctx, access, displayName)
  const recipients = [...(await addressesOf(ctx, access, members)).values()]
  const { id } = await createNamedList(ctx, access, displayName, recipients)
  if (externalId !== null) await writeExternalId(ctx, access, id, externalId)
  return getGroup(ctx, access, { ...input, id })
}

/**
 * A name that is taken may be that of the same group, created by a request at the same time; else
 * the address gets an ending.
 */
async function createNamedList(
  ctx: Context,
  access: Access,
  name: string,
  recipients: string[],
): Promise<ListView> {
  const { slug } = access.tenant
  const address = slugify(name) ?? 'group'
  const create = (as: string) => createList(ctx, access, { slug, address: as, name, recipients })
  return create(address).catch(async (error: unknown) => {
    if (findAppError(error)?.code !== 'email_taken') throw error
    await rejectTakenName(ctx, access, name)
    return create(`${address}-${randomBytes(3).toString('hex')}`)
  })
}

/** Directories find a group again by its name. Throws AppError `already_exists`. */
export async function rejectTakenName(
  { services }: Context,
  { tenant }: Access,
  name: string,
): Promise<void> {
  const ofAdmins = name.toLowerCase() === administratorsGroup.toLowerCase()
  if (ofAdmins || (await hasListNamed(services.database.db, tenant.id, name)))
    throw new AppError('already_exists', errorText('scimGroupName'))
}

/** Their addresses by id. Throws AppError `invalid_input` for an id that is no member's. */
export async function addressesOf(
  { services }: Context,
  { tenant }: Access,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await findMemberAddresses(services.database.db, tenant.id, ids)
  const issues = ids.flatMap((id, index) =>
    found.has(id)
      ? []
      : [{ path: `members.${index}.value`, message: errorText('scimUnknownMember', { id }) }],
  )
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  return found
}

export function writeExternalId(
  { services }: Context,
  access: Access,
  listId: string,
  externalId: string | null,
): Promise<void> {
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    await setListExternalId(trx, access.tenant.id, listId, externalId)
  })
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
  const { row, members } = await requireGroup(ctx, access, id)
  requireVersion(toScimGroup(row, members, access.tenant.slug), ifMatch)
  if (row.kind === 'admins') throw fixedGroup()
  await removeList(ctx, access, row.id)
}

export const fixedGroup = () => new AppError('forbidden_field', errorText('scimAdministrators'))
