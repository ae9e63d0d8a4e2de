import type { TenantView } from '@atrium/core/tenants/tenants'
import { clientsWithDeadline, outsideObjects, waitingNames } from '@atrium/testing/outside'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let token: string
let operator: string

beforeAll(async () => {
  testApp = await startTestApp({
    started: true,
    integrations: clientsWithDeadline(5_000),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('newcomer@example.test')
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const create = (body: object): Promise<TestResponse> =>
  testApp.request('POST', '/tenants', { token, body })
const reconcile = (slug: string): Promise<TestResponse> =>
  testApp.request('POST', `/tenants/${slug}/reconcile`, { token: operator })
const read = async (slug: string): Promise<TenantView> =>
  (await testApp.request('GET', `/tenants/${slug}`, { token: operator })).body
const change = (slug: string, verb: string) =>
  testApp.request('POST', `/tenants/${slug}/${verb}`, { token: operator, body: {} })
const one = { groups: 1, members: ['newcomer@example.test'], spaces: 1 }

describe('at the same time', () => {
  it('twenty creates of one slug make one tenant', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ name: `Race ${n}`, slug: 'race' })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    expect(
      responses
        .filter(({ status }) => status === 409)
        .every(({ body }) => body.code === 'already_exists'),
    ).toBe(true)
    expect(outsideObjects(testApp, 'race')).toMatchObject({
      ...one,
      domains: ['race.tenants.local'],
    })
  })

  it('creates of one name make as many tenants, each with a slug of its own', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => create({ name: 'Same Name' })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201))
    const slugs = responses.map(({ body }) => body.slug).sort()
    expect(slugs).toEqual(
      ['same-name', ...Array.from({ length: 9 }, (_, n) => `same-name-${n + 2}`)].sort(),
    )
    for (const slug of slugs) expect(outsideObjects(testApp, slug)).toMatchObject(one)
  })

  it('creates with one domain make as many claims to it, none in the place of another', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        create({ name: `Domain ${n}`, domains: ['race.example.com'] }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(
      outsideObjects(testApp, 'x', await waitingNames(testApp, ['race.example.com'])).domains,
    ).toHaveLength(8)
  })

  it('reconciles of one tenant run once; the others are rejected', async () => {
    await create({ name: 'Busy', slug: 'busy' })
    testApp.sandbox.fault({ system: 'files', mode: 'latency', delayMs: 300 })
    const responses = await Promise.all(Array.from({ length: 8 }, () => reconcile('busy')))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect(
      responses
        .filter(({ status }) => status === 409)
        .every(({ body }) => body.code === 'provisioning_in_progress'),
    ).toBe(true)
    expect(outsideObjects(testApp, 'busy')).toMatchObject(one)
  })

  it('suspend and delete of one tenant end in one state that both agree on', async () => {
    await create({ name: 'Torn', slug: 'torn' })
    const responses = await Promise.all([
      change('torn', 'suspend'),
      change('torn', 'suspend'),
      testApp.request('DELETE', '/tenants/torn', { token }),
    ])
    expect(responses[2]?.status).toBe(204)
    expect(responses.slice(0, 2).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(
      1,
    )
    expect((await read('torn')).status).toBe('deleted')
  })
})

describe('the job engine', () => {
  /** Brings the next try forward, in our own row and in the engine's. */
  async function retryNow(slug: string): Promise<void> {
    const { db } = testApp.database
    await sql`update provisioning_steps set next_at = now() from tenants t where t.id = tenant_id and t.slug = ${slug} and state = 'error'`.execute(
      db,
    )
    await sql`update jobs.job set start_after = now() from tenants t
      where singleton_key = t.id::text and t.slug = ${slug} and state in ('created', 'retry')`.execute(
      db,
    )
  }

  it('tries failed steps again, and only those', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
    await create({ name: 'Retried', slug: 'retried' })
    expect((await read('retried')).provisioningStatus).toEqual({
      identity: 'ok',
      mail: 'ok',
      files: 'error',
    })
    testApp.sandbox.clearFaults()
    const mailCalls = testApp.sandbox.state().mail.calls.length
    await retryNow('retried')
    await expect
      .poll(async () => (await read('retried')).status, { timeout: 20_000 })
      .toBe('active')
    expect(outsideObjects(testApp, 'retried')).toMatchObject(one)
    expect(testApp.sandbox.state().mail.calls.length).toBe(mailCalls)
  })

  it('keeps trying with longer pauses while the fault lasts', async () => {
    testApp.sandbox.fault({ system: 'mail', mode: 'reset' })
    await create({ name: 'Stubborn', slug: 'stubborn' })
    const step = () =>
      testApp.database.db
        .selectFrom('provisioning_steps as s')
        .innerJoin('tenants as t', 't.id', 's.tenant_id')
        .select([
          's.attempt',
          sql<number>`extract(epoch from s.next_at - s.finished_at)::int`.as('pause'),
        ])
        .where('t.slug', '=', 'stubborn')
        .where('s.step', '=', 'mail')
        .executeTakeFirstOrThrow()
    expect(await step()).toEqual({ attempt: 1, pause: 30 })
    await retryNow('stubborn')
    await expect.poll(step, { timeout: 20_000 }).toEqual({ attempt: 2, pause: 60 })
  })

  it('finds a tenant without a job', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'reset' })
    await create({ name: 'Forgotten', slug: 'forgotten' })
    testApp.sandbox.clearFaults()
    const { db } = testApp.database
    await sql`delete from jobs.job where singleton_key in (select id::text from tenants where slug = 'forgotten')`.execute(
      db,
    )
    await sql`update provisioning_steps set next_at = now() from tenants t where t.id = tenant_id and t.slug = 'forgotten' and state = 'error'`.execute(
      db,
    )
    await sql`insert into jobs.job (name) values ('provisioning-sweep') on conflict do nothing`.execute(
      db,
    )
    await sql`update jobs.job set start_after = now() where name = 'provisioning-sweep' and state = 'created'`.execute(
      db,
    )
    await expect
      .poll(async () => (await read('forgotten')).status, { timeout: 25_000 })
      .toBe('active')
  })

  const waitingJobs = async (slug: string) => {
    const { rows } = await sql<{
      count: number
    }>`select count(*) from jobs.job j join tenants t on t.id::text = j.singleton_key
      where t.slug = ${slug} and j.state in ('created', 'retry', 'active')`.execute(
      testApp.database.db,
    )
    return rows[0]?.count
  }

  it('comes to rest when there is nothing left to do', async () => {
    await create({ name: 'Rested', slug: 'rested' })
    expect(await waitingJobs('rested')).toBe(1)
    await retryNow('rested')
    await expect.poll(() => waitingJobs('rested'), { timeout: 20_000 }).toBe(0)
  })

  it('leaves a deleted tenant alone', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'reset' })
    await create({ name: 'Gone', slug: 'gone' })
    await testApp.request('DELETE', '/tenants/gone', { token })
    testApp.sandbox.clearFaults()
    await retryNow('gone')
    await expect.poll(() => waitingJobs('gone'), { timeout: 20_000 }).toBe(0)
    expect(await read('gone')).toMatchObject({ status: 'deleted' })
    expect(outsideObjects(testApp, 'gone').spaces).toBe(0)
  })
})

describe('the status of a tenant', () => {
  it('stays suspended through a reconcile, and resumes to active', async () => {
    await create({ name: 'Paused', slug: 'paused' })
    expect(await change('paused', 'suspend')).toMatchObject({
      status: 200,
      body: { status: 'suspended' },
    })
    expect(await change('paused', 'suspend')).toMatchObject({
      status: 409,
      body: { code: 'already_suspended' },
    })
    expect(await reconcile('paused')).toMatchObject({
      status: 200,
      body: { tenant: { status: 'suspended' } },
    })
    expect(await change('paused', 'resume')).toMatchObject({
      status: 200,
      body: { status: 'active', suspendedReason: null },
    })
    expect(await change('paused', 'resume')).toMatchObject({
      status: 409,
      body: { code: 'not_suspended' },
    })
  })

  it('resumes to pending while a step is not done, and becomes active when it is', async () => {
    testApp.sandbox.fault({ system: 'mail', mode: 'reset' })
    await create({ name: 'Half', slug: 'half' })
    await change('half', 'suspend')
    expect(await change('half', 'resume')).toMatchObject({ body: { status: 'pending' } })
    testApp.sandbox.clearFaults()
    expect(await reconcile('half')).toMatchObject({ body: { tenant: { status: 'active' } } })
  })

  it('keeps the reason of a suspension while it lasts', async () => {
    await create({ name: 'Reason', slug: 'reason' })
    await testApp.request('POST', '/tenants/reason/suspend', {
      token: operator,
      body: { reason: 'Unpaid since March' },
    })
    expect(await read('reason')).toMatchObject({ suspendedReason: 'Unpaid since March' })
  })

  it('stays deleted under every verb except restore: its slug stays taken, and its group is empty', async () => {
    await create({ name: 'Final', slug: 'final' })
    expect((await testApp.request('DELETE', '/tenants/final', { token })).status).toBe(204)
    expect(await testApp.request('DELETE', '/tenants/final', { token })).toMatchObject({
      status: 409,
      body: { code: 'already_deleted' },
    })
    for (const verb of ['suspend', 'resume', 'reconcile'])
      expect(await change('final', verb), verb).toMatchObject({
        status: 409,
        body: { code: 'tenant_deleted' },
      })
    const renamed = await testApp.request('PATCH', '/tenants/final', {
      token,
      body: { name: 'Risen' },
    })
    expect(renamed).toMatchObject({ status: 409, body: { code: 'tenant_deleted' } })
    expect(await create({ name: 'Final', slug: 'final' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    expect(outsideObjects(testApp, 'final')).toMatchObject({ ...one, members: [] })
  })
})

describe('a system that this installation does not have', () => {
  it('is skipped, and the tenant becomes active', async () => {
    await using without = await startTestApp({
      env: {
        MAIL_PROVISIONING_ENABLED: 'off',
        FILES_API_URL: '',
        FILES_API_USER: '',
        FILES_API_TOKEN: '',
      },
    })
    const response = await without.request('POST', '/tenants', {
      token: await without.token('newcomer@example.test'),
      body: { name: 'Lean' },
    })
    expect(response.body).toMatchObject({
      status: 'active',
      provisioningStatus: { identity: 'ok', mail: 'skipped', files: 'skipped' },
      mailDomainId: null,
    })
    expect(without.sandbox.state().mail.calls).toEqual([])
  })
})
