import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { badRequest, emptyResponse, GraphError, jsonResponse, notFound } from './answers.ts'
import { hashPassword } from './authentication.ts'
import type { FilesBindings } from './bindings.ts'
import { type Body, booleanField, isBody, listField, readBody, textField } from './bodies.ts'
import { driveView } from './drive-views.ts'
import type { Drive, FilesStore, Identity, User } from './records.ts'
import { assignmentView } from './role-routes.ts'
import { appRoles } from './roles.ts'
import { searchTerm } from './search.ts'
import { assertAdmin, isAdmin, isMember, type Visit } from './world.ts'

const userFields = [
  'accountEnabled',
  'displayName',
  'mail',
  'givenName',
  'surname',
  'onPremisesSamAccountName',
  'passwordProfile',
  'preferredLanguage',
  'identities',
]
const readOnlyFields = [
  'id',
  'memberOf',
  'userType',
  'drive',
  'drives',
  'appRoleAssignments',
  'signInActivity',
]
const username =
  /^[a-zA-Z_][a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]*(@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)*$/
const mailAddress =
  /^[^\s@]+@[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/

/** Accounts: `/v1.0/users` for Admins, `/v1.0/me` for everyone. */
export function userRoutes(app: Hono<FilesBindings>): void {
  app.get('/v1.0/me', (context) => {
    const visit = context.get('visit')
    return jsonResponse(userView(visit, visit.caller, context.req.query('$expand')))
  })
  app.get('/v1.0/me/drive', (context) =>
    personalDriveResponse(context.get('visit'), context.get('visit').caller),
  )
  app.get('/v1.0/users', (context) => listUsers(context.get('visit'), context.req.query()))
  app.post('/v1.0/users', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    return createUser(visit, await readBody(context.req.raw, [...userFields, ...readOnlyFields]))
  })
  app.get('/v1.0/users/:id', (context) => {
    const visit = context.get('visit')
    return jsonResponse(
      userView(visit, existingUser(visit, context.req.param('id')), context.req.query('$expand')),
    )
  })
  app.patch('/v1.0/users/:id', async (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    return updateUser(visit, context.req.param('id'), await readUser(context.req.raw))
  })
  app.delete('/v1.0/users/:id', (context) => {
    const visit = context.get('visit')
    assertAdmin(visit)
    return deleteUser(visit, existingUser(visit, context.req.param('id')))
  })
  app.get('/v1.0/users/:id/drive', (context) => {
    const visit = context.get('visit')
    const user = existingUser(visit, context.req.param('id'))
    // Here the server takes ids alone.
    if (user.id !== context.req.param('id')) throw notFound('no drive returned from storage')
    return personalDriveResponse(visit, user)
  })
  app.post('/v1.0/users/:id/exportPersonalData', (context) => {
    const visit = context.get('visit')
    if (visit.store.findUser(context.req.param('id')) !== visit.caller) {
      return context.text('personal data export for other users are not permitted', 400)
    }
    return context.body(null, 202)
  })
}

async function readUser(request: Request): Promise<Body> {
  const body = await readBody(request, [...userFields, ...readOnlyFields])
  rejectReadOnly(body)
  return body
}

function rejectReadOnly(body: Body): void {
  const readOnly = Object.keys(body).find((name) => readOnlyFields.includes(name))
  if (readOnly !== undefined) throw badRequest(`${readOnly} is a read-only attribute`)
}

function existingUser(visit: Visit, idOrName: string): User {
  const user = visit.store.findUser(idOrName)
  if (!user) throw notFound('not found')
  return user
}

/** The personal drive of a user; there is none before the first sign-in. */
export function personalDrive(store: FilesStore, user: User): Drive | undefined {
  return store.drives.get(`${store.storageId}$${user.id}`)
}

/** Creates the personal drive at the first sign-in. Later ones change nothing. */
export function ensurePersonalDrive(store: FilesStore, user: User, now: number): boolean {
  if (personalDrive(store, user)) return false
  const id = `${store.storageId}$${user.id}`
  store.drives.set(id, {
    id,
    name: user.displayName,
    driveAlias: `personal/${user.username}`,
    driveType: 'personal',
    ownerId: user.id,
    lastModified: now,
    total: 0,
    used: 0,
    trashed: false,
    grants: [],
  })
  return true
}

/** The claims of an access token about a person. */
export interface Claims {
  issuer: string
  subject: string
  username: string
  displayName: string
  mail?: string
}

/**
 * The account of a token: found by username alone, or created with issuer and subject. The name
 * follows the claims.
 */
export function provisionUser(
  store: FilesStore,
  { issuer, subject, username, displayName, mail }: Claims,
): User {
  const there = store.findUser(username)
  if (there) {
    const followed = there.accountEnabled === false ? there : { ...there, displayName }
    store.users.set(there.id, followed)
    return followed
  }
  const user: User = {
    id: randomUUID(),
    username: username.toLowerCase(),
    displayName,
    ...(mail !== undefined && { mail }),
    identities: [{ issuer, issuerAssignedId: subject }],
    roleId: appRoles.user,
    roleAssignmentId: randomUUID(),
  }
  store.users.set(user.id, user)
  return user
}

function personalDriveResponse(visit: Visit, user: User): Response {
  const drive = personalDrive(visit.store, user)
  if (!drive || (user !== visit.caller && !isAdmin(visit.caller)))
    throw notFound('no drive returned from storage')
  return jsonResponse(driveView(visit, drive))
}

function userView(visit: Visit, user: User, expand = ''): Record<string, unknown> {
  const expanded = new Set(expand.split(',').map((name) => name.trim()))
  const drive = personalDrive(visit.store, user)
  const drives = [...visit.store.drives.values()].filter((one) => isMember(visit.store, one, user))
  return {
    ...(user.accountEnabled !== undefined && { accountEnabled: user.accountEnabled }),
    ...(expanded.has('appRoleAssignments') && { appRoleAssignments: [assignmentView(user)] }),
    displayName: user.displayName,
    ...(expanded.has('drive') && { drive: drive ? driveView(visit, drive) : { name: '' } }),
    ...(expanded.has('drives') && { drives: drives.map((one) => driveView(visit, one)) }),
    ...(user.givenName !== undefined && { givenName: user.givenName }),
    id: user.id,
    ...(user.identities && user.identities.length > 0 && { identities: user.identities }),
    ...(user.mail !== undefined && { mail: user.mail }),
    ...(expanded.has('memberOf') && {
      memberOf: [...visit.store.groups.values()]
        .filter((group) => group.memberIds.includes(user.id))
        .map((group) => ({ displayName: group.displayName, groupTypes: [], id: group.id })),
    }),
    onPremisesSamAccountName: user.username,
    surname: user.surname ?? user.username,
    userType: 'Member',
  }
}

function listUsers(visit: Visit, query: Record<string, string>): Response {
  const term = searchTerm(query.$search)
  if (!isAdmin(visit.caller) && (term === undefined || term.length < 3))
    throw new GraphError(403, 'accessDenied', 'search term too short')
  const accepts = filterOf(visit.store, query.$filter)
  const found = [...visit.store.users.values()].filter(
    (user) =>
      accepts(user) &&
      (term === undefined ||
        [user.displayName, user.username, user.mail ?? ''].some((text) =>
          text.toLowerCase().includes(term),
        )),
  )
  return jsonResponse({ value: found.map((user) => userView(visit, user, query.$expand)) })
}

function filterOf(store: FilesStore, filter: string | undefined): (user: User) => boolean {
  if (filter === undefined || filter.trim() === '') return () => true
  const member = /^\s*memberOf\/any\(\s*x\s*:\s*x\/id eq '?(?<id>[^')\s]+)'?\s*\)\s*$/.exec(filter)
    ?.groups?.id
  if (member !== undefined)
    return (user) => store.groups.get(member)?.memberIds.includes(user.id) ?? false
  const role =
    /^\s*appRoleAssignments\/any\(\s*x\s*:\s*x\/appRoleId eq '?(?<id>[^')\s]+)'?\s*\)\s*$/.exec(
      filter,
    )?.groups?.id
  if (role !== undefined) return (user) => user.roleId === role
  const type = /^\s*userType eq '(?<type>[^']*)'\s*$/.exec(filter)?.groups?.type
  if (type !== undefined) return () => type === 'Member'
  throw new GraphError(501, 'notSupported', 'unsupported filter')
}

function checkUsername({ anyUsername }: Visit, name: string): string {
  if (!anyUsername && !username.test(name)) throw badRequest('Invalid username')
  return name.toLowerCase()
}

function checkMail(mail: string | undefined): string | undefined {
  if (mail !== undefined && !mailAddress.test(mail)) throw badRequest('invalid email address')
  return mail
}

/** The real server returns 500 for an identity without issuer or subject. */
function identitiesOf(body: Body): Identity[] | undefined {
  return listField(body, 'identities')?.map((entry) => {
    const issuer = isBody(entry) ? textField(entry, 'issuer') : undefined
    const issuerAssignedId = isBody(entry) ? textField(entry, 'issuerAssignedId') : undefined
    if (!issuer || !issuerAssignedId)
      throw new GraphError(500, 'generalException', 'missing Attribute for objectIdentity')
    return { issuer, issuerAssignedId }
  })
}

function passwordOf(body: Body): string | undefined {
  const profile = body.passwordProfile
  return isBody(profile) ? textField(profile, 'password') : undefined
}

function createUser(visit: Visit, body: Body): Response {
  const displayName = textField(body, 'displayName')
  if (displayName === undefined) throw badRequest('Missing required field: displayName')
  if (displayName.trim() === '') throw badRequest('Empty displayname')
  const name = textField(body, 'onPremisesSamAccountName')
  if (name === undefined) throw badRequest('Missing required field: onPremisesSamAccountName')
  const user: User = {
    id: randomUUID(),
    username: checkUsername(visit, name),
    displayName,
    roleId: appRoles.user,
    roleAssignmentId: randomUUID(),
  }
  checkMail(textField(body, 'mail'))
  rejectReadOnly(body)
  if (visit.store.findUser(user.username))
    throw new GraphError(409, 'nameAlreadyExists', 'a user with that name already exists')
  applyOptional(user, body)
  visit.store.users.set(user.id, user)
  visit.changed()
  return jsonResponse(userView(visit, user), 201)
}

function applyOptional(user: User, body: Body): void {
  const mail = checkMail(textField(body, 'mail'))
  const givenName = textField(body, 'givenName')
  const surname = textField(body, 'surname')
  const enabled = booleanField(body, 'accountEnabled')
  const password = passwordOf(body)
  const identities = identitiesOf(body)
  if (mail !== undefined) user.mail = mail
  if (givenName !== undefined) user.givenName = givenName
  if (surname !== undefined) user.surname = surname
  if (enabled !== undefined) user.accountEnabled = enabled
  if (identities !== undefined) user.identities = identities
  if (password !== undefined) user.passwordHash = hashPassword(password)
}

function updateUser(visit: Visit, idOrName: string, body: Body): Response {
  const user = existingUser(visit, idOrName)
  if (Object.keys(body).length === 0) return emptyResponse(204)
  const changed = { ...user }
  const displayName = textField(body, 'displayName')
  if (displayName !== undefined) {
    if (displayName.trim() === '') throw badRequest('Empty displayname')
    changed.displayName = displayName
  }
  const name = textField(body, 'onPremisesSamAccountName')
  if (name !== undefined) {
    changed.username = checkUsername(visit, name)
    const holder = visit.store.findUser(changed.username)
    if (holder && holder !== user)
      throw new GraphError(409, 'nameAlreadyExists', 'a user with that name already exists')
  }
  applyOptional(changed, body)
  visit.store.users.set(user.id, changed)
  visit.changed()
  return jsonResponse(userView(visit, changed))
}

/**
 * Removes the account and its personal drive at once. Grants on spaces stay behind and lose their
 * display name.
 */
function deleteUser(visit: Visit, user: User): Response {
  if (user.id === visit.caller.id)
    throw new GraphError(403, 'notAllowed', 'self deletion forbidden')
  visit.store.drives.delete(`${visit.store.storageId}$${user.id}`)
  for (const group of visit.store.groups.values())
    group.memberIds = group.memberIds.filter((id) => id !== user.id)
  visit.store.appTokens = visit.store.appTokens.filter((token) => token.userId !== user.id)
  visit.store.users.delete(user.id)
  visit.changed()
  return emptyResponse(204)
}
