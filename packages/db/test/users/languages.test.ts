import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { insertTestTenant } from '@atrium/testing/records'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateTenant } from '../../src/tenants/tenants.ts'
import { languageOfRecipient, languageOfSubject } from '../../src/users/languages.ts'
import { insertUser, updateUser } from '../../src/users/users.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ readers: 1 })
})
afterAll(() => database[Symbol.asyncDispose]())

async function person(subject: string): Promise<string> {
  const email = `${subject}@example.test`
  const inserted = await insertUser(database.db, { subject, email, name: subject })
  if (!inserted) throw new Error('The person exists already.')
  return inserted.id
}

async function tenantOf(ownerId: string, slug: string): Promise<string> {
  const inserted = await database.db
    .transaction()
    .execute((trx) => insertTestTenant(trx, { slug, domains: [`${slug}.example.test`], ownerId }))
  return inserted.id
}

const speak = (tenantId: string, language: 'en' | 'de' | null) =>
  database.db.transaction().execute((trx) => updateTenant(trx, tenantId, { language }))

it('is the person’s, then the tenant’s, then none', async () => {
  const { db } = database
  const id = await person('olive')
  const tenantId = await tenantOf(id, 'oil')
  const mail = { address: 'olive@example.test', tenantId }
  expect(await languageOfRecipient(db, mail)).toBeUndefined()
  expect(await languageOfSubject(db, 'olive')).toBeUndefined()

  await speak(tenantId, 'de')
  expect(await languageOfRecipient(db, mail)).toBe('de')
  expect(await languageOfSubject(db, 'olive')).toBe('de')
  expect(await languageOfRecipient(db, { ...mail, address: 'new@example.test' })).toBe('de')
  expect(await languageOfRecipient(db, { ...mail, tenantId: null })).toBeUndefined()

  await updateUser(db, id, { language: 'en' })
  const elsewhere = { tenantId, address: 'olive@home.example' }
  expect(await languageOfRecipient(db, elsewhere)).toBe('de')
  expect(await languageOfRecipient(db, { ...elsewhere, userId: id })).toBe('en')
  expect(await languageOfRecipient(db, mail)).toBe('en')
  expect(await languageOfRecipient(db, { ...mail, tenantId: null })).toBe('en')
  expect(await languageOfSubject(db, 'olive')).toBe('en')
})

it('is that of the first tenant by name that set one and lets the person in', async () => {
  const { db } = database
  const id = await person('pat')
  await tenantOf(id, 'a-silent')
  const shut = await tenantOf(id, 'b-deleted')
  const spoken = await tenantOf(await person('boss'), 'c-german')
  await speak(shut, 'en')
  await speak(spoken, 'de')
  await db
    .insertInto('memberships')
    .values({ tenant_id: spoken, user_id: id, role: 'member', status: 'active' })
    .execute()
  await db
    .updateTable('tenants')
    .set({ status: 'deleted', deleted_at: new Date() })
    .where('id', '=', shut)
    .execute()
  expect(await languageOfSubject(db, 'pat')).toBe('de')

  await db
    .updateTable('memberships')
    .set({ status: 'suspended' })
    .where('user_id', '=', id)
    .where('tenant_id', '=', spoken)
    .execute()
  expect(await languageOfSubject(db, 'pat')).toBeUndefined()
})

it('is unknown of a stranger', async () => {
  expect(await languageOfSubject(database.db, 'nobody')).toBeUndefined()
})
