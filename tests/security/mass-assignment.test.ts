import { randomUUID } from 'node:crypto'
import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { overRest, overTrpc, restRequest, routeOf } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import type { Caller, Row, World } from '@atrium/testing/matrix/rows'
import { openLocations } from '@atrium/testing/matrix/world'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { afterAll, expect, it } from 'vitest'
import { type Column, changesBetween, checksums, columnsOf, readCells } from './database-cells.ts'

const places = await openLocations()
const { testApp } = places
const { db } = testApp.database
afterAll(() => places[Symbol.asyncDispose]())

const columns = await columnsOf(db)
// Written for every request, whatever becomes of it.
const tables = [...new Set(columns.map(({ table }) => table))].filter(
  (table) =>
    ![
      'audit_events',
      'audit_values',
      'audit_denials',
      'audit_chain',
      'request_counts',
      'rate_limits',
      'idempotency_keys',
    ].includes(table),
)

const marker = 'set-from-outside'
/** A value that the column would take. */
function valueFor({ type }: Column): unknown {
  if (type === 'uuid') return outsiderId
  if (type === 'boolean') return true
  if (/integer|bigint|smallint|numeric|double/.test(type)) return 987_654
  if (/timestamp/.test(type)) return '2031-03-03T03:03:03.000Z'
  if (type === 'date') return '2031-03-03'
  if (type === 'jsonb' || type === 'json') return { [marker]: true }
  return type === 'ARRAY' ? [marker] : marker
}
const outsiderId = randomUUID()

/**
 * Every stored column under the name in the database and the one that the API would give it, with a
 * value for it.
 */
const stored = new Map<string, unknown>()
for (const column of columns) {
  for (const name of [
    column.column,
    column.column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ]) {
    if (!stored.has(name)) stored.set(name, valueFor(column))
  }
}
for (const special of [
  '__proto__',
  'constructor',
  'prototype',
  'role',
  'caller',
  'access',
  'ctx',
]) {
  if (!stored.has(special)) stored.set(special, { platformAdmin: true })
}

/** Fields that the call itself has: these are listed, so setting them is its purpose. */
function listed(name: string): Set<string> {
  const schemas = proceduresOf(appRouter)[name]?._def.inputs ?? []
  return new Set(schemas.flatMap((schema) => Object.keys(shapeOf(schema))))
}
function shapeOf(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) return {}
  const { shape, def } = schema as {
    shape?: object
    def?: {
      in?: unknown
      innerType?: unknown
      options?: unknown[]
      left?: unknown
      right?: unknown
    }
  }
  if (shape) return shape
  const inner = [def?.in, def?.innerType, def?.left, def?.right, ...(def?.options ?? [])].filter(
    (one) => one !== undefined,
  )
  return Object.assign({}, ...inner.map(shapeOf))
}

type Input = Record<string, unknown>
const isObject = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `JSON.parse`, because a literal `__proto__` would set the prototype instead of a field. */
const withField = (given: Input, name: string, value: unknown): Input =>
  JSON.parse(
    JSON.stringify({ ...given, '\u0001': value }).replace('"\\u0001"', JSON.stringify(name)),
  )

const counts = { routes: 0, tried: 0, refused: 0, nested: 0, queries: 0 }
const wrong: string[] = []

const writes = Object.entries(matrix).filter(([name]) => routeOf(name).type === 'mutation')
const strongest: readonly Caller[] = ['operator', 'owner', 'partnerStaff', 'nobody']

async function placeFor(
  row: Row,
): Promise<{ world: World & { token: string | undefined }; input: Input }> {
  const caller =
    strongest.find((one) => row.expected[one] === 'ok') ??
    strongest.find((one) => row.expected[one] !== 'not_found') ??
    'operator'
  const world = await places.build(caller)
  return { world, input: await row.input(world) }
}

it('has every column and every writing call among what it tries', () => {
  expect(tables.length).toBeGreaterThan(50)
  expect(stored.size).toBeGreaterThan(500)
  expect(writes.length).toBeGreaterThan(100)
  expect([...stored.keys()]).toEqual(
    expect.arrayContaining([
      'platformAdmin',
      'tenantId',
      'tenant_id',
      'idpSubjectId',
      'homeTenantId',
      'partnerAccess',
    ]),
  )
})

it('every schema of a writing call rejects every column that it does not list, all at once', async () => {
  const taken: string[] = []
  let names = 0
  for (const [name] of writes) {
    const schemas = proceduresOf(appRouter)[name]?._def.inputs ?? []
    const own = listed(name)
    const unlisted = [...stored.keys()].filter((field) => !own.has(field) && field !== '__proto__')
    const given = Object.fromEntries(unlisted.map((field) => [field, stored.get(field)]))
    const refused = schemas.flatMap((schema) =>
      (schema.safeParse(given).error?.issues ?? []).flatMap(keysOf),
    )
    names += unlisted.length
    taken.push(
      ...unlisted.filter((field) => !refused.includes(field)).map((field) => `${name}: ${field}`),
    )
  }
  await recordMeasurement({
    target: 'S3',
    what: 'every stored column against every schema of a writing call',
    measured: `${writes.length} calls × ${stored.size} names: ${names} unlisted, ${taken.length} not refused`,
    reached: names > 50_000 && taken.length === 0,
  })
  expect(taken).toEqual([])
  expect(names).toBeGreaterThan(50_000)
})

/** What a schema calls unknown, also where it is one of several. */
function keysOf(issue: { code?: string; keys?: unknown; errors?: unknown }): string[] {
  if (issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)) return issue.keys.map(String)
  if (issue.code === 'invalid_union' && Array.isArray(issue.errors))
    return (issue.errors as (typeof issue)[][]).flat().flatMap(keysOf)
  return []
}

/** Sends the input with one field more; it must be rejected, naming the field. */
async function rejects(
  name: string,
  input: Input,
  field: string,
  token: string | undefined,
  where: string,
): Promise<void> {
  const call = counts.tried % 2 === 0 ? overRest : overTrpc
  const { status, outcome, body } = await call(testApp, name, input, token)
  counts.tried++
  const named = JSON.stringify(body).includes(field)
  if (status === 400 && outcome === 'invalid_input' && named) counts.refused++
  else if (status < 400) wrong.push(`${name} takes ${field} ${where}`)
  else if (!['rate_limited'].includes(outcome) && status >= 500)
    wrong.push(`${name} answers ${status} to ${field} ${where}`)
}

it('no writing call takes a field that it does not list, and none changes a row while it rejects', async () => {
  for (const [index, [name, [row]]] of writes.entries()) {
    if (!row) throw new Error(`${name} has no rows`)
    if (!inFull && index % 4 !== 0) continue
    counts.routes++
    const { world, input } = await placeFor(row)
    const own = listed(name)
    await db.deleteFrom('rate_limits').execute()
    const before = await checksums(db, tables)
    // In the everyday form a call meets a share of the columns, each call another one.
    const fields = [...stored].filter(
      ([field], at) =>
        !own.has(field) && !Object.hasOwn(input, field) && (inFull || at % 40 === index % 40),
    )
    for (const [field, value] of fields) {
      await rejects(name, withField(input, field, value), field, world.token, 'at the top')
      if (world.token === undefined && counts.tried % 8 === 0)
        await db.deleteFrom('rate_limits').execute()
    }
    for (const [key, part] of Object.entries(input)) {
      if (!isObject(part)) continue
      counts.nested++
      for (const [field, value] of fields) {
        if (Object.hasOwn(part, field)) continue
        await rejects(
          name,
          { ...input, [key]: withField(part, field, value) },
          field,
          world.token,
          `in ${key}`,
        )
      }
    }
    await db.deleteFrom('rate_limits').execute()
    const after = await checksums(db, tables)
    for (const [table, sum] of after)
      if (before.get(table) !== sum) wrong.push(`${name} changed ${table} while it refused`)
  }
  await recordMeasurement({
    target: 'S3',
    what: 'every stored column in every writing body, REST and tRPC by turns, at the top and inside',
    measured: `${stored.size} names of ${columns.length} columns at ${counts.routes} writing calls: ${counts.tried} tried, ${counts.refused} refused by name, ${wrong.length} taken or changing a row`,
    reached: wrong.length === 0 && counts.refused > counts.tried * 0.9,
  })
  expect(wrong).toEqual([])
  // Others are rejected for another reason first, such as a limit or a record that is in another
  // state.
  expect(counts.refused).toBeGreaterThan(counts.tried * 0.9)
})

it('what stands in the query of a writing call changes nothing more than the call does without', async () => {
  const query = [...stored]
    .map(
      ([field, value]) =>
        `${encodeURIComponent(field)}=${encodeURIComponent(isObject(value) ? JSON.stringify(value) : String(value))}`,
    )
    .join('&')
  const more: string[] = []
  for (const [index, [name, [row]]] of writes.entries()) {
    if (!row || row.oneAtATime || (!inFull && index % 11 !== 0)) continue
    counts.queries++
    const [plain, loaded] = [await placeFor(row), await placeFor(row)]
    const changesOf = async ({ world, input }: typeof plain, search: string) => {
      const before = await readCells(db, tables)
      const { method, path, body } = restRequest(name, input)
      const { status } = await testApp.request(method, `${path}${search}`, {
        token: world.token,
        ...(body && { body }),
      })
      return { status, changes: changesBetween(before, await readCells(db, tables)) }
    }
    const [without, with_] = [await changesOf(plain, ''), await changesOf(loaded, `?${query}`)]
    if (with_.status >= 400 && with_.status < 500) continue
    const further = [...with_.changes].filter((change) => !without.changes.has(change))
    if (with_.status !== without.status || further.length > 0)
      more.push(`${name}: ${with_.status} ${further.join(' ')}`)
  }
  const text = JSON.stringify([...(await readCells(db, tables))])
  const marked = text.includes(marker) || text.includes(outsiderId)
  await recordMeasurement({
    target: 'S3',
    what: 'every stored column in the query of writing calls',
    measured: `${counts.queries} calls with ${stored.size} names in the query: ${more.length} changed more than without, markers stored: ${marked ? 'yes' : 'none'}`,
    reached: counts.queries > 0 && more.length === 0 && !marked,
  })
  expect(more).toEqual([])
  expect(marked).toBe(false)
  expect(counts.queries).toBeGreaterThan(5)
})
