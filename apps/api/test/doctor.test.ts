import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { openDatabase } from '@atrium/db/platform/connect'
import { freePort } from '@atrium/db/server/free-port'
import { connectIntegrations } from '@atrium/integrations/connect'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { clockDifferenceFinding } from '../src/admin/checks/database.ts'
import { dateDifferenceMs } from '../src/admin/checks/issuers.ts'
import {
  archiveFinding,
  checkBackups,
  checkDisks,
  diskFinding,
} from '../src/admin/checks/machine.ts'
import { checkVersion } from '../src/admin/checks/versions.ts'
import { type DoctorOptions, examine } from '../src/admin/doctor.ts'
import { exitStatusOf, type Finding } from '../src/admin/findings.ts'
import { readConfig } from '../src/platform/config.ts'
import { startSmtpServer, startTlsServer } from './certificates.ts'

const blueprint = new URL('../../../deploy/authentik/atrium.yaml', import.meta.url)
const statusScript = join(import.meta.dirname, '../../../deploy/backup/status.sh')
let testApp: TestApp

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    mailer: true,
    env: { BOOKING_URL: 'http://localhost:4300', NODE_ENV: 'test' },
  })
  publish()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** Publishes what an operator publishes. */
function publish(): void {
  const { zones } = testApp.sandbox.dns
  zones.put('portal.test', [{ name: 'portal.test', type: 'A', value: '192.0.2.1' }])
  zones.put('operator.test', [{ name: 'operator.test', type: 'AAAA', value: '2001:db8::1' }])
  zones.put('atrium-check.tenants.local', [
    { name: 'atrium-check.tenants.local', type: 'MX', value: '10 localhost' },
  ])
  zones.put('atrium.test', [
    { name: 'atrium.test', type: 'TXT', value: 'v=spf1 mx -all' },
    { name: '_dmarc.atrium.test', type: 'TXT', value: 'v=DMARC1; p=none' },
  ])
}

/** The findings with other settings than those of the test app. */
async function doctor(
  change: Record<string, string | undefined> = {},
  options: Partial<DoctorOptions> = {},
): Promise<Finding[]> {
  const env = Object.fromEntries(
    Object.entries({ ...testApp.env, OPERATOR_URL: undefined, ...change }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  const config = readConfig(env)
  const database = openDatabase({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl ?? undefined,
    replicaUrl: config.databaseReplicaUrl,
    onError: () => {},
  })
  const integrations = await connectIntegrations({ ...config, policy: { retries: 0 } })
  try {
    return await examine(
      { config, database, integrations },
      { blueprint, disks: [], backups: [], now: new Date(), ...options },
    )
  } finally {
    await database.close()
  }
}

const of = (findings: readonly Finding[], need: string | RegExp) =>
  findings.filter((finding) =>
    typeof need === 'string' ? finding.need === need : need.test(finding.need),
  )

const one = (findings: readonly Finding[], need: string | RegExp) => {
  const [found, ...others] = of(findings, need)
  expect(others, String(need)).toEqual([])
  return found ?? expect.fail(`nothing is said about ${need}: ${JSON.stringify(findings)}`)
}

/** Like `doctor`, at a portal that needs neither DNS nor a certificate. */
const local = (change: Record<string, string | undefined> = {}, options?: Partial<DoctorOptions>) =>
  doctor({ NODE_ENV: 'production', PORTAL_URL: 'http://localhost:4100', ...change }, options)

describe('an installation that has everything', () => {
  it('has no error, and every need is named', async () => {
    await using tls = await startTlsServer(60)
    await using smtp = await startSmtpServer(60)
    const mailPorts = {
      relay: smtp.port,
      submission: await freePort(),
      submissionTls: tls.port,
      imapTls: tls.port,
    }
    const findings = await local(
      { OPERATOR_URL: 'http://operator.test' },
      { disks: ['/'], mailPorts, ca: `${tls.ca}${smtp.ca}` },
    )
    expect(findings.filter(({ level }) => level === 'error')).toEqual([])
    expect(exitStatusOf(findings)).toBe(0)
    expect(findings.filter(({ level }) => level === 'warning').map(({ need }) => need)).toEqual([
      'setting SELLER_NAME and others',
      'authentik: providers, flows and rights',
      'archive of the database log',
    ])
    for (const need of [
      'settings can be used',
      /^PostgreSQL \d/,
      'database account: least rights',
      /^schema 0\d+-/,
      /^connections of the database \(\d+ of \d+\)$/,
      'job engine',
      'clock, beside that of the database',
      /^issuer .*atrium-portal\/$/,
      /^issuer .*atrium-operator\/$/,
      /^size of tokens /,
      'identity provider',
      'identity provider: rights',
      'mail server',
      'mail server: rights',
      'file storage',
      'outgoing mail, sent as SMTP_FROM',
      'payment processor',
      /^Node\.js \d/,
      /^authentik 2026\./,
      'OpenCloud 7.2.4',
      'DNS of operator.test',
      'MX of *.tenants.local',
      'SPF record of atrium.test',
      'DMARC record of atrium.test',
      `certificate of localhost:${smtp.port} (60 days left)`,
      `certificate of localhost:${tls.port} (60 days left)`,
      /^disk at \/ /,
    ])
      expect(one(findings, need).level, String(need)).toBe('ok')
    expect(JSON.stringify(findings)).not.toContain(testApp.env.IDP_API_TOKEN)
  }, 60_000)

  it('is compared with the blueprint when a superuser token of authentik is there', async () => {
    const before = await local(
      { OPERATOR_URL: 'http://operator.test' },
      { setupToken: demoServiceCredentials.identityAdminToken },
    )
    expect(one(before, 'authentik: blueprint')).toMatchObject({
      level: 'error',
      text: expect.stringContaining('never applied'),
    })
    expect(of(before, 'authentik: version 2026.8.3')).toHaveLength(1)
  }, 60_000)
})

describe('settings', () => {
  it('that are absent are named with what is missing then', async () => {
    const findings = await local({
      NODE_ENV: undefined,
      FILES_API_URL: undefined,
      FILES_API_USER: undefined,
      FILES_API_TOKEN: undefined,
      SMTP_URL: undefined,
      SMTP_FROM: undefined,
      ENCRYPTION_KEYS: undefined,
    })
    for (const name of ['NODE_ENV', 'FILES_API_URL', 'SMTP_URL', 'ENCRYPTION_KEYS'])
      expect(one(findings, `setting ${name}`).level).toBe('warning')
    expect(of(findings, 'file storage')).toEqual([])
  }, 60_000)
})

describe('the database', () => {
  it('that does not answer is one error, and the rest is looked at', async () => {
    const findings = await local({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect(one(findings, 'database').level).toBe('error')
    expect(one(findings, 'archive').text).toContain('could not be checked')
    expect(one(findings, 'mail server').level).toBe('ok')
    expect(exitStatusOf(findings)).toBe(1)
  }, 60_000)

  it('is not used as its owner or as a superuser', async () => {
    const owner = await local({ DATABASE_URL: testApp.ownerUrl })
    expect(of(owner, 'database account').map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('may change the schema')]),
    )
    const admin = new URL(inject('adminUrl'))
    admin.pathname = new URL(testApp.ownerUrl).pathname
    const superuser = await local({ DATABASE_URL: admin.toString() })
    expect(one(superuser, 'database account')).toMatchObject({ level: 'error' })
    const tried = await local({ DATABASE_URL: admin.toString(), NODE_ENV: undefined })
    expect(one(tried, 'database account')).toMatchObject({ level: 'warning' })
  }, 60_000)

  it('has the schema of this version', async () => {
    const client = new pg.Client(testApp.ownerUrl)
    await client.connect()
    await client.query('begin')
    try {
      const newest = await client.query<{ name: string }>(
        'select name from kysely_migration order by name desc limit 1',
      )
      const name = newest.rows[0]?.name ?? ''
      await client.query('update kysely_migration set name = $1 where name = $2', [
        '0000-old',
        name,
      ])
      await client.query('commit')
      const older = await local()
      expect(one(older, /^schema /)).toMatchObject({
        level: 'error',
        text: expect.stringContaining(name),
      })
      await client.query('update kysely_migration set name = $1 where name = $2', [
        '9999-later',
        '0000-old',
      ])
      expect(one(await local(), 'schema 9999-later').level).toBe('warning')
      await client.query('update kysely_migration set name = $1 where name = $2', [
        name,
        '9999-later',
      ])
    } finally {
      await client.end()
    }
  }, 60_000)

  it('is reached directly and has its standby', async () => {
    const away = 'postgres://nobody@127.0.0.1:1/none'
    const findings = await local({ DATABASE_DIRECT_URL: away, DATABASE_REPLICA_URL: away })
    expect(one(findings, 'DATABASE_DIRECT_URL').level).toBe('error')
    expect(one(findings, 'standby').level).toBe('error')
    const url = testApp.env.DATABASE_URL ?? ''
    const direct = await local({ DATABASE_DIRECT_URL: `${url}?application_name=direct` })
    expect(one(direct, 'DATABASE_DIRECT_URL').level).toBe('ok')
    // The primary itself follows nobody and lacks nothing.
    expect(one(await local({ DATABASE_REPLICA_URL: url }), 'standby').level).toBe('ok')
  }, 60_000)

  it('has a version of the list', () => {
    expect(checkVersion('postgresql', '15.13').level).toBe('error')
    expect(checkVersion('postgresql', '18.6').level).toBe('ok')
    expect(checkVersion('postgresql', '19.1').level).toBe('warning')
    expect(checkVersion('opencloud', 'rolling').level).toBe('warning')
  })

  it('has a clock near that of this machine', () => {
    const levels = [0, 1_500, -10_000, 31_000].map(
      (ms) => clockDifferenceFinding('clock', ms).level,
    )
    expect(levels).toEqual(['ok', 'ok', 'warning', 'error'])
  })
})

describe('issuers and tokens', () => {
  it('that do not answer, or call themselves otherwise, are errors', async () => {
    const [portal = ''] = (testApp.env.IDP_ISSUER ?? '').split(',')
    const away = `http://localhost:${await freePort()}/`
    const other = `http://127.0.0.1:${new URL(portal).port}${new URL(portal).pathname}`
    const findings = await local({
      IDP_ISSUER: `${other},${away}`,
      IDP_MANAGED_ISSUER: other,
    })
    expect(one(findings, `issuer ${other}`).text).toContain(`calls itself ${portal}`)
    expect(one(findings, `issuer ${away}`).text).toContain('ECONNREFUSED')
  }, 60_000)

  it('may respond slowly without their clock being wrong', () => {
    const date = Date.parse('2030-01-01T12:00:05Z')
    // Sent at :05.900, and received six seconds later.
    expect(dateDifferenceMs(date, date + 900, date + 6_900)).toBe(0)
    expect(dateDifferenceMs(date, date - 6_000, date + 10)).toBe(0)
    expect(dateDifferenceMs(date, date + 4_999, date + 6_000)).toBe(4_000)
    expect(dateDifferenceMs(date, date - 9_000, date - 3_000)).toBe(-3_000)
  })

  it('that lack keys, scopes or claims are named with them, and a clock that differs', async () => {
    const server = createServer((request, response) => {
      response.setHeader('date', new Date(Date.now() - 60_000).toUTCString())
      const body = request.url?.endsWith('jwks')
        ? { keys: [] }
        : {
            issuer,
            jwks_uri: `${issuer}jwks`,
            scopes_supported: ['openid', 'email'],
            claims_supported: ['sub', 'email', 'name'],
          }
      response.end(JSON.stringify(body))
    })
    await new Promise<void>((done) => server.listen(0, 'localhost', done))
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}/`
    const [, operator = ''] = (testApp.env.IDP_ISSUER ?? '').split(',')
    try {
      const findings = await local({ IDP_ISSUER: `${issuer},${operator}` })
      const faults = of(findings, `issuer ${issuer}`)
      expect(faults.map(({ level }) => level)).toEqual(['error', 'error'])
      expect(faults.map(({ text }) => text).join()).toMatch(/no signing key.*profile, offline_acc/)
      expect(one(findings, `issuer ${issuer}: claim groups`).level).toBe('warning')
      expect(one(findings, `clock, beside that of ${issuer}`).level).toBe('error')
    } finally {
      await new Promise<void>((done) => server.close(() => done()))
    }
  }, 60_000)

  it('that name many groups are too large for proxies', async () => {
    const { db } = testApp.database
    const before = one(await local(), /^size of tokens/)
    expect(before.level).toBe('ok')
    await db.transaction().execute(async (trx) => {
      const userId = await userIdOf(trx, 'member@acme.test')
      const tenants = await trx
        .insertInto('tenants')
        .values(
          Array.from({ length: 300 }, (_, at) => ({
            slug: `large-token-${at}`,
            name: `Tenant ${at}`,
            plan: 'free' as const,
            status: 'deleted' as const,
            deleted_at: new Date(),
          })),
        )
        .returning('id')
        .execute()
      await trx
        .insertInto('memberships')
        .values(
          tenants.map(({ id }) => ({ tenant_id: id, user_id: userId, role: 'owner' as const })),
        )
        .execute()
    })
    const large = one(await local(), /^size of tokens .* 30\d groups/)
    expect(large).toMatchObject({ level: 'warning', text: expect.stringContaining('Large tokens') })
  }, 60_000)
})

describe('upstream systems', () => {
  it.each([
    ['identity', 'identity provider'],
    ['mail', 'mail server'],
    ['files', 'file storage'],
    ['payments', 'payment processor'],
  ] as const)(
    'that are away are errors: %s',
    async (system, need) => {
      testApp.sandbox.fault({ system, mode: 'reset' })
      try {
        const findings = await local()
        expect(one(findings, need)).toMatchObject({ level: 'error', text: expect.any(String) })
        // Its rights and its version are not spoken of: one cause is one line.
        expect(of(findings, /: rights$/).every(({ level }) => level === 'ok')).toBe(true)
      } finally {
        testApp.sandbox.clearFaults()
      }
    },
    60_000,
  )

  it('whose credentials lack a right are errors that name it', async () => {
    testApp.sandbox.fault({ system: 'identity', match: 'PATCH', mode: 'error', status: 403 })
    testApp.sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'error', status: 403 })
    try {
      const findings = await local()
      expect(one(findings, 'identity provider: rights')).toMatchObject({
        level: 'error',
        text: expect.stringContaining('may not change users'),
      })
      expect(one(findings, 'mail server: rights').level).toBe('error')
    } finally {
      testApp.sandbox.clearFaults()
    }
  }, 60_000)

  it('that do not accept the sender of our mails are errors', async () => {
    const away = await local({ SMTP_URL: `smtp://localhost:${await freePort()}` })
    expect(one(away, 'outgoing mail, sent as SMTP_FROM').level).toBe('error')
    testApp.sandbox.fault({ system: 'smtp', match: 'MAIL', mode: 'error', status: 550 })
    try {
      expect(one(await local(), 'outgoing mail, sent as SMTP_FROM').level).toBe('error')
    } finally {
      testApp.sandbox.clearFaults()
    }
  }, 60_000)

  it('that do not tell their version are warnings', async () => {
    testApp.sandbox.fault({
      system: 'identity',
      match: 'admin/version',
      mode: 'error',
      status: 403,
    })
    testApp.sandbox.fault({ system: 'files', match: 'status.php', mode: 'error', status: 404 })
    try {
      const findings = await local()
      expect(one(findings, 'authentik: version').level).toBe('warning')
      expect(one(findings, 'OpenCloud: version').level).toBe('warning')
    } finally {
      testApp.sandbox.clearFaults()
    }
  }, 60_000)
})

describe('DNS', () => {
  it('that lacks a name or a record is an error, of the sender a warning', async () => {
    const { zones } = testApp.sandbox.dns
    for (const name of ['portal.test', 'atrium-check.tenants.local', 'atrium.test'])
      zones.put(name, [])
    try {
      const findings = await doctor()
      expect(one(findings, 'DNS of portal.test').level).toBe('error')
      expect(one(findings, 'MX of *.tenants.local').level).toBe('error')
      expect(one(findings, 'SPF record of atrium.test').level).toBe('warning')
      expect(one(findings, 'DMARC record of atrium.test').level).toBe('warning')
    } finally {
      publish()
    }
  }, 60_000)

  it('that fails says nothing about the records', async () => {
    testApp.sandbox.fault({ system: 'dns', mode: 'servfail' })
    try {
      expect(one(await doctor(), 'DNS of portal.test')).toMatchObject({
        level: 'warning',
        text: expect.stringContaining('could not be looked up'),
      })
    } finally {
      testApp.sandbox.clearFaults()
    }
  }, 60_000)
})

describe('disk, archive and backups', () => {
  it('are judged by free space', async () => {
    const gigabyte = 1e9
    const levels = [40, 5, 0.5].map(
      (free) => diskFinding('/', free * gigabyte, 80 * gigabyte).level,
    )
    expect(levels).toEqual(['ok', 'warning', 'error'])
    expect(await checkDisks(['/there/is/none'])).toEqual([
      { level: 'error', need: 'disk at /there/is/none', text: expect.stringContaining('ENOENT') },
    ])
  })

  it('know an archive that is off, works, fails, or has stopped', () => {
    const facts = { mode: 'on', archivedSecondsAgo: 30, failedSecondsAgo: null }
    expect(archiveFinding(facts).level).toBe('ok')
    expect(archiveFinding({ ...facts, failedSecondsAgo: 300 }).level).toBe('ok')
    expect(archiveFinding({ ...facts, failedSecondsAgo: 5 }).level).toBe('error')
    expect(archiveFinding({ ...facts, archivedSecondsAgo: 8_000 }).level).toBe('warning')
    expect(archiveFinding({ ...facts, archivedSecondsAgo: null }).level).toBe('warning')
    expect(archiveFinding({ ...facts, mode: 'off' }).level).toBe('warning')
  })

  it('know the age of the newest complete backup', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-backups-'))
    const now = new Date()
    const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
    const take = async (name: string, finishedAt: Date | undefined) => {
      await mkdir(join(folder, name, 'data'), { recursive: true })
      if (finishedAt)
        await writeFile(
          join(folder, name, 'manifest.json'),
          JSON.stringify({ finishedAt: finishedAt.toISOString() }),
        )
    }
    try {
      expect(await checkBackups([folder], now)).toMatchObject([{ level: 'error' }])
      await take('unfinished', undefined)
      expect(await checkBackups([folder], now)).toMatchObject([{ level: 'error' }])
      await take('old', ago(100))
      expect(await checkBackups([folder], now)).toMatchObject([{ level: 'error' }])
      await take('late', ago(30))
      expect(await checkBackups([folder], now)).toMatchObject([{ level: 'warning' }])
      await take('new', ago(3))
      expect(await checkBackups([folder], now)).toEqual([
        { level: 'ok', need: `backup in ${folder} (3 hours old)` },
      ])
      expect(await checkBackups([join(folder, 'none')], now)).toMatchObject([{ level: 'error' }])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('know each kind of which the services of compose.yaml report', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-backup-status-'))
    const report = async (kind: string, hours: number | undefined) => {
      const ended = hours === undefined ? 0 : Math.floor(Date.now() / 1000) - hours * 3600 - 60
      await promisify(execFile)('sh', [statusScript, kind, String(ended)], {
        env: { ...process.env, BACKUP_STATUS: folder },
      })
    }
    try {
      await report('files', 30)
      await report('database', 2)
      expect(await checkBackups([folder], new Date())).toMatchObject([
        { level: 'ok', need: 'backup of database (2 hours old)' },
        { level: 'warning', need: 'backup of files (30 hours old)' },
      ])
      await report('database', undefined)
      expect(await checkBackups([folder], new Date())).toMatchObject([
        { level: 'error', text: expect.stringContaining('missing') },
        { level: 'warning' },
      ])
      expect((await readdir(folder)).sort()).toEqual(['database.prom', 'files.prom'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('take the newest entry of the folder of another program', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-dumps-'))
    try {
      const file = join(folder, 'dump')
      await writeFile(file, '')
      const then = new Date(Date.now() - 60 * 3_600_000)
      await utimes(file, then, then)
      expect(await checkBackups([folder], new Date())).toMatchObject([{ level: 'error' }])
      await utimes(file, new Date(), new Date())
      expect(await checkBackups([folder], new Date())).toMatchObject([{ level: 'ok' }])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
