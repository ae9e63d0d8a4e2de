import { AppError, describeError, type ErrorCode } from '@atrium/core/platform/errors'
import { ScimGroup, ScimUser, scimSchemas } from '@atrium/core/scim/schemas'
import { scopesNeeded } from '@atrium/core/service-tokens/scopes'
import { z } from 'zod'
import { errorsOfProcedure } from '../rpc/procedure.ts'
import type { ApiDocument, Operation, Parameter, Schema } from './openapi-document.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import { type ScimRoute, scimRoutes, scimStatusOf } from './scim.ts'

/** The tag of every operation. */
export const scimTag = 'scim'

const mediaType = 'application/scim+json'
type Fields = { properties?: Record<string, Schema>; required?: readonly string[] }

/**
 * The OpenAPI 3.1 description of the SCIM service. A document of its own: its media type, errors
 * and lists are those of RFC 7643 and 7644, not those of the API.
 */
export function scimDocument(version: string, baseUrl: string): ApiDocument {
  const components: Components = { schemas: {}, responses: {}, parameters: {} }
  components.schemas.ScimError = toSchema(ScimError, 'output', components)
  components.schemas.ScimUser = toSchema(ScimUser, 'output', components)
  components.schemas.ScimGroup = toSchema(ScimGroup, 'output', components)
  components.schemas.ScimUserInput = toSchema(UserInput, 'input', components)
  components.schemas.ScimGroupInput = toSchema(GroupInput, 'input', components)
  components.schemas.ScimPatch = toSchema(Patch, 'input', components)
  components.schemas.ScimSearch = toSchema(Search, 'input', components)
  const paths: ApiDocument['paths'] = {}
  for (const route of scimRoutes())
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describe(route, components),
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium SCIM 2.0',
      version,
      description: 'Members and groups of a tenant for directories (RFC 7643, RFC 7644).',
    },
    servers: [{ url: baseUrl }],
    tags: [{ name: scimTag }],
    paths,
    webhooks: {},
    components: {
      ...components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        serviceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'atr_<id>_<secret>' },
      },
    },
  }
}

/** The API and its SCIM service as one, for the reference and the comparison of releases. */
export function withScim(api: ApiDocument): ApiDocument {
  const scim = scimDocument(api.info.version, '/')
  return {
    ...api,
    paths: { ...api.paths, ...scim.paths },
    components: {
      ...api.components,
      schemas: { ...api.components.schemas, ...scim.components.schemas },
    },
  }
}

/** RFC 7644, section 3.12. */
const ScimError = z.object({
  schemas: z.tuple([z.literal(scimSchemas.error)]),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string().describe('A sentence, and the code of the API in parentheses.'),
})

/** Attributes that are not known are ignored. */
const UserInput = ScimUser.omit({ schemas: true, id: true, emails: true, meta: true })
  .required({ userName: true })
  .loose()
const GroupInput = ScimGroup.omit({ schemas: true, id: true, meta: true })
  .required({ displayName: true })
  .loose()
/** RFC 7644, section 3.4.3. */
const Search = z.looseObject({
  filter: z.string().optional(),
  startIndex: z.int().optional(),
  count: z.int().optional(),
  attributes: z.array(z.string()).optional(),
  excludedAttributes: z.array(z.string()).optional(),
})
/** RFC 7644, section 3.5.2. */
const Patch = z.looseObject({
  Operations: z
    .array(
      z.looseObject({
        op: z.enum(['add', 'replace', 'remove']),
        path: z.string().optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
})

function describe(route: ScimRoute, components: Components): Operation {
  const { name, method, path, procedure } = route
  const { inputs, output, meta } = procedure._def
  const input = inputs[0] ? (toSchema(inputs[0], 'input', components) as Fields) : {}
  const scopes = scopesNeeded(meta?.scope, false)
  const body = bodyOf(route)
  return {
    operationId: name.replaceAll('.', '-'),
    summary: summaryOf(name),
    ...(meta?.recentSignIn && { description: 'People need a recent sign-in.' }),
    tags: [scimTag],
    security: [{ bearer: [] }, ...(scopes ? [{ serviceToken: scopes }] : [])],
    parameters: parametersOf(method, path, input),
    ...(body && { requestBody: { required: true, content: { 'application/json': body } } }),
    responses: { ...successOf(route, output, components), ...errorsOf(route) },
  }
}

/** "List users" of `scim.listUsers`. */
function summaryOf(name: string): string {
  const words = name.replace(/^.*\./, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function parametersOf(
  method: ScimRoute['method'],
  path: string,
  { properties = {} }: Fields,
): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parameters = inPath.map((name): Parameter => parameterOf(name, 'path', properties[name]))
  if ('ifMatch' in properties)
    parameters.push(parameterOf('If-Match', 'header', properties.ifMatch))
  if (method === 'DELETE') return parameters
  for (const name of Object.keys(properties))
    if (!inPath.includes(name) && name !== 'ifMatch' && name !== 'resource')
      parameters.push(parameterOf(name, 'query', properties[name]))
  return parameters
}

const parameterOf = (
  name: string,
  place: Parameter['in'],
  schema: Schema = { type: 'string' },
): Parameter => ({ name, in: place, required: place === 'path', schema })

function bodyOf({ method, path }: ScimRoute): { schema: Schema } | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const component = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } })
  if (method === 'PATCH') return component('ScimPatch')
  if (path.endsWith('/.search')) return component('ScimSearch')
  return component(path.includes('/Users') ? 'ScimUserInput' : 'ScimGroupInput')
}

function successOf(
  { method, procedure }: ScimRoute,
  output: z.ZodType | undefined,
  components: Components,
): Operation['responses'] {
  if (!output || output._zod.def.type === 'void') return { '204': { description: 'Done' } }
  const schema =
    output === ScimUser
      ? { $ref: '#/components/schemas/ScimUser' }
      : output === ScimGroup
        ? { $ref: '#/components/schemas/ScimGroup' }
        : toSchema(output, 'output', components)
  const content = { [mediaType]: { schema } }
  const creates = method === 'POST' && procedure._def.type === 'mutation'
  return creates
    ? { '201': { description: 'Created', content } }
    : { '200': { description: 'Success', content }, ...(method === 'GET' && unchanged) }
}

const unchanged = {
  '304': { description: 'The client has this resource already: its If-None-Match names the ETag' },
}

/** Of the procedure and of the transport, by the status that SCIM gives them. */
function errorsOf({ method, procedure }: ScimRoute): Operation['responses'] {
  const codes = errorsOfProcedure(procedure._def)
  if (method === 'POST' || method === 'PUT' || method === 'PATCH')
    for (const code of ['malformed_json', 'unsupported_media_type', 'too_large'] as const)
      codes.add(code)
  const byStatus = Map.groupBy(codes, (code) => scimStatusOf(new AppError(code)))
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, those]) => [
        String(status),
        {
          description: those.toSorted().map(sentenceOf).join('\n\n'),
          content: { [mediaType]: { schema: { $ref: '#/components/schemas/ScimError' } } },
        },
      ]),
  )
}

const sentenceOf = (code: ErrorCode) => `\`${code}\`: ${describeError(code).title}`
