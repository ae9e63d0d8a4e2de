import type { AddressInfo } from 'node:net'
import { openDatabase } from '@atrium/db/platform/connect'
import { jobSchema } from '@atrium/db/platform/jobs'
import { connectIntegrations } from '@atrium/integrations/connect'
import { startIssuer } from '@atrium/testing/issuer'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { createMetricsServer } from '../src/http/serve-metrics.ts'
import { readConfig } from '../src/platform/config.ts'
import { createLogger } from '../src/platform/log.ts'
import { toAppError } from '../src/rpc/errors.ts'

const ownerOf = async (testApp: TestApp, statement: string) => {
  const client = new pg.Client(testApp.env.DATABASE_URL?.replace('atrium_api', 'atrium_owner'))
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** What a balancer is told, beside what the metrics port tells. */
const readinessOf = async (testApp: TestApp) => {
  const told = await testApp.request('GET', '/health/ready')
  const body = await testApp.app.readiness()
  expect(told.body).toEqual({ ready: body.ready })
  return { status: told.status, body }
}

describe('without a database', () => {
  it('the service says that it lives and is not ready, and rejects calls for the time being', async () => {
    await using issuer = await startIssuer()
    const config = readConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      IDP_ISSUER: issuer.url,
      IDP_AUDIENCE: 'atrium-portal',
    })
    const log = createLogger('silent')
    const database = openDatabase({ url: config.databaseUrl, onError: () => {} })
    const app = createApp({
      config,
      database,
      integrations: await connectIntegrations({
        identity: null,
        mail: null,
        files: null,
        smtp: null,
        payments: null,
      }),
      log,
    })
    const ask = async (path: string, token?: string) => {
      const response = await app.fetch(
        new Request(`http://api.test${path}`, {
          headers: token ? { authorization: `Bearer ${token}` } : {},
        }),
        {},
      )
      return { status: response.status, body: await response.json() }
    }
    expect(await ask('/health')).toEqual({
      status: 200,
      body: {
        service: 'atrium-platform-api',
        status: 'ok',
        version: expect.any(String),
        commit: null,
        uptimeSeconds: expect.any(Number),
      },
    })
    expect(await ask('/health/ready')).toEqual({ status: 503, body: { ready: false } })
    expect(await app.readiness()).toMatchObject({
      ready: false,
      checks: {
        database: 'The database does not answer.',
        migrations: 'The state of the migrations cannot be read.',
      },
    })
    for (const path of ['/tenants', '/tenants/acme', '/users/me', '/trpc/tenants.list'])
      expect((await ask(path, await issuer.sign())).status, path).toBe(503)
    expect((await ask('/tenants')).status).toBe(401)
    expect(JSON.stringify(await ask('/tenants', await issuer.sign()))).not.toMatch(
      /ECONN|127\.0\.0\.1/,
    )
    await database.close()
  })
})

describe('a start that fails', () => {
  it('leaves no connection open, however often it is tried', async () => {
    await using testApp = await startTestApp({ provisioned: false })
    await ownerOf(testApp, `select ${jobSchema}.delete_queue('tenant-purges')`)
    const listening = () =>
      sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name like '%listening to tenant_changed'
      `.execute(testApp.database.db)
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(testApp.app.start()).rejects.toThrow('tenant-purges')
    await expect.poll(async () => (await listening()).rows[0]?.count).toBe(0)
  })
})

describe('readiness', () => {
  it('is reached once everything is started, and then tells of the upstream systems too', async () => {
    await using testApp = await startTestApp({ started: true })
    const answer = await readinessOf(testApp)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ready: true,
        checks: { database: 'ok', migrations: 'ok', jobs: 'ok' },
        integrations: {
          identity: { state: 'ok' },
          mail: { state: 'ok' },
          files: { state: 'ok' },
          mailer: { state: 'off' },
          payments: { state: 'ok' },
        },
      },
    })
  })

  it('does not depend on an upstream system, and names the one that is down', async () => {
    await using testApp = await startTestApp({ provisioned: false })
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
    await testApp.app.start()
    const answer = await readinessOf(testApp)
    expect(answer).toMatchObject({
      status: 200,
      body: { ready: true, integrations: { files: { state: 'error' }, identity: { state: 'ok' } } },
    })
    expect(JSON.stringify(answer.body.integrations)).toMatch(/file storage/)
  })

  it('is missing while no issuer can be reached, and names the one that cannot', async () => {
    await using issuer = await startIssuer()
    await using other = await startIssuer()
    other.down = true
    let now = Date.now()
    const env = { IDP_ISSUER: `${issuer.url},${other.url}` }
    await using testApp = await startTestApp({
      provisioned: false,
      started: true,
      clock: { now: () => new Date(now) },
      env,
    })
    const issuers = `No keys could be read from ${other.url}.`
    expect(await readinessOf(testApp)).toMatchObject({
      status: 200,
      body: { ready: true, checks: { issuers } },
    })
    other.down = false
    now += 6_000
    expect(await readinessOf(testApp)).toMatchObject({
      status: 200,
      body: { checks: { issuers: 'ok' } },
    })
    // Keys that are known serve on while their issuer is away; a process that never had any cannot
    // take a token.
    issuer.down = true
    other.down = true
    expect(await readinessOf(testApp)).toMatchObject({
      status: 200,
      body: { checks: { issuers: 'ok' } },
    })
    await using late = await startTestApp({ provisioned: false, started: true, env })
    expect(await readinessOf(late)).toMatchObject({
      status: 503,
      body: {
        ready: false,
        checks: {
          database: 'ok',
          issuers: `No keys could be read from ${issuer.url}, ${other.url}.`,
        },
      },
    })
  })

  it('is missing while the job engine is not started', async () => {
    await using testApp = await startTestApp({ provisioned: false })
    expect(await readinessOf(testApp)).toMatchObject({
      status: 503,
      body: {
        ready: false,
        checks: { database: 'ok', migrations: 'ok', jobs: 'the job engine is not started' },
      },
    })
  })

  it('is missing while the schema is older than this version, and is not while it is newer', async () => {
    await using testApp = await startTestApp({ provisioned: false, started: true })
    await ownerOf(
      testApp,
      "insert into kysely_migration (name, timestamp) values ('9999-later', 'x')",
    )
    expect((await readinessOf(testApp)).status).toBe(200)
    await ownerOf(testApp, "delete from kysely_migration where name >= '0003'")
    expect(await readinessOf(testApp)).toMatchObject({
      status: 503,
      body: {
        checks: {
          database: 'ok',
          migrations: expect.stringMatching(/^The schema stands at 0002-/),
          jobs: 'ok',
        },
      },
    })
  })

  it('is missing while the job engine has no schema', async () => {
    await using testApp = await startTestApp({ provisioned: false, started: true })
    await ownerOf(testApp, 'delete from jobs.version')
    expect(await readinessOf(testApp)).toMatchObject({
      status: 503,
      body: { checks: { jobs: 'the job engine has no schema' } },
    })
    await ownerOf(testApp, 'revoke usage on schema jobs from atrium_app')
    expect(await readinessOf(testApp)).toMatchObject({
      status: 503,
      body: { checks: { jobs: 'The job engine cannot be asked.' } },
    })
    await ownerOf(testApp, 'grant usage on schema jobs to atrium_app')
  })
})

describe('a database that rejects connections', () => {
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  it('fails calls with 503 and readiness with 503, and is used again once it accepts them', async () => {
    await using testApp = await startTestApp({ provisioned: false, started: true })
    const token = await testApp.token('owner@acme.test')
    const superuser = testApp.ownerUrl.replace('atrium_owner:atrium', 'postgres')
    const { pathname } = new URL(superuser)
    const name = pg.escapeIdentifier(pathname.slice(1))
    const server = new pg.Client({ connectionString: superuser.replace(pathname, '/postgres') })
    const inside = new pg.Client({ connectionString: superuser })
    await Promise.all([server.connect(), inside.connect()])
    try {
      await server.query(`alter database ${name} allow_connections false`)
      await inside.query(terminate)
      for (const path of ['/tenants', '/users/me'])
        await expect
          .poll(async () => (await testApp.request('GET', path, { token })).status, {
            timeout: 10_000,
          })
          .toBe(503)
      expect((await testApp.request('GET', '/health/ready')).status).toBe(503)
    } finally {
      await server.query(`alter database ${name} allow_connections true`)
      await Promise.all([server.end(), inside.end()])
    }
    await expect
      .poll(async () => (await testApp.request('GET', '/tenants', { token })).status, {
        timeout: 10_000,
      })
      .toBe(200)
    expect(testApp.logLines.filter((line) => line.includes('"code":"internal"'))).toEqual([])
  })

  it.each(['55000', '3D000', '28P01', '28000', '57P03', '53300'])(
    'is told by SQLSTATE %s',
    (code) => {
      expect(toAppError(Object.assign(new Error('refused'), { code }))).toMatchObject({
        code: 'unavailable',
        status: 503,
      })
    },
  )
})

describe('metrics', () => {
  it('are Prometheus text by route pattern, on a port of their own', async () => {
    await using testApp = await startTestApp({ provisioned: false })
    const token = await testApp.token('operator@atrium.test')
    await testApp.request('GET', '/tenants/acme', { token })
    await testApp.request('GET', '/tenants/no-such-tenant', { token })
    await testApp.request('GET', '/some-probe-of-a-scanner')
    await testApp.request('POST', '/tenants', { token, body: { name: 'Measured' } })
    const server = createMetricsServer(
      testApp.app.services.metrics.registry,
      testApp.app.readiness,
    ).listen(0, '127.0.0.1')
    await new Promise((done) => server.once('listening', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const response = await fetch(`${url}/metrics`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({
      checks: { database: 'ok' },
      integrations: expect.anything(),
    })
    expect((await fetch(`${url}/health`)).status).toBe(404)
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/tenants/{slug}",status="200"} 1',
    )
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/tenants/{slug}",status="404"} 1',
    )
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="other",status="404"} 1',
    )
    expect(text).toContain('provisioning_steps_total{step="identity",state="ok"} 1')
    expect(text).not.toMatch(/no-such-tenant|scanner/)
    for (const [method, path] of [
      ['GET', '/'],
      ['POST', '/metrics'],
      ['GET', '/metrics/x'],
    ] as const)
      expect((await fetch(`${url}${path}`, { method })).status).toBe(404)
    expect((await testApp.request('GET', '/metrics')).status).toBe(404)
    await new Promise((done) => server.close(done))
  })
})

describe('an upstream that hangs', () => {
  it('costs each step its own time and no more, and the record says so', async () => {
    await using testApp = await startTestApp({ provisioned: false })
    for (const system of ['identity', 'mail', 'files'] as const)
      testApp.sandbox.fault({
        system,
        mode: 'timeout',
        ...(system === 'identity' ? { match: '/api/v3/' } : {}),
      })
    const answer = await testApp.request('POST', '/tenants', {
      token: await testApp.token('newcomer@example.test'),
      body: { name: 'Patient' },
    })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'pending',
        provisioningStatus: { identity: 'error', mail: 'error', files: 'error' },
      },
    })
    for (const message of Object.values(answer.body.provisioningErrors))
      expect(message).toMatch(/did not (respond|end)/)
  }, 60_000)
})
