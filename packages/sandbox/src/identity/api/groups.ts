import { type GroupRecord, newUuid, nextPk, type Store } from '../records.ts'
import { invalid, missing } from './errors.ts'
import {
  type Fields,
  flag,
  integer,
  list,
  numberReference,
  object,
  readFields,
  reference,
  required,
  text,
} from './fields.ts'
import { boolean, choicesFilter, exact, order, paginate, search } from './lists.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'
import { groupView } from './views.ts'

function fields({ records }: Store) {
  return {
    name: required(text({ max: 255 })),
    is_superuser: flag(),
    parents: list(
      reference((pk) => records.groups.some((group) => group.pk === pk)),
      { flat: true },
    ),
    users: list(
      numberReference((pk) => records.users.some((user) => user.pk === pk)),
      { flat: true },
    ),
    attributes: object(),
    roles: list(
      reference(() => false),
      { flat: true },
    ),
  } satisfies Fields
}

function find({ store, params }: ApiCall): GroupRecord {
  const group = store.records.groups.find((one) => one.pk === params.pk)
  if (!group) throw missing('Group')
  return group
}

function rejectTakenName(store: Store, name: string | undefined, self?: GroupRecord): void {
  if (store.records.groups.some((group) => group.name === name && group !== self)) {
    throw invalid({ name: ['Group with this name already exists.'] })
  }
}

function setMembers(store: Store, group: GroupRecord, users: readonly number[]): void {
  for (const user of store.records.users) {
    user.groups = user.groups.filter((pk) => pk !== group.pk)
    if (users.includes(user.pk)) user.groups.push(group.pk)
  }
}

function show({ store, query }: ApiCall) {
  const options = {
    users: boolean(query, 'include_users') !== false,
    parents: boolean(query, 'include_parents') === true,
    children: boolean(query, 'include_children') === true,
  }
  return (group: GroupRecord) => groupView(store, group, options)
}

/** Adds or removes one member: 204 also when nothing changes, 404 when there is no such user. */
function changeMember(call: ApiCall, change: (groups: readonly string[], pk: string) => string[]) {
  const group = find(call)
  const { pk } = readFields({ pk: required(integer()) }, call.body)
  const user = call.store.records.users.find((one) => one.pk === pk)
  if (!user) throw missing('User')
  user.groups = change(user.groups, group.pk)
  return done
}

export const groupResources: readonly Resource[] = [
  {
    path: 'core/groups/',
    GET(call) {
      const { records } = call.store
      let rows = exact(call.query, records.groups, 'name', (group) => group.name)
      const superuser = boolean(call.query, 'is_superuser')
      if (superuser !== undefined) rows = rows.filter((group) => group.is_superuser === superuser)
      const members = choicesFilter(call.query, 'members_by_pk', (pk) =>
        records.users.some((user) => String(user.pk) === pk),
      )
      const names = choicesFilter(call.query, 'members_by_username', (name) =>
        records.users.some((user) => user.username === name),
      )
      const requested = records.users.filter(
        (user) => members.includes(String(user.pk)) || names.includes(user.username),
      )
      if (members.length + names.length > 0)
        rows = rows.filter((group) => requested.some((user) => user.groups.includes(group.pk)))
      rows = search(call.query, rows, (group) => [group.name])
      rows = order(call.query, rows.toSorted(byName), {
        name: (group) => group.name,
        is_superuser: (group) => Number(group.is_superuser),
      })
      return paginate(call.query, rows, show(call))
    },
    POST(call) {
      const values = readFields(fields(call.store), call.body)
      rejectTakenName(call.store, values.name)
      const group: GroupRecord = {
        pk: newUuid(),
        num_pk: nextPk(call.store) + 10_000,
        name: values.name ?? '',
        is_superuser: values.is_superuser ?? false,
        parents: values.parents ?? [],
        attributes: values.attributes ?? {},
        roles: [],
      }
      call.store.records.groups.push(group)
      if (values.users) setMembers(call.store, group, values.users)
      return created(groupView(call.store, group))
    },
  },
  {
    path: 'core/groups/:pk/',
    GET: (call) => ok(show(call)(find(call))),
    PUT: (call) => update(call, false),
    PATCH: (call) => update(call, true),
    DELETE(call) {
      const group = find(call)
      const { records } = call.store
      records.groups = records.groups.filter((one) => one !== group)
      records.bindings = records.bindings.filter((binding) => binding.group !== group.pk)
      for (const user of records.users) user.groups = user.groups.filter((pk) => pk !== group.pk)
      for (const child of records.groups)
        child.parents = child.parents.filter((pk) => pk !== group.pk)
      return done
    },
  },
  {
    path: 'core/groups/:pk/add_user/',
    POST: (call) => changeMember(call, (groups, pk) => [...new Set([...groups, pk])]),
  },
  {
    path: 'core/groups/:pk/remove_user/',
    POST: (call) => changeMember(call, (groups, pk) => groups.filter((one) => one !== pk)),
  },
]

function byName(a: GroupRecord, b: GroupRecord): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function update(call: ApiCall, partial: boolean) {
  const group = find(call)
  const { users, roles: _roles, ...values } = readFields(fields(call.store), call.body, { partial })
  rejectTakenName(call.store, values.name, group)
  if (values.parents?.includes(group.pk))
    throw invalid({ parents: ['Cannot set group as parent of itself.'] })
  Object.assign(group, values)
  if (users) setMembers(call.store, group, users)
  return ok(groupView(call.store, group))
}
