import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MembersHouse, openMembersHouse } from '../../apps/api/test/members-house.ts'
import { inFull, recordFigure, rounds } from '../figures.ts'
import { buildApi } from './built-api.ts'
import { memberCreate, tenantCreate, writesOf } from './kill-writes.ts'
import { atRandom, everyPoint, type Kill, killEverywhere, rehearse, spread, type Write } from './kills.ts'

/** Systems that each write is killed in side by side: most of the time goes into waiting for leases to end. */
const houses: (MembersHouse & { entry?: string })[] = []
let built: Awaited<ReturnType<typeof buildApi>> | undefined

beforeAll(async () => {
  built = inFull ? await buildApi() : undefined
  for (let n = 0; n < rounds(1, 3); n++) {
    const house = await openMembersHouse({ sandbox: { identity: { accessTokenSeconds: 4 * 3600 } } })
    houses.push(Object.assign(house, built && { entry: built.entry }))
  }
})
afterAll(async () => {
  for (const house of houses) await house[Symbol.asyncDispose]()
  await built?.[Symbol.asyncDispose]()
})

type Choose = (house: MembersHouse) => Write<never>

/** Kills one write at points of its own sequence. */
async function kill(house: MembersHouse & { entry?: string }, write: Write<never>, count: number, randomly = 0) {
  const rehearsal = await rehearse(house, write)
  const points = [...spread(everyPoint(rehearsal.crossings), count), ...atRandom(rehearsal.crossings.length, randomly)]
  const kills = await killEverywhere(house, write, rehearsal, points)
  return {
    name: write.name,
    awaits: rehearsal.crossings.length,
    systems: new Set(rehearsal.crossings.map(({ system }) => system)),
    points,
    kills,
  }
}

const faultsOf = (name: string, kills: readonly Kill[]) =>
  kills.flatMap(({ point, faults }) => faults.map((fault) => `${name}, killed ${point}: ${fault}`))
const slowestOf = (kills: readonly Kill[]) => Math.max(...kills.map(({ settledMs }) => settledMs)) / 1000
const heldOf = (kills: readonly Kill[]) => kills.filter(({ side }) => side === 'before' || side === 'after').length

it('killed at every await of a tenant creation, it loses nothing and doubles nothing', async () => {
  const [house] = houses
  if (!house) throw new Error('there is no house')
  const { awaits, systems, points, kills } = await kill(
    house,
    tenantCreate(house) as unknown as Write<never>,
    rounds(6, 1_000),
    rounds(0, 20),
  )
  const faults = faultsOf('tenant create', kills)
  const slowest = slowestOf(kills)
  await recordFigure({
    goal: 'R1',
    what: 'tenant creation, killed before and after each of its awaits',
    measured: `${awaits} awaits, ${kills.length} kills, ${heldOf(kills)} of them exactly there, ${faults.length} faults, active ≤ ${slowest.toFixed(1)} s after the next start`,
    reached: faults.length === 0 && (!inFull || slowest <= 20),
  })
  expect([...systems].sort()).toEqual(['database', 'files', 'identity', 'mail'])
  expect(awaits).toBeGreaterThan(40)
  expect(heldOf(kills)).toBeGreaterThanOrEqual(Math.floor(points.length * 0.8))
  expect(faults).toEqual([])
})

it('so are the other writes that reach outside systems', async () => {
  const choices: Choose[] = inFull
    ? writesOf(houses[0] as MembersHouse)
        .map(({ name }) => name)
        .filter((name) => name !== 'tenant create')
        .map((name) => (house) => writesOf(house).find((write) => write.name === name) as Write<never>)
    : [(house) => memberCreate(house) as unknown as Write<never>]
  const each: Awaited<ReturnType<typeof kill>>[] = []
  const lane = async (house: MembersHouse & { entry?: string }) => {
    for (let choose = choices.shift(); choose; choose = choices.shift()) each.push(await kill(house, choose(house), rounds(4, 12)))
  }
  await Promise.all(houses.map(lane))
  const all = each.flatMap(({ kills }) => kills)
  const faults = each.flatMap(({ name, kills }) => faultsOf(name, kills))
  const members = each.filter(({ name }) => name.startsWith('member')).flatMap(({ kills }) => kills)
  await recordFigure({
    goal: 'R1',
    what: `${each.length} other writes: ${each.map(({ name }) => name).join(', ')}`,
    measured: `${all.length} kills, ${heldOf(all)} exactly at their await, ${faults.length} faults; members active ≤ ${slowestOf(members).toFixed(1)} s after the next start, all settled ≤ ${slowestOf(all).toFixed(1)} s`,
    reached: faults.length === 0 && (!inFull || slowestOf(members) <= 20),
  })
  expect(all.length).toBeGreaterThanOrEqual(rounds(4, 150))
  expect(faults).toEqual([])
})
