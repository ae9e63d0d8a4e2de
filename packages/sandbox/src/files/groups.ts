import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { badRequest, emptyResponse, GraphError, jsonResponse, notFound } from './answers.ts'
import type { FilesBindings } from './bindings.ts'
import { listField, readBody, textField } from './bodies.ts'
import type { Group, User } from './records.ts'
import { searchTerm } from './search.ts'
import { assertAdmin, isAdmin, type Visit } from './world.ts'

/** How many members one PATCH may add. */
const bindLimit = 20

/** Groups: `/v1.0/groups`, for Admins. */
export function groupRoutes(app: Hono<FilesBindings>): void {
  app.get('/v1.0/groups', (context) => {
    const visit = context.get('visit')
    const term = searchTerm(context.req.query('$search'))
    if (!isAdmin(visit.caller) && (term === undefined || term.length < 3))
      throw new GraphError(403, 'accessDenied', 'search term too short')
    const found = [...visit.store.groups.values()].filter(
      (group) => term === undefined || group.displayName.toLowerCase().includes(term),
    )
    return jsonResponse({
      value: found.map((group) => groupView(visit, group, context.req.query('$expand'))),
    })
  })
  app.post('/v1.0/groups', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const body = await readBody(context.req.raw, [
      'displayName',
      'description',
      'members',
      'members@odata.bind',
      'groupTypes',
    ])
    const displayName = textField(body, 'displayName') ?? ''
    if (displayName === '') throw badRequest('Missing required attribute: displayName')
    assertFreeName(visit, displayName)
    const description = textField(body, 'description')
    const group: Group = {
      id: randomUUID(),
      displayName,
      ...(description !== undefined && { description }),
      memberIds: [],
    }
    visit.store.groups.set(group.id, group)
    visit.changed()
    return jsonResponse(groupView(visit, group), 201)
  })
  app.get('/v1.0/groups/:id', (context) => {
    const visit = context.get('visit')
    return jsonResponse(
      groupView(visit, existingGroup(visit, context.req.param('id')), context.req.query('$expand')),
    )
  })
  app.patch('/v1.0/groups/:id', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const body = await readBody(context.req.raw, [
      'displayName',
      'description',
      'members@odata.bind',
    ])
    const group = existingGroup(visit, context.req.param('id'))
    const references = listField(body, 'members@odata.bind') ?? []
    if (references.length > bindLimit) throw badRequest(`Request is limited to ${bindLimit} values`)
    const members = references.map((reference) => referencedUser(visit, reference))
    const displayName = textField(body, 'displayName')
    if (displayName !== undefined && displayName !== group.displayName) {
      assertFreeName(visit, displayName)
      group.displayName = displayName
    }
    for (const member of members) addMember(group, member)
    visit.changed()
    return emptyResponse(204)
  })
  app.delete('/v1.0/groups/:id', (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    visit.store.groups.delete(existingGroup(visit, context.req.param('id')).id)
    visit.changed()
    return emptyResponse(204)
  })
  app.get('/v1.0/groups/:id/members', (context) => {
    const visit = context.get('visit')
    return jsonResponse(membersOf(visit, existingGroup(visit, context.req.param('id'))))
  })
  app.post('/v1.0/groups/:id/members/$ref', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const body = await readBody(context.req.raw, ['@odata.id'])
    const group = existingGroup(visit, context.req.param('id'))
    addMember(group, referencedUser(visit, textField(body, '@odata.id')))
    visit.changed()
    return emptyResponse(204)
  })
  app.delete('/v1.0/groups/:id/members/:user/$ref', (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    const group = existingGroup(visit, context.req.param('id'))
    const userId = context.req.param('user')
    if (!group.memberIds.includes(userId)) throw notFound('not found')
    group.memberIds = group.memberIds.filter((id) => id !== userId)
    visit.changed()
    return emptyResponse(204)
  })
}

function existingGroup(visit: Visit, id: string): Group {
  const group =
    visit.store.groups.get(id) ??
    [...visit.store.groups.values()].find((one) => one.displayName === id)
  if (!group) throw notFound('not found')
  return group
}

function assertFreeName(visit: Visit, name: string): void {
  if ([...visit.store.groups.values()].some((group) => group.displayName === name)) {
    throw new GraphError(409, 'nameAlreadyExists', 'group already exists')
  }
}

function referencedUser(visit: Visit, reference: unknown): User {
  if (typeof reference !== 'string' || reference === '')
    throw badRequest('@odata.id reference is missing')
  const id = /\/users\/([^/]+)$/.exec(reference)?.[1]
  if (id === undefined) throw badRequest('Error parsing @odata.id url')
  const user = visit.store.users.get(id)
  if (!user) throw notFound('not found')
  return user
}

/** Adding a member again changes nothing. */
function addMember(group: Group, user: User): void {
  if (!group.memberIds.includes(user.id)) group.memberIds.push(user.id)
}

function membersOf(visit: Visit, group: Group): readonly Record<string, unknown>[] {
  return group.memberIds.flatMap((id) => {
    const user = visit.store.users.get(id)
    if (!user) return []
    return [
      {
        displayName: user.displayName,
        id,
        ...(user.mail !== undefined && { mail: user.mail }),
        onPremisesSamAccountName: user.username,
        userType: 'Member',
      },
    ]
  })
}

function groupView(visit: Visit, group: Group, expand = ''): Record<string, unknown> {
  return {
    displayName: group.displayName,
    groupTypes: [],
    id: group.id,
    ...(expand.split(',').includes('members') && { members: membersOf(visit, group) }),
  }
}
