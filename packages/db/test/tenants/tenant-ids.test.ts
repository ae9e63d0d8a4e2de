import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findTenantForService } from '../../src/service-tokens/callers.ts'
import { findTenant, findTenantForCaller } from '../../src/tenants/tenants.ts'
import { findCallerInTenant } from '../../src/users/callers.ts'

let owner: pg.Client
let database: TestDatabase
const statements: string[] = []

beforeAll(async () => {
  database = await openTestDatabase({
    readers: 1,
    onStatement: ({ name }) => statements.push(name),
  })
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(
    `insert into users (idp_subject_id, email, name) values ('ada', 'ada@x.test', 'Ada')`,
  )
})
afterAll(async () => {
  await owner.end()
  await database[Symbol.asyncDispose]()
})

async function tenantWith(slug: string): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into tenants (slug, name, awaits_owner) values ($1, $1, true) returning id`,
    [slug],
  )
  return rows[0]?.id ?? ''
}

/** The tenant of a slug as each kind of caller reads it. */
const found = async (slug: string) => {
  const now = new Date()
  const [record, person, personWithRecord, service] = [
    await findTenant(database, slug),
    await findCallerInTenant(database, 'ada', slug, now),
    await findTenantForCaller(database, 'ada', slug, now),
    await findTenantForService(database, slug, null),
  ]
  expect([person?.caller.name, personWithRecord?.caller.name]).toEqual(['Ada', 'Ada'])
  return [
    record?.id,
    person?.tenant.tenantId ?? undefined,
    personWithRecord?.tenant?.id,
    service?.tenantId ?? undefined,
  ]
}
const four = <Value>(value: Value): Value[] => Array.from({ length: 4 }, () => value)

it('takes one statement once the slug is known', async () => {
  const id = await tenantWith('known')
  expect(await found('known')).toEqual(four(id))
  statements.length = 0
  expect(await found('known')).toEqual(four(id))
  expect(statements).toEqual([
    'find_tenant',
    'find_caller_in_tenant',
    'find_tenant_for_caller',
    'find_tenant_for_service',
  ])
})

it('finds no tenant by a slug that none has, and the one that gets it later', async () => {
  expect(await found('later')).toEqual(four(undefined))
  const id = await tenantWith('later')
  expect(await found('later')).toEqual(four(id))
})

it('follows slugs that move to other tenants, and tenants that are gone', async () => {
  const [one, other] = [await tenantWith('one'), await tenantWith('other')]
  expect([await found('one'), await found('other')]).toEqual([four(one), four(other)])
  await owner.query(`update tenants set slug = 'elsewhere' where id = $1`, [one])
  await owner.query(`update tenants set slug = 'one' where id = $1`, [other])
  expect([await found('one'), await found('other')]).toEqual([four(other), four(undefined)])
  await owner.query('delete from tenants where id = $1', [other])
  expect(await found('one')).toEqual(four(undefined))
})
