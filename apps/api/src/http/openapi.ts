import { describeError, type ErrorCode, errorCodes } from '@atrium/core/platform/errors'
import { limitNames } from '@atrium/core/platform/limits'
import { scopesNeeded } from '@atrium/core/service-tokens/scopes'
import { z } from 'zod'
import { appRouter } from '../router.ts'
import { proceduresOf } from '../rpc/procedure.ts'
import type { ProcedureMeta, RestAddress } from '../rpc/procedure-meta.ts'
import { ofrepErrorCodes } from './ofrep.ts'
import type { Answered, ApiDocument, Operation, Parameter, Schema } from './openapi-document.ts'
import { describeEvents } from './openapi-events.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import { type RestRoute, restRoutes } from './rest.ts'
import { errorsOf } from './route-errors.ts'

/** The OpenAPI 3.1 description of the REST side, made from the procedures themselves. */
export function openApiDocument(version: string, baseUrl: string): ApiDocument {
  const components: Components = {
    schemas: { Problem: problem, OfrepProblem: ofrepProblem },
    responses: {},
    parameters: {},
  }
  const paths: ApiDocument['paths'] = {}
  const routes = restRoutes()
  const names = new Set<string>()
  for (const route of routes) {
    const operation = describe(route, components)
    for (const tag of operation.tags) names.add(tag)
    const ofPath = paths[route.path] ?? {}
    paths[route.path] = { ...ofPath, [route.method.toLowerCase()]: operation }
  }
  for (const route of routes) addLinks(route, routes, paths)
  // No part of its schema, because browsers load that: the names are 20 kB.
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  components.schemas.TimeZone = { ...components.schemas.TimeZone, enum: zones }
  const webhooks = describeEvents(components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium platform API',
      version,
      description:
        'Tenants, people and audit of a self-hosted workplace. Errors are RFC 9457 problem details.',
    },
    servers: [{ url: baseUrl }],
    tags: [...names].sort().map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      ...components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of the identity provider.',
        },
        serviceToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'atr_<id>_<secret>',
          description: 'The token of a program, with all of the scopes that the operation names.',
        },
        mailedLink: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a link that was mailed to the caller.',
        },
      },
    },
  }
}

function describe(route: RestRoute, components: Components): Operation {
  const { inputs, output, meta } = procedureOf(route)
  const address = meta?.openapi as RestAddress
  const input = inputs.at(-1)
  const provided = input ? toSchema(input, 'input', components) : { type: 'object' }
  const { summary, description, tags } = address
  const said = [description, sentenceOfRecentSignIn(route), sentenceOfDeprecation(route)]
    .filter((part) => part !== undefined)
    .join(' ')
  const body =
    route.method === 'GET' || route.method === 'DELETE' ? undefined : bodyOf(provided, route.path)
  return {
    operationId: route.name.replaceAll('.', '-'),
    summary,
    ...(said !== '' && { description: said }),
    ...(route.deprecated && { deprecated: true, 'x-sunset': route.deprecated.sunset }),
    tags,
    security: securityOf(route, meta),
    parameters: parametersOf(route, provided, address),
    ...(body && { requestBody: body }),
    responses: { ...answersOf(route, output, components), ...rejectionsOf(route, components) },
  }
}

function procedureOf({ name }: RestRoute) {
  const procedure = proceduresOf(appRouter)[name]
  if (!procedure) throw new Error(`there is no procedure ${name}`)
  return procedure._def
}

function securityOf(
  { needsToken, secretResponse }: RestRoute,
  meta: ProcedureMeta | undefined,
): Operation['security'] {
  if (!needsToken) return (meta?.openapi?.protect ?? true) ? [{ mailedLink: [] }] : []
  const scopes = scopesNeeded(meta?.scope, secretResponse)
  return [{ bearer: [] }, ...(scopes ? [{ serviceToken: scopes }] : [])]
}

function sentenceOfRecentSignIn({ recentSignIn }: RestRoute): string | undefined {
  if (recentSignIn === undefined) return undefined
  return `This needs a recent sign-in${recentSignIn === 'always' ? '' : ` ${recentSignIn}`}.`
}

function sentenceOfDeprecation({ deprecated }: RestRoute): string | undefined {
  if (!deprecated) return undefined
  const { since, sunset, replacement } = deprecated
  const other = replacement && proceduresOf(appRouter)[replacement]?._def.meta?.openapi
  const instead = other ? ` Use \`${other.method} ${other.path}\` instead.` : ''
  return `Deprecated since ${since}; a release from ${sunset} on may leave it out.${instead}`
}

type Fields = { properties?: Record<string, Schema>; required?: readonly string[] }

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

function parametersOf(
  { method, path }: RestRoute,
  provided: Schema,
  { requestHeaders }: RestAddress,
): Parameter[] {
  const { properties = {}, required = [] } = provided as Fields
  const inPath = namesIn(path)
  const place = (name: string, at: 'path' | 'query'): Parameter => {
    const { description, ...schema } = properties[name] ?? { type: 'string' }
    const said = typeof description === 'string' ? { description } : {}
    return { name, in: at, required: at === 'path' || required.includes(name), ...said, schema }
  }
  const parameters = inPath.map((name) => place(name, 'path'))
  if (method === 'GET' || method === 'DELETE') {
    for (const name of Object.keys(properties))
      if (!inPath.includes(name)) parameters.push(place(name, 'query'))
  }
  if (requestHeaders) {
    const { properties: headers = {}, required: needed = [] } = z.toJSONSchema(requestHeaders, {
      io: 'input',
    }) as Fields
    for (const [name, { description, ...schema }] of Object.entries(headers)) {
      const said = typeof description === 'string' ? { description } : {}
      parameters.push({ name, in: 'header', required: needed.includes(name), ...said, schema })
    }
  }
  if (method === 'POST') parameters.push(idempotencyKey)
  if ('expectedVersion' in properties) parameters.push(ifMatch)
  return parameters
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same request under the same key is carried out once; later ones return the stored answer for 24 hours.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$', minLength: 1, maxLength: 255 },
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag that was read, instead of `expectedVersion` (RFC 9110, section 13.1.1)',
  schema: { type: 'string', pattern: '^(?:\\*|"[!#-~]{1,98}")$' },
}

/** Optional fields of an update that go with a change and are none. */
const changesNothing: ReadonlySet<string> = new Set(['version', 'expectedVersion', 'reason'])

/**
 * The fields that the path does not give. `minProperties` is at least one field that changes
 * something. A body without a field that must be there may be left out.
 */
function bodyOf(provided: Schema, path: string): Operation['requestBody'] {
  const inPath = namesIn(path)
  const { properties = {}, required = [], ...rest } = provided as Fields
  const fields = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  if (fields.length === 0) return undefined
  const needed = required.filter((name) => !inPath.includes(name))
  const { minProperties, ...other } = rest as { minProperties?: number }
  const changes = fields
    .map(([name]) => name)
    .filter((name) => !needed.includes(name) && !changesNothing.has(name))
  const atLeastOne =
    minProperties === undefined ? {} : { anyOf: changes.map((name) => ({ required: [name] })) }
  const schema = {
    ...other,
    ...atLeastOne,
    properties: Object.fromEntries(fields),
    ...(needed.length > 0 && { required: needed }),
  }
  const isRequired = needed.length > 0 || 'anyOf' in schema || 'oneOf' in schema
  return { required: isRequired, content: { 'application/json': { schema } } }
}

const text = { schema: { type: 'string' } }
const exportTypes = { csv: 'text/csv', datev: 'text/csv', ndjson: 'application/x-ndjson' } as const

/**
 * A create returns 201, a delete and what returns nothing 204 without a body; some return files or
 * streams.
 */
function answersOf(
  route: RestRoute,
  output: z.ZodType | undefined,
  components: Components,
): Operation['responses'] {
  if (route.type === 'subscription') {
    return {
      '200': {
        description: 'Server-sent events, one JSON object per message',
        content: { 'text/event-stream': text },
      },
    }
  }
  if (route.export) {
    const content = Object.fromEntries(
      route.export.formats.map((format) => [exportTypes[format], text]),
    )
    return { '200': { description: 'The file, in pieces', content } }
  }
  if (route.method === 'DELETE' || !output || output._zod.def.type === 'void')
    return { '204': { description: 'Done' } }
  if (route.file)
    return {
      '200': {
        description: 'The file',
        content: Object.fromEntries(route.file.map((type) => [type, text])),
      },
    }
  const content = {
    'application/json': { schema: toSchema(output, 'output', components) },
    ...(route.csv && { 'text/csv': text }),
  }
  if (route.creates) return { '201': { description: 'Created', content } }
  const versioned = JSON.stringify(content).includes('"editVersion"')
  const headers = versioned
    ? { ETag: { description: '`editVersion`, quoted', schema: { type: 'string' } } }
    : undefined
  const unchanged = {
    '304': { description: 'The client has this answer already: its If-None-Match names the ETag' },
  }
  return {
    '200': { description: 'Success', ...(headers && { headers }), content },
    ...(route.ofrep && unchanged),
  }
}

const challenge = {
  'WWW-Authenticate': {
    description: 'RFC 6750 section 3, RFC 9470 section 3',
    schema: { type: 'string' },
  },
}
const retryAfter = {
  'Retry-After': {
    description: 'Seconds until another try can succeed',
    schema: { type: 'integer' },
  },
}

/**
 * The rejections of an operation, each status with its codes. What several operations share word
 * for word is a component.
 */
function rejectionsOf(route: RestRoute, components: Components): Operation['responses'] {
  const base = route.ofrep ? 'OfrepProblem' : 'Problem'
  return Object.fromEntries(
    [...errorsOf(route)].map(([status, codes]) => {
      const sorted = codes.toSorted()
      const name = `${route.ofrep ? 'Ofrep' : ''}${sorted.map(pascal).join('Or')}`
      const described: Answered = {
        description: sorted.map((code) => `\`${code}\`: ${describeError(code).title}`).join('\n\n'),
        ...(status === 401 && { headers: challenge }),
        ...(status === 429 && { headers: retryAfter }),
        content: { 'application/problem+json': { schema: problemOf(base, sorted) } },
      }
      // Long lists of one operation; those of missing permissions are alike for many.
      if (codes.length > 4 && status !== 403) return [String(status), described]
      components.responses[name] = described
      return [String(status), { $ref: `#/components/responses/${name}` }]
    }),
  )
}

const pascal = (code: string) =>
  code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const problemOf = (base: string, codes: readonly ErrorCode[]): Schema => ({
  allOf: [{ $ref: `#/components/schemas/${base}` }, { properties: { code: { enum: codes } } }],
})

/**
 * Links (OpenAPI 3.1, section 4.8.20) from the response of a create to the operations on the new
 * record: the paths below it whose parameters are those of the create and the record's own key.
 */
function addLinks(
  route: RestRoute,
  routes: readonly RestRoute[],
  paths: ApiDocument['paths'],
): void {
  const created = paths[route.path]?.[route.method.toLowerCase()]?.responses['201']
  if (!created || '$ref' in created) return
  const { properties = {} } = (created.content?.['application/json']?.schema ?? {}) as Fields
  const own = namesIn(route.path)
  const links = routes.flatMap((other) => {
    if (!other.path.startsWith(`${route.path}/{`)) return []
    const [key, ...further] = namesIn(other.path).slice(own.length)
    const field =
      key !== undefined &&
      (key in properties ? key : /Id$/.test(key) && 'id' in properties ? 'id' : undefined)
    if (!key || !field || further.length > 0) return []
    const parameters = Object.fromEntries(
      own.map((name) => [`path.${name}`, `$request.path.${name}`]),
    )
    const operationId = other.name.replaceAll('.', '-')
    return [
      [
        operationId,
        { operationId, parameters: { ...parameters, [`path.${key}`]: `$response.body#/${field}` } },
      ] as const,
    ]
  })
  if (links.length > 0) created.links = Object.fromEntries(links)
}

const problem: Schema = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: 'Where the code is explained' },
    title: { type: 'string', description: 'The same for every problem of the code' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened here, for people' },
    code: { type: 'string', enum: errorCodes, description: 'For programs' },
    requestId: { type: 'string', description: 'Names the request in the log' },
    limit: { type: 'string', enum: limitNames, description: 'The limit that was reached' },
    current: {
      type: 'object',
      description: 'The record as it is now; comes with edit_conflict and precondition_failed',
    },
    issues: {
      type: 'array',
      maxItems: 100,
      description: 'The fields that are wrong',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const ofrepProblem: Schema = {
  description:
    'RFC 9457 problem details with the members of the OpenFeature Remote Evaluation Protocol',
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    {
      type: 'object',
      required: ['errorCode', 'errorDetails'],
      properties: {
        errorCode: { type: 'string', enum: ofrepErrorCodes },
        errorDetails: { type: 'string' },
        key: { type: 'string' },
      },
    },
  ],
}
