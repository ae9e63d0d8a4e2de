import { setTimeout as delay } from 'node:timers/promises'
import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { scimRouter } from '@atrium/api/scim/router'
import type { BookingsTestApp } from '@atrium/testing/bookings-test-app'
import { overRest } from '@atrium/testing/calls'
import { carriedOut } from '@atrium/testing/carried-out'
import { openLocations } from '@atrium/testing/matrix/world'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { expect, it } from 'vitest'
import { bookingWrites } from './booking-writes.ts'
import { killed, notKilled, withinRecords } from './kill-covered.ts'
import { furtherWrites } from './kill-further.ts'
import { writesOf } from './kill-writes.ts'

const mutationsOf = (of: Parameters<typeof proceduresOf>[0]) =>
  Object.entries(proceduresOf(of)).flatMap(([name, { _def }]) =>
    _def.type === 'mutation' ? [name] : [],
  )
const mutations = [
  ...mutationsOf(appRouter),
  ...mutationsOf(scimRouter).map((name) => `scim.${name}`),
]
const systems = ['identity', 'mail', 'files', 'payments'] as const

/**
 * The calls to upstream systems, including reads; background work after the response gets a moment.
 */
async function reached(
  places: Awaited<ReturnType<typeof openLocations>>,
  name: string,
): Promise<string[]> {
  const { testApp } = places
  const made: string[] = []
  for (const call of carriedOut(name)) {
    const world = await places.build(call.caller)
    const { input, token } = await call.prepare(world)
    await delay(50)
    const last = systems.map((system) => testApp.sandbox.state()[system].calls.at(-1))
    const { outcome, body } = await overRest(testApp, name, input, token)
    if (outcome !== 'ok') throw new Error(`${name} was refused: ${outcome} ${JSON.stringify(body)}`)
    await delay(50)
    for (const [index, system] of systems.entries()) {
      const { calls } = testApp.sandbox.state()[system]
      const before = last[index]
      const since = before ? calls.lastIndexOf(before) + 1 : 0
      made.push(...calls.slice(since).map(({ method, path }) => `${system} ${method} ${path}`))
    }
  }
  return made
}

it('knows of every mutation where it is killed, or that one transaction is all of it', () => {
  const known = [...Object.keys(killed), ...Object.keys(notKilled), ...withinRecords]
  expect(mutations.length).toBeGreaterThan(100)
  expect([...known].sort()).toEqual([...mutations].sort())
  // The tables name writes without a test app being asked for anything.
  const names = [
    ...writesOf({} as MembersTestApp),
    ...furtherWrites({} as MembersTestApp),
    ...bookingWrites({ at: () => new Date() } as unknown as BookingsTestApp),
  ]
  const there = new Set(names.map(({ name }) => name))
  expect(Object.values(killed).filter((name) => !there.has(name))).toEqual([])
})

it('what is said to stay within our records reaches nothing outside when it is carried out', async () => {
  await using places = await openLocations()
  const asked = withinRecords.slice(0, rounds(15, 1_000))
  const reaching: string[] = []
  for (const name of asked) {
    const calls = await reached(places, name)
    if (calls.length > 0) reaching.push(`${name}: ${calls.join(', ')}`)
  }
  // A suite whose look never sees a call has shown nothing.
  const seen = await reached(places, 'users.deactivate')
  await recordMeasurement({
    target: 'R1',
    what: 'which mutations are killed',
    measured: `${Object.keys(killed).length} of ${mutations.length} are, ${Object.keys(notKilled).length} are the work of another or only read outside, ${withinRecords.length} are one transaction: ${asked.length} of those carried out, ${reaching.length} reached outside`,
    reached: reaching.length === 0 && seen.length > 0,
  })
  expect(seen.length).toBeGreaterThan(0)
  expect(reaching).toEqual([])
})
