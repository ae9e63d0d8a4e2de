import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let moment = Date.now()
const clock = { now: () => new Date(moment) }
let issuer: Issuer
let testApp: TestApp
let operator: string
let owner: string

beforeAll(async () => {
  issuer = await startIssuer(clock.now)
  testApp = await startTestApp({ started: true, clock, env: { IDP_ISSUER: issuer.url } })
}, 60_000)
beforeEach(async () => {
  operator = await issuer.sign({ ...personClaims('operator@atrium.test'), aud: 'atrium-operator' })
  owner = await issuer.sign(personClaims('owner@acme.test'))
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

interface Follower {
  status: number
  contentType: string | null
  /** The next event, or undefined when the stream has ended. */
  next(): Promise<Record<string, unknown> | undefined>
  leave(): Promise<void>
}

async function follow(token: string, wire: 'REST' | 'tRPC' = 'REST'): Promise<Follower> {
  const leave = new AbortController()
  const path =
    wire === 'REST'
      ? '/tenants/acme/events'
      : `/trpc/tenants.events?input=${encodeURIComponent('{"json":{"slug":"acme"}}')}`
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const response = await testApp.app.fetch(
    new Request(`http://api.test${path}`, { headers, signal: leave.signal }),
    {},
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let buffered = ''
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    async next() {
      for (;;) {
        const end = buffered.indexOf('\n\n')
        if (end < 0) {
          const piece = await reader?.read().catch(() => undefined)
          if (!piece || piece.done) return undefined
          buffered += piece.value
          continue
        }
        const block = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        const data = /^data: (.+)$/m.exec(block)?.[1]
        if (!data || /event: (connected|ping|return)/.test(block)) continue
        const parsed = JSON.parse(data)
        return wire === 'REST' ? parsed : parsed.json
      }
    },
    async leave() {
      leave.abort()
      await reader?.cancel().catch(() => {})
    },
  }
}

const watchers = async () =>
  Number(
    /tenant_watchers (\d+)/.exec(
      await testApp.app.services.metrics.registry.getSingleMetricAsString('tenant_watchers'),
    )?.[1],
  )
const change = (verb: string) =>
  testApp.request('POST', `/tenants/acme/${verb}`, { token: operator, body: {} })
const tell = () =>
  sql`select pg_notify('tenant_changed', id::text) from tenants where slug = 'acme'`.execute(
    testApp.database.db,
  )

it('is followed by a member whose mailbox is still being made', async () => {
  const { db } = testApp.database
  const id = await userIdOf(db, 'member@acme.test')
  await db
    .updateTable('memberships')
    .set({ status: 'provisioning' })
    .where('user_id', '=', id)
    .execute()
  const follower = await follow(await issuer.sign(personClaims('member@acme.test')))
  expect(follower.status).toBe(200)
  expect(await follower.next()).toMatchObject({ status: 'active' })
  await follower.leave()
  await db.updateTable('memberships').set({ status: 'active' }).where('user_id', '=', id).execute()
})

describe.each(['REST', 'tRPC'] as const)('following a tenant over %s', (wire) => {
  it('sends the current state, then every change as it happens', async () => {
    const follower = await follow(owner, wire)
    expect(follower).toMatchObject({ status: 200, contentType: 'text/event-stream' })
    expect(await follower.next()).toMatchObject({
      status: 'active',
      provisioningStatus: { identity: 'ok', mail: 'ok', files: 'ok' },
      running: false,
    })
    await change('suspend')
    expect(await follower.next()).toMatchObject({ status: 'suspended' })
    await change('resume')
    // The space follows the suspension meanwhile, which is told too.
    let told = await follower.next()
    while (told && 'status' in told && told.status === 'suspended') told = await follower.next()
    expect(told).toMatchObject({ status: 'active' })
    await follower.leave()
  })

  it('tells each step of a run as it ends', async () => {
    await sql`update provisioning_steps set state = 'pending' from tenants t where t.id = tenant_id and t.slug = 'acme'`.execute(
      testApp.database.db,
    )
    testApp.sandbox.fault({ system: 'files', mode: 'latency', delayMs: 300 })
    const follower = await follow(owner, wire)
    await follower.next()
    const run = testApp.request('POST', '/tenants/acme/reconcile', { token: operator })
    const seen: { provisioningStatus: { files: string; identity: string }; running: boolean }[] = []
    do seen.push((await follower.next()) as (typeof seen)[number])
    while (seen.at(-1)?.running !== false || seen.at(-1)?.provisioningStatus.files !== 'ok')
    testApp.sandbox.clearFaults()
    expect(seen.some(({ running }) => running)).toBe(true)
    expect(
      seen.some(
        ({ provisioningStatus }) =>
          provisioningStatus.identity === 'ok' && provisioningStatus.files === 'pending',
      ),
    ).toBe(true)
    expect((await run).status).toBe(200)
    await follower.leave()
  })

  it('is forgotten when the follower leaves', async () => {
    await expect.poll(watchers, { timeout: 10_000 }).toBe(0)
    const followers = await Promise.all(Array.from({ length: 5 }, () => follow(owner, wire)))
    await Promise.all(followers.map((one) => one.next()))
    expect(await watchers()).toBe(5)
    await Promise.all(followers.map((one) => one.leave()))
    await expect.poll(watchers, { timeout: 10_000 }).toBe(0)
  })

  it('ends when the membership is revoked', async () => {
    const member = await issuer.sign(personClaims('member@acme.test'))
    const follower = await follow(member, wire)
    await follower.next()
    const { db } = testApp.database
    const rows = await db
      .deleteFrom('memberships')
      .where('role', '=', 'member')
      .returningAll()
      .execute()
    await tell()
    expect(await follower.next()).toBeUndefined()
    await db.insertInto('memberships').values(rows).execute()
  })

  it('ends when the person is deactivated or loses the right', async () => {
    const { db } = testApp.database
    const follower = await follow(operator, wire)
    await follower.next()
    await db
      .updateTable('users')
      .set({ platform_admin: false })
      .where('email', '=', 'operator@atrium.test')
      .execute()
    await tell()
    expect(await follower.next()).toBeUndefined()
    await db
      .updateTable('users')
      .set({ platform_admin: true })
      .where('email', '=', 'operator@atrium.test')
      .execute()

    const shutOut = await follow(owner, wire)
    await shutOut.next()
    await db
      .updateTable('users')
      .set({ deactivated_at: new Date() })
      .where('email', '=', 'owner@acme.test')
      .execute()
    await tell()
    expect(await shutOut.next()).toBeUndefined()
    await db
      .updateTable('users')
      .set({ deactivated_at: null })
      .where('email', '=', 'owner@acme.test')
      .execute()
  })

  it('ends when the token expires', async () => {
    const follower = await follow(owner, wire)
    await follower.next()
    moment += 3_600_000
    await tell()
    expect(await follower.next()).toBeUndefined()
  })

  it('goes on after the connection that listens was lost', async () => {
    const follower = await follow(owner, wire)
    await follower.next()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%tenant_changed%'`.execute(
      testApp.database.db,
    )
    expect((await change('suspend')).status).toBe(200)
    expect(await follower.next()).toMatchObject({ status: 'suspended' })
    await change('resume')
    expect(await follower.next()).toMatchObject({ status: 'active' })
    await follower.leave()
  })
})
