import { join } from 'node:path'
import { openApiDocument } from '@atrium/api/http/openapi'
import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { writeWhole } from '@atrium/client/build/publish'
import { version } from '@atrium/core/platform/version'
import type { FieldSchema, Operation, OutputKind } from '../src/operations.ts'

type Described = ReturnType<typeof openApiDocument>['paths'][string][string]
type Fields = { properties?: Record<string, FieldSchema>; required?: string[] }

const folder = join(import.meta.dirname, '../src/generated')

/**
 * Writes the operations that service tokens can call to `src/generated/operations.json`. They are
 * not versioned: every change of a procedure would change them.
 */
export async function generateOperations(): Promise<void> {
  const text = JSON.stringify(operations(), withoutReference)
  await writeWhole(join(folder, 'operations.json'), text)
}

/** The zones are a component of 20 kB, which no command and no tool needs to name. */
function withoutReference(_: string, value: unknown): unknown {
  const reference = (value as { $ref?: unknown } | null)?.$ref
  if (reference === undefined) return value
  if (reference !== '#/components/schemas/TimeZone') throw new Error(`unknown: ${reference}`)
  return { type: 'string', description: 'a time zone such as Europe/Berlin' }
}

function operations(): Operation[] {
  const { paths } = openApiDocument(version, '/')
  return Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) => {
    const address = _def.meta?.openapi
    const described = address && paths[address.path]?.[address.method.toLowerCase()]
    const scopes = described?.security.find((one) => 'serviceToken' in one)?.serviceToken
    // A stream without an end has a command of its own.
    if (!described || !scopes || _def.type === 'subscription' || name === 'events.stream') return []
    const { method, path, summary, description } = address
    const { fields, required } = inputOf(described)
    return [
      {
        name,
        method,
        path,
        summary,
        ...(description && { description }),
        scopes,
        changes: _def.type === 'mutation',
        secret: _def.meta?.secretResponse ?? false,
        output: outputOf(described),
        fields,
        required,
      },
    ]
  })
}

function inputOf({ parameters, requestBody }: Described) {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const body = (requestBody?.content['application/json'].schema ?? {}) as Fields
  const named = query.map(({ name, description, schema }) => [
    name,
    { ...schema, ...(description && { description }) } as FieldSchema,
  ])
  return {
    fields: { ...Object.fromEntries(named), ...body.properties } as Record<string, FieldSchema>,
    required: [
      ...query.filter((parameter) => parameter.required).map(({ name }) => name),
      ...(body.required ?? []),
    ],
  }
}

function outputOf({ responses }: Described): OutputKind {
  const response = responses['200'] ?? responses['201']
  const content = response && 'content' in response ? response.content : undefined
  if (!content) return 'nothing'
  const schema = content['application/json']?.schema as Fields | undefined
  if (!schema) return 'file'
  const { items, nextCursor } = schema.properties ?? {}
  if (!items) return 'record'
  return nextCursor ? 'pages' : 'list'
}
