import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startApi } from '@atrium/testing/api-process'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startOldPostgres } from './old-postgres.ts'

const root = join(import.meta.dirname, '../../..')
let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** Runs a program to its end, with nothing of this environment. */
async function run(script: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    timeout: 30_000,
  })
  const output = { out: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.errors += text
  })
  const status = await new Promise<number | null>((done) => child.once('exit', done))
  return { status, ...output }
}

const api = 'apps/api/src/main.ts'
const migrate = 'apps/api/src/migrate.ts'
const apiEnv = (change: Record<string, string> = {}) => ({
  ...testApp.env,
  PORT: '0',
  METRICS_PORT: '0',
  HOST: '127.0.0.1',
  ...change,
})

describe('settings that cannot be used', () => {
  it.each([
    ['api', api, ['DATABASE_URL', 'IDP_ISSUER', 'IDP_AUDIENCE']],
    ['migrate', migrate, ['DATABASE_MIGRATION_URL']],
    [
      'portal',
      'apps/portal/src/server.ts',
      ['API_URL', 'DATABASE_URL', 'ENCRYPTION_KEYS', 'OIDC_CLIENT_ID', 'PORT'],
    ],
    [
      'operator',
      'apps/operator/src/server.ts',
      ['API_URL', 'DATABASE_URL', 'ENCRYPTION_KEYS', 'OIDC_CLIENT_ID', 'PORT'],
    ],
    [
      'booking',
      'apps/booking/src/server.ts',
      ['API_URL', 'BOOKING_APP_SECRET', 'PORT', 'PUBLIC_URL'],
    ],
  ])('end %s with status 78 and a line for each', async (_program, script, missing) => {
    const { status, out, errors } = await run(script, { IDP_ISUER: 'https://id.test/' })
    expect(status).toBe(78)
    expect(out).toBe('')
    const lines = errors.trimEnd().split('\n')
    expect(lines.shift()).toBe('The configuration is not usable:')
    for (const name of missing) expect(lines).toContain(`  ${name}: is missing`)
    expect(lines).toContain('  IDP_ISUER: is not a setting. Is IDP_ISSUER meant?')
    for (const line of lines) expect(line).toMatch(/^ {2}[A-Z_]+: \S/)
  })
})

describe('a database that must not be used', () => {
  it('is one of PostgreSQL 15', async () => {
    await using old = await startOldPostgres(150_013)
    const line = 'the server is PostgreSQL 15; 16 or newer is needed'
    const migrated = await run(migrate, { DATABASE_MIGRATION_URL: old.url })
    expect(migrated).toEqual({
      status: 78,
      out: '',
      errors: `The configuration is not usable:\n  DATABASE_MIGRATION_URL: ${line}\n`,
    })
    const started = await run(api, apiEnv({ DATABASE_URL: old.url }))
    expect(started).toMatchObject({
      status: 78,
      errors: `The configuration is not usable:\n  DATABASE_URL: ${line}\n`,
    })
  })

  it('is, in production, one where the account is a superuser', async () => {
    const admin = new URL(inject('adminUrl'))
    admin.pathname = new URL(testApp.env.DATABASE_URL ?? '').pathname
    const rejected = await run(
      api,
      apiEnv({ DATABASE_URL: admin.toString(), NODE_ENV: 'production' }),
    )
    expect(rejected.status).toBe(78)
    expect(rejected.errors).toContain('DATABASE_URL: its account is a superuser')
    await using _started = await startApi(testApp, { NODE_ENV: 'production', METRICS_PORT: '0' })
  })

  it('that is away ends a migration with a plain line', async () => {
    const { status, errors } = await run(migrate, {
      DATABASE_MIGRATION_URL: 'postgres://atrium_owner@127.0.0.1:1/atrium',
    })
    expect(status).toBe(1)
    expect(errors).toMatch(/^The database could not be migrated: .*ECONNREFUSED.*\n$/)
  })
})

describe('a port that is in use', () => {
  it.each(['METRICS_PORT', 'PORT'])(
    'is told in a plain line before anything starts: %s',
    async (name) => {
      const other = createServer()
      await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
      const port = String((other.address() as AddressInfo).port)
      const { status, out, errors } = await run(api, apiEnv({ [name]: port }))
      await new Promise((done) => other.close(done))
      expect(status).toBe(1)
      expect(out).toBe('')
      expect(errors).toBe(
        `The API cannot start:\n  ${name}: 127.0.0.1 port ${port} is in use by another process\n`,
      )
    },
  )
})
