import { randomBytes } from 'node:crypto'
import { demoPeople } from '@atrium/core/demo/demo'
import { limits } from '@atrium/core/platform/limits'
import { openDatabase } from '@atrium/db/platform/connect'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { createLogger } from '../src/platform/log.ts'

let testApp: TestApp
let operator: string
let member: string
let outsider: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, started: true })
  operator = await testApp.token('operator@atrium.test')
  member = await testApp.token('member@acme.test')
  outsider = await testApp.token('owner@globex.test')
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})

async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const key = `flag_${randomBytes(6).toString('hex')}`
  const { status, body } = await testApp.request('POST', '/flags', {
    token: operator,
    body: { key, ...fields },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return key
}
const patch = (key: string, body: Record<string, unknown>) =>
  testApp.request('PATCH', `/flags/${key}`, { token: operator, body })
const evaluate = (body: Record<string, unknown> | undefined, token = member) =>
  testApp.request('POST', '/flags/evaluate', { token, ...(body ? { body } : {}) })
const allFalse = (body: Record<string, boolean>) =>
  Object.keys(body).length > 0 && Object.values(body).every((value) => value === false)

describe('evaluating the flags', () => {
  it('gives one boolean per flag, the same over both wires', async () => {
    const [on, off, mine] = [
      await create({ state: 'on' }),
      await create(),
      await create({ state: 'rollout', allowTenants: ['acme'] }),
    ]
    const { status, body } = await evaluate({ tenantSlug: 'acme' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { [on]: true, [off]: false, [mine]: true },
    })
    expect(await testApp.trpc(member).flags.evaluate.query({ tenantSlug: 'acme' })).toEqual(body)
    expect((await evaluate({ tenantSlug: 'globex' }, outsider)).body).toMatchObject({
      [on]: true,
      [off]: false,
      [mine]: false,
    })
    expect((await evaluate({ tenantSlug: 'ACME' })).body).toEqual(body)
  })

  it('splits by the published hash', async () => {
    const salted = (percentage: number) =>
      create({ state: 'rollout', percentage, salt: 'new_billing_engine' })
    const [below, above] = [await salted(11.1), await salted(11.11)]
    expect((await evaluate({ tenantSlug: 'acme' })).body).toMatchObject({
      [below]: false,
      [above]: true,
    })
  })

  it('looks at plan and partner of the tenant', async () => {
    const byPlan = await create({ state: 'rollout', allowPlans: ['business'] })
    const byPartner = await create({ state: 'rollout', allowPartners: ['north'] })
    expect((await evaluate({ tenantSlug: 'acme' })).body).toMatchObject({
      [byPlan]: true,
      [byPartner]: true,
    })
    expect((await evaluate({ tenantSlug: 'globex' }, outsider)).body).toMatchObject({
      [byPlan]: false,
      [byPartner]: false,
    })
  })

  it('without a tenant knows only what is on for everybody', async () => {
    const [on, split] = [
      await create({ state: 'on' }),
      await create({ state: 'rollout', percentage: 100 }),
    ]
    expect((await evaluate(undefined)).body).toMatchObject({ [on]: true, [split]: false })
    expect(await testApp.trpc(member).flags.evaluate.query()).toMatchObject({
      [on]: true,
      [split]: false,
    })
  })

  it('tells a stranger nothing: all false, as for a tenant that does not exist', async () => {
    const on = await create({ state: 'on' })
    const foreign = await evaluate({ tenantSlug: 'acme' }, outsider)
    expect(foreign).toMatchObject({ status: 200, body: { [on]: false } })
    expect(allFalse(foreign.body)).toBe(true)
    expect((await evaluate({ tenantSlug: 'never-made' }, outsider)).body).toEqual(foreign.body)
    const staff = await testApp.token('partner@north.test')
    expect(allFalse((await evaluate({ tenantSlug: 'acme' }, staff)).body)).toBe(true)
  })

  it('tells an operator every tenant, and which ones do not exist', async () => {
    const on = await create({ state: 'on' })
    expect((await evaluate({ tenantSlug: 'globex' }, operator)).body).toMatchObject({ [on]: true })
    expect(await evaluate({ tenantSlug: 'never-made' }, operator)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  it('gives all false while the tenant is suspended', async () => {
    const on = await create({ state: 'on' })
    await testApp.request('POST', '/tenants/globex/suspend', { token: operator, body: {} })
    try {
      for (const token of [outsider, operator])
        expect(allFalse((await evaluate({ tenantSlug: 'globex' }, token)).body)).toBe(true)
      const { body } = await testApp.request('GET', `/flags/${on}/explain?tenantSlug=globex`, {
        token: operator,
      })
      expect(body).toMatchObject({ value: true, served: false, tenantStatus: 'suspended' })
      // What our own code decides by, such as billing, goes on.
      expect(
        await testApp.app.services.flags.isOn(on, {
          slug: 'globex',
          plan: 'starter',
          partnerSlug: null,
        }),
      ).toBe(true)
    } finally {
      await testApp.request('POST', '/tenants/globex/resume', { token: operator, body: {} })
    }
    expect((await evaluate({ tenantSlug: 'globex' }, outsider)).body).toMatchObject({ [on]: true })
  })

  it('rejects what is no question', async () => {
    expect(await evaluate({ tenantSlug: '../acme' }, outsider)).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenantSlug' }] },
    })
    expect(await evaluate({ tenantSlug: 7 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenantSlug' }] },
    })
    expect(await evaluate({ tenant: 'acme' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenant' }] },
    })
    expect((await testApp.request('GET', '/flags/evaluate', { token: member })).status).toBe(405)
    expect((await testApp.request('POST', '/flags/evaluate', { body: {} })).status).toBe(401)
  })
})

describe('an explanation', () => {
  it('gives the steps, the bucket and the threshold for a tenant', async () => {
    const key = await create({ state: 'rollout', percentage: 25, salt: 'new_billing_engine' })
    const { body } = await testApp.request('GET', `/flags/${key}/explain?tenantSlug=acme`, {
      token: operator,
    })
    expect(body).toMatchObject({
      key,
      tenantSlug: 'acme',
      value: true,
      served: true,
      reason: 'SPLIT',
      bucket: 1110,
      threshold: 2500,
    })
    expect(body.steps.map((step: { outcome: string }) => step.outcome)).toEqual([
      ...Array(7).fill('passed'),
      'decided',
    ])
    const other = await testApp.request('GET', `/flags/${key}/explain?tenantSlug=globex`, {
      token: operator,
    })
    expect(other.body).toMatchObject({ value: false, bucket: 2513 })
  })

  it('shows the result of the evaluation, and the result without a tenant', async () => {
    const key = await create({ state: 'rollout', percentage: 100 })
    const { body } = await testApp.request('GET', `/flags/${key}/explain`, { token: operator })
    expect(body).toMatchObject({ value: false, reason: 'ERROR', tenantSlug: null, bucket: null })
    expect(
      await testApp.request('GET', `/flags/${key}/explain?tenantSlug=never-made`, {
        token: operator,
      }),
    ).toMatchObject({ status: 404 })
  })
})

describe('OpenFeature clients', () => {
  const ofrep = (
    path: string,
    body: unknown,
    options: { token?: string; headers?: Record<string, string> } = {},
  ) =>
    testApp.request('POST', `/ofrep/v1/evaluate/flags${path}`, { token: member, body, ...options })
  const context = { targetingKey: 'acme', browser: 'any' }

  it('get every flag with its reason', async () => {
    const base = await create()
    const on = await create({ state: 'on' })
    const waiting = await create({ state: 'on', prerequisites: [{ key: base, value: true }] })
    const { status, body } = await ofrep('', { context })
    expect(status).toBe(200)
    expect(body.flags).toContainEqual({
      key: on,
      value: true,
      reason: 'STATIC',
      variant: 'on',
      metadata: { version: 1 },
    })
    expect(body.flags).toContainEqual({
      key: waiting,
      value: false,
      reason: 'TARGETING_MATCH',
      variant: 'off',
      metadata: { version: 1, prerequisite: base },
    })
  })

  it('are reported when nothing changed', async () => {
    const key = await create({ state: 'on' })
    const { headers } = await ofrep('', { context })
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ofrep('', { context }, { headers: { 'if-none-match': known } })
      expect({ status: again.status, body: again.body, etag: again.headers.get('etag') }).toEqual({
        status: 304,
        body: '',
        etag,
      })
    }
    await patch(key, { state: 'off', note: 'kill-switch' })
    expect((await ofrep('', { context }, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  it('get one flag by its name, which counts as a use', async () => {
    const key = await create({ state: 'on' })
    expect((await ofrep(`/${key}`, { context })).body).toMatchObject({
      key,
      value: true,
      reason: 'STATIC',
      variant: 'on',
    })
    expect(await testApp.request('DELETE', `/flags/${key}`, { token: operator })).toMatchObject({
      status: 409,
      body: { code: 'flag_in_use' },
    })
  })

  it('are rejected in the words of their protocol and in ours', async () => {
    const key = await create()
    const rejected = async (path: string, body: unknown, options = {}) => {
      const response = await ofrep(path, body, options)
      const { code, errorCode, key: named, errorDetails } = response.body
      expect(errorDetails).toEqual(expect.any(String))
      return {
        status: response.status,
        code,
        errorCode,
        ...(named === undefined ? {} : { key: named }),
      }
    }
    expect(await rejected('/no_such_flag', { context })).toEqual({
      status: 404,
      code: 'not_found',
      errorCode: 'FLAG_NOT_FOUND',
      key: 'no_such_flag',
    })
    expect(await rejected(`/${key}`, { context: {} })).toEqual({
      status: 400,
      code: 'invalid_input',
      errorCode: 'TARGETING_KEY_MISSING',
      key,
    })
    expect(await rejected('', {})).toEqual({
      status: 400,
      code: 'invalid_input',
      errorCode: 'INVALID_CONTEXT',
    })
    expect(await rejected('', { context: { targetingKey: '../acme' } })).toEqual({
      status: 400,
      code: 'invalid_input',
      errorCode: 'INVALID_CONTEXT',
    })
    expect(await rejected('', '{')).toEqual({
      status: 400,
      code: 'malformed_json',
      errorCode: 'PARSE_ERROR',
    })
    expect(await rejected('', { context }, { token: outsider })).toEqual({
      status: 403,
      code: 'not_member',
      errorCode: 'GENERAL',
    })
    expect(await rejected('', { context }, { token: undefined })).toEqual({
      status: 401,
      code: 'unauthenticated',
      errorCode: 'GENERAL',
    })
    expect(
      await rejected('', { context: { targetingKey: 'never-made' } }, { token: operator }),
    ).toEqual({
      status: 400,
      code: 'invalid_input',
      errorCode: 'INVALID_CONTEXT',
    })
  })

  it('are asked to wait when they ask too often, each for itself', async () => {
    const key = await create()
    const admin = await testApp.token('admin@acme.test')
    const { subject } = demoPeople.find(({ email }) => email === 'admin@acme.test') ?? {}
    for (let taken = 0; taken < limits.flag_evaluations_minute.most; taken++)
      testApp.app.services.ofrepLimit.take(subject ?? '')
    for (const path of ['', `/${key}`]) {
      const { status, headers, body } = await ofrep(path, { context }, { token: admin })
      expect({ status, body }).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', errorCode: 'GENERAL', errorDetails: expect.any(String) },
      })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    const overTrpc = testApp.trpc(admin).flags.evaluateByOfrep.query({ context })
    await expect(overTrpc).rejects.toMatchObject({
      data: { code: 'rate_limited', httpStatus: 429 },
    })
    expect((await ofrep('', { context })).status).toBe(200)
    // Our own clients, which ask once per page, are not held up.
    expect((await evaluate({ tenantSlug: 'acme' }, admin)).status).toBe(200)
  })

  it('of a suspended tenant learn that every flag is disabled', async () => {
    await create({ state: 'on' })
    await testApp.request('POST', '/tenants/globex/suspend', { token: operator, body: {} })
    try {
      const { body } = await ofrep('', { context: { targetingKey: 'globex' } }, { token: outsider })
      expect(body.metadata).toEqual({ tenantStatus: 'suspended' })
      expect(
        new Set(
          body.flags.map(
            (flag: { reason: string; value: boolean }) => `${flag.reason} ${flag.value}`,
          ),
        ),
      ).toEqual(new Set(['DISABLED false']))
    } finally {
      await testApp.request('POST', '/tenants/globex/resume', { token: operator, body: {} })
    }
  })
})

describe('several processes', () => {
  async function secondApp() {
    const database = openDatabase({
      url: testApp.config.databaseUrl,
      applicationName: 'flags-second',
      onError: () => {},
    })
    const log = createLogger('error', { write: () => {} })
    const app = createApp({
      config: testApp.config,
      database,
      integrations: testApp.app.services.systems,
      log,
    })
    return { app, database, isOn: (key: string) => app.services.flags.isOn(key, undefined) }
  }

  it('see a kill at once, whichever of them it was made at, and read no flag again until then', async () => {
    const [key, other] = [await create({ state: 'on' }), await create({ state: 'on' })]
    const { app, database, isOn } = await secondApp()
    await app.services.flags.start()
    try {
      expect(await isOn(key)).toBe(true)
      const known = await app.services.flags.rules()
      expect(await app.services.flags.rules()).toBe(known)
      await patch(key, { state: 'off', note: 'kill-switch' })
      // Sooner than the rules would be read again by themselves.
      await expect.poll(() => isOn(key), { timeout: 4_000, interval: 10 }).toBe(false)

      expect((await evaluate({ tenantSlug: 'acme' })).body[other]).toBe(true)
      const kill = new Request(`http://api.test/flags/${other}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
        body: '{"state":"off","note":"kill-switch"}',
      })
      expect((await app.fetch(kill, {})).status).toBe(200)
      const isOnHere = async () => (await evaluate({ tenantSlug: 'acme' })).body[other]
      await expect.poll(isOnHere, { timeout: 4_000, interval: 10 }).toBe(false)
    } finally {
      await app.services.flags.stop()
      await database.close()
    }
  })

  it('see it after five seconds when no word of it arrives', async () => {
    const key = await create({ state: 'on' })
    const { app, database, isOn } = await secondApp()
    try {
      expect(await isOn(key)).toBe(true)
      await patch(key, { state: 'off', note: 'kill-switch' })
      expect(await isOn(key)).toBe(true)
      await new Promise((done) => setTimeout(done, 5_100))
      expect(await isOn(key)).toBe(false)
    } finally {
      await app.services.flags.stop()
      await database.close()
    }
  })

  it('answer 503 rather than something old when the flags cannot be read, and keep the uses that they noted', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', onError: () => {} })
    const log = createLogger('fatal', { write: () => {} })
    // Who asks is read by other connections, which still stand.
    const app = createApp({
      config: testApp.config,
      database: { ...testApp.database, db: away.db },
      integrations: testApp.app.services.systems,
      log,
    })
    const headers = { authorization: `Bearer ${member}`, 'content-type': 'application/json' }
    const request = new Request('http://api.test/flags/evaluate', {
      method: 'POST',
      headers,
      body: '{"tenantSlug":"acme"}',
    })
    const response = await app.fetch(request, {})
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 503,
      body: { code: 'unavailable' },
    })
    const { flags } = app.services
    flags.noteUse('anything')
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(flags.saveUses()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await away.close()
  })
})
