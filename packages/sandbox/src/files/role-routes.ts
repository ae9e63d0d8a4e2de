import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { badRequest, emptyResponse, jsonResponse, notFound } from './answers.ts'
import type { FilesBindings } from './bindings.ts'
import { readBody, textField } from './bodies.ts'
import type { User } from './records.ts'
import { applicationId, appRoleNames, itemRoles, spaceRoles } from './roles.ts'
import { assertAdmin, type Visit } from './world.ts'

const application = {
  appRoles: Object.entries(appRoleNames).map(([id, displayName]) => ({ displayName, id })),
  displayName: 'OpenCloud',
  id: applicationId,
}

/** Roles of accounts and roles of spaces. */
export function roleRoutes(app: Hono<FilesBindings>): void {
  app.get('/v1.0/applications', () => jsonResponse({ value: [application] }))
  app.get('/v1.0/applications/:id', (context) => {
    if (context.req.param('id') !== applicationId)
      throw notFound(`requested id ${context.req.param('id')} does not match application id`)
    return jsonResponse(application)
  })
  app.get('/v1.0/users/:id/appRoleAssignments', (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    return jsonResponse({ value: [assignmentView(existingUser(visit, context.req.param('id')))] })
  })
  app.post('/v1.0/users/:id/appRoleAssignments', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const body = await readBody(context.req.raw, [
      'id',
      'appRoleId',
      'createdDateTime',
      'deletedDateTime',
      'principalDisplayName',
      'principalId',
      'principalType',
      'resourceDisplayName',
      'resourceId',
    ])
    const user = existingUser(visit, context.req.param('id'))
    if (textField(body, 'principalId') !== user.id)
      throw badRequest(`user id ${user.id} does not match principal id`)
    if (textField(body, 'resourceId') !== applicationId)
      throw badRequest('resource id does not match expected application id')
    const roleId = textField(body, 'appRoleId') ?? ''
    if (!Object.hasOwn(appRoleNames, roleId)) throw badRequest('unknown app role id')
    user.roleId = roleId
    user.roleAssignmentId = randomUUID()
    visit.changed()
    return jsonResponse(assignmentView(user), 201)
  })
  app.delete('/v1.0/users/:id/appRoleAssignments/:assignment', (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const user = existingUser(visit, context.req.param('id'))
    if (user.roleAssignmentId !== context.req.param('assignment'))
      throw notFound('assignment not found')
    user.roleId = ''
    visit.changed()
    return emptyResponse(204)
  })
  app.get('/v1beta1/roleManagement/permissions/roleDefinitions', () => jsonResponse(definitions))
  app.get('/v1beta1/roleManagement/permissions/roleDefinitions/:id', (context) => {
    const found = definitions.find(({ id }) => id === context.req.param('id'))
    if (!found) throw notFound('role definition not found')
    return jsonResponse(found)
  })
}

const definitions = [
  ...spaceRoles.map(({ id, displayName, description, weight }) =>
    definition(id, displayName, description, weight, 'exists @Resource.Root'),
  ),
  ...itemRoles.map(({ id, displayName, description }, index) =>
    definition(
      id,
      displayName,
      description,
      index,
      index === 2 ? 'exists @Resource.File' : 'exists @Resource.Folder',
    ),
  ),
]

function definition(
  id: string,
  displayName: string,
  description: string,
  weight: number,
  condition: string,
) {
  return {
    '@libre.graph.weight': weight,
    description,
    displayName,
    id,
    rolePermissions: [{ allowedResourceActions: ['libre.graph/driveItem/basic/read'], condition }],
  }
}

function existingUser(visit: Visit, id: string): User {
  const user = visit.store.findUser(id)
  if (!user) throw notFound('not found')
  return user
}

/** An account has one role; assigning another replaces it. */
export function assignmentView(user: User): Record<string, unknown> {
  return {
    appRoleId: user.roleId,
    id: user.roleAssignmentId,
    principalId: user.id,
    resourceId: applicationId,
  }
}
