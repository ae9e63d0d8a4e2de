import { randomInt, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { badRequest, emptyResponse, GraphError, jsonResponse, notFound } from './answers.ts'
import type { FilesBindings } from './bindings.ts'
import { type Body, isBody, readBody, textField } from './bodies.ts'
import { driveView } from './drive-views.ts'
import type { Drive } from './records.ts'
import { appRoles, managerRoleId } from './roles.ts'
import { isMember, reachableDrive, seesAllDrives, type Visit } from './world.ts'

/** Fields of the `drive` type: others are rejected, those that only the server sets are ignored. */
const driveFields = [
  'id',
  'createdBy',
  'createdDateTime',
  'description',
  'eTag',
  'lastModifiedBy',
  'lastModifiedDateTime',
  'name',
  'parentReference',
  'webUrl',
  'driveType',
  'driveAlias',
  'owner',
  'quota',
  'items',
  'root',
  'special',
]
const quotaFields = ['deleted', 'remaining', 'state', 'total', 'used']
const defaultQuota = 1_000_000_000
const noDrive = 'no drive returned from storage'

/** Spaces: `/v1.0/drives` and `/v1.0/me/drives`. */
export function driveRoutes(app: Hono<FilesBindings>): void {
  app.get('/v1.0/drives', (context) => listDrives(context.get('visit'), context.req.query(), false))
  app.get('/v1.0/me/drives', (context) =>
    listDrives(context.get('visit'), context.req.query(), true),
  )
  app.post('/v1.0/drives', async (context) => {
    const visit = context.get('visit')
    return createDrive(
      visit,
      await readBody(context.req.raw, driveFields, 'invalid body schema definition'),
    )
  })
  app.get('/v1.0/drives/:id', (context) => {
    const visit = context.get('visit')
    return jsonResponse(driveView(visit, reachableDrive(visit, context.req.param('id'), noDrive)))
  })
  app.patch('/v1.0/drives/:id', async (context) => {
    const visit = context.get('visit')
    const body = await readBody(context.req.raw, driveFields)
    return updateDrive(
      visit,
      context.req.param('id'),
      body,
      context.req.header('restore') === 'true',
    )
  })
  app.delete('/v1.0/drives/:id', (context) => {
    const visit = context.get('visit')
    return deleteDrive(visit, context.req.param('id'), context.req.header('purge') === 'T')
  })
}

function listDrives(visit: Visit, query: Record<string, string>, mine: boolean): Response {
  const visible = [...visit.store.drives.values()].filter((drive) =>
    mine || !seesAllDrives(visit.caller) ? isMember(visit.store, drive, visit.caller) : true,
  )
  const found = visible.filter(filterOf(query.$filter))
  const ordered = orderOf(query.$orderby, shuffled(found))
  // Nothing found at storage level ends as an absent list, not as an empty one.
  return jsonResponse(
    ordered.length === 0 ? null : { value: ordered.map((drive) => driveView(visit, drive)) },
  )
}

/**
 * Only `driveType eq` and `id eq` do something. Other properties are ignored, other operators are
 * not supported.
 */
function filterOf(filter: string | undefined): (drive: Drive) => boolean {
  if (filter === undefined || filter.trim() === '') return () => true
  const comparison =
    /^\s*(?<property>[\w.]+)\s+(?<operator>[a-z]+)\s+'(?<value>(?:[^']|'')*)'\s*$/.exec(
      filter,
    )?.groups
  if (!comparison) {
    if (/\s(and|or|not|ne|lt|gt|le|ge|in)\s|^\s*not\s|\(/.test(filter))
      throw new GraphError(501, 'notSupported', 'unsupported filter operand')
    throw badRequest(`parsing filter failed: ${filter}`)
  }
  if (comparison.operator !== 'eq')
    throw new GraphError(501, 'notSupported', 'unsupported filter operand')
  const value = comparison.value?.replaceAll("''", "'") ?? ''
  if (comparison.property === 'driveType') return (drive) => drive.driveType === value
  if (comparison.property === 'id')
    return (drive) => drive.id === value || drive.id.endsWith(`$${value}`)
  return () => true
}

function orderOf(orderBy: string | undefined, drives: readonly Drive[]): readonly Drive[] {
  if (orderBy === undefined || orderBy.trim() === '') return drives
  const [property = '', direction = 'asc', ...rest] = orderBy.trim().split(/\s+/)
  const key = {
    name: (drive: Drive) => drive.name.toLowerCase(),
    lastModifiedDateTime: (drive: Drive) => drive.lastModified,
  }[property]
  if (!key || rest.length > 0 || !/^(asc|desc)$/.test(direction))
    throw badRequest(`we do not support <${orderBy}> as a order parameter`)
  const sorted = [...drives].sort((one, other) =>
    key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0,
  )
  return direction === 'desc' ? sorted.reverse() : sorted
}

/** The real server builds the list concurrently, so its order means nothing. */
function shuffled(drives: readonly Drive[]): readonly Drive[] {
  const left = [...drives]
  const picked: Drive[] = []
  while (left.length > 0) picked.push(...left.splice(randomInt(left.length), 1))
  return picked
}

function checkName(name: string, code: 'invalidRequest' | 'generalException'): string {
  const reject = (problem: string) => new GraphError(400, code, `invalid spacename: ${problem}`)
  if (name.trim() === '') throw reject('spacename must not be empty')
  if (Buffer.byteLength(name) > 255) throw reject('spacename must be smaller than 255')
  if (/[/\\.:?*"><|]/.test(name)) throw reject('spacenames must not contain / \\ . : ? * " > < |')
  return name
}

/**
 * Bytes of the quota in a body; undefined when it says nothing. Below zero is unlimited, like 0.
 */
function quotaTotal(body: Body, rejection: string): number | undefined {
  const quota = body.quota
  if (quota === undefined || quota === null) return undefined
  if (!isBody(quota) || Object.keys(quota).some((name) => !quotaFields.includes(name)))
    throw badRequest(rejection)
  const total = quota.total
  if (total === undefined || total === null) return undefined
  if (typeof total !== 'number' || !Number.isInteger(total)) throw badRequest(rejection)
  return Math.max(0, total)
}

function createDrive(visit: Visit, body: Body): Response {
  const rejection = 'invalid body schema definition'
  if (visit.caller.roleId === appRoles.user || visit.caller.roleId === appRoles.userLight) {
    throw new GraphError(403, 'notAllowed', 'insufficient permissions to create a space.')
  }
  const name = checkName(textField(body, 'name') ?? '', 'invalidRequest')
  const type = textField(body, 'driveType')
  if (type !== undefined && type !== 'project')
    throw badRequest('drives of this type cannot be created via this api')
  const description = textField(body, 'description')
  const spaceId = randomUUID()
  const drive: Drive = {
    id: `${visit.store.storageId}$${spaceId}`,
    name,
    ...(description !== undefined && { description }),
    driveAlias:
      textField(body, 'driveAlias') ?? `project/${name.toLowerCase().replaceAll(' ', '-')}`,
    driveType: 'project',
    ownerId: spaceId,
    lastModified: visit.now(),
    total: quotaTotal(body, rejection) ?? defaultQuota,
    used: 0,
    trashed: false,
    grants: [{ kind: 'user', targetId: visit.caller.id, roleId: managerRoleId }],
  }
  visit.store.drives.set(drive.id, drive)
  visit.changed()
  return jsonResponse(driveView(visit, drive), 201)
}

function updateDrive(visit: Visit, id: string, body: Body, restore: boolean): Response {
  const drive = reachableDrive(visit, id, 'drive not found')
  if (!seesAllDrives(visit.caller) && !isMember(visit.store, drive, visit.caller, true))
    throw notFound('drive not found')
  const name = textField(body, 'name')
  const description = textField(body, 'description')
  const driveAlias = textField(body, 'driveAlias')
  const total = quotaTotal(body, 'invalid request body: invalid quota')
  const changed: Drive = {
    ...drive,
    ...(name !== undefined && { name: checkName(name, 'generalException') }),
    ...(description !== undefined && { description }),
    ...(driveAlias !== undefined && { driveAlias }),
    ...(total !== undefined && { total }),
    ...(restore && { trashed: false }),
    lastModified: visit.now(),
  }
  visit.store.drives.set(drive.id, changed)
  visit.changed()
  return jsonResponse(driveView(visit, changed))
}

function deleteDrive(visit: Visit, id: string, purge: boolean): Response {
  const drive = reachableDrive(visit, id, 'drive not found')
  if (!seesAllDrives(visit.caller) && !isMember(visit.store, drive, visit.caller, true))
    throw notFound('drive not found')
  if (purge) {
    if (!drive.trashed) throw badRequest("can't purge enabled space")
    visit.store.drives.delete(drive.id)
  } else {
    drive.trashed = true
  }
  visit.changed()
  return emptyResponse(204)
}
