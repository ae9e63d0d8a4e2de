import { createKeyring } from '@atrium/db/platform/encryption'
import { jobSchema, queues } from '@atrium/db/platform/jobs'
import { listMailCredentials, listSealedLinks } from '@atrium/db/scheduling/sealed-values'
import { type ApiProcess, send, startApi } from '@atrium/testing/api-process'
import { recordMeasurement } from '@atrium/testing/measurements'
import {
  type Host,
  type SchedulingTestApp,
  startSchedulingTestApp,
} from '@atrium/testing/scheduling-test-app'
import { testKey } from '@atrium/testing/test-app'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const key = (id: string, byte: number) => `${id}:${testKey(byte)}`
const old = key('test', 7)
const next = key('next', 8)

let testApp: SchedulingTestApp
let hosts: Host[]
beforeAll(async () => {
  testApp = await startSchedulingTestApp({ env: { ENCRYPTION_KEYS: old } })
  hosts = [
    await testApp.connectedHost(testApp.people.member),
    await testApp.connectedHost(testApp.people.owner),
  ]
  for (const host of hosts) await testApp.book(host)
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

/**
 * Asks for the hosts' calendars through whichever process is in use, which needs their stored
 * secrets, until it is stopped.
 */
function startReading(first: ApiProcess) {
  const counts = { read: 0, failed: 0 }
  let target = first
  let stopped = false
  const work = (async () => {
    for (let i = 0; !stopped; i++) {
      // Another day each time: what was read of a day is kept for a while.
      const day = Date.parse('2027-01-01T00:00:00Z') + (i % 60) * 86_400_000
      const range = `from=${new Date(day).toISOString()}&to=${new Date(day + 86_400_000).toISOString()}`
      const path = `/api/v1/tenants/acme/hosts/${hosts[i % hosts.length]?.id}/free-busy?${range}`
      const status = await send(target.url, 'GET', path, testApp.as.admin).then(
        (response) => response.status,
        () => 0,
      )
      if (status === 200) counts.read++
      else counts.failed++
      await new Promise((done) => setTimeout(done, 20))
    }
  })()
  return {
    counts,
    use: (process: ApiProcess) => {
      target = process
    },
    async stop() {
      stopped = true
      await work
    },
  }
}

async function notYet(spec: string): Promise<number> {
  const { db } = testApp.database
  const keyring = createKeyring(spec)
  const stored = [
    ...(await listMailCredentials(db, undefined, 1_000)),
    ...(await listSealedLinks(db, undefined, 1_000)),
  ]
  expect(stored.length).toBeGreaterThanOrEqual(hosts.length * 2)
  return stored.filter(({ sealed }) => !keyring.isCurrent(sealed)).length
}

/** What the schedule does once an hour. */
async function askForCleanUp(): Promise<void> {
  const boss = new PgBoss({
    connectionString: testApp.config.databaseUrl,
    schema: jobSchema,
    migrate: false,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => {})
  await boss.start()
  await boss.send(queues.cleanup, {})
  await boss.stop()
}

describe('an encryption key', () => {
  it('is changed as docs/how-to/operate.md says, in a running service that reads all the while', async () => {
    expect(await notYet(next)).toBe(hosts.length * 2)
    await using before = await startApi(testApp)
    const reading = startReading(before)
    await expect.poll(() => reading.counts.read, { timeout: 30_000 }).toBeGreaterThan(3)

    // Known to every process before any of them writes with it: what one writes again the others
    // can read.
    await using known = await startApi(testApp, { ENCRYPTION_KEYS: `${old},${next}` })
    reading.use(known)
    before.signal('SIGTERM')
    expect(await before.ended).toBe(0)
    expect(await notYet(next)).toBe(hosts.length * 2)

    await using both = await startApi(testApp, { ENCRYPTION_KEYS: `${next},${old}` })
    reading.use(both)
    known.signal('SIGTERM')
    expect(await known.ended).toBe(0)

    // The clean-up that `both` asked for when it started may have been done by `known`, with the
    // old key.
    await askForCleanUp()
    await expect.poll(() => notYet(next), { timeout: 60_000 }).toBe(0)
    await expect
      .poll(() => both.log.join('\n'), { timeout: 10_000 })
      .toContain('re-encrypted stored secrets with the first key')

    await using after = await startApi(testApp, { ENCRYPTION_KEYS: next })
    reading.use(after)
    both.signal('SIGTERM')
    expect(await both.ended).toBe(0)
    const soFar = reading.counts.read
    await expect.poll(() => reading.counts.read, { timeout: 30_000 }).toBeGreaterThan(soFar + 3)
    await reading.stop()

    const { read, failed } = reading.counts
    await recordMeasurement({
      target: 'S15',
      what: 'key changed in the running service, four generations of processes',
      measured: `${hosts.length * 2} stored secrets written anew, ${read} reads meanwhile, ${failed} failed`,
      reached: failed === 0,
    })
    expect(failed).toBe(0)
    for (const { log } of [known, both, after])
      expect(log.join('\n')).not.toContain('cannot be decrypted')
  })
})
