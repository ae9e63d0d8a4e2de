import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { version } from '@atrium/core/platform/version'
import { createKeyring } from '@atrium/db/platform/encryption'
import { listMailCredentials } from '@atrium/db/scheduling/sealed-values'
import { identityRecords } from '@atrium/testing/outside'
import { type SchedulingTestApp, startSchedulingTestApp } from '@atrium/testing/scheduling-test-app'
import { testKey } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const program = process.env.ATRIUM_BUILT_API
  ? join(dirname(process.env.ATRIUM_BUILT_API), 'admin.js')
  : join(import.meta.dirname, '../src/admin.ts')

let testApp: SchedulingTestApp
let operator: string
beforeAll(async () => {
  testApp = await startSchedulingTestApp()
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

interface Ended {
  status: number
  output: string
  complaint: string
}

/** Runs the program with the settings of the test app; an empty text takes a setting out. */
function run(command: readonly string[], change: Record<string, string> = {}): Promise<Ended> {
  const env = Object.fromEntries(
    Object.entries({ ...testApp.env, ...change }).filter(([, value]) => value !== ''),
  )
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...command],
      { env: { PATH: process.env.PATH ?? '', ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, output, complaint) =>
        resolve({ status: Number(error?.code ?? 0), output, complaint }),
    )
  })
}

/** Entries of the audit log of this action, newest first. */
async function entries(action: string) {
  const { body } = await testApp.request('GET', `/audit?action=${action}`, { token: operator })
  return body.items as Record<string, unknown>[]
}

const byCommand = {
  source: 'command',
  actorType: 'system',
  metadata: expect.objectContaining({ account: expect.any(String), machine: expect.any(String) }),
}

describe('usage', () => {
  it.each([
    [[], 'a command is missing'],
    [['remove'], 'remove: not known'],
    [['operator', 'remove'], 'operator remove: not known'],
    [['toString'], 'toString: not known'],
    [['doctor', 'twice'], 'twice: not known'],
    [['doctor', '--email', 'a@b.test'], 'doctor takes no --email'],
    [['doctor', '--fast'], "Unknown option '--fast'"],
    [['upgrade'], 'upgrade takes --check'],
    [['upgrade', '--check', '--running', 'nowhere'], '--running is not an address'],
    [['operator', 'create', '--name', 'Olga'], 'email: '],
    [['operator', 'create', '--name', 'Olga', '--email', 'olga'], 'email: '],
    [['export', 'audit', '--since', 'yesterday'], 'since: '],
    [['export', 'bookkeeping'], 'month: '],
  ])('that is wrong ends with 64 and says why: %j', async (command, reason) => {
    const ended = await run(command)
    expect(ended).toMatchObject({ status: 64, output: '' })
    expect(ended.complaint).toContain(reason)
    expect(ended.complaint).toContain('doctor [--disk FOLDER]')
  })

  it.each([['--help'], ['doctor', '--help'], ['keys', 'rotate', '-h']])(
    'is printed when it is asked for: %s',
    async (...command) => {
      const { status, output, complaint } = await run(command, { DATABASE_URL: '' })
      expect({ status, complaint }).toEqual({ status: 0, complaint: '' })
      expect(output).toContain('doctor [--disk FOLDER]')
    },
  )

  it('needs usable settings', async () => {
    expect(await run(['provisioning', 'retry'], { IDP_ISSUER: '' })).toEqual({
      status: 78,
      output: '',
      complaint: expect.stringContaining('IDP_ISSUER: is missing'),
    })
  })
})

describe('doctor', () => {
  it('prints a line for each need and ends with 1 when one is not met', async () => {
    const ended = await run(['doctor', '--disk', '/there/is/none'], {
      PORTAL_URL: 'http://localhost:4100',
    })
    expect(ended.status).toBe(1)
    expect(ended.complaint).toBe('')
    expect(ended.output).toMatch(/^ok {7}mail server$/m)
    expect(ended.output).toMatch(/^error {4}disk at \/there\/is\/none could not be read/m)
    for (const line of ended.output.trimEnd().split('\n'))
      expect(line).toMatch(/^(ok|warning|error) +\S/)
  })

  it('ends with 0 when there are warnings alone, and writes JSON', async () => {
    testApp.sandbox.dns.zones.put('atrium-check.tenants.local', [
      { name: 'atrium-check.tenants.local', type: 'MX', value: '10 mail.atrium.test' },
    ])
    const ended = await run(['doctor', '--json'], {
      PORTAL_URL: 'http://localhost:4100',
      OPERATOR_URL: 'http://localhost:4200',
      BOOKING_URL: 'http://localhost:4300',
    })
    const { errors, warnings, findings } = JSON.parse(ended.output)
    expect(errors, ended.output).toBe(0)
    expect(ended.status).toBe(0)
    expect(warnings).toBeGreaterThan(0)
    expect(findings).toContainEqual({ level: 'ok', need: 'mail server: rights' })
  })

  it('names settings that cannot be used as errors', async () => {
    const ended = await run(['doctor'], { IDP_ISSUER: '', IDP_ISUER: 'https://id.test/' })
    expect(ended.status).toBe(1)
    expect(ended.output).toContain('error    setting IDP_ISSUER is missing')
    expect(ended.output).toContain('error    setting IDP_ISUER is not a setting.')
  })
})

describe('upgrade --check', () => {
  const owner = () => ({ DATABASE_MIGRATION_URL: testApp.ownerUrl })

  it('says that nothing is to come, beside the version that runs', async () => {
    const { createServer } = await import('node:http')
    const running = createServer((_, response) => response.end(JSON.stringify({ version })))
    await new Promise<void>((done) => running.listen(0, '127.0.0.1', done))
    const { port } = running.address() as { port: number }
    try {
      const command = ['upgrade', '--check', '--disk', '/', '--running', `http://127.0.0.1:${port}`]
      const ended = await run(command, owner())
      expect(ended.output).toMatch(/^ok {7}migrations: none to come$/m)
      expect(ended.output).toMatch(/^ok {7}long transactions$/m)
      expect(ended.output).toMatch(/^ok {7}disk of the database /m)
      expect(ended.output).toContain(`ok       version ${version}, after ${version}`)
      expect(ended.status).toBe(0)
    } finally {
      await new Promise<void>((done) => running.close(() => done()))
    }
  })

  it('looks with the account of the API where the other one is not at hand', async () => {
    const ended = await run(['upgrade', '--check'])
    expect(ended.output).toMatch(/^ok {7}migrations: none to come$/m)
    expect(ended.status).toBe(0)
    expect(await run(['upgrade', '--check'], { DATABASE_URL: '' })).toMatchObject({
      status: 78,
      complaint: expect.stringContaining('DATABASE_URL: is missing'),
    })
  })

  it('is an error where the database does not answer', async () => {
    const away = { DATABASE_MIGRATION_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const ended = await run(['upgrade', '--check'], away)
    expect(ended).toMatchObject({ status: 1, output: expect.stringContaining('does not answer') })
  })
})

describe('operator create', () => {
  it('creates an operator who can sign in, and records it', async () => {
    const ended = await run([
      'operator',
      'create',
      '--email',
      'Olga@Ops.test',
      '--name',
      'Olga Ops',
    ])
    expect(ended).toMatchObject({ status: 0, complaint: '' })
    const [, secret = ''] = /Password for the first sign-in: (\S{16})\n$/.exec(ended.output) ?? []
    expect(secret, ended.output).not.toBe('')
    const token = await testApp.token('olga@ops.test', 'operator')
    expect((await testApp.request('GET', '/users', { token })).status).toBe(200)
    const [entry] = await entries('platform.user_invited')
    expect(entry).toMatchObject({ ...byCommand, resourceName: 'olga@ops.test' })
    expect(JSON.stringify(entry)).not.toContain(secret)
  })

  it('creates nothing for a known address, and when the identity provider is away', async () => {
    const known = ['operator', 'create', '--email', 'owner@acme.test', '--name', 'Anna']
    expect(await run(known)).toMatchObject({ status: 1, output: '' })
    testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503 })
    try {
      const other = ['operator', 'create', '--email', 'nobody@ops.test', '--name', 'Nobody']
      const ended = await run(other)
      expect(ended).toMatchObject({ status: 1, output: '' })
    } finally {
      testApp.sandbox.clearFaults()
    }
    const identities = identityRecords(testApp).users.map(({ email }) => email)
    expect(identities).not.toContain('nobody@ops.test')
    expect(await entries('platform.user_invited')).toHaveLength(1)
  }, 60_000)
})

describe('keys', () => {
  it('are created in the form of the setting', async () => {
    const { status, output } = await run(['keys', 'create'])
    expect(status).toBe(0)
    expect(() => createKeyring(output.trim())).not.toThrow()
    expect((await run(['keys', 'create'])).output).not.toBe(output)
  })

  it('rotate: what is stored has the first key afterwards', async () => {
    await testApp.connectedHost(testApp.people.member)
    const [next, old] = [`next:${testKey(8)}`, `test:${testKey(7)}`]
    const ended = await run(['keys', 'rotate'], { ENCRYPTION_KEYS: `${next},${old}` })
    expect(ended).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^[1-9]\d* encrypted with the first key, 0 that no/),
    })
    const rows = await listMailCredentials(testApp.database.db, undefined, 10)
    for (const { sealed } of rows) expect(createKeyring(next).isCurrent(sealed)).toBe(true)
    expect((await entries('platform.keys_rotated'))[0]).toMatchObject(byCommand)
    const lost = await run(['keys', 'rotate'], { ENCRYPTION_KEYS: old })
    expect(lost).toMatchObject({
      status: 1,
      output: expect.stringMatching(/, [1-9]\d* that no listed key opens\n$/),
    })
    expect(await run(['keys', 'rotate'], { ENCRYPTION_KEYS: '' })).toMatchObject({ status: 78 })
  }, 60_000)
})

describe('provisioning retry', () => {
  it('runs the steps of a tenant again and records it', async () => {
    const ended = await run(['provisioning', 'retry', 'acme'])
    expect(ended).toEqual({
      status: 0,
      output: 'acme identity ok, mail ok, files ok\n',
      complaint: '',
    })
    expect((await entries('tenant.reconciled'))[0]).toMatchObject({
      ...byCommand,
      tenantSlug: 'acme',
      outcome: 'success',
    })
  })

  it('names what failed, and then repeats what failed of all tenants', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
    try {
      const failed = await run(['provisioning', 'retry', 'acme', 'nobody'])
      expect(failed.status).toBe(1)
      expect(failed.output).toMatch(/^acme identity ok, mail ok, files error \(.+\)$/m)
      expect(failed.output).toMatch(/^nobody is not a tenant$/m)
      expect((await entries('tenant.reconciled'))[0]).toMatchObject({ outcome: 'failure' })
    } finally {
      testApp.sandbox.clearFaults()
    }
    const again = await run(['provisioning', 'retry'])
    expect(again).toMatchObject({ status: 0, output: 'acme identity ok, mail ok, files ok\n' })
    expect(await run(['provisioning', 'retry'])).toMatchObject({ status: 0, output: '' })
  }, 60_000)
})

describe('export', () => {
  it('writes the audit log under its filters, and is in it', async () => {
    const { status, output } = await run(['export', 'audit', '--tenant', 'acme'])
    expect(status).toBe(0)
    const [trailer, ...lines] = output.trimEnd().split('\n').toReversed()
    expect(JSON.parse(trailer ?? '')).toMatchObject({ count: lines.length })
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(JSON.parse(line).tenantSlug).toBe('acme')
    expect((await entries('audit.exported'))[0]).toMatchObject({ ...byCommand, tenantSlug: 'acme' })
  })

  it('writes the books of a month', async () => {
    const month = new Date().toISOString().slice(0, 7)
    const { status, output } = await run(['export', 'bookkeeping', '--month', month])
    expect(status).toBe(0)
    expect(output.split('\n')[0]).toContain('date')
    expect((await entries('billing.exported'))[0]).toMatchObject(byCommand)
    const next = new Date(Date.parse(`${month}-01`) + 40 * 86_400_000).toISOString().slice(0, 7)
    const later = await run(['export', 'bookkeeping', '--month', next])
    expect(later).toMatchObject({ status: 1, output: '' })
    expect(await entries('billing.exported')).toHaveLength(1)
  })
})
