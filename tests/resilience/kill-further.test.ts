import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { furtherWrites } from './kill-further.ts'
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
import { writesOf } from './kill-writes.ts'
import { spread } from './kills.ts'

const testApps = killedTestApps()
/**
 * What is tried in the everyday form; `KILL_SEED` and `KILL_WRITES` (names of any write, with
 * commas between) bring a run back.
 */
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const named = process.env.KILL_WRITES?.split(',')

/**
 * In the everyday form: processes start several times, on machines that do other things besides.
 */
const patienceMs = inFull ? undefined : 300_000

/** So many of them, the same ones at every run with the same seed. */
function drawn<Item>(items: readonly Item[], count: number): Item[] {
  const some = fc.shuffledSubarray([...items], {
    minLength: Math.min(count, items.length),
    maxLength: Math.min(count, items.length),
  })
  return fc.sample(some, { numRuns: 1, seed })[0] ?? []
}

it(
  'killed while rights change, something is removed, a calendar is connected or money moves, it loses nothing and doubles nothing',
  async () => {
    const writes = testApps.flatMap((testApp, index) => (index === 0 ? furtherWrites(testApp) : []))
    const names = writes.map(({ name }) => name)
    const quick = writes.filter(({ lapses }) => !lapses).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(30)
    const choices = named ?? (inFull ? names : drawn(quick, 1))
    const each: KilledWrite[] = []
    const left = [...choices]
    const lane = async (testApp: KilledTestApp) => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const write = [...furtherWrites(testApp), ...writesOf(testApp)].find(
          (one) => one.name === name,
        )
        if (!write) throw new Error(`there is no write ${name}`)
        each.push(
          await killWrite(testApp, write, (points) =>
            inFull ? spread(points, 12) : drawn(points, 4),
          ),
        )
      }
    }
    await Promise.all(testApps.map(lane))
    const all = each.flatMap(({ kills }) => kills)
    const faults = each.flatMap(faultsOf)
    const sound = await Promise.all(testApps.map(unsoundIn))
    const unsound = sound.flatMap((testApp) => testApp.faults)
    const chained = sound.reduce((sum, testApp) => sum + testApp.chained, 0)
    await recordMeasurement({
      target: 'R1',
      what: `${each.length} of ${names.length} further writes: ${each.map(({ name, awaits }) => `${name} (${awaits})`).join(', ')}`,
      measured: `${all.length} kills, ${heldOf(all)} exactly at their await, ${faults.length} faults, ${chained} chained audit entries and all payment events with ${unsound.length} faults; all settled ≤ ${slowestOf(all).toFixed(1)} s${inFull ? '' : ` (seed ${seed})`}`,
      reached: faults.length + unsound.length === 0,
    })
    expect(all.length).toBeGreaterThanOrEqual(choices.length * 4)
    expect(chained).toBeGreaterThan(0)
    expect([...faults, ...unsound], `KILL_SEED=${seed}`).toEqual([])
  },
  patienceMs,
)
