import { randomUUID } from 'node:crypto'
import { jobsToActOn } from '@atrium/db/platform/jobs'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ started: true })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

async function stateOf(tenantId: string): Promise<string[]> {
  const { rows } = await sql<{
    state: string
  }>`select state from jobs.job where singleton_key = ${tenantId}`.execute(testApp.database.db)
  return rows.map(({ state }) => state)
}

it('fetches no queue in which no job is due', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const texts = () => query.mock.calls.map(([text]) => String(text))
  await expect
    .poll(() => texts().filter((text) => text === jobsToActOn).length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(4)
  const fetched = texts().filter(
    (text) => text.includes(`j.name = 'members'`) || text.includes(`j.name = 'member-imports'`),
  )
  query.mockRestore()
  expect(fetched).toEqual([])
})

it('begins a job of which no notification tells when its time comes', async () => {
  const tenantId = randomUUID()
  await testApp.app.services.jobs.enqueueProvisioning(tenantId, 3600)
  await sql`update jobs.job set start_after = now() where singleton_key = ${tenantId}`.execute(
    testApp.database.db,
  )
  await expect.poll(() => stateOf(tenantId), { timeout: 20_000 }).toEqual(['completed'])
})

it.each([
  { lost: 'its sign of life is too old', heartbeatAge: 60, age: 60 },
  { lost: 'it takes too long', heartbeatAge: 0, age: 3600 },
])('does a job again when $lost', async ({ heartbeatAge, age }) => {
  const { db } = testApp.database
  const tenantId = randomUUID()
  await testApp.app.services.jobs.enqueueProvisioning(tenantId, 3600)
  await sql`update jobs.job set state = 'active', started_on = now() - make_interval(secs => ${age}),
    heartbeat_on = now() - make_interval(secs => ${heartbeatAge}) where singleton_key = ${tenantId}`.execute(
    db,
  )
  await expect.poll(() => stateOf(tenantId), { timeout: 20_000 }).toEqual(['completed'])
  const { rows } =
    await sql`select retry_count as tries from jobs.job where singleton_key = ${tenantId}`.execute(
      db,
    )
  expect(rows).toEqual([{ tries: 1 }])
})
