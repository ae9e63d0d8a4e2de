import type { ApiDocument, Operation, Schema } from '../openapi-document.ts'
import { exampleOf } from './examples.ts'

/** An operation with its address. */
export interface Listed {
  method: string
  path: string
  operation: Operation
}

/** What a request needs at least: values of required parameters, and fields of the body. */
export interface SampleRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  body: Record<string, unknown> | undefined
}

/** The request with examples of all that it needs. */
export function readRequest(document: ApiDocument, { operation }: Listed): SampleRequest {
  const valuesIn = (place: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((one) => one.in === place && one.required)
        .map(({ name, schema }) => [name, exampleOf(document, schema, name)]),
    )
  return {
    path: valuesIn('path'),
    query: valuesIn('query'),
    header: valuesIn('header'),
    body: exampleBody(document, operation),
  }
}

/**
 * The required fields of a body and those of its first alternative, or its first field; undefined
 * for an operation without a body.
 */
export function exampleBody(
  document: ApiDocument,
  { requestBody }: Operation,
): Record<string, unknown> | undefined {
  const schema = requestBody?.content['application/json'].schema
  if (!schema) return undefined
  const { required = [], properties = {}, ...other } = schema as Fields
  const alternative = (other.anyOf ?? other.oneOf)?.[0]?.required ?? []
  const needed = [...new Set([...required, ...alternative])]
  const whole = exampleOf(document, schema) as Record<string, unknown>
  const shown = needed.length > 0 ? needed : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(shown.map((name) => [name, whole[name]]))
}

interface Fields {
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  anyOf?: readonly Fields[]
  oneOf?: readonly Fields[]
}
