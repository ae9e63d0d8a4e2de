import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { insertTestTenant } from '@atrium/testing/records'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { proveDomain } from '../../src/mail/domains.ts'
import { up as fill } from '../../src/migrations/0261-fill-domain-directory.ts'
import { openDatabase } from '../../src/platform/connect.ts'
import { violatedConstraint } from '../../src/platform/failures.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function tenant(slug: string): Promise<string> {
  const inserted = await database.db.transaction().execute((trx) =>
    insertTestTenant(trx, {
      slug,
      domains: [`${slug}.tenants.test`],
      platformDomain: 'tenants.test',
    }),
  )
  return inserted.id
}

const claim = async (tenantId: string, name: string) =>
  (
    await database.db
      .insertInto('domains')
      .values({ tenant_id: tenantId, name })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id

const ownerOf = async (name: string) =>
  (
    await database.db
      .selectFrom('proven_domains')
      .select('tenant_id')
      .where('name', '=', name)
      .executeTakeFirst()
  )?.tenant_id

it('a name below the domain of the platform is in the directory with its tenant', async () => {
  const id = await tenant('named')
  expect(await ownerOf('named.tenants.test')).toBe(id)
})

it('eight tenants prove one name at once, and one gets it', async () => {
  const claims: string[] = []
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8])
    claims.push(await claim(await tenant(`rival-${n}`), 'wanted.test'))
  const results = await Promise.allSettled(
    claims.map((id) => database.db.transaction().execute((trx) => proveDomain(trx, id))),
  )
  const lost = results.flatMap((result) =>
    result.status === 'rejected' ? [violatedConstraint(result.reason)] : [],
  )
  expect(lost).toEqual(Array(7).fill('proven_domains_pkey'))
  const owner = await database.db
    .selectFrom('domains')
    .select('tenant_id')
    .where('name', '=', 'wanted.test')
    .where('verified_at', 'is not', null)
    .executeTakeFirstOrThrow()
  expect(await ownerOf('wanted.test')).toBe(owner.tenant_id)
})

it('names that were proven before the directory was there are entered', async () => {
  const owner = openDatabase({ url: database.ownerUrl, onError: () => {} })
  try {
    await owner.db.deleteFrom('proven_domains').execute()
    await fill(owner.db as never)
  } finally {
    await owner.close()
  }
  const proven = await database.db
    .selectFrom('domains')
    .select(['name', 'tenant_id'])
    .where('verified_at', 'is not', null)
    .orderBy('name')
    .execute()
  expect(proven).not.toEqual([])
  expect(
    await database.db
      .selectFrom('proven_domains')
      .select(['name', 'tenant_id'])
      .orderBy('name')
      .execute(),
  ).toEqual(proven)
})

it('the statements of the version before keep it too', async () => {
  const [one, two] = [await tenant('before-one'), await tenant('before-two')]
  const id = await claim(one, 'before.test')
  const proof = { verified_at: new Date() }
  await database.db.updateTable('domains').set(proof).where('id', '=', id).execute()
  expect(await ownerOf('before.test')).toBe(one)
  const other = await claim(two, 'before.test')
  const rejected = await database.db
    .updateTable('domains')
    .set(proof)
    .where('id', '=', other)
    .execute()
    .catch(violatedConstraint)
  expect(rejected).toBe('domains_proven_name')
  await database.db
    .updateTable('domains')
    .set({ name: 'renamed.test' })
    .where('id', '=', id)
    .execute()
  expect([await ownerOf('before.test'), await ownerOf('renamed.test')]).toEqual([undefined, one])
  await database.db.updateTable('domains').set(proof).where('id', '=', other).execute()
  expect(await ownerOf('before.test')).toBe(two)
  await database.db.deleteFrom('domains').where('id', '=', other).execute()
  expect(await ownerOf('before.test')).toBeUndefined()
})
