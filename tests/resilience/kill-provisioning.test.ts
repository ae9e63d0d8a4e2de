import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { expect, it } from 'vitest'
import {
  faultsOf,
  heldOf,
  type KilledTestApp,
  type KilledWrite,
  killedTestApps,
  killWrite,
  slowestOf,
  unsoundIn,
} from './kill-test-app.ts'
import { memberCreate, tenantCreate, writesOf } from './kill-writes.ts'
import { spread, type Write } from './kills.ts'

const testApps = killedTestApps()

type Choose = (testApp: MembersTestApp) => Write<never>

it('killed at every await of a tenant creation, it loses nothing and doubles nothing', async () => {
  const [testApp] = testApps
  if (!testApp) throw new Error('there is no test app')
  const killed = await killWrite(
    testApp,
    tenantCreate(testApp) as unknown as Write<never>,
    (points) => spread(points, rounds(6, 1_000)),
    rounds(0, 20),
  )
  const { awaits, systems, points, kills } = killed
  const faults = faultsOf(killed)
  const slowest = slowestOf(kills)
  await recordMeasurement({
    target: 'R1',
    what: 'tenant creation, killed before and after each of its awaits',
    measured: `${awaits} awaits, ${kills.length} kills, ${heldOf(kills)} of them exactly there, ${faults.length} faults, active ≤ ${slowest.toFixed(1)} s after the next start`,
    reached: faults.length === 0 && (!inFull || slowest <= 20),
  })
  expect([...systems].sort()).toEqual(['database', 'files', 'identity', 'mail'])
  expect(awaits).toBeGreaterThan(40)
  expect(heldOf(kills)).toBeGreaterThanOrEqual(Math.floor(points.length * 0.8))
  expect(faults).toEqual([])
})

it('so are the other writes that reach upstream systems', async () => {
  const choices: Choose[] = inFull
    ? writesOf(testApps[0] as MembersTestApp)
        .map(({ name }) => name)
        .filter((name) => name !== 'tenant create')
        .map(
          (name) => (testApp) =>
            writesOf(testApp).find((write) => write.name === name) as Write<never>,
        )
    : [(testApp) => memberCreate(testApp) as unknown as Write<never>]
  const each: KilledWrite[] = []
  const lane = async (testApp: KilledTestApp) => {
    for (let choose = choices.shift(); choose; choose = choices.shift()) {
      each.push(
        await killWrite(testApp, choose(testApp), (points) => spread(points, rounds(4, 12))),
      )
    }
  }
  await Promise.all(testApps.map(lane))
  const all = each.flatMap(({ kills }) => kills)
  const faults = each.flatMap(faultsOf)
  const members = each.filter(({ name }) => name.startsWith('member')).flatMap(({ kills }) => kills)
  await recordMeasurement({
    target: 'R1',
    what: `${each.length} other writes: ${each.map(({ name }) => name).join(', ')}`,
    measured: `${all.length} kills, ${heldOf(all)} exactly at their await, ${faults.length} faults; members active ≤ ${slowestOf(members).toFixed(1)} s after the next start, all settled ≤ ${slowestOf(all).toFixed(1)} s`,
    reached: faults.length === 0 && (!inFull || slowestOf(members) <= 20),
  })
  expect(all.length).toBeGreaterThanOrEqual(rounds(4, 150))
  expect(faults).toEqual([])
})

it('leaves the chains of the audit log whole, and every payment event taken and done', async () => {
  const sound = await Promise.all(testApps.map(unsoundIn))
  const faults = sound.flatMap((testApp) => testApp.faults)
  const chained = sound.reduce((sum, testApp) => sum + testApp.chained, 0)
  await recordMeasurement({
    target: 'R1',
    what: 'what was recorded meanwhile',
    measured: `${chained} chained audit entries and all payment events, ${faults.length} faults`,
    reached: faults.length === 0,
  })
  expect(chained).toBeGreaterThan(0)
  expect(faults).toEqual([])
})
