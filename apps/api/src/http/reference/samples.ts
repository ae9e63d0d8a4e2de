import type { Answered, ApiDocument, Operation, Schema } from '../openapi-document.ts'
import { commandLine } from './command-line-sample.ts'
import { exampleOf } from './examples.ts'

/** The variable that holds the token of a program, also for the command line. */
const tokenVariable = 'ATRIUM_TOKEN'

/** A request in one of the languages that developers use. */
export interface Sample {
  language: string
  text: string
}

/** An operation with its address. */
export interface Listed {
  method: string
  path: string
  operation: Operation
}

/** The same request with curl, the TypeScript client and the command line. */
export function requestSamples(document: ApiDocument, listed: Listed): Sample[] {
  const request = readRequest(document, listed)
  const first = { language: 'curl', text: curl(listed, request) }
  // Directories bring their own client.
  if (listed.operation.tags.includes('scim')) return [first]
  return [
    first,
    { language: 'TypeScript', text: typescript(listed, request) },
    { language: 'Command line', text: commandLine(listed, request) },
  ]
}

/** What a request needs at least: values of required parameters, and fields of the body. */
export interface SampleRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  body: Record<string, unknown> | undefined
}

function readRequest(document: ApiDocument, { operation }: Listed): SampleRequest {
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

function curl(
  { method, path, operation }: Listed,
  { path: inPath, query, header, body }: SampleRequest,
): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(inPath[name])),
  )
  const search = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  )
  const question = search.length > 0 ? `?${search.join('&')}` : ''
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$ATRIUM_URL${address}${question}"`,
  ]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $ATRIUM_TOKEN"')
  for (const [name, value] of Object.entries(header)) lines.push(`-H "${name}: ${value}"`)
  if (body)
    lines.push(
      '-H "Content-Type: application/json"',
      `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    )
  return lines.join(' \\\n  ')
}

function typescript(listed: Listed, { path, query, header, body }: SampleRequest): string {
  const { method, operation } = listed
  const params = Object.fromEntries(
    Object.entries({ path, query, header }).filter(([, values]) => Object.keys(values).length > 0),
  )
  const parseAs = readAs(operation)
  const options = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body && { body }),
    ...(parseAs && { parseAs }),
  }
  const given = Object.keys(options).length > 0 ? `, ${literal(options, '  ')}` : ''
  const secured = operation.security.length > 0
  const result = Object.keys(operation.responses).includes('204') ? '' : 'const result = '
  return `import { createAtriumClient, dataOf } from '@atrium/client'

const atrium = createAtriumClient({
  url: 'https://api.example.com',${secured ? `\n  token: process.env.${tokenVariable},` : ''}
})
${result}await dataOf(
  atrium.${method}('${listed.path}'${given}),
)`
}

/** How the client reads a response that is not JSON. */
function readAs({ responses }: Operation): 'text' | 'stream' | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const types = Object.keys((success as Answered | undefined)?.content ?? {})
  if (types.length === 0 || types.includes('application/json')) return undefined
  return types.some((type) => /event-stream|ndjson/.test(type)) ? 'stream' : 'text'
}

/** A value as TypeScript writes it. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((one) => `${inner}${literal(one, inner)},\n`).join('')}${indent}]`
  }
  const fields = Object.entries(value)
  if (fields.length === 0) return '{}'
  const lines = fields.map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${inner}${key}: ${literal(one, inner)},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}
