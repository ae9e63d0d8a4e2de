import { z } from 'zod'
import type { ApiDocument, Schema } from './openapi-document.ts'

/** The parts of a document that operations share. */
export type Components = Pick<ApiDocument['components'], 'schemas' | 'responses' | 'parameters'>

/** The JSON Schema that zod makes, with what its parts add. */
export function toSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Components,
): Schema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'date')
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      if (io === 'output') leaveOutImplied(jsonSchema)
    },
  })
  return described(made, components) as Schema
}

/**
 * What a response says twice: the pattern of a format, and that a whole number is no larger than
 * JavaScript has them. It is a quarter of the description.
 */
function leaveOutImplied(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/**
 * A copy of a schema with what its parts say of themselves in `openapi` of their zod meta: keywords
 * for what only a refinement checks, and `component`, the name under which a schema that is large
 * is written once.
 */
function described(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((one) => described(one, components))
  if (typeof value !== 'object' || value === null) return value
  const { openapi, prefixItems, ...own } = value as Record<string, unknown>
  // Tools stop at tuples, or take them for the `items` of older drafts: the number of items and
  // their alternatives say nearly as much.
  if (Array.isArray(prefixItems))
    own.items = {
      anyOf: [...new Map(prefixItems.map((one) => [JSON.stringify(one), one])).values()],
    }
  const made = Object.fromEntries(
    Object.entries(own).map(([key, inner]) => [key, described(inner, components)]),
  )
  if (typeof openapi !== 'object' || openapi === null) return made
  const { component, ...further } = openapi as Record<string, unknown>
  if (typeof component !== 'string') return { ...made, ...further }
  components.schemas[component] = { ...made, ...further }
  return { $ref: `#/components/schemas/${component}` }
}
