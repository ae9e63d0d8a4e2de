import { hash } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type ScimGroup, type ScimUser, scimSchemas } from '@atrium/core/scim/schemas'
import type { ScimUserAttributes } from '@atrium/core/scim/user'
import type { ScimGroupMember, ScimGroupOfUser, ScimGroupRow } from '@atrium/db/scim/groups'
import type { ScimUserRow } from '@atrium/db/scim/users'
import { namesTag } from '../platform/entity-tags.ts'

/** Where the SCIM service of a tenant is, without the API's origin. */
export const scimBase = (slug: string) => `/tenants/${slug}/scim/v2`

/** The member as a SCIM user, with the version of what a client can see of it. */
export function toScimUser(
  row: ScimUserRow,
  groups: readonly ScimGroupOfUser[],
  slug: string,
): ScimUser {
  const { firstName, lastName } = row
  const name = {
    ...(firstName !== null && { givenName: firstName }),
    ...(lastName !== null && { familyName: lastName }),
  }
  const user = {
    schemas: [scimSchemas.user],
    id: row.id,
    ...(row.externalId !== null && { externalId: row.externalId }),
    userName: row.userName,
    displayName: row.name,
    ...((firstName !== null || lastName !== null) && { name }),
    active: row.active,
    emails: [{ value: row.email, type: 'work', primary: true }],
    ...(row.phone !== null && { phoneNumbers: [{ value: row.phone, type: 'work' }] }),
    ...(groups.length > 0 && {
      groups: groups.map(({ id, displayName }) => ({
        value: id,
        $ref: `${scimBase(slug)}/Groups/${id}`,
        display: displayName,
        type: 'direct',
      })),
    }),
  }
  return {
    ...user,
    meta: {
      resourceType: 'User',
      location: `${scimBase(slug)}/Users/${row.id}`,
      created: row.createdAt.toISOString(),
      lastModified: row.lastModified.toISOString(),
      version: versionOf(user),
    },
  }
}

/** The group with its members, and the version of both. */
export function toScimGroup(
  row: ScimGroupRow,
  members: readonly ScimGroupMember[],
  slug: string,
): ScimGroup {
  const base = scimBase(slug)
  const group = {
    schemas: [scimSchemas.group],
    id: row.id,
    ...(row.externalId !== null && { externalId: row.externalId }),
    displayName: row.displayName,
    members: members.map(({ id }) => ({
      value: id,
      $ref: `${base}/Users/${id}`,
      type: 'User',
    })),
  }
  return {
    ...group,
    meta: {
      resourceType: 'Group',
      location: `${base}/Groups/${row.id}`,
      created: row.createdAt.toISOString(),
      lastModified: row.lastModified.toISOString(),
      version: versionOf(group),
    },
  }
}

const versionOf = (resource: object) =>
  `W/"${hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 27)}"`

/** What a client could have written to make the member what it is. */
export function toAttributes(row: ScimUserRow): ScimUserAttributes {
  const { userName, externalId, name, firstName, lastName, phone, active } = row
  return { userName, externalId, displayName: name, firstName, lastName, phone, active }
}

type Versioned = Pick<ScimUser | ScimGroup, 'meta'>

/**
 * Compares weak tags, which is what SCIM uses (RFC 7644, section 3.14). Throws AppError
 * `precondition_failed`.
 */
export function requireVersion({ meta }: Versioned, ifMatch: string | undefined): void {
  if (ifMatch === undefined || namesTag(ifMatch, meta?.version ?? '')) return
  throw new AppError('precondition_failed', errorText('scimVersion'))
}
