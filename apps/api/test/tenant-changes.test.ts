import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { copyDatabase } from '@atrium/testing/postgres/database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../src/platform/log.ts'
import { createTenantChanges, type TenantChanges } from '../src/platform/tenant-changes.ts'

let copy: Awaited<ReturnType<typeof copyDatabase>>
let database: Database
let changes: TenantChanges
let statements = 0
const tenantIds = [randomUUID(), randomUUID()] as const
const subject = 'follower'

beforeAll(async () => {
  copy = await copyDatabase()
  database = openDatabase({
    url: copy.appUrl,
    onStatement: () => void statements++,
    onError: () => {},
  })
  const user = randomUUID()
  // In one transaction: a tenant without an owner cannot be committed.
  await database.db.transaction().execute(async (trx) => {
    await sql`insert into users (id, idp_subject_id, email, name) values (${user}, ${subject}, 'f@example.test', 'F')`.execute(
      trx,
    )
    for (const [index, id] of tenantIds.entries()) {
      await sql`insert into tenants (id, slug, name) values (${id}, ${`t-${index}`}, 'T')`.execute(
        trx,
      )
      await sql`insert into memberships (tenant_id, user_id, role, status) values (${id}, ${user}, 'owner', 'active')`.execute(
        trx,
      )
    }
  })
  changes = createTenantChanges(database, createLogger('silent', { write: () => {} }))
  await changes.start()
})
afterAll(async () => {
  await changes?.stop()
  await database?.close()
  await copy?.[Symbol.asyncDispose]()
})

it('reads once for all followers, however many there are', async () => {
  const seen = new Map<string, number>(tenantIds.map((id) => [id, 0]))
  const before = statements
  const stops = Array.from({ length: 200 }, (_, index) => {
    const tenantId = tenantIds[index % 2] ?? ''
    return changes.follow({
      tenantId,
      subject,
      operator: false,
      onState: (tenant) => seen.set(tenantId, (seen.get(tenantId) ?? 0) + (tenant ? 1 : 1_000_000)),
    })
  })
  await expect.poll(() => [...seen.values()]).toEqual([100, 100])
  expect(statements - before).toBe(2)

  const afterOpening = statements
  await sql`select pg_notify('tenant_changed', ${tenantIds[0]})`.execute(database.db)
  await expect.poll(() => seen.get(tenantIds[0])).toBe(200)
  expect(seen.get(tenantIds[1])).toBe(100)
  // The notification itself, and one shared read.
  expect(statements - afterOpening).toBe(3)
  for (const stop of stops) stop()
})

it('tells a follower who lost the right nothing but that', async () => {
  const states: unknown[] = []
  const stop = changes.follow({
    tenantId: tenantIds[0],
    subject: 'stranger',
    operator: true,
    onState: (tenant) => states.push(tenant),
  })
  await expect.poll(() => states).toEqual([undefined])
  stop()
})
