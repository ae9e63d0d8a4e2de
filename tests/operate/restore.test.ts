import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archiveSettings, pruneBackups, readManifest, takeBackup } from '@atrium/db/server/backup'
import { checksumsOf, markMoment } from '@atrium/db/server/checksums'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import { send, startApi } from '@atrium/testing/api-process'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnServer, startOwnServer } from '../resilience/own-server.ts'
import { openFolder, restoreElsewhere } from './restored-server.ts'

/** What docs/how-to/operate.md advises; the everyday form does not wait as long for a segment. */
const archiveEverySeconds = rounds(2, 30)
const megabytes = rounds(16, 1_000)

let folder: string
let archive: string
let backups: string
let server: OwnServer
let accounts: DatabaseAccounts
let testApp: TestApp
let token: string
beforeAll(async () => {
  folder = await openFolder(await mkdtemp(join(tmpdir(), 'atrium-restore-')))
  archive = await openFolder(join(folder, 'archive'))
  backups = await openFolder(join(folder, 'backups'))
  server = await startOwnServer({
    dataDir: join(folder, 'primary'),
    settings: archiveSettings(archive, archiveEverySeconds),
  })
  accounts = await server.newDatabase()
  testApp = await startTestApp({
    accounts,
    started: true,
    manyChanges: true,
    env: { AUDIT_HASH_CHAIN: 'true' },
  })
  token = await testApp.token('operator@atrium.test')
})
afterAll(async () => {
  await testApp?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

interface Writer {
  /** Numbers that were acknowledged, with when. */
  readonly acknowledged: readonly { number: number; at: number }[]
  stop(): Promise<void>
}

/**
 * Changes tenants through the service, one change after the other, until it is stopped; a failure
 * ends it.
 */
function startWriting(slug: string): Writer {
  const acknowledged: { number: number; at: number }[] = []
  let stopped = false
  const work = (async () => {
    for (let number = 1; !stopped; number++) {
      const response = await testApp.request('PATCH', `/tenants/${slug}`, {
        token,
        body: { industry: `Change ${number}` },
      })
      if (response.status !== 200) return
      acknowledged.push({ number, at: performance.now() })
      await new Promise((done) => setTimeout(done, 5))
    }
  })()
  return {
    acknowledged,
    async stop() {
      stopped = true
      await work
    },
  }
}

/**
 * Events of the payment processor that are over: a kilobyte each, and nothing that a job looks at.
 */
async function fill(): Promise<void> {
  await withClient(accounts.ownerUrl, (client) =>
    client.query(
      `insert into webhook_inbox (id, type, created, livemode, payload, state, received_at, finished_at)
       select 'evt_filled_' || n, 'invoice.paid', now() - interval '30 days', false,
         jsonb_build_object('object', (select string_agg(md5((n * 100 + k)::text), '') from generate_series(1, 28) k)),
         'applied', now() - interval '30 days', now() - interval '30 days'
       from generate_series(1, $1::int) n`,
      [megabytes * 900],
    ),
  )
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

const adminOf = (address: string, database: string) => {
  const url = new URL(address)
  url.pathname = new URL(database).pathname
  return url.toString()
}

/** Ends the segment that is being written, and waits until it is in the archive. */
async function untilArchived(): Promise<void> {
  await withClient(server.adminUrl, async (client) => {
    const { rows } = await client.query<{ segment: string }>(
      'select pg_walfile_name(pg_switch_wal()) as segment',
    )
    const segment = rows[0]?.segment ?? ''
    await expect
      .poll(
        async () => (await readdir(archive)).some((name) => name.length === 24 && name >= segment),
        { timeout: 60_000 },
      )
      .toBe(true)
  })
}

async function industryOf(url: string, slug: string): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query('select industry from tenants where slug = $1', [slug]),
  )
  return Number(/^Change (\d+)$/.exec(rows[0]?.industry ?? '')?.[1] ?? 0)
}

describe('a restore to a moment', () => {
  it('holds every table as it was then, while writes went on before, during and after the backup', async () => {
    await fill()
    const writers = ['acme', 'globex'].map(startWriting)
    await expect
      .poll(() => writers.every(({ acknowledged }) => acknowledged.length > 3), { timeout: 30_000 })
      .toBe(true)
    const backup = join(backups, 'first')
    const manifest = await takeBackup({ adminUrl: server.adminUrl, target: backup })
    expect(await readManifest(backup)).toEqual(manifest)
    const during = writers.map(({ acknowledged }) => acknowledged.length)
    await new Promise((done) => setTimeout(done, rounds(500, 5_000)))
    const moment = await markMoment(adminOf(server.adminUrl, accounts.ownerUrl))
    // What must not be in the copy.
    const tooLate = await testApp.request('POST', '/tenants', {
      token: await testApp.token('newcomer@example.test'),
      body: { slug: 'too-late', name: 'Too late' },
    })
    expect(tooLate.status).toBe(201)
    await new Promise((done) => setTimeout(done, 300))
    for (const writer of writers) await writer.stop()
    for (const [place, { acknowledged }] of writers.entries())
      expect(acknowledged.length).toBeGreaterThan(during[place] ?? 0)
    await untilArchived()

    await using copy = await restoreElsewhere({
      backup,
      archive,
      dataDir: join(folder, 'copy'),
      until: moment.at,
    })
    const tables = await checksumsOf(adminOf(copy.adminUrl, accounts.ownerUrl))
    const names = Object.keys(tables)
    const different = names.filter(
      (name) => JSON.stringify(tables[name]) !== JSON.stringify(moment.tables[name]),
    )
    const gigabytes = manifest.bytes / 1e9
    await recordMeasurement({
      target: 'R12',
      what: 'restored to a moment chosen under writes',
      measured: `${names.length} tables, ${different.length} differ; ${gigabytes.toFixed(2)} GB in ${copy.seconds.toFixed(1)} s`,
      reached:
        different.length === 0 && (!inFull || (gigabytes >= 1 && copy.seconds / gigabytes <= 60)),
    })
    expect(names.length).toBeGreaterThan(60)
    expect(names).toEqual(Object.keys(moment.tables))
    expect(different).toEqual([])
    expect(Number(tables['public.webhook_inbox']?.rows)).toBe(megabytes * 900)

    const journey = await goOnWith(copy.like(accounts.appUrl))
    await recordMeasurement({
      target: 'R12',
      what: 'the service on the copy',
      measured: `audit chain of ${journey.checked} entries ${journey.ok ? 'holds' : 'BROKEN'}, ${journey.steps} steps of reading and writing done`,
      reached: journey.ok,
    })
    expect(journey).toMatchObject({ ok: true, faults: [] })
    expect(journey.checked).toBeGreaterThan(6)
  })
})

/**
 * The service as a process of its own on the restored database: everything ready, the chain holds,
 * people read, write and set up.
 */
async function goOnWith(databaseUrl: string) {
  await using api = await startApi(testApp, { DATABASE_URL: databaseUrl, AUDIT_HASH_CHAIN: 'true' })
  const ask = async (method: string, path: string, status: number, body?: object, as = token) => {
    const response = await send(api.url, method, path, as, body)
    expect(response.status, `${method} ${path} ${JSON.stringify(response.body)}`).toBe(status)
    return response.body
  }
  expect(await ask('GET', '/health/ready', 200)).toMatchObject({ ready: true })
  const verified = await ask('GET', '/audit/verify', 200)
  await ask('GET', '/tenants/too-late', 404)
  const before = (await ask('GET', '/audit?limit=1', 200)).items[0].id
  await ask('PATCH', '/tenants/acme', 200, { industry: 'Restored' })
  expect(await ask('GET', '/tenants/acme', 200)).toMatchObject({ industry: 'Restored' })
  await ask(
    'POST',
    '/tenants',
    201,
    { slug: 'after', name: 'After' },
    await testApp.token('newcomer@example.test'),
  )
  await expect
    .poll(async () => (await ask('GET', '/tenants/after', 200)).status, { timeout: 30_000 })
    .toBe('active')
  expect((await ask('GET', '/audit?limit=1', 200)).items[0].id).not.toBe(before)
  const again = await ask('GET', '/audit/verify', 200)
  return { ...verified, ok: verified.ok && again.ok, steps: 9 }
}

describe('a machine that is lost', () => {
  it('costs no more than what was not archived yet', async () => {
    const backup = join(backups, 'second')
    await takeBackup({ adminUrl: server.adminUrl, target: backup })
    const writer = startWriting('acme')
    await new Promise((done) => setTimeout(done, archiveEverySeconds * 1_500))
    await server.end('SIGKILL')
    await writer.stop()
    await rm(join(folder, 'primary'), { recursive: true, force: true })
    const last = writer.acknowledged.at(-1)
    expect(last?.number).toBeGreaterThan(10)

    await using copy = await restoreElsewhere({ backup, archive, dataDir: join(folder, 'rescued') })
    const found = await industryOf(adminOf(copy.adminUrl, accounts.ownerUrl), 'acme')
    const kept = writer.acknowledged.find(({ number }) => number === found)
    const lostSeconds = ((last?.at ?? 0) - (kept?.at ?? Number.NEGATIVE_INFINITY)) / 1000
    await recordMeasurement({
      target: 'R12',
      what: 'machine lost under writes, a segment archived every',
      measured: `${archiveEverySeconds} s: the last ${lostSeconds.toFixed(1)} s of acknowledged writes are gone (${(last?.number ?? 0) - found} of ${last?.number})`,
      reached: lostSeconds <= 60,
    })
    expect(kept, `Change ${found}`).toBeDefined()
  })

  it('keeps what the newest backups need and removes the rest', async () => {
    const before = await readdir(archive)
    const { firstSegment } = await readManifest(join(backups, 'second'))
    const gone = await pruneBackups(backups, archive, 1)
    expect(gone).toContain('first')
    expect(await readdir(backups)).toEqual(['second'])
    const left = await readdir(archive)
    expect(left).toContain(firstSegment)
    expect(left.length).toBeLessThan(before.length)
    for (const name of left.filter((one) => one.length === 24))
      expect(name >= firstSegment).toBe(true)
    expect((await stat(join(backups, 'second', 'data', 'backup_label'))).size).toBeGreaterThan(0)
  })
})
