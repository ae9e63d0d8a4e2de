import { openDatabase } from '@atrium/db/platform/connect'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequestCounts } from '../src/platform/request-counts.ts'
import { guardedWithoutToken } from '../src/rpc/procedure.ts'

const present = new Date()
const clock = { now: () => new Date(present.getTime() + 86_400_000) }
let testApp: TestApp
let tenants: Map<string, string>

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  const rows = await testApp.database.db.selectFrom('tenants').select(['id', 'slug']).execute()
  tenants = new Map(rows.map((row) => [row.slug, row.id]))
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
const idOf = (slug: string) => tenants.get(slug) ?? ''

describe('requests', () => {
  it('are counted per tenant, with those that failed on our side', async () => {
    const counts = () =>
      sql<{
        slug: string
        requests: number
        failures: number
      }>`select t.slug, sum(c.requests)::int as requests, sum(c.failures)::int as failures
        from tenant_request_counts c join tenants t on t.id = c.tenant_id where minute between ${new Date(Date.now() - 90_000)} and ${new Date()}
        group by t.slug order by t.slug`.execute(testApp.database.db)
    const { requestCounts } = testApp.app.services
    await requestCounts.save()
    const owner = await testApp.token('owner@globex.test')
    await sql`update tenants set identity_group_id = 'made-elsewhere' where slug = 'globex'`.execute(
      testApp.database.db,
    )
    testApp.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/flows/instances/',
      mode: 'error',
      status: 500,
      times: 20,
    })
    const made = await testApp.request('POST', '/tenants/globex/sso-apps', {
      token: owner,
      body: { name: 'Wiki', redirectUris: ['https://wiki.example/callback'] },
    })
    testApp.sandbox.clearFaults()
    expect(made.status).toBe(502)
    await testApp.request('GET', '/tenants/globex', { token: owner })
    await testApp.trpc(owner).tenants.get.query({ slug: 'globex' })
    // A rejection of ours is no failure, and who may not know of a tenant does not count against
    // it.
    expect(
      (await testApp.request('POST', '/tenants/globex/users', { token: owner, body: {} })).status,
    ).toBe(400)
    expect((await testApp.request('GET', '/tenants/acme', { token: owner })).status).toBe(404)
    await Promise.all([requestCounts.save(), requestCounts.save()])
    await testApp.request('GET', '/tenants/globex', { token: owner })
    await requestCounts.save()
    expect((await counts()).rows).toEqual([{ slug: 'globex', requests: 5, failures: 1 }])
  })

  it.each([
    ['22009', false],
    ['22021', false],
    ['XX000', true],
  ])('that the database fails with %s count as failures: %s', async (code, failed) => {
    const counted: [string, boolean][] = []
    const request = { signal: new AbortController().signal }
    const ctx = {
      request,
      services: { requestCounts: { count: (id: string, of: boolean) => counted.push([id, of]) } },
    }
    const failing = guardedWithoutToken(() => ({ tenant: { id: 'acme' } })).query(() => {
      throw new Error('a query failed', {
        cause: Object.assign(new Error('of the database'), { code }),
      })
    })
    const call = {
      ctx,
      path: 'failing',
      type: 'query',
      batchIndex: 0,
      getRawInput: async () => undefined,
    }
    await expect((failing as unknown as (given: object) => Promise<unknown>)(call)).rejects.toThrow(
      'Something went wrong',
    )
    expect(counted).toEqual([['acme', failed]])
  })

  it('that could not be saved are saved the next time', async () => {
    let away = true
    const { db } = testApp.database
    const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', onError: () => {} })
    const database = {
      get db() {
        return away ? nowhere.db : db
      },
    }
    const requestCounts = createRequestCounts({ database, clock, log: testApp.app.services.log })
    requestCounts.count(idOf('acme'), false)
    await expect(requestCounts.save()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    requestCounts.count(idOf('acme'), true)
    away = false
    await requestCounts.stop()
    const minute = new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000)
    const { rows } =
      await sql`select requests, failures from tenant_request_counts where tenant_id = ${idOf('acme')} and minute = ${minute}`.execute(
        db,
      )
    expect(rows).toEqual([{ requests: 2, failures: 1 }])
    await nowhere.close()
  })
})
