import { readFile } from 'node:fs/promises'
import { text as readStream } from 'node:stream/consumers'
import { UsageError } from './failure.ts'
import type { FieldSchema } from './operations.ts'

/** The types that a field takes, without null. */
function typesOf(schema: FieldSchema): string[] {
  if (schema.type && schema.type !== 'null') return [schema.type]
  return [...new Set((schema.anyOf ?? []).flatMap(typesOf))]
}

/** The words that a field takes; none where it takes any text. */
export function choicesOf(schema: FieldSchema): string[] {
  const own = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== 'null').map(choicesOf)
  if (others.some((words) => words.length === 0)) return []
  return [...new Set([...own, ...others.flat()].filter((one) => one !== null).map(String))]
}

/** Whether the option is given once for each item of a list of plain values. */
export function isPlainList(schema: FieldSchema): boolean {
  return (
    typesOf(schema).includes('array') && !['object', 'array'].includes(itemsOf(schema).type ?? '')
  )
}

function itemsOf(schema: FieldSchema): FieldSchema {
  return schema.items ?? schema.anyOf?.find(({ items }) => items)?.items ?? {}
}

export function isFlag(schema: FieldSchema): boolean {
  return schema.type === 'boolean'
}

/** How help shows the value of an option. */
export function placeholderOf(name: string, schema: FieldSchema): string {
  if (isPlainList(schema)) return `<${name}...>`
  const [type = 'string'] = typesOf(schema)
  return type === 'string'
    ? `<${name}>`
    : `<${type === 'object' || type === 'array' ? 'json' : type}>`
}

/**
 * The value of an option in the type of its field; `null` is null where the field can be. Throws
 * UsageError. Everything else is for the API to check.
 */
export function readOption(
  name: string,
  schema: FieldSchema,
  value: string | boolean | string[],
): unknown {
  if (typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((one) => readOption(name, itemsOf(schema), one))
  const types = typesOf(schema)
  if (value === 'null' && schema.anyOf?.some(({ type }) => type === 'null')) return null
  if (types.includes('string')) return value
  try {
    const parsed: unknown = JSON.parse(value)
    const isNumber = types.some((type) => type === 'integer' || type === 'number')
    if (!isNumber || typeof parsed === 'number') return parsed
  } catch {}
  throw new UsageError(
    `--${name} takes ${types[0] === 'object' ? 'JSON' : `a value of type ${types[0]}`}: ${value}`,
  )
}

/** JSON that is given itself, by `@file`, or as `-` on standard input. Throws UsageError. */
export async function readJson(source: string): Promise<unknown> {
  const content =
    source === '-'
      ? await readStream(process.stdin)
      : source.startsWith('@')
        ? await readFile(source.slice(1), 'utf8').catch((error: Error) => {
            throw new UsageError(error.message)
          })
        : source
  try {
    return JSON.parse(content)
  } catch {
    throw new UsageError('The input is no JSON.')
  }
}
