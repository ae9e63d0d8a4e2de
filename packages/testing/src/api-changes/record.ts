import { createHash } from 'node:crypto'
import type { ApiDocument, Operation, Schema, Webhook } from '@atrium/api/http/openapi-document'

/** What callers rely on of an operation: no texts, no errors, no bounds of what is returned. */
export interface RecordedOperation {
  operationId: string
  /** The scopes of a service token; absent where none is accepted. */
  scopes?: readonly string[]
  /** Whether a call needs no token at all. */
  open?: true
  /** From this day on the operation may be gone. */
  sunset?: string
  parameters: Readonly<Record<string, { required: boolean; schema: Schema }>>
  body?: { required: boolean; schema: Schema }
  /** The type and schema of each success, by status and media type. */
  responses: Readonly<Record<string, Schema>>
}

/** The API of a release, by method and path; the types of events by `EVENT` and their name. */
export interface ApiRecord {
  version: string
  operations: Readonly<Record<string, RecordedOperation>>
}

/** Keywords that say nothing about compatibility. */
const texts = ['description', 'title', 'examples', 'deprecated']
const ofRequest = new Set(texts)
/** A response may have longer texts and larger numbers than before. */
const ofResponse = new Set([
  ...texts,
  ...['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'default'],
])

/** The record of a document, with every reference resolved. */
export function recordOf(document: ApiDocument): ApiRecord {
  const operations = Object.entries(document.paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(
      ([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, recordOperation(document, operation)] as const,
    ),
  )
  const events = Object.entries(document.webhooks).map(
    ([type, { post }]) => [`EVENT ${type}`, recordEvent(document, post)] as const,
  )
  return {
    version: document.info.version,
    operations: Object.fromEntries(
      [...operations, ...events].sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  }
}

/** What an endpoint receives is to it what a response is to a caller. */
function recordEvent(
  document: ApiDocument,
  { operationId, requestBody }: Webhook,
): RecordedOperation {
  const { schema } = requestBody.content['application/json']
  return {
    operationId,
    parameters: {},
    responses: { 'event application/json': reduced(document, schema, ofResponse) },
  }
}

function recordOperation(document: ApiDocument, operation: Operation): RecordedOperation {
  const { operationId, security, parameters, requestBody, responses } = operation
  const scopes = security.find((one) => 'serviceToken' in one)?.serviceToken
  const sunset = operation['x-sunset']
  return {
    operationId,
    ...(scopes && { scopes }),
    ...(security.length === 0 && { open: true as const }),
    ...(sunset !== undefined && { sunset }),
    parameters: Object.fromEntries(
      parameters.map(({ name, in: place, required, schema }) => [
        `${place} ${name}`,
        { required, schema: reduced(document, schema, ofRequest) },
      ]),
    ),
    ...(requestBody && {
      body: {
        required: requestBody.required,
        schema: reduced(document, requestBody.content['application/json'].schema, ofRequest),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).flatMap(([status, response]) => {
        if (Number(status) >= 400 || '$ref' in response) return []
        const content = Object.entries(response.content ?? {})
        if (content.length === 0) return [[status, {}] as const]
        return content.map(
          ([type, { schema }]) =>
            [`${status} ${type}`, reduced(document, schema, ofResponse)] as const,
        )
      }),
    ),
  }
}

/** The schema without the given keywords. Names of fields are no keywords. */
function reduced(document: ApiDocument, schema: Schema, without: ReadonlySet<string>): Schema {
  const component = schema.$ref
  if (typeof component === 'string')
    return reduced(document, document.components.schemas[component.slice(21)] ?? {}, without)
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner)
    if (typeof value !== 'object' || value === null) return value
    return reduced(document, value as Schema, without)
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (without.has(keyword)) return []
      if (keyword !== 'properties') return [[keyword, inner(value)]]
      const fields = Object.entries(value as Record<string, Schema>)
      return [[keyword, Object.fromEntries(fields.map(([name, one]) => [name, inner(one)]))]]
    }),
  )
}

/** A schema that occurs more than once is written once, under a name made from its content. */
const leastShared = 60

/**
 * The text of a record: a line for each operation and each shared schema, so that a difference of
 * two releases can be read.
 */
export function writeRecord({ version, operations }: ApiRecord): string {
  const counts = new Map<string, number>()
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const text = JSON.stringify(value)
    const times = counts.get(text) ?? 0
    counts.set(text, times + 1)
    // What is inside of a repeated schema was counted with its first occurrence.
    if (times === 0 || !isShared(value, text))
      for (const inner of Object.values(value)) count(inner)
  }
  count(operations)
  const schemas = new Map<string, string>()
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(share)
    const made = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, share(inner)]),
    )
    const text = JSON.stringify(value)
    if (!isShared(value, text) || (counts.get(text) ?? 0) < 2) return made
    const name = createHash('sha256').update(text).digest('hex').slice(0, 8)
    schemas.set(name, JSON.stringify(made))
    return { $ref: name }
  }
  const lines = Object.entries(operations).map(
    ([name, operation]) => `${JSON.stringify(name)}: ${JSON.stringify(share(operation))}`,
  )
  const shared = [...schemas].sort().map(([name, text]) => `"${name}": ${text}`)
  return `{
"version": ${JSON.stringify(version)},
"operations": {
${lines.join(',\n')}
},
"schemas": {
${shared.join(',\n')}
}
}
`
}

const isShared = (value: object, text: string) =>
  !Array.isArray(value) && text.length >= leastShared

/** Reads what `writeRecord` wrote. */
export function readRecord(text: string): ApiRecord {
  const { version, operations, schemas } = JSON.parse(text)
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(resolve)
    if ('$ref' in value && typeof value.$ref === 'string') return resolve(schemas[value.$ref])
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]))
  }
  return { version, operations: resolve(operations) as ApiRecord['operations'] }
}
