import { endLoginsOf, revokeTokensOf } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import { isSuperuser } from '../people.ts'
import { hashedUserId, isoNow, newUuid, nextPk, type Store, type UserRecord } from '../records.ts'
import { attributesFilter } from './attributes-filter.ts'
import { ApiError, invalid, missing } from './errors.ts'
import {
  choice,
  email,
  type Fields,
  flag,
  list,
  nullable,
  object,
  readFields,
  reference,
  required,
  text,
} from './fields.ts'
import { boolean, choicesFilter, exact, order, paginate, search, uuidFilter } from './lists.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'
import { userView } from './views.ts'

const types = ['internal', 'external', 'service_account', 'internal_service_account'] as const

function fields({ records }: Store) {
  return {
    username: required(text({ max: 150 })),
    name: required(text({ blank: true })),
    is_active: flag(),
    last_login: nullable(text()),
    groups: list(
      reference((pk) => records.groups.some((group) => group.pk === pk)),
      { flat: true },
    ),
    email: email(),
    attributes: object(),
    path: text(),
    type: choice(...types),
  } satisfies Fields
}

/** The user that the path names. */
export function findUser({ store, params }: ApiCall): UserRecord {
  const user = store.records.users.find((one) => String(one.pk) === params.pk)
  if (!user) throw missing('User')
  return user
}

type Values = ReturnType<typeof readUser>

function readUser(call: ApiCall, partial: boolean, self?: UserRecord) {
  const values = readFields(fields(call.store), call.body, { partial })
  const errors: Record<string, string[]> = {}
  if (call.store.records.users.some((user) => user.username === values.username && user !== self)) {
    errors.username = ['This field must be unique.']
  }
  if (values.path !== undefined) {
    if (values.path.startsWith('/') || values.path.endsWith('/'))
      errors.path = ['No leading or trailing slashes allowed.']
    else if (values.path.split('/').includes(''))
      errors.path = ['No empty segments in user path allowed.']
  }
  if (values.type === 'internal_service_account' && self?.type !== 'internal_service_account') {
    errors.type = ["Can't change internal service account to other user type."]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return values
}

function showOptions({ query }: ApiCall) {
  return {
    groups: boolean(query, 'include_groups') !== false,
    roles: boolean(query, 'include_roles') !== false,
  }
}

function listUsers(call: ApiCall) {
  const { store, query } = call
  const { records } = store
  let rows = exact(query, records.users, 'username', (user) => user.username)
  rows = exact(query, rows, 'name', (user) => user.name)
  rows = exact(query, rows, 'email', (user) => user.email)
  rows = exact(query, rows, 'path', (user) => user.path)
  const prefix = query.get('path_startswith')
  if (prefix) rows = rows.filter((user) => user.path.startsWith(prefix))
  const uuid = uuidFilter(query, 'uuid')
  if (uuid) rows = rows.filter((user) => user.uuid === uuid)
  const active = boolean(query, 'is_active')
  if (active !== undefined) rows = rows.filter((user) => user.is_active === active)
  const superuser = boolean(query, 'is_superuser')
  if (superuser !== undefined) rows = rows.filter((user) => isSuperuser(store, user) === superuser)
  const requestedTypes = choicesFilter(query, 'type', (value) =>
    types.some((type) => type === value),
  )
  if (requestedTypes.length > 0) rows = rows.filter((user) => requestedTypes.includes(user.type))
  const names = choicesFilter(query, 'groups_by_name', (name) =>
    records.groups.some((group) => group.name === name),
  )
  const pks = choicesFilter(query, 'groups_by_pk', (pk) =>
    records.groups.some((group) => group.pk === pk),
  )
  if (names.length + pks.length > 0) {
    const requested = records.groups
      .filter((group) => names.includes(group.name) || pks.includes(group.pk))
      .map((group) => group.pk)
    rows = rows.filter((user) => user.groups.some((pk) => requested.includes(pk)))
  }
  choicesFilter(query, 'roles_by_name', () => false)
  choicesFilter(query, 'roles_by_pk', () => false)
  rows = attributesFilter(query.get('attributes'), rows)
  rows = search(query, rows, (user) => [user.email, user.name, user.uuid, user.username])
  rows = order(
    query,
    rows.toSorted((a, b) => (a.username < b.username ? -1 : 1)),
    {
      username: (user) => user.username,
      name: (user) => user.name,
      email: (user) => user.email,
      pk: (user) => user.pk,
      date_joined: (user) => user.date_joined,
      last_updated: (user) => user.last_updated,
      last_login: (user) => user.last_login ?? '',
      is_active: (user) => Number(user.is_active),
    },
  )
  const options = showOptions(call)
  return paginate(query, rows, (user) => userView(store, user, options))
}

function createUser(call: ApiCall) {
  const values = readUser(call, false)
  const { store } = call
  const pk = nextPk(store)
  const at = isoNow(store)
  const user: UserRecord = {
    pk,
    uuid: newUuid(),
    uid: hashedUserId(pk, store.records.secret),
    username: values.username ?? '',
    name: values.name ?? '',
    email: values.email ?? '',
    type: values.type ?? 'internal',
    path: values.path ?? 'users',
    groups: [...new Set(values.groups)],
    attributes: values.attributes ?? {},
    is_active: values.is_active ?? true,
    password: null,
    date_joined: at,
    last_login: values.last_login ?? null,
    password_change_date: at,
    last_updated: at,
  }
  store.records.users.push(user)
  return created(userView(store, user))
}

/** Saving an inactive user takes its tokens away; PATCH, and only PATCH, also ends its sessions. */
function updateUser(call: ApiCall, notices: LogoutNotices, partial: boolean) {
  const user = findUser(call)
  const values: Values = readUser(call, partial, user)
  Object.assign(user, values, values.groups && { groups: [...new Set(values.groups)] }, {
    last_updated: isoNow(call.store),
  })
  if (partial && values.is_active === false) endLoginsOf(call.store, notices, user)
  if (!user.is_active) revokeTokensOf(call.store, user)
  return ok(userView(call.store, user))
}

/** `/core/users/` and below, actions excepted. */
export function userResources(notices: LogoutNotices): readonly Resource[] {
  return [
    { path: 'core/users/', GET: listUsers, POST: createUser },
    {
      path: 'core/users/me/',
      GET({ store, caller }) {
        const {
          pk,
          username,
          name,
          is_active,
          email: address,
          avatar,
          uid,
          type,
        } = userView(store, caller)
        const groups = store.records.groups
          .filter((group) => caller.groups.includes(group.pk))
          .map(({ name, pk }) => ({ name, pk }))
        const user = {
          pk,
          username,
          name,
          is_active,
          is_superuser: isSuperuser(store, caller),
          groups,
          roles: [],
          email: address,
          avatar,
          uid,
        }
        return ok({ user: { ...user, settings: {}, type, system_permissions: [] }, users: [] })
      },
    },
    {
      path: 'core/users/:pk/',
      GET: (call) => ok(userView(call.store, findUser(call), showOptions(call))),
      PUT: (call) => updateUser(call, notices, false),
      PATCH: (call) => updateUser(call, notices, true),
      DELETE(call) {
        const user = findUser(call)
        if (user.type === 'internal_service_account')
          throw new ApiError(400, { non_field_errors: ['Cannot delete internal service account.'] })
        const { records } = call.store
        endLoginsOf(call.store, notices, user)
        revokeTokensOf(call.store, user)
        records.users = records.users.filter((one) => one !== user)
        records.devices = records.devices.filter((device) => device.user !== user.pk)
        records.tokens = records.tokens.filter((token) => token.user !== user.pk)
        records.bindings = records.bindings.filter((binding) => binding.user !== user.pk)
        delete records.recoveryTokens[String(user.pk)]
        return done
      },
    },
  ]
}
