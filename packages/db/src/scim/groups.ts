import { administratorsGroup } from '@atrium/core/scim/group'
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'
import { type FilterAttributes, isUuid, type Selection, whereFilter } from './filter.ts'

/** A group as a directory sees it: the admins of the tenant, or one of its distribution lists. */
export interface ScimGroupRow {
  /** That of the list; the group of admins has the tenant's. */
  id: string
  kind: 'admins' | 'list'
  displayName: string
  externalId: string | null
  createdAt: Date
  lastModified: Date
}

type Groups = Tables & { g: ScimGroupRow }
const eb = expressionBuilder<Groups, 'g'>()

/** Lists that are being removed are gone. */
function selectGroups(db: Db | Trx, tenantId: string) {
  const admins = db
    .selectFrom('tenants as t')
    .select([
      't.id',
      sql<ScimGroupRow['kind']>`'admins'`.as('kind'),
      sql<string>`${administratorsGroup}::text`.as('displayName'),
      sql<string | null>`null::text`.as('externalId'),
      't.created_at as createdAt',
      't.created_at as lastModified',
    ])
    .where('t.id', '=', tenantId)
  const lists = db
    .selectFrom('mail_lists as l')
    .select([
      'l.id',
      sql<ScimGroupRow['kind']>`'list'`.as('kind'),
      'l.name as displayName',
      'l.scim_external_id as externalId',
      'l.created_at as createdAt',
      'l.updated_at as lastModified',
    ])
    .where('l.tenant_id', '=', tenantId)
    .where('l.state', '<>', 'removing')
  return db.selectFrom(admins.unionAll(lists).as('g'))
}

export async function findScimGroup(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<ScimGroupRow | undefined> {
  return selectGroups(db, tenantId).selectAll().where('g.id', '=', id).executeTakeFirst()
}

/**
 * A page of the groups that a filter selects, by id, and how many there are. Throws AppError
 * `invalid_input` for an attribute that cannot be compared.
 */
export async function listScimGroups(
  db: Db,
  tenantId: string,
  { filter, offset, limit, others }: Selection,
): Promise<{ rows: ScimGroupRow[]; total: number }> {
  const all = selectGroups(db, tenantId)
  const attributes = { ...attributesIn(db, tenantId), ...(others && { others }) }
  const selected = filter ? all.where(whereFilter(filter, attributes)) : all
  const { total } = await selected
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows =
    limit === 0
      ? []
      : await selected.selectAll().orderBy('g.id').offset(offset).limit(limit).execute()
  return { rows, total }
}

/** A member of a group. */
export interface ScimGroupMember {
  groupId: string
  id: string
  email: string
}

/** Members of the tenant with a list's recipients that are their addresses. */
const ofLists = (db: Db | Trx, tenantId: string) =>
  db
    .selectFrom('mail_list_recipients as r')
    .innerJoin('users as u', 'u.email', 'r.address')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .where('r.tenant_id', '=', tenantId)
    .where('m.tenant_id', '=', tenantId)
    .where('m.status', '<>', 'removing')

/** Members with the role `admin`; the owner has more. */
const ofAdmins = (db: Db | Trx, tenantId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.tenant_id', '=', tenantId)
    .where('m.role', '=', 'admin')
    .where('m.status', '<>', 'removing')

/** The members of these groups, by id. Recipients that are no members of the tenant are none. */
export async function listScimGroupMembers(
  db: Db | Trx,
  tenantId: string,
  groups: readonly Pick<ScimGroupRow, 'id' | 'kind'>[],
): Promise<ScimGroupMember[]> {
  const lists = groups.flatMap(({ id, kind }) => (kind === 'list' ? [id] : []))
  const admins = groups.filter(({ kind }) => kind === 'admins')
  const columns = ['u.id', 'u.email'] as const
  const found = await Promise.all([
    lists.length === 0
      ? []
      : ofLists(db, tenantId)
          .select(['r.list_id as groupId', ...columns])
          .where('r.list_id', 'in', lists)
          .orderBy('u.id')
          .execute(),
    admins.length === 0
      ? []
      : ofAdmins(db, tenantId)
          .select(['m.tenant_id as groupId', ...columns])
          .orderBy('u.id')
          .execute(),
  ])
  return found.flat()
}

/** A group that a member is in. */
export interface ScimGroupOfUser {
  userId: string
  id: string
  displayName: string
}

/** The groups of these members, by id. */
export function listScimGroupsOfUsers(
  db: Db | Trx,
  tenantId: string,
  userIds: readonly string[],
): Promise<ScimGroupOfUser[]> {
  if (userIds.length === 0) return Promise.resolve([])
  const lists = ofLists(db, tenantId)
    .innerJoin('mail_lists as l', (join) =>
      join.onRef('l.tenant_id', '=', 'r.tenant_id').onRef('l.id', '=', 'r.list_id'),
    )
    .where('l.state', '<>', 'removing')
    .where('u.id', 'in', userIds)
    .select(['u.id as userId', 'l.id', 'l.name as displayName'])
  const admins = ofAdmins(db, tenantId)
    .where('u.id', 'in', userIds)
    .select([
      'u.id as userId',
      'm.tenant_id as id',
      sql<string>`${administratorsGroup}::text`.as('displayName'),
    ])
  return lists.unionAll(admins).orderBy('id').execute()
}

/** Whether a member of the outer query is in a group: in the one with this id, or in any. */
export function isInScimGroup(
  db: Db,
  tenantId: string,
  user: { email: Expression<string>; role: Expression<string> },
  groupId?: string,
): Expression<SqlBool> {
  const all = db
    .selectFrom('mail_list_recipients as r')
    .innerJoin('mail_lists as l', (join) =>
      join.onRef('l.tenant_id', '=', 'r.tenant_id').onRef('l.id', '=', 'r.list_id'),
    )
    .select('l.id')
    .where('r.tenant_id', '=', tenantId)
    .where('l.state', '<>', 'removing')
    .where('r.address', '=', user.email)
  const inList = eb.exists(groupId === undefined ? all : all.where('l.id', '=', groupId))
  if (groupId !== undefined && groupId.toLowerCase() !== tenantId) return inList
  return eb.or([inList, eb(user.role, '=', 'admin')])
}

/** The addresses of these members, by their id; others are left out. */
export async function findMemberAddresses(
  db: Db | Trx,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email'])
    .where('m.tenant_id', '=', tenantId)
    .where('m.status', '<>', 'removing')
    .where('m.user_id', '=', sql<string>`any(${ids.filter(isUuid)}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** Whether another list of the tenant has this name, in whatever case. */
export async function hasListNamed(db: Db | Trx, tenantId: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('mail_lists')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(({ fn }) => fn('lower', ['name']), '=', name.toLowerCase())
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function setListExternalId(
  trx: Trx,
  tenantId: string,
  listId: string,
  externalId: string | null,
): Promise<void> {
  await trx
    .updateTable('mail_lists')
    .set({ scim_external_id: externalId })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', listId)
    .execute()
}

function attributesIn(db: Db, tenantId: string): FilterAttributes {
  const has = (id?: string): Expression<SqlBool> => {
    const lists = ofLists(db, tenantId).select('u.id').whereRef('r.list_id', '=', sql.ref('g.id'))
    const admins = ofAdmins(db, tenantId)
      .select('u.id')
      .whereRef('m.tenant_id', '=', sql.ref('g.id'))
    return eb.or(
      [lists, admins].map((found) =>
        eb.exists(id === undefined ? found : found.where('u.id', '=', id)),
      ),
    )
  }
  return {
    single: {
      id: {
        kind: 'text',
        exact: true,
        value: sql<string>`g.id::text`,
        equals: (value) => (isUuid(value) ? eb('g.id', '=', value) : sql<SqlBool>`false`),
      },
      externalid: { kind: 'text', exact: true, value: eb.ref('g.externalId') },
      displayname: { kind: 'text', value: eb.ref('g.displayName') },
      'meta.resourcetype': { kind: 'text', exact: true, value: sql<string>`'Group'` },
      'meta.created': { kind: 'time', value: eb.ref('g.createdAt') },
      'meta.lastmodified': { kind: 'time', value: eb.ref('g.lastModified') },
    },
    multiple: {
      members: [
        {
          value: {
            kind: 'reference',
            present: has(),
            equals: (value) => (isUuid(value) ? has(value) : sql<SqlBool>`false`),
          },
        },
      ],
    },
  }
}
