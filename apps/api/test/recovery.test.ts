import { provisioningSteps } from '@atrium/core/tenants/tenants'
import { send, startApi } from '@atrium/testing/api-process'
import { outsideObjects } from '@atrium/testing/outside'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let token: string

beforeAll(async () => {
  testApp = await startTestApp({ sandbox: { identity: { accessTokenSeconds: 3600 } } })
  token = await testApp.token('newcomer@example.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const writes = {
  identity: 'POST /api/v3/core/groups/',
  mail: 'x:Domain/set',
  files: 'POST /graph/v1.0/drives',
} as const

async function states(
  slugs: readonly string[],
): Promise<Record<string, Record<string, string | undefined>>> {
  const rows = await testApp.database.db
    .selectFrom('tenants as t')
    .innerJoin('provisioning_steps as s', 's.tenant_id', 't.id')
    .select(['t.slug', 't.status', 's.step', 's.state'])
    .where('t.slug', 'in', [...slugs])
    .execute()
  return Object.fromEntries(
    slugs.map((slug) => {
      const own = rows.filter((row) => row.slug === slug)
      return [
        slug,
        {
          status: own[0]?.status,
          ...Object.fromEntries(own.map(({ step, state }) => [step, state])),
        },
      ]
    }),
  )
}

const everyState = (slugs: readonly string[], state: object) =>
  Object.fromEntries(slugs.map((slug) => [slug, state]))
const done = { status: 'active', identity: 'ok', mail: 'ok', files: 'ok' }
const untouched = { status: 'pending', identity: 'pending', mail: 'pending', files: 'pending' }

describe('a process that is killed while it provisions', () => {
  it('leaves work that the next one finishes, with nothing lost and nothing doubled', async () => {
    const first = await startApi(testApp)
    const slugs = ['killed-before-calls', 'killed-after-calls']
    for (const after of [false, true]) {
      for (const system of provisioningSteps)
        testApp.sandbox.fault({
          system,
          match: writes[system],
          mode: 'latency',
          delayMs: 60_000,
          times: 1,
          ...(after ? { after } : {}),
        })
    }
    const create = (slug: string) =>
      send(first.url, 'POST', '/tenants', token, { name: slug, slug, respondAsync: true })
    const held = async (count: number) => {
      const { faults } = (await (await fetch(`${testApp.sandbox.controlUrl}/faults`)).json()) as {
        faults: unknown[]
      }
      return 6 - faults.length === count
    }
    expect(await create(slugs[0] ?? '')).toMatchObject({ status: 201 })
    await expect.poll(() => held(3), { timeout: 10_000, interval: 20 }).toBe(true)
    expect(await create(slugs[1] ?? '')).toMatchObject({ status: 201 })
    await expect
      .poll(() => outsideObjects(testApp, slugs[1] ?? ''), { timeout: 10_000, interval: 20 })
      .toMatchObject({ groups: 1, domains: [`${slugs[1]}.tenants.local`], spaces: 1 })
    first.signal('SIGKILL')
    await first.ended
    expect(await states(slugs)).toEqual(everyState(slugs, untouched))
    expect(outsideObjects(testApp, slugs[0] ?? '')).toMatchObject({
      groups: 0,
      domains: [],
      spaces: 0,
    })

    await using second = await startApi(testApp)
    await expect
      .poll(() => states(slugs), { timeout: 40_000, interval: 250 })
      .toEqual(everyState(slugs, done))
    for (const slug of slugs) {
      expect(outsideObjects(testApp, slug)).toMatchObject({
        groups: 1,
        members: ['newcomer@example.test'],
        domains: [`${slug}.tenants.local`],
        spaces: 1,
      })
    }
    expect(await send(second.url, 'GET', `/tenants/${slugs[0]}`, token)).toMatchObject({
      status: 200,
      body: { status: 'active' },
    })
  }, 120_000)

  it('twice, at random moments, with many tenants under way', async () => {
    testApp.sandbox.clearFaults()
    for (const system of provisioningSteps)
      testApp.sandbox.fault({ system, mode: 'latency', delayMs: 60 })
    const slugs = Array.from({ length: 8 }, (_, n) => `caught-${n}`)
    const first = await startApi(testApp)
    const responses = await Promise.all(
      slugs.map((slug) =>
        send(first.url, 'POST', '/tenants', token, { name: slug, slug, respondAsync: true }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
    first.signal('SIGKILL')
    await first.ended
    const second = await startApi(testApp)
    const anyDone = async () =>
      Object.values(await states(slugs)).some((state) => state.identity === 'ok')
    await expect.poll(anyDone, { timeout: 40_000, interval: 20 }).toBe(true)
    second.signal('SIGKILL')
    await second.ended
    testApp.sandbox.clearFaults()

    await using _third = await startApi(testApp)
    await expect
      .poll(() => states(slugs), { timeout: 60_000, interval: 250 })
      .toEqual(everyState(slugs, done))
    for (const slug of slugs) {
      expect(outsideObjects(testApp, slug)).toMatchObject({
        groups: 1,
        members: ['newcomer@example.test'],
        domains: [`${slug}.tenants.local`],
        spaces: 1,
      })
    }
  }, 180_000)
})

describe('a process that is asked to end', () => {
  it('completes the request under way and its background work, and exits with 0', async () => {
    testApp.sandbox.clearFaults()
    await using api = await startApi(testApp)
    testApp.sandbox.fault({ system: 'files', match: writes.files, mode: 'latency', delayMs: 700 })
    const waiting = send(api.url, 'POST', '/tenants', token, { name: 'Last', slug: 'last-request' })
    const background = await send(api.url, 'POST', '/tenants', token, {
      name: 'Behind',
      slug: 'last-background',
      respondAsync: true,
    })
    expect(background.status).toBe(201)
    await expect
      .poll(
        async () =>
          Object.keys(await states(['last-request'])).length > 0 &&
          (await states(['last-request']))['last-request']?.status,
      )
      .toBe('pending')
    api.signal('SIGTERM')
    expect(await waiting).toMatchObject({ status: 201, body: { status: 'active' } })
    expect(await api.ended).toBe(0)
    expect(await states(['last-background'])).toEqual({ 'last-background': done })
    await expect(fetch(`${api.url}/health`)).rejects.toThrow()
    expect(api.log.some((line) => line.includes('"stopped"'))).toBe(true)
  }, 60_000)

  it('ends open streams rather than waiting for their readers', async () => {
    await using api = await startApi(testApp)
    const operator = await testApp.token('operator@atrium.test')
    const response = await fetch(`${api.url}/tenants/acme/events`, {
      headers: { authorization: `Bearer ${operator}` },
    })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    api.signal('SIGTERM')
    expect(await api.ended).toBe(0)
    await reader?.cancel().catch(() => {})
  }, 60_000)
})

describe('a configuration that cannot work', () => {
  it('stops the start with one line per fault and the exit code for configuration errors', async () => {
    const failed = startApi(testApp, {
      IDP_AUDIENCE: '',
      DATABASE_URL: 'mysql://x',
      MAIL_API_KEY: '',
    })
    await expect(failed).rejects.toThrow(/DATABASE_URL: .*\n.*IDP_AUDIENCE/)
  }, 30_000)
})
