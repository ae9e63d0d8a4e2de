import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { managed } from '../members/members.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { MembershipsTable } from '../schema/members.ts'
import type { Tables } from '../schema/tables.ts'
import type { UsersTable } from '../schema/users.ts'
import {
  type FilterAttribute,
  type FilterAttributes,
  isUuid,
  type Selection,
  whereFilter,
} from './filter.ts'
import { isInScimGroup } from './groups.ts'

type Joined = Tables & { m: MembershipsTable; u: UsersTable }
const eb = expressionBuilder<Joined, 'm' | 'u'>()

/**
 * The name that the client gave, in its spelling, for as long as it is still the member's address
 * or the part of it before the @. Else the address.
 */
const userName = sql<string>`case when lower(m.scim_user_name) in (u.email, split_part(u.email, '@', 1))
  then m.scim_user_name else u.email end`
const active = sql<boolean>`(m.status in ('active', 'provisioning') and u.deactivated_at is null)`
const lastModified = sql<Date>`greatest(m.updated_at, u.updated_at)`
/** Contact data belong to the tenant only where it manages the person. */
const phone = sql<string | null>`case when ${managed()} then u.phone end`

/** The members of a tenant as a directory sees them. Those being removed are gone. */
const selectUsers = (db: Db | Trx, tenantId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.tenant_id', '=', tenantId)
    .where('m.status', '<>', 'removing')

const columns = [
  'u.id',
  'u.email',
  'u.name',
  'u.first_name as firstName',
  'u.last_name as lastName',
  phone.as('phone'),
  userName.as('userName'),
  'm.scim_external_id as externalId',
  'm.status as membershipStatus',
  active.as('active'),
  'm.created_at as createdAt',
  lastModified.as('lastModified'),
] as const

/** A member as a directory sees them. */
export type ScimUserRow = NonNullable<Awaited<ReturnType<typeof findScimUser>>>

export function findScimUser(db: Db | Trx, tenantId: string, userId: string) {
  return selectUsers(db, tenantId)
    .where('m.user_id', '=', userId)
    .select(columns)
    .executeTakeFirst()
}

/**
 * A page of the members that a filter selects, by id, and how many there are. Throws AppError
 * `invalid_input` for an attribute that cannot be compared.
 */
export async function listScimUsers(
  db: Db,
  tenantId: string,
  { filter, offset, limit, others }: Selection,
): Promise<{ rows: ScimUserRow[]; total: number }> {
  const all = selectUsers(db, tenantId)
  const attributes = { ...attributesIn(db, tenantId), ...(others && { others }) }
  const selected = filter ? all.where(whereFilter(filter, attributes)) : all
  const { total } = await selected
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows =
    limit === 0
      ? []
      : await selected.select(columns).orderBy('m.user_id').offset(offset).limit(limit).execute()
  return { rows, total }
}

const text = (value: Expression<string | null>): FilterAttribute => ({ kind: 'text', value })
const email: FilterAttribute = {
  kind: 'text',
  value: eb.ref('u.email'),
  equals: (value) => eb('u.email', '=', value.toLowerCase()),
}

function attributesIn(db: Db, tenantId: string): FilterAttributes {
  const member = { email: eb.ref('u.email'), role: eb.ref('m.role') }
  return {
    single: {
      id: {
        kind: 'text',
        exact: true,
        value: sql<string>`m.user_id::text`,
        equals: (value) => (isUuid(value) ? eb('m.user_id', '=', value) : sql<SqlBool>`false`),
      },
      externalid: { kind: 'text', exact: true, value: eb.ref('m.scim_external_id') },
      username: {
        kind: 'text',
        value: userName,
        // An address is found by the index of addresses.
        equals: (value) =>
          value.includes('@')
            ? eb('u.email', '=', value.toLowerCase())
            : eb(sql`lower(${userName})`, '=', value.toLowerCase()),
      },
      displayname: text(eb.ref('u.name')),
      'name.givenname': text(eb.ref('u.first_name')),
      'name.familyname': text(eb.ref('u.last_name')),
      active: { kind: 'boolean', value: active },
      'meta.created': { kind: 'time', value: eb.ref('m.created_at') },
      'meta.lastmodified': { kind: 'time', value: lastModified },
      'meta.resourcetype': { kind: 'text', exact: true, value: sql<string>`'User'` },
    },
    multiple: {
      emails: [
        {
          value: email,
          type: text(sql<string>`'work'`),
          primary: { kind: 'boolean', value: sql<SqlBool>`true` },
        },
      ],
      phonenumbers: [
        {
          value: text(phone),
          type: text(sql<string>`case when ${managed()} and u.phone is not null then 'work' end`),
        },
      ],
      groups: [
        {
          value: {
            kind: 'reference',
            present: isInScimGroup(db, tenantId, member),
            equals: (value) =>
              isUuid(value) ? isInScimGroup(db, tenantId, member, value) : sql<SqlBool>`false`,
          },
        },
      ],
    },
  }
}

/** What the directory calls a member. Null: nothing of its own. */
export interface ScimIdentifiers {
  externalId: string | null
  userName: string | null
}

export async function setScimIdentifiers(
  trx: Trx,
  tenantId: string,
  userId: string,
  { externalId, userName }: ScimIdentifiers,
): Promise<void> {
  await trx
    .updateTable('memberships')
    .set({
      scim_external_id: externalId,
      scim_user_name: userName,
      updated_at: sql<Date>`now()`,
    })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}
