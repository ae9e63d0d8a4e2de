import { groupsOf, isSuperuser } from '../people.ts'
import type { GroupRecord, Store, UserRecord } from '../records.ts'

/** A group inside a user. */
export function partialGroup(group: GroupRecord) {
  const { pk, num_pk, name, is_superuser, attributes } = group
  return { pk, num_pk, name, is_superuser, attributes }
}

/** A user inside a group, token or device. */
export function partialUser(user: UserRecord) {
  const { pk, username, name, is_active, last_login, email, attributes, uid } = user
  return { pk, username, name, is_active, last_login, email, attributes, uid }
}

export function userView(
  store: Store,
  user: UserRecord,
  options: { groups?: boolean; roles?: boolean } = {},
) {
  return {
    pk: user.pk,
    username: user.username,
    name: user.name,
    is_active: user.is_active,
    last_login: user.last_login,
    date_joined: user.date_joined,
    is_superuser: isSuperuser(store, user),
    groups: user.groups,
    groups_obj: options.groups === false ? null : groupsOf(store, user).map(partialGroup),
    roles: user.roles ?? [],
    roles_obj: options.roles === false ? null : [],
    email: user.email,
    avatar: '',
    attributes: user.attributes,
    uid: user.uid,
    path: user.path,
    type: user.type,
    uuid: user.uuid,
    password_change_date: user.password_change_date,
    last_updated: user.last_updated,
  }
}

export function groupView(
  store: Store,
  group: GroupRecord,
  options: { users?: boolean; parents?: boolean; children?: boolean } = {},
) {
  const users = store.records.users.filter((user) => user.groups.includes(group.pk))
  const children = store.records.groups.filter((one) => one.parents.includes(group.pk))
  const parents = store.records.groups.filter((one) => group.parents.includes(one.pk))
  return {
    pk: group.pk,
    num_pk: group.num_pk,
    name: group.name,
    is_superuser: group.is_superuser,
    parents: group.parents,
    parents_obj: options.parents ? parents.map(partialGroup) : null,
    users: users.map((user) => user.pk),
    users_obj: options.users === false ? null : users.map(partialUser),
    attributes: group.attributes,
    roles: group.roles,
    roles_obj: [],
    inherited_roles_obj: null,
    children: children.map((child) => child.pk),
    children_obj: options.children ? children.map(partialGroup) : null,
  }
}
