import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { expect, it } from 'vitest'
import { startScaledTestApp } from './cluster.ts'
import { startLoad } from './load.ts'

const restarts = rounds(2, 20)

it(`${restarts} restarts, one process after the other, and nobody notices`, async () => {
  await using scaled = await startScaledTestApp({ processes: 2 })
  const load = await startLoad(scaled)
  const codes: (number | null)[] = []
  let slowest = 0
  for (let i = 0; i < restarts; i++) {
    const [oldest] = scaled.processes
    if (!oldest) throw new Error('there is no process to restart')
    const began = performance.now()
    codes.push(await scaled.stop(oldest))
    await scaled.start()
    slowest = Math.max(slowest, performance.now() - began)
  }
  await load.stop()

  const failed = [...load.failed, ...scaled.balancer.broken]
  const { created, streams, reads } = load
  await recordMeasurement({
    target: 'R10',
    what: 'restarts under reads, creates and streams over kept-alive connections',
    measured:
      `${restarts} restarts, ${failed.length} failed of ${reads + created.size} requests (${created.size} creates), ` +
      `${streams.begun} streams begun anew, slowest restart ${(slowest / 1000).toFixed(1)} s`,
    reached: failed.length === 0 && codes.every((code) => code === 0),
  })
  expect(failed).toEqual([])
  expect(codes).toEqual(Array(restarts).fill(0))
  expect(scaled.processes).toHaveLength(2)
  // Nothing that was said to be there is missing, and nothing was made twice.
  expect(reads).toBeGreaterThan(restarts)
  expect(created.size).toBeGreaterThan(restarts)
  expect(streams.begun).toBeGreaterThan(1)
  expect(streams.events).toBeGreaterThanOrEqual(streams.begun)
  const slugs = [...created.values()].map(({ slug }) => slug)
  const rows = await scaled.testApp.database.db
    .selectFrom('tenants')
    .select(['id', 'slug'])
    .where('slug', 'in', slugs)
    .execute()
  expect(rows.map(({ slug }) => slug).toSorted()).toEqual(slugs.toSorted())
  const newcomer = await scaled.testApp.token('newcomer@example.test')
  for (const [key, { slug, id }] of [...created].slice(-10)) {
    const body = { name: slug, slug, respondAsync: true }
    const again = await scaled.send('POST', '/tenants', {
      token: newcomer,
      body,
      headers: { 'idempotency-key': key },
    })
    expect([again.status, again.body.id, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      id,
      'true',
    ])
  }
})
