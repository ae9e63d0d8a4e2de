import { restRoutes } from '@atrium/api/http/rest'
import type { Schema } from '@atrium/testing/json-schema'
import { matrix } from '@atrium/testing/matrix/all'
import type { Caller } from '@atrium/testing/matrix/rows'
import { openLocations } from '@atrium/testing/matrix/world'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { objectsOf, valuesOf, wild } from './document-arbitraries.ts'

interface Operation {
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Answered | { $ref: string }>
}
interface Answered {
  content?: Record<string, { schema: Schema }>
}
interface Target {
  name: string
  method: string
  path: string
  operation: Operation
}
interface Sent {
  method: string
  address: string
  headers: Record<string, string>
  body: string | undefined
}

const places = await openLocations()
afterAll(() => places[Symbol.asyncDispose]())
const { testApp } = places
const document = (await testApp.request('GET', '/openapi.json')).body as {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Answered> }
}
const names = new Map(restRoutes().map(({ name, method, path }) => [`${method} ${path}`, name]))
const targets: Target[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([key, operation]) => {
    const method = key.toUpperCase()
    return { name: names.get(`${method} ${path}`) ?? '', method, path, operation }
  }),
)

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'atrium', ...document })
const validators = new Map<string, ValidateFunction>()
/** The schema at a place in the document, compiled once. */
function validatorAt(...place: string[]): ValidateFunction {
  const pointer = place
    .map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')))
    .join('/')
  const known = validators.get(pointer)
  if (known) return known
  const made = ajv.compile({ $ref: `atrium#/${pointer}` })
  validators.set(pointer, made)
  return made
}

// What a failure of ours would show: a statement, a stack, a path of the machine, a driver's or an
// upstream's words.
const leaks =
  /select .+ from|insert into|update .+ set|at .+\.[jt]s:\d+|node_modules|\/(?:home|root|tmp)\/|ECONN|sandbox-identity-token|pg_|kysely|violates/gi

/**
 * A rejection names the fields that it does not know, and a field drawn at random may be called
 * `pg_`.
 */
function showsInside(text: string, { address, body = '' }: Sent): boolean {
  const asked = `${decodeURIComponent(address)} ${body}`
  return [...text.matchAll(leaks)].some(([shown]) => !asked.includes(shown))
}

/**
 * Rejections in the five hundreds that tell of what this test app has not got: calendars of hosts.
 */
const told = new Set(['calendar_unavailable'])

/** Why the response violates the description; undefined for a valid one. */
async function faultOf(
  { path, method, operation }: Target,
  request: Sent,
  response: Response,
): Promise<string | undefined> {
  const { status } = response
  const listed = operation.responses[String(status)]
  if (!listed) return `answered ${status}, which the description does not name`
  const component =
    '$ref' in listed ? listed.$ref.slice('#/components/responses/'.length) : undefined
  const described =
    component === undefined ? (listed as Answered) : document.components.responses[component]
  if (!described) return `answered ${status}, whose description is not there`
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const text = await beginning(response, type)
  if (!described.content)
    return text === ''
      ? undefined
      : `answered ${status} with a body that the description does not name`
  if (!described.content[type])
    return `answered ${status} as ${type || 'nothing'}, which the description does not name`
  if (!/[/+]json$/.test(type)) return undefined
  const own = ['paths', path, method.toLowerCase(), 'responses', String(status)]
  const place = [
    ...(component === undefined ? own : ['components', 'responses', component]),
    'content',
    type,
    'schema',
  ]
  const body: unknown = JSON.parse(text)
  const validate = validatorAt(...place)
  if (!validate(body))
    return `answered ${status} with ${text.slice(0, 400)}: ${ajv.errorsText(validate.errors)}`
  if (status >= 400 && showsInside(text, request)) return `shows its inside: ${text}`
  if (status >= 500 && !told.has((body as { code: string }).code))
    return `answered ${status} with ${text}`
  return undefined
}

/** Streams go on, exports are long: of both the beginning is enough. */
async function beginning(response: Response, type: string): Promise<string> {
  if (!response.body || !['text/event-stream', 'application/x-ndjson', 'text/csv'].includes(type))
    return response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return value ? new TextDecoder().decode(value) : ''
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())
const asText = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
// An address with a part of only dots is another address before it is sent.
const inPath = (value: unknown) => encode(asText(value)).replace(/^\.{1,2}$/, '%20') || '%20'

/**
 * Requests for one path: the good one of the matrix with some of it replaced, then what the schemas
 * say, then anything.
 */
function requestsFor({
  method,
  path,
  operation,
}: Target): (good: Record<string, unknown>) => fc.Arbitrary<Sent> {
  const parameters = operation.parameters ?? []
  const schema = operation.requestBody?.content['application/json'].schema
  const query = fc.record(ofPlace('query'), { requiredKeys: [] })
  const drawnPath = fc.record(ofPlace('path'))
  const drawnBody = schema ? objectsOf(schema) : fc.constant({})
  const headers = fc.oneof(
    { arbitrary: fc.constant<Record<string, string>>({}), weight: 6 },
    {
      arbitrary: fc.constantFrom<Record<string, string>>(
        { accept: 'text/csv' },
        { 'content-type': 'text/plain' },
        { 'if-none-match': '*' },
      ),
      weight: 1,
    },
    {
      arbitrary: fc
        .constantFrom('a', 'key-of-a-test', 'k'.repeat(300), 'ä')
        .map((key): Record<string, string> => ({ 'idempotency-key': encode(key) })),
      weight: 1,
    },
  )
  function ofPlace(place: 'path' | 'query') {
    return Object.fromEntries(
      parameters.filter((one) => one.in === place).map((one) => [one.name, valuesOf(one.schema)]),
    )
  }
  return (good) =>
    fc
      .record({
        query,
        path: drawnPath,
        body: drawnBody,
        headers,
        // How much of the good request stays: all, all but what is drawn of a field, the address
        // alone, nothing.
        stays: fc.constantFrom('all', 'most', 'most', 'most', 'address', 'address', 'nothing'),
        replaced: fc.nat(),
        anything: fc.option(wild, { freq: 12 }),
      })
      .map((drawn) => {
        const keep = drawn.stays
        const parts = new Set(parameters.filter((one) => one.in === 'path').map((one) => one.name))
        const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          inPath(keep === 'nothing' ? drawn.path[name] : (good[name] ?? drawn.path[name])),
        )
        const rest = Object.fromEntries(Object.entries(good).filter(([name]) => !parts.has(name)))
        const fields: Record<string, unknown> =
          method === 'GET' || method === 'DELETE' ? drawn.query : drawn.body
        const fieldNames = Object.keys(fields)
        const one = fieldNames[drawn.replaced % Math.max(1, fieldNames.length)]
        const given =
          keep === 'all'
            ? rest
            : keep === 'most'
              ? { ...rest, ...(one === undefined ? {} : { [one]: fields[one] }) }
              : fields
        if (method === 'GET' || method === 'DELETE') {
          const search = Object.entries(given).map(
            ([name, value]) => `${encode(name)}=${encode(asText(value))}`,
          )
          return {
            method,
            address: search.length > 0 ? `${address}?${search.join('&')}` : address,
            headers: drawn.headers,
            body: undefined,
          }
        }
        const body = JSON.stringify(drawn.anything ?? given)
        return {
          method,
          address,
          headers: { 'content-type': 'application/json', ...drawn.headers },
          body,
        }
      })
}

const actors: readonly Caller[] = ['operator', 'owner', 'partnerStaff', 'member', 'nobody']
const perPath = rounds(4, 432)
const perWorld = 54
const seen = new Map<number, number>()
let sent = 0

async function tryPath(target: Target, turn: number): Promise<void> {
  const requests = requestsFor(target)
  const rows = matrix[target.name] ?? []
  for (let left = perPath, round = turn; left > 0; left -= perWorld, round++) {
    const caller = actors[round % actors.length] ?? 'operator'
    // Limits count another address, and records deleted by earlier requests exist again.
    const world = await places.build(caller)
    const row = rows[round % rows.length]
    if (!row) throw new Error(`${target.name} has no rows`)
    const good = await row.input(world)
    const property = fc.asyncProperty(requests(good), async (request) => {
      const { method, address, headers, body } = request
      sent++
      const response = await testApp.app.fetch(
        new Request(`http://api.test${address}`, {
          method,
          headers: {
            ...headers,
            ...(world.token ? { authorization: `Bearer ${world.token}` } : {}),
          },
          ...(body === undefined ? {} : { body }),
        }),
        {},
      )
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
      const fault = await faultOf(target, request, response)
      if (fault) throw new Error(`${caller}: ${method} ${address} ${body ?? ''} ${fault}`)
    })
    await fc.assert(property, { numRuns: Math.min(left, perWorld) })
  }
}

/** What fast-check found, with the words of the property itself, which it keeps as the cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `${error.cause.message}\n` : ''
  return `${cause}${error.message}`.slice(0, 2_000)
}

it('is answered as the API description says, whatever is asked', async () => {
  expect(targets).toHaveLength(names.size)
  const faults: string[] = []
  const left = [...targets.entries()]
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      await tryPath(next[1], next[0]).catch((error: unknown) => faults.push(wordsOf(error)))
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  const families = Object.groupBy(seen, ([status]) => `${Math.floor(status / 100)}xx`)
  const shares = Object.entries(families).map(
    ([family, ofIt]) => `${(ofIt ?? []).reduce((sum, [, count]) => sum + count, 0)} ${family}`,
  )
  const enough = sent >= targets.length * Math.min(perPath, 424)
  await recordMeasurement({
    target: 'S13',
    what: 'random requests from the API description',
    measured: `${sent} requests to ${targets.length} paths as ${actors.length} actors, every answer checked: ${shares.sort().join(', ')}; ${faults.length} paths with a fault`,
    reached: faults.length === 0 && enough,
  })
  expect(faults).toEqual([])
  expect(families['2xx']?.length).toBeGreaterThan(0)
  expect(seen.get(400)).toBeGreaterThan(20)
})
