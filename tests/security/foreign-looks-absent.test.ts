import { randomBytes, randomUUID } from 'node:crypto'
import { restRoutes } from '@atrium/api/http/rest'
import { type Outcome, overRest, overTrpc } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import { type Caller, callers, type Row, type World } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { afterAll, beforeAll, expect, it } from 'vitest'

type Person = World & { token: string | undefined }
type Input = Record<string, unknown>

const wires = { REST: overRest, tRPC: overTrpc } as const
const places: Places = await openLocations()
const people = new Map<Caller, Person>()

beforeAll(async () => {
  for (const caller of callers) people.set(caller, await places.build(caller))
})
afterAll(() => places[Symbol.asyncDispose]())

/** A text like the given one in length and kind that names nothing. */
const absentName = (text: string) =>
  `${text.slice(0, text.lastIndexOf('-') + 1)}${randomBytes(6).toString('hex')}`
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * The same input with every name and id of the foreign world replaced by one that was never given
 * out, and what stands for what.
 */
function absentTwin(input: Input, foreign: World): { twin: Input; replaced: Map<string, string> } {
  const text = JSON.stringify(input)
  const names = [foreign.slug, foreign.partnerSlug].map((name): [string, string] => [
    name,
    absentName(name),
  ])
  const replaced = new Map(names.filter(([name]) => text.includes(name)))
  for (const [id] of text.matchAll(uuids)) if (!replaced.has(id)) replaced.set(id, randomUUID())
  return { twin: JSON.parse(substitute(text, replaced)), replaced }
}

function substitute(text: string, pairs: Iterable<readonly [string, string]>): string {
  let result = text
  for (const [from, to] of pairs) result = result.replaceAll(from, to)
  return result
}

/**
 * Headers whose values count the caller's own calls: present or not on both sides, with numbers
 * that go down by themselves.
 */
const counting = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

/** All that a caller can see of a response, without what differs between any two responses. */
function shown({ status, body, headers }: Outcome, replaced: Map<string, string>): string {
  const back = [...replaced].map(([from, to]) => [to, from] as const)
  const visible = [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    .map(([name, value]) => (counting.includes(name) ? name : [name, value]))
    .sort()
  return substitute(
    JSON.stringify({ status, visible, body }).replace(/\\?"requestId\\?":\\?"[^"]*"/g, ''),
    back,
  )
}

interface Difference {
  name: string
  wire: string
  caller: Caller
  foreign: string
  absent: string
}
const differences: Difference[] = []
/**
 * Calls that were let through under the caller's own name although they carried a name of the
 * foreign world.
 */
const accepted = new Set<string>()
const counts = { pairs: 0, inside: 0 }

async function compare(
  name: string,
  caller: Caller,
  input: Input,
  foreign: World,
  under: 'own' | 'foreign',
): Promise<void> {
  const { twin, replaced } = absentTwin(input, foreign)
  if (replaced.size === 0) return
  const { token } = people.get(caller) as Person
  for (const [wire, call] of Object.entries(wires)) {
    const pair = async () => {
      const there = await call(places.testApp, name, input, token)
      const absent = await call(places.testApp, name, twin, token)
      counts.pairs++
      return {
        there,
        absent,
        seen: { foreign: shown(there, replaced), absent: shown(absent, replaced) },
      }
    }
    let { there, absent, seen } = await pair()
    if (under === 'own' && there.status < 300 && absent.status < 300) accepted.add(name)
    // What both let through may have changed between the two answers, by another row that is tried
    // at the same time.
    for (
      let n = 0;
      n < 3 && there.status < 300 && absent.status < 300 && seen.foreign !== seen.absent;
      n++
    )
      ({ there, absent, seen } = await pair())
    if (seen.foreign !== seen.absent && !accepted.has(name))
      differences.push({ name, wire, caller, ...seen })
  }
}

/**
 * The caller's own tenant or partner in the address, and what belongs to the foreign one everywhere
 * else.
 */
function underOwnName(input: Input, foreign: World, own: World): Input | undefined {
  if (input.slug === foreign.slug) return { ...input, slug: own.slug }
  if (input.slug === foreign.partnerSlug) return { ...input, slug: own.partnerSlug }
  return undefined
}

// Each of these is open to visitors, who are told of every page that is published: there is nothing
// to hide behind its address.
const open = Object.entries(matrix).filter(
  ([, [row]]) => row?.expected.nobody !== 'unauthenticated',
)
const procedures = Object.entries(matrix).filter(
  ([name]) => !open.some(([other]) => other === name),
)
// The domain that they name is nobody's yet, and taken once the first actor has named it: whose it
// is will be asked of the DNS.
const claiming = ['domains.add', 'tenants.update']

it('has every path of the API description among its calls, and what visitors may open is what the contract names', async () => {
  const { body } = await places.testApp.request('GET', '/openapi.json')
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routes = restRoutes()
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
  expect(routes.map(({ name }) => name).sort()).toEqual(Object.keys(matrix).sort())
  expect(open.map(([name]) => name).sort()).toEqual([
    'account.unsubscribe',
    'addressClaims.move',
    'invitations.accept',
    'invitations.decline',
    'invitations.open',
    'invitations.show',
    'scheduling.book.create',
    'scheduling.locks.release',
    'scheduling.locks.renew',
    'scheduling.locks.take',
    'scheduling.manage.calendar',
    'scheduling.manage.cancel',
    'scheduling.manage.get',
    'scheduling.manage.inviteGuests',
    'scheduling.manage.reschedule',
    'scheduling.manage.sendLink',
    'scheduling.pages.eventType',
    'scheduling.pages.host',
    'scheduling.pages.tenant',
    'scheduling.slots.list',
  ])
  await recordMeasurement({
    target: 'S1',
    what: 'routes found by walking the router and the API description',
    measured: `${routes.length} paths, ${Object.keys(matrix).length} procedures, each with rows for ${callers.length} actors`,
    reached: true,
  })
})

it('responds to others’ records exactly as to missing ones', async () => {
  const rows = procedures.flatMap(([name, ofName]) => ofName.map((row) => ({ name, row })))
  const left = [...rows.entries()]
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift())
      await tryRow(next[1].name, next[1].row, next[0])
  }
  await Promise.all(Array.from({ length: 4 }, work))
  const calls = counts.pairs * 2
  await recordMeasurement({
    target: 'S1',
    what: 'foreign beside absent, byte by byte',
    measured: `${procedures.length} procedures × ${callers.length} actors over REST and tRPC: ${calls} calls, ${counts.inside} with a foreign id under the own name, ${differences.length} differences`,
    reached: differences.length === 0 && accepted.size === 0,
  })
  expect(differences).toEqual([])
  expect([...accepted]).toEqual([])
  expect(counts.pairs).toBeGreaterThan(rows.length * 4)
  expect(counts.inside).toBeGreaterThan(100)
})

async function tryRow(name: string, row: Row, index: number): Promise<void> {
  const foreign = await places.elsewhere()
  const input = await row.input(foreign)
  // In the everyday form every procedure meets a few of the actors, each time others.
  const asking = callers.filter((_, at) => inFull || at % 6 === index % 6)
  for (const caller of asking) {
    const own = people.get(caller) as Person
    // Operators know of every tenant by right.
    if (caller !== 'operator') await compare(name, caller, input, foreign, 'foreign')
    const inside = underOwnName(input, foreign, own)
    if (!inside || claiming.includes(name) || absentTwin(inside, foreign).replaced.size === 0)
      continue
    counts.inside++
    await compare(name, caller, inside, foreign, 'own')
  }
}
