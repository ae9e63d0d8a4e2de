import { type Outcome, overRest, overTrpc } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import { type Caller, callers, type Expected } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { recordMeasurement } from '@atrium/testing/measurements'
import type { TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restRoutes } from '../src/http/rest.ts'
import { appRouter } from '../src/router.ts'

let places: Places
let testApp: TestApp
let build: Places['build']

beforeAll(async () => {
  places = await openLocations()
  ;({ testApp, build } = places)
}, 60_000)
const calls = { made: 0, deviating: 0 }
afterAll(async () => {
  const requested = Object.values(matrix)
    .flat()
    .reduce((sum, { expected }) => sum + callers.length + callersOverRest(expected).length, 0)
  await recordMeasurement({
    target: 'S1',
    what: 'every procedure × actor, own and foreign tenant',
    measured: `${Object.keys(matrix).length} procedures over tRPC × ${callers.length} actors, over REST for one who may and one who may not: ${calls.made} calls, ${calls.deviating} deviations`,
    reached: calls.made === requested && calls.deviating === 0,
  })
  await places[Symbol.asyncDispose]()
})

/** Four at once unless told otherwise: most of a call is waiting. */
async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  atOnce = 4,
): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

it('has a row for every procedure and every REST path, and none for what does not exist', () => {
  expect(Object.keys(matrix).sort()).toEqual(Object.keys(appRouter._def.procedures).sort())
  expect(
    restRoutes()
      .map((route) => route.name)
      .sort(),
  ).toEqual(Object.keys(matrix).sort())
})

const mutations = new Set(
  restRoutes()
    .filter(({ type }) => type === 'mutation')
    .map(({ name }) => name),
)

/**
 * Callers share two tenants unless the call changes something. The input of these calls creates
 * records of which a tenant has one (a host by its name, a subscription, a person's identity), so
 * each caller needs tenants of its own.
 */
const inputOncePerTenant = /^(members|scheduling|subscriptions)\./

const wires = { tRPC: overTrpc, REST: overRest } as const

/**
 * One caller who is let in and one who has an identity and is not: both wires call the same
 * procedure, so REST can only differ in how it hands token and rejection on.
 */
function callersOverRest(expected: Expected): Caller[] {
  const identified = callers.filter((caller) => caller !== 'nobody' && caller !== 'badToken')
  const allowed = identified.find((caller) => expected[caller] === 'ok')
  const rejected: Caller = identified.find((caller) => expected[caller] !== 'ok') ?? 'nobody'
  return allowed ? [allowed, rejected] : [rejected]
}

describe.each(
  Object.entries(matrix).flatMap(([name, rows]) =>
    rows.map((row, index) => ({ name, row, index })),
  ),
)('$name, call $index', ({ name, row }) => {
  it.each([
    { wire: 'tRPC' as const, asked: callers },
    { wire: 'REST' as const, asked: callersOverRest(row.expected) },
  ])('lets in exactly whom the contract names over $wire', async ({ wire, asked }) => {
    const outcomes: Record<string, string> = {}
    const shared = inputOncePerTenant.test(name) ? undefined : await places.tenants()
    const changes = (caller: Caller) => mutations.has(name) && row.expected[caller] === 'ok'
    const ask = async (caller: Caller) => {
      const world = await build(caller, changes(caller) ? undefined : shared)
      const response = await wires[wire](testApp, name, await row.input(world), world.token)
      outcomes[caller] = response.outcome
      calls.made++
      if (response.outcome !== row.expected[caller]) calls.deviating++
    }
    await forEach(asked, ask, row.oneAtATime ? 1 : 4)
    expect(outcomes).toEqual(
      Object.fromEntries(asked.map((caller) => [caller, row.expected[caller]])),
    )
  })
})

describe('a tenant that the caller may not know of', () => {
  const inPath = new Map(
    restRoutes().map(({ name, path }) => [
      name,
      path.replace('/api/v1', '').startsWith('/tenants/{slug}'),
    ]),
  )
  const tenantProcedures = Object.keys(matrix).filter((name) => inPath.get(name))
  const outsiders = callers.filter(
    (caller) => !['member', 'admin', 'owner', 'partnerStaff', 'operator'].includes(caller),
  )
  /** Those who once belonged to the tenant; all others are strangers to every tenant but theirs. */
  const formerPeople = ['suspendedMember', 'deactivatedAdmin'] as const
  const strangers = outsiders.filter((caller) => !formerPeople.some((former) => former === caller))
  const tokens = new Map<Caller, string | undefined>()
  beforeAll(async () => {
    for (const caller of strangers) tokens.set(caller, (await build(caller)).token)
  })

  it.each(tenantProcedures)('looks like one that does not exist: %s', async (name) => {
    const row = matrix[name]?.[0]
    if (!row) throw new Error('no row')
    const compare = async (
      wire: keyof typeof wires,
      caller: Caller,
      input: Record<string, unknown>,
      token: string | undefined,
    ) => {
      const [there, absent] = [
        await wires[wire](testApp, name, input, token),
        await wires[wire](testApp, name, { ...input, slug: 'never-made' }, token),
      ]
      expect(shown(there), `${caller} of ${name} over ${wire}`).toEqual(shown(absent))
    }
    // One input for all: nobody here gets so far as to change what it is about.
    let input: Record<string, unknown> = {}
    for (const caller of formerPeople) {
      const world = await build(caller)
      input = await row.input(world)
      for (const wire of ['tRPC', 'REST'] as const) await compare(wire, caller, input, world.token)
    }
    await forEach(strangers, (caller) => compare('tRPC', caller, input, tokens.get(caller)))
    await compare('REST', 'foreignAdmin', input, tokens.get('foreignAdmin'))
  })

  it('takes no part in the lists of outsiders', async () => {
    for (const caller of outsiders) {
      const world = await build(caller)
      const { body } = await overRest(testApp, 'tenants.list', { q: world.slug }, world.token)
      expect(body.items ?? [], caller).toEqual([])
    }
  })
})

function shown({ status, outcome, body, headers }: Outcome) {
  const {
    requestId: _,
    data: __,
    path: ___,
    ...visible
  } = typeof body === 'string' ? { body: body.replace(/[0-9a-f-]{36}/g, '') } : body
  return { status, outcome, visible, challenge: headers.get('www-authenticate') }
}
