import type { Hono } from 'hono'
import { badRequest, emptyResponse, GraphError, jsonResponse, notFound } from './answers.ts'
import type { FilesBindings } from './bindings.ts'
import { isBody, listField, readBody, textField } from './bodies.ts'
import type { Drive, Grant } from './records.ts'
import { itemRoles, managerRoleId, spaceRoles } from './roles.ts'
import { isMember, type Visit } from './world.ts'

const allowedActions = [
  'libre.graph/driveItem/permissions/create',
  'libre.graph/driveItem/children/create',
  'libre.graph/driveItem/standard/delete',
  'libre.graph/driveItem/path/read',
  'libre.graph/driveItem/quota/read',
  'libre.graph/driveItem/content/read',
  'libre.graph/driveItem/upload/create',
  'libre.graph/driveItem/permissions/read',
  'libre.graph/driveItem/children/read',
  'libre.graph/driveItem/versions/read',
  'libre.graph/driveItem/deleted/read',
  'libre.graph/driveItem/path/update',
  'libre.graph/driveItem/permissions/delete',
  'libre.graph/driveItem/deleted/delete',
  'libre.graph/driveItem/versions/update',
  'libre.graph/driveItem/deleted/update',
  'libre.graph/driveItem/basic/read',
  'libre.graph/driveItem/permissions/update',
]

/** Members of spaces, under `/v1beta1`. */
export function memberRoutes(app: Hono<FilesBindings>): void {
  const root = '/v1beta1/drives/:id/root'
  app.post(`${root}/invite`, async (context) => {
    const visit = context.get('visit')
    const drive = managedDrive(visit, context.req.param('id'))
    const body = await readBody(context.req.raw, [
      'recipients',
      'roles',
      '@libre.graph.permissions.actions',
      'expirationDateTime',
    ])
    return invite(visit, drive, body)
  })
  app.get(`${root}/permissions`, (context) => {
    const visit = context.get('visit')
    const drive = managedDrive(visit, context.req.param('id'))
    return jsonResponse({
      '@libre.graph.permissions.actions.allowedValues': allowedActions,
      '@libre.graph.permissions.roles.allowedValues': spaceRoles.map(
        ({ id, displayName, description, weight }) => ({
          '@libre.graph.weight': weight,
          description,
          displayName,
          id,
        }),
      ),
      value: drive.grants.map((grant) => permissionView(visit, grant)),
    })
  })
  app.patch(`${root}/permissions/:permission`, async (context) => {
    const visit = context.get('visit')
    const drive = managedDrive(visit, context.req.param('id'))
    const body = await readBody(context.req.raw, [
      'id',
      'roles',
      'expirationDateTime',
      '@libre.graph.permissions.actions',
      'grantedToV2',
      'invitation',
    ])
    const grant = findGrant(drive, context.req.param('permission'))
    if (!grant) throw notFound('permission not found')
    const roles = listField(body, 'roles')
    const roleId = roles === undefined ? grant.roleId : spaceRole(roles)
    const expiration = textField(body, 'expirationDateTime')
    if (expiration !== undefined) grant.expirationDateTime = expirationDate(expiration)
    else if ('expirationDateTime' in body) delete grant.expirationDateTime
    grant.roleId = roleId
    visit.changed()
    return jsonResponse(permissionView(visit, grant))
  })
  app.delete(`${root}/permissions/:permission`, (context) => {
    const visit = context.get('visit')
    return removeMember(
      visit,
      managedDrive(visit, context.req.param('id')),
      context.req.param('permission'),
    )
  })
}

/**
 * Only a manager of an enabled space sees its members; for everyone else, an Admin included, it is
 * not there.
 */
function managedDrive(visit: Visit, id: string): Drive {
  const drive = visit.store.findDrive(id)
  if (drive?.driveType === 'personal' && drive.ownerId === visit.caller.id)
    throw badRequest('unsupported space type')
  if (!drive || drive.trashed || !isMember(visit.store, drive, visit.caller, true))
    throw notFound('stat: error: not found')
  return drive
}

function permissionId(grant: Grant): string {
  return `${grant.kind === 'user' ? 'u' : 'g'}:${grant.targetId}`
}

function permissionView(visit: Visit, grant: Grant): Record<string, unknown> {
  const displayName = visit.names.of(grant.kind, grant.targetId) ?? ''
  const identity = {
    ...(grant.kind === 'user' && { '@libre.graph.userType': 'Member' }),
    displayName,
    id: grant.targetId,
  }
  const inviter = grant.invitedBy
  return {
    ...(grant.expirationDateTime !== undefined && { expirationDateTime: grant.expirationDateTime }),
    grantedToV2: { [grant.kind]: identity },
    id: permissionId(grant),
    ...(inviter !== undefined && {
      invitation: {
        invitedBy: { user: { displayName: visit.names.of('user', inviter) ?? '', id: inviter } },
      },
    }),
    roles: [grant.roleId],
  }
}

function findGrant(drive: Drive, id: string): Grant | undefined {
  return drive.grants.find((grant) => permissionId(grant) === id)
}

function failedValidation(type: string, field: string, tag: string): GraphError {
  const name = field.slice(field.lastIndexOf('.') + 1)
  return badRequest(
    `invalid request body: Key: '${type}.${field}' Error:Field validation for '${name}' failed on the '${tag}' tag`,
  )
}

function spaceRole(roles: readonly unknown[]): string {
  const [role] = roles
  if (roles.length !== 1) throw failedValidation('DriveItemInvite', 'Roles', 'len')
  if (itemRoles.some(({ id }) => id === role))
    throw badRequest('role not applicable to this resource')
  const found = spaceRoles.find(({ id }) => id === role)
  if (!found) throw failedValidation('DriveItemInvite', 'Roles[0]', 'available_role')
  return found.id
}

function expirationDate(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw badRequest(`invalid request body: parsing time "${text}"`)
  return new Date(time).toISOString()
}

function invite(visit: Visit, drive: Drive, body: Readonly<Record<string, unknown>>): Response {
  const recipients = listField(body, 'recipients') ?? []
  const [recipient] = recipients
  if (recipients.length !== 1 || !isBody(recipient))
    throw failedValidation('DriveItemInvite', 'Recipients', 'len')
  const targetId = textField(recipient, 'objectId') ?? ''
  if (targetId === '') throw failedValidation('DriveItemInvite', 'Recipients[0].ObjectId', 'ne')
  const kind = textField(recipient, '@libre.graph.recipient.type')
  if (kind !== 'user' && kind !== 'group')
    throw failedValidation('DriveItemInvite', 'Recipients[0].LibreGraphRecipientType', 'oneof')
  const roleId = spaceRole(listField(body, 'roles') ?? [])
  if (visit.names.of(kind, targetId) === undefined) throw badRequest('itemNotFound: not found')
  const expiration = textField(body, 'expirationDateTime')
  const grant: Grant = {
    kind,
    targetId,
    roleId,
    invitedBy: visit.caller.id,
    ...(expiration !== undefined && { expirationDateTime: expirationDate(expiration) }),
  }
  if (findGrant(drive, permissionId(grant)))
    throw new GraphError(409, 'nameAlreadyExists', 'grant already exists')
  drive.grants.push(grant)
  visit.changed()
  return jsonResponse({ value: [permissionView(visit, grant)] })
}

function removeMember(visit: Visit, drive: Drive, id: string): Response {
  if (!/^[ug]:./.test(id)) throw badRequest('invalid permission id')
  const grant = findGrant(drive, id)
  if (!grant)
    throw new GraphError(
      500,
      'generalException',
      'grpc request failed with code CODE_INTERNAL: error getting grant to remove from storage',
    )
  const managers = drive.grants.filter((one) => one.roleId === managerRoleId)
  if (managers.length === 1 && managers[0] === grant)
    throw new GraphError(403, 'accessDenied', "can't remove the last manager")
  drive.grants = drive.grants.filter((one) => one !== grant)
  visit.changed()
  return emptyResponse(204)
}
