import { startApi } from '@atrium/testing/api-process'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { type ReplicatedDatabase, startReplicated } from '@atrium/testing/postgres/replicated'
import { startTestApp } from '@atrium/testing/test-app'
import { expect, it } from 'vitest'
import { onPort } from './cluster.ts'
import { type AddressSwitch, openSwitch } from './switch.ts'
import { missingOf, startWriters, type Writers } from './writers.ts'

const promotions = rounds(1, 10)
const backWithinMs = 5_000

/**
 * Kills the primary in the midst of the writes and promotes the standby; returns the milliseconds
 * until a write was taken again.
 */
async function failOver(
  servers: ReplicatedDatabase,
  address: AddressSwitch,
  writers: Writers,
): Promise<number> {
  const before = writers.acknowledged.length
  await expect
    .poll(() => writers.acknowledged.length, { timeout: 30_000, interval: 5 })
    .toBeGreaterThanOrEqual(before + 20)
  const began = performance.now()
  const next = await servers.promote()
  address.to(next.port)
  const since = performance.now()
  await expect
    .poll(() => writers.acknowledged.some(({ at }) => at > since), { timeout: 60_000, interval: 5 })
    .toBe(true)
  return (writers.acknowledged.find(({ at }) => at > since)?.at ?? performance.now()) - began
}

it(`the standby takes over ${promotions} times while people write, and the service goes on by itself`, async () => {
  await using servers = await startReplicated({ standby: true, synchronous: true })
  await using address = await openSwitch(servers.primary.port)
  const accounts = {
    ownerUrl: servers.accounts.ownerUrl,
    appUrl: onPort(servers.accounts.appUrl, address.port),
  }
  await using testApp = await startTestApp({
    accounts,
    manyChanges: true,
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
  await using api = await startApi(testApp)
  const writers = startWriters([api.url], await testApp.token('newcomer@example.test'), {
    count: 4,
  })
  const away: number[] = []
  const missing: string[] = []
  for (let i = 0; i < promotions; i++) {
    if (!servers.standby) await servers.follow({ synchronous: true })
    away.push(await failOver(servers, address, writers))
    missing.push(...(await missingOf(testApp, writers.acknowledged)))
  }
  await writers.stop()
  missing.push(...(await missingOf(testApp, writers.acknowledged)))

  const slowest = Math.max(...away)
  await recordMeasurement({
    target: 'R13',
    what: 'primary killed under writes, synchronous standby promoted',
    measured:
      `${promotions} promotions, ${writers.acknowledged.length} writes acknowledged, ${missing.length} lost, ` +
      `service back after ${away.map((ms) => (ms / 1000).toFixed(2)).join(', ')} s`,
    reached: missing.length === 0 && slowest <= backWithinMs,
  })
  expect(missing).toEqual([])
  // While there is no primary, callers get a rejection; every call gets a response, and nothing
  // else goes wrong.
  expect(writers.unanswered).toEqual([])
  expect([...writers.answers.keys()].toSorted().filter((status) => status !== 503)).toEqual([201])
  // What listens and what works off jobs has found the new server: a tenant of now is set up as any
  // other.
  const token = await testApp.token('newcomer@example.test')
  const slug = writers.acknowledged.at(-1)?.slug
  const statusOf = async () => {
    const told = await fetch(`${api.url}/tenants/${slug}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return ((await told.json()) as { status?: string }).status
  }
  await expect.poll(statusOf, { timeout: 60_000, interval: 250 }).toBe('active')
  expect(api.log.filter((line) => line.includes('unhandled promise rejection'))).toEqual([])
})
