import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { z } from 'zod'
import { routeOf } from './calls.ts'
import type { Schema } from './json-schema.ts'
import { matrix } from './matrix/all.ts'
import { type Caller, callers, type Row, type World } from './matrix/rows.ts'

/**
 * A place in the input of a procedure that takes a text of people's own: no id, no date, no choice
 * of words.
 */
export interface TextField {
  procedure: string
  /** Names from the outside in: `[]` for an element of a list, `{}` for a value of a record. */
  path: readonly string[]
  writes: boolean
  maxLength: number | undefined
}

const givenForms = new Set(['uuid', 'date', 'date-time'])

/** Every such field of every procedure, from the schemas that the procedures check with. */
export function textFields(): TextField[] {
  return Object.entries(proceduresOf(appRouter)).flatMap(([procedure, { _def }]) => {
    const schema = _def.inputs.at(-1)
    if (!schema) return []
    const writes = routeOf(procedure).type === 'mutation'
    const found = new Map<string, TextField>()
    walk(
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema,
      [],
      (path, maxLength) => found.set(path.join('.'), { procedure, path, writes, maxLength }),
    )
    return [...found.values()]
  })
}

function walk(
  schema: Schema,
  path: readonly string[],
  found: (path: readonly string[], maxLength: number | undefined) => void,
): void {
  for (const branch of [schema.anyOf, schema.oneOf, schema.allOf].flatMap(
    (branches) => branches ?? [],
  ))
    walk(branch, path, found)
  const isText =
    [schema.type].flat().includes('string') && !schema.enum && schema.const === undefined
  if (isText && !givenForms.has(schema.format ?? '')) found(path, schema.maxLength)
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    walk(inner, [...path, name], found)
  if (schema.items) walk(schema.items, [...path, '[]'], found)
  if (typeof schema.additionalProperties === 'object')
    walk(schema.additionalProperties, [...path, '{}'], found)
}

export const nameOf = ({ procedure, path }: TextField) => `${procedure} ${path.join('.')}`

/** Other fields that the call needs beside a field, where the matrix's call does not have them. */
const beside: Readonly<Record<string, Record<string, unknown>>> = {
  'scheduling.hosts.connect': {
    mode: 'enter',
    username: 'somebody@example.org',
    secret: 'a-secret-of-the-mailbox',
  },
  'branding.preview': { draft: { subject: 'Subject', html: '<p>Text</p>', text: 'Text' } },
  'branding.update': {
    emailTemplates: { 'member.welcome': { subject: 'Subject', html: '<p>Text</p>', text: 'Text' } },
  },
}
/**
 * Fields that say where the others go; replaced, they name something else and nothing is reached.
 */
const recordKeys: Readonly<Record<string, string>> = { emailTemplates: 'member.welcome' }

/** The first permitted call of the matrix and its actor; else the first one, as the operator. */
export function callOf({ procedure }: TextField): { row: Row; caller: Caller } {
  const rows = matrix[procedure] ?? []
  for (const row of rows) {
    const caller = (['operator', 'owner', 'admin', 'partnerStaff', ...callers] as const).find(
      (one) => row.expected[one] === 'ok',
    )
    if (caller) return { row, caller }
  }
  const [row] = rows
  if (!row) throw new Error(`${procedure} has no row in the matrix`)
  return { row, caller: 'operator' }
}

/** The input of a call with this value in this field. */
export async function inputWith(
  field: TextField,
  row: Row,
  world: World,
  value: unknown,
): Promise<Record<string, unknown>> {
  const input = { ...(await row.input(world)), ...beside[field.procedure] }
  return put(input, field.path, value) as Record<string, unknown>
}

function put(target: unknown, path: readonly string[], value: unknown, parent = ''): unknown {
  const [first, ...rest] = path
  if (first === undefined) return value
  if (first === '[]') {
    const list = Array.isArray(target) ? target : []
    return [put(list[0], rest, value), ...list.slice(1)]
  }
  const name = first === '{}' ? (recordKeys[parent] ?? 'field') : first
  const object =
    typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {}
  return { ...object, [name]: put(object[name], rest, value, first) }
}

/** Whether the procedure takes a field of this name. */
export function inputSchemaHas(procedure: string, field: string): boolean {
  const schema = proceduresOf(appRouter)[procedure]?._def.inputs.at(-1)
  return (
    schema !== undefined &&
    JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).includes(
      `"${field}":{`,
    )
  )
}
