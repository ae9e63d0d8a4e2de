import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { writeAbandonedEntries } from '../src/rpc/abandoned-audit-entries.ts'
import type { AuditEntry, PreparedEntry } from '../src/rpc/audit-recorder.ts'
import type { Caller, RequestInfo } from '../src/rpc/caller.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    env: { AUDIT_HASH_CHAIN: 'true' },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  await testApp.database.db.deleteFrom('prepared_audit_entries').execute()
})

const request = { request: { ip: null, source: 'api', requestId: 'r' } as unknown as RequestInfo }
const caller = { subject: 'anna', email: 'anna@acme.test' } as Caller
const entry: AuditEntry = {
  action: 'list.updated',
  resourceType: 'list',
  resourceName: 'all@acme.test',
  tenantSlug: 'acme',
  metadata: { changes: { name: ['All', 'Everybody'] } },
}
const prepare = () =>
  testApp.database.db
    .transaction()
    .execute((trx) => testApp.app.services.audit.prepare(request, caller, entry, trx))
const eventsOf = ({ id }: PreparedEntry) =>
  testApp.database.db
    .selectFrom('events')
    .select(['type', 'tenant_slug', 'changes', 'details', 'actor_email'])
    .where('id', '=', String(id))
    .execute()
const entriesOf = ({ id }: PreparedEntry) =>
  testApp.database.db
    .selectFrom('audit_events')
    .select(['outcome', 'metadata'])
    .where('id', '=', String(id))
    .execute()

it('is an event with its change, and an entry when it is complete, each once', async () => {
  const prepared = await prepare()
  const event = {
    type: 'list.updated',
    tenant_slug: 'acme',
    changes: { name: ['All', 'Everybody'] },
    details: {},
    actor_email: 'anna@acme.test',
  }
  expect(await eventsOf(prepared)).toEqual([event])
  expect(await entriesOf(prepared)).toEqual([])
  const { audit } = testApp.app.services
  await Promise.all(
    [1, 2, 3].map(() => audit.complete(prepared, { outcome: 'failure', metadata: { error: 'x' } })),
  )
  expect(await entriesOf(prepared)).toEqual([
    { outcome: 'failure', metadata: { ...entry.metadata, error: 'x', requestId: 'r' } },
  ])
  expect(await eventsOf(prepared)).toEqual([event])
})

it('is neither when the change is rolled back', async () => {
  let prepared: PreparedEntry | undefined
  await expect(
    testApp.database.db.transaction().execute(async (trx) => {
      prepared = await testApp.app.services.audit.prepare(request, caller, entry, trx)
      throw new Error('undone')
    }),
  ).rejects.toThrow('undone')
  expect(await eventsOf(prepared as PreparedEntry)).toEqual([])
})

it('is written as it was prepared when its process died, and not once more', async () => {
  const [prepared, fresh] = [await prepare(), await prepare()]
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  await owner.query(
    `update prepared_audit_entries set prepared_at = now() - interval '601 s' where id = $1`,
    [prepared.id],
  )
  await owner.end()
  await Promise.all([1, 2, 3].map(() => writeAbandonedEntries(testApp.app.services)))
  await testApp.app.services.audit.complete(prepared, { outcome: 'failure' })
  expect(await entriesOf(prepared)).toEqual([
    { outcome: 'success', metadata: { ...entry.metadata, requestId: 'r' } },
  ])
  expect(await eventsOf(prepared)).toHaveLength(1)
  expect(await entriesOf(fresh)).toEqual([])
})

it('is written without an event of its own when it could not be prepared', async () => {
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  await owner.query('revoke insert on prepared_audit_entries from atrium_app')
  const prepared = await prepare()
  await owner.query('grant insert on prepared_audit_entries to atrium_app')
  await owner.end()
  expect(prepared.id).toBeUndefined()
  await testApp.app.services.audit.complete(prepared, { metadata: { error: 'x' } })
  expect(await testApp.auditActions()).toContain('list.updated')
  const { rows } = (await testApp
    .request('GET', '/events?limit=200', {
      token: await testApp.token('operator@atrium.test'),
    })
    .then(({ body }) => ({ rows: body.items }))) as { rows: { data: { details: object } }[] }
  expect(rows.some(({ data }) => JSON.stringify(data.details).includes('"error":"x"'))).toBe(true)
})
