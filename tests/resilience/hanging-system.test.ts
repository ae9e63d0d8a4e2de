import { setTimeout as delay } from 'node:timers/promises'
import { type ApiProcess, send, startApi } from '@atrium/testing/api-process'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: MembersTestApp
let api: ApiProcess
beforeAll(async () => {
  testApp = await startMembersTestApp({
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
  api = await startApi(testApp)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await testApp[Symbol.asyncDispose]()
})

/** Systems that other requests of the service do not need. */
const systems = ['files', 'mail', 'identity'] as const
const readers = 8
const readsEach = rounds(6, 250)
/** What reaches outside beside the reads: creations, this often. */
const everyMs = 250

let made = 0

interface Window {
  p99: number
  reads: number
  refused: number
}

/** Reads as fast as responses arrive, while tenants are created that call every upstream system. */
async function underLoad(): Promise<Window> {
  let reading = readers
  const times: number[] = []
  let refused = 0
  const paths = ['/tenants/acme', '/tenants', '/users/me', '/tenants/acme/users']
  const read = async (n: number) => {
    for (let turn = n; turn < n + readsEach; turn++) {
      const began = performance.now()
      const { status } = await send(
        api.url,
        'GET',
        paths[turn % paths.length] ?? '/',
        testApp.as.admin,
      )
      times.push(performance.now() - began)
      if (status !== 200) refused += 1
    }
    reading -= 1
  }
  const creations: Promise<unknown>[] = []
  const create = async () => {
    while (reading > 0) {
      made += 1
      const slug = `beside-${made}`
      creations.push(
        send(api.url, 'POST', '/tenants', testApp.as.outsider, {
          name: slug,
          slug,
          respondAsync: true,
        }),
      )
      await delay(everyMs)
    }
  }
  const reads = Array.from({ length: readers }, (_, n) => read(n))
  await Promise.all([...reads, create()])
  await Promise.all(creations)
  times.sort((a, b) => a - b)
  return { p99: times[Math.floor(times.length * 0.99)] ?? 0, reads: times.length, refused }
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

it.each(inFull ? systems : (['files'] as const))(
  'while the %s system hangs, other endpoints answer as before',
  async (system) => {
    const ratios: number[] = []
    const pairs: [number, number][] = []
    const seen = { reads: 0, refused: 0, rejectedAnyway: 0 }
    await underLoad()
    for (let round = 0; round < rounds(2, 9); round++) {
      const calm = await underLoad()
      testApp.sandbox.fault({ system, mode: 'timeout' })
      const hanging = await underLoad()
      testApp.sandbox.clearFaults()
      ratios.push(hanging.p99 / calm.p99)
      pairs.push([calm.p99, hanging.p99])
      seen.reads += hanging.reads
      seen.refused += hanging.refused
      seen.rejectedAnyway += calm.refused
    }
    const ratio = median(ratios)
    await recordMeasurement({
      target: 'R5',
      what: `${system} hangs`,
      measured: `p99 ${median(pairs.map(([, with_]) => with_)).toFixed(1)} ms against ${median(pairs.map(([without]) => without)).toFixed(1)} ms, ${ratio.toFixed(2)}× in the median of ${ratios.length} rounds, ${seen.refused} of ${seen.reads} reads refused, ${seen.rejectedAnyway} without`,
      reached: !inFull || (seen.refused === 0 && ratio <= 1.2),
    })
    // A machine that is overloaded rejects reads whatever hangs: a read by key has a second.
    if (seen.rejectedAnyway === 0) expect(seen.refused).toBe(0)
    expect(seen.reads).toBe(ratios.length * readers * readsEach)
    // A call is recorded when it has ended: by the deadline of the service, never by a response.
    const hung = () => testApp.sandbox.state()[system].calls.filter((call) => call.fault).length
    await expect.poll(hung, { timeout: 30_000 }).toBeGreaterThan(0)
  },
)
