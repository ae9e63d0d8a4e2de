import { errorCodes } from '@atrium/core/platform/errors'
import { limitNames } from '@atrium/core/platform/limits'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { restRoutes } from '../src/http/rest.ts'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

interface Schema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
}
interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

let testApp: TestApp
let tokens: string[]
let ids: string[]
let operations: { method: string; path: string; operation: Operation }[]

beforeAll(async () => {
  testApp = await startTestApp({
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  tokens = await Promise.all(
    ['operator@atrium.test', 'owner@acme.test', 'partner@north.test'].map((email) =>
      testApp.token(email),
    ),
  )
  const people = await testApp.database.db
    .selectFrom('users')
    .select('id')
    .where('platform_admin', '=', false)
    .execute()
  ids = people.map(({ id }) => id)
  const document = (await testApp.request('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>
  }
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  // Ends only when the caller leaves; the transport tests read it.
  operations = operations.filter(({ path }) => !path.endsWith('/events'))
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const texts = fc.oneof(
  fc.constantFrom(
    'acme',
    'globex',
    'Fresh',
    'a@b.test',
    '#1f6feb',
    '+49 30 1',
    'example.com',
    '2026-01-01T00:00:00Z',
    'tenant.*',
    'north',
    'DE',
    '',
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    "' or 1=1 --",
    '{{7*7}}',
    '../..',
    '<script>',
    '%',
    'a'.repeat(300),
  ),
)

/** Values that mostly fit the schema and sometimes do not. */
function valuesOf(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const fitting = (): fc.Arbitrary<unknown> => {
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, name)))
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.format === 'uuid' || name === 'id')
      return fc.oneof(fc.constantFrom(...ids), fc.uuid())
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
    if (type === 'boolean') return fc.boolean()
    if (type === 'null') return fc.constant(null)
    if (type === 'integer' || type === 'number')
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer())
    if (type === 'array') return fc.array(valuesOf(schema.items ?? {}, name), { maxLength: 4 })
    if (type === 'object' || schema.properties) return objectsOf(schema)
    return texts
  }
  return fc.oneof(
    { arbitrary: fitting(), weight: 12 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  )
}

function objectsOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, one]) => [name, valuesOf(one, name)]),
  )
  return fc.record(fields, {
    requiredKeys: schema.required?.filter((name) => name in fields) ?? [],
  })
}

interface Sent {
  method: string
  path: string
  address: string
  body: string | undefined
  caller: number
}

function requests(): fc.Arbitrary<Sent> {
  return fc.constantFrom(...operations).chain(({ method, path, operation }) => {
    const parameters = operation.parameters ?? []
    const query = Object.fromEntries(
      parameters
        .filter((one) => one.in === 'query')
        .map((one) => [one.name, valuesOf(one.schema, one.name)]),
    )
    const inPath = Object.fromEntries(
      parameters
        .filter((one) => one.in === 'path')
        .map((one) => [
          one.name,
          fc.oneof(
            {
              arbitrary:
                one.name === 'id' ? fc.constantFrom(...ids) : fc.constantFrom('acme', 'globex'),
              weight: 3,
            },
            { arbitrary: texts, weight: 1 },
          ),
        ]),
    )
    const schema = operation.requestBody?.content['application/json'].schema
    return fc
      .record({
        caller: fc.nat(2),
        query: fc.record(query, { requiredKeys: [] }),
        path: fc.record(inPath),
        body: schema
          ? fc.oneof(
              { arbitrary: objectsOf(schema), weight: 12 },
              { arbitrary: fc.jsonValue(), weight: 1 },
            )
          : fc.constant(undefined),
      })
      .map((drawn) => {
        const filled = path.replace(
          /\{(\w+)\}/g,
          (_, name: string) => encode(String(drawn.path[name] ?? '')) || '%20',
        )
        const search = Object.entries(drawn.query).map(
          ([name, value]) =>
            `${name}=${encode(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
        )
        return {
          method,
          path,
          address: search.length > 0 ? `${filled}?${search.join('&')}` : filled,
          body: drawn.body === undefined ? undefined : JSON.stringify(drawn.body),
          caller: drawn.caller,
        }
      })
  })
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

const Problem = z.strictObject({
  type: z.string().regex(/^\/docs\/errors#/),
  title: z.string().min(1),
  status: z.int().min(400).max(499),
  detail: z.string().min(1),
  code: z.enum(errorCodes),
  requestId: z.string().min(8),
  issues: z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).optional(),
  limit: z.enum(limitNames).optional(),
  current: z.looseObject({}).optional(),
})

/** What the OpenFeature protocol adds to a rejection. */
const OfrepProblem = Problem.extend({
  errorCode: z.enum([
    'PARSE_ERROR',
    'TARGETING_KEY_MISSING',
    'INVALID_CONTEXT',
    'FLAG_NOT_FOUND',
    'GENERAL',
  ]),
  errorDetails: z.string().min(1),
  key: z.string().optional(),
})

function outputOf(method: string, path: string): z.ZodType | undefined {
  const route = restRoutes().find((one) => one.method === method && one.path === path)
  return proceduresOf(appRouter)[route?.name ?? '']?._def.output
}

// What a failure of ours would show: a statement, a stack, a path of the machine, a driver's or an
// upstream's words.
const leaks =
  /select .+ from|insert into|at .+\.ts:\d+|node_modules|\/(?:home|root|tmp)\/|ECONN|sandbox-identity-token|pg_|kysely/i

it('answers every request by the API description with what the procedure declares or with a problem, and never with 5xx', async () => {
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(requests(), async ({ method, path, address, body, caller }) => {
      const response = await testApp.request(method, address, {
        token: tokens[caller],
        ...(body === undefined ? {} : { body }),
      })
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
      const shown =
        typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
      if (response.status >= 400) {
        expect(response.headers.get('content-type')).toBe('application/problem+json')
        const problem = (path.startsWith('/ofrep/') ? OfrepProblem : Problem).parse(response.body)
        expect(problem.status).toBe(response.status)
        expect(shown.replace(/"detail":"[^"]*owns[^"]*"/, '')).not.toMatch(leaks)
        return
      }
      if (response.status === 204 || typeof response.body === 'string') return
      // Strict where the schema is not: a field that is not declared must not leave.
      const output = outputOf(method, path)
      expect(output?.parse(response.body)).toEqual(response.body)
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 1000) },
  )
  // The run is worth something only when it got through as well as rejected.
  expect([...seen.keys()].some((status) => status < 300)).toBe(true)
  expect(seen.get(400)).toBeGreaterThan(20)
}, 120_000)
