import type { UpdateMember } from '@atrium/core/members/members'
import { AppError } from '@atrium/core/platform/errors'
import { patchScimUser, readPatch } from '@atrium/core/scim/patch'
import type { ChangeScimResource, ScimUser } from '@atrium/core/scim/schemas'
import { displayNameOf, readScimUser, type ScimUserAttributes } from '@atrium/core/scim/user'
import { type ScimUserRow, setScimIdentifiers } from '@atrium/db/scim/users'
import { changeMemberEmail } from '../members/change-email.ts'
import { resumeMember, suspendMember } from '../members/suspend.ts'
import { updateMember } from '../members/update.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { addressOf, getUser, requireUser } from './users.ts'
import { requireVersion, toAttributes, toScimUser } from './view.ts'

/**
 * Makes the member what the client sent: attributes that it left out lose their value, except
 * `active`. Throws AppError as `apply`.
 */
export function replaceUser(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimUser> {
  const wanted = readScimUser(input.resource)
  return change(ctx, access, input, () => wanted)
}

/**
 * Applies the operations of a PATCH, none where one of them is at fault. Throws AppError as
 * `apply`.
 */
export function patchUser(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
): Promise<ScimUser> {
  const operations = readPatch(input.resource)
  return change(ctx, access, input, (row) => patchScimUser(toAttributes(row), operations))
}

async function change(
  ctx: Context,
  access: Access,
  input: ChangeScimResource,
  want: (row: ScimUserRow) => ScimUserAttributes,
): Promise<ScimUser> {
  const row = await requireUser(ctx, access, input.id)
  requireVersion(toScimUser(row, access.tenant.slug), input.ifMatch)
  await apply(ctx, access, row, want(row))
  return getUser(ctx, access, { ...input, id: row.id })
}

/**
 * Changes the member through the same functions as an admin does. Each is a change of its own; a
 * client that gets an error sends its request again. A member that is to be suspended is suspended
 * even when another part of the change is rejected. Throws AppError as `resumeMember`,
 * `changeMemberEmail`, `updateMember`, `suspendMember`.
 */
async function apply(
  ctx: Context,
  access: Access,
  row: ScimUserRow,
  wanted: ScimUserAttributes,
): Promise<void> {
  if (wanted.active === true && !row.active) await activate(ctx, access, row)
  try {
    await changeAttributes(ctx, access, row, wanted)
  } finally {
    if (wanted.active === false && row.membershipStatus !== 'suspended')
      await suspendMember(ctx, access, row.id)
  }
}

/** An operator may have deactivated the person, which no tenant takes back. */
async function activate(ctx: Context, access: Access, row: ScimUserRow): Promise<void> {
  if (row.membershipStatus !== 'suspended') throw new AppError('member_not_active')
  await resumeMember(ctx, access, row.id)
}

async function changeAttributes(
  ctx: Context,
  access: Access,
  row: ScimUserRow,
  wanted: ScimUserAttributes,
): Promise<void> {
  const { slug } = access.tenant
  if (!isNameOf(row, wanted.userName))
    await changeMemberEmail(ctx, access, {
      slug,
      userId: row.id,
      email: addressOf(wanted.userName),
    })
  const profile = changesOf(row, wanted)
  if (Object.keys(profile).length > 0)
    await updateMember(ctx, access, { slug, userId: row.id, ...profile })
  const { externalId, userName } = wanted
  if (externalId !== row.externalId || userName !== row.userName)
    await writeIdentifiers(ctx, access, row.id, { externalId, userName })
}

/** Whether a user name is the member's address, or the part of it before the @. */
function isNameOf({ email }: ScimUserRow, userName: string): boolean {
  const name = userName.toLowerCase()
  return name === email || name === email.split('@')[0]
}

function changesOf(
  row: ScimUserRow,
  wanted: ScimUserAttributes,
): Omit<UpdateMember, 'slug' | 'userId'> {
  const { firstName, lastName, phone } = wanted
  const name = displayNameOf(wanted)
  return {
    ...(name !== row.name && { name }),
    ...(firstName !== row.firstName && { firstName }),
    ...(lastName !== row.lastName && { lastName }),
    ...(phone !== row.phone && { phone }),
  }
}

function writeIdentifiers(
  { services }: Context,
  access: Access,
  userId: string,
  identifiers: Parameters<typeof setScimIdentifiers>[3],
): Promise<void> {
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    await setScimIdentifiers(trx, access.tenant.id, userId, identifiers)
  })
}
