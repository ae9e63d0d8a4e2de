import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { scimSchemas } from '@atrium/core/scim/schemas'
import type { Hono, Context as HonoContext } from 'hono'
import { namesTag } from '../platform/entity-tags.ts'
import type { RequestInfo } from '../rpc/caller.ts'
import { createContext } from '../rpc/context.ts'
import { toAppError } from '../rpc/errors.ts'
import { proceduresOf, type RunnableProcedure } from '../rpc/procedure.ts'
import type { ScimAddress } from '../rpc/procedure-meta.ts'
import type { Services } from '../rpc/services.ts'
import { scimRouter } from '../scim/router.ts'
import { rejectionHeaders } from './problems.ts'
import { type AppEnv, HttpRequestInfo } from './request-info.ts'
import { logFailure } from './request-record.ts'

export interface ScimRoute extends ScimAddress {
  name: string
  procedure: RunnableProcedure
}

const base = '/tenants/{slug}/scim/v2' as const
const asHonoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Every procedure with its whole path. */
export function scimRoutes(): ScimRoute[] {
  return Object.entries(proceduresOf(scimRouter)).flatMap(([name, procedure]) => {
    const { scim } = procedure._def.meta ?? {}
    return scim ? [{ name: `scim.${name}`, procedure, ...scim, path: `${base}${scim.path}` }] : []
  })
}

/**
 * The SCIM service of each tenant (RFC 7644): procedures with the guards, limits and audit entries
 * of all others, and SCIM's media type, entity tags and errors.
 */
export function registerScim(app: Hono<AppEnv>, services: Services): void {
  for (const [path, routes] of Map.groupBy(scimRoutes(), (route) => route.path)) {
    const byMethod = new Map<string, ScimRoute>(routes.map((route) => [route.method, route]))
    app.all(asHonoPath(path), async (c) => {
      c.set('route', path)
      const route = byMethod.get(c.req.method === 'HEAD' ? 'GET' : c.req.method)
      if (route) return handle(c, services, route)
      const response = scimError(c, new AppError('method_not_allowed'))
      response.headers.set('allow', [...byMethod.keys()].join(', '))
      return response
    })
  }
  app.all(`${asHonoPath(base)}/*`, (c) => {
    // What the standard leaves to a service (RFC 7644, section 3.12).
    const optional = /\/(Bulk|Me)$/.test(c.req.path)
    return scimError(
      c,
      optional
        ? new AppError('not_implemented')
        : new AppError('not_found', errorText('nothingAtAddress')),
    )
  })
}

async function handle(
  c: HonoContext<AppEnv>,
  services: Services,
  route: ScimRoute,
): Promise<Response> {
  const info = new HttpRequestInfo(c, services.config)
  return info.complete(await answered(c, services, route, info))
}

async function answered(
  c: HonoContext<AppEnv>,
  services: Services,
  { name, procedure, method }: ScimRoute,
  info: RequestInfo,
): Promise<Response> {
  try {
    const ctx = createContext(services, info, c.req.header('authorization'))
    const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
    // No body is read without a valid token.
    if (withBody) await ctx.verifyToken()
    const text = withBody ? await c.req.text() : undefined
    const result = await procedure({
      ctx,
      path: name,
      type: procedure._def.type,
      batchIndex: 0,
      getRawInput: async () => inputOf(c, text),
    })
    const creates = method === 'POST' && procedure._def.type === 'mutation'
    return respond(c, method, creates, result)
  } catch (error) {
    const response = scimError(c, error)
    logFailure(services, response.status, error, info)
    return response
  }
}

const queryFields = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes'] as const

/**
 * Parameters that are not known are passed over, as is `sortBy` of a service that does not sort.
 * Throws AppError `unsupported_media_type`, `malformed_json`.
 */
function inputOf(c: HonoContext<AppEnv>, text: string | undefined): Record<string, unknown> {
  const input: Record<string, unknown> = { ...(c.req.param() as Record<string, string>) }
  for (const name of queryFields) {
    const value = c.req.query(name)
    if (value !== undefined && (name !== 'filter' || value !== '')) input[name] = value
  }
  const ifMatch = c.req.header('if-match')
  if (ifMatch !== undefined && c.req.method !== 'GET') input.ifMatch = ifMatch
  if (text !== undefined) input.resource = readBody(text, c.req.header('content-type'))
  return input
}

function readBody(text: string, contentType: string | undefined): unknown {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/scim+json' && type !== 'application/json')
    throw new AppError('unsupported_media_type')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed_json', undefined, { cause })
  }
}

function respond(
  c: HonoContext<AppEnv>,
  method: ScimRoute['method'],
  creates: boolean,
  result: unknown,
): Response {
  if (result === undefined) return c.body(null, 204)
  const { version, location } = metaOf(result)
  const headers = {
    'content-type': 'application/scim+json',
    ...(version !== undefined && { etag: version }),
    ...(creates && location !== undefined && { location }),
  }
  if (method === 'GET' && version && namesTag(c.req.header('if-none-match'), version))
    return c.body(null, 304, headers)
  return c.body(JSON.stringify(result), creates ? 201 : 200, headers)
}

function metaOf(result: unknown): { version?: string; location?: string } {
  const meta = typeof result === 'object' && result !== null && 'meta' in result && result.meta
  return typeof meta === 'object' && meta !== null ? meta : {}
}

/** RFC 7644, section 3.12. The sentence is in the caller's language. */
function scimError(c: HonoContext<AppEnv>, failure: unknown): Response {
  const error = toAppError(failure)
  const language = c.get('language')
  const issues = error.issuesIn(language)?.map(({ path, message }) => `${path}: ${message}`)
  const scimType = scimTypeOf(error)
  const status = scimStatusOf(error)
  const body = {
    schemas: [scimSchemas.error],
    status: String(status),
    ...(scimType && { scimType }),
    // The form has no field for our code, and directories show this text in their logs.
    detail: `${[error.messageIn(language), ...(issues ?? [])].join(' ')} (${error.code})`,
  }
  const headers = {
    'content-type': 'application/scim+json',
    ...rejectionHeaders(error),
    ...(status === 503 && { 'retry-after': '5' }),
  }
  return c.body(JSON.stringify(body), status, headers)
}

/**
 * Directories take 409 for a resource that exists already, and look for it; every other conflict is
 * a rule that the request breaks, or one that ends by waiting.
 */
export function scimStatusOf({ code, status }: AppError): AppError['status'] {
  if (code === 'forbidden_field') return 400
  if (status !== 409 || code === 'email_taken' || code === 'already_exists') return status
  return code === 'member_busy' || code === 'edit_conflict' ? 503 : 400
}

/** RFC 7644, table 9. */
function scimTypeOf(error: AppError): string | undefined {
  if (error.code === 'email_taken' || error.code === 'already_exists') return 'uniqueness'
  if (error.code === 'forbidden_field') return 'mutability'
  if (error.code === 'malformed_json') return 'invalidSyntax'
  if (error.code !== 'invalid_input') return undefined
  const at = error.issues?.[0]?.path ?? ''
  if (at === 'filter') return 'invalidFilter'
  if (/^operations\.\d+$/.test(at)) return 'noTarget'
  return /^operations\.\d+\.path$/.test(at) ? 'invalidPath' : 'invalidValue'
}
