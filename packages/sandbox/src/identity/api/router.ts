import type { Store, UserRecord } from '../records.ts'
import { ApiError } from './errors.ts'

/** An authorized call. */
export interface ApiCall {
  readonly store: Store
  /** Owner of the token. */
  readonly caller: UserRecord
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Parsed JSON; an empty object when the call has no body. */
  readonly body: unknown
  /** Origin under which the caller reached the server, by `X-Forwarded-*` or `Host`. */
  readonly requestOrigin: string
}

export interface ApiReply {
  readonly status: number
  readonly body?: unknown
}

export type ApiHandler = (call: ApiCall) => ApiReply

/** The methods of one path, below `/api/v3/`. `:name` takes one segment. */
export interface Resource {
  readonly path: string
  readonly GET?: ApiHandler
  readonly POST?: ApiHandler
  readonly PUT?: ApiHandler
  readonly PATCH?: ApiHandler
  readonly DELETE?: ApiHandler
}

export const ok = (body: unknown): ApiReply => ({ status: 200, body })
export const created = (body: unknown): ApiReply => ({ status: 201, body })
export const done: ApiReply = { status: 204 }

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Serves `/api/v3/` with authentik's order of checks: path, credentials, method, media type, JSON.
 */
export function createApi(
  store: Store,
  resources: readonly Resource[],
): (request: Request) => Promise<Response> {
  const table = resources.map((resource) => ({ resource, segments: resource.path.split('/') }))

  function find(path: string): { resource: Resource; params: Record<string, string> } | undefined {
    const segments = path.split('/')
    for (const entry of table) {
      if (entry.segments.length !== segments.length) continue
      const params: Record<string, string> = {}
      const fits = entry.segments.every((pattern, index) => {
        const segment = segments[index] ?? ''
        if (!pattern.startsWith(':')) return pattern === segment
        const value = decode(segment)
        if (value !== undefined) params[pattern.slice(1)] = value
        return segment !== '' && value !== undefined
      })
      if (fits) return { resource: entry.resource, params }
    }
    return undefined
  }

  return async (request) => {
    const url = new URL(request.url)
    try {
      const found = find(url.pathname.slice('/api/v3/'.length))
      if (!found)
        return new Response('<h1>Not Found</h1>', {
          status: 404,
          headers: { 'content-type': 'text/html; charset=utf-8' },
        })
      const caller = authenticate(store, request)
      const method = methods.find(
        (one) => one === (request.method === 'HEAD' ? 'GET' : request.method),
      )
      const handler = method && found.resource[method]
      if (!handler) throw new ApiError(405, { detail: `Method "${request.method}" not allowed.` })
      const body = await readBody(request)
      const reply = handler({
        store,
        caller,
        params: found.params,
        query: url.searchParams,
        body,
        requestOrigin: originOf(request, url),
      })
      if (method !== 'GET') store.changed()
      return response(reply.status, reply.body)
    } catch (error) {
      if (error instanceof ApiError) return response(error.status, error.body)
      throw error
    }
  }
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function response(status: number, body: unknown): Response {
  if (body === undefined) return new Response(null, { status })
  return Response.json(body, { status, headers: { 'x-powered-by': 'authentik' } })
}

/** Missing and bad credentials are both 403, never 401. */
function authenticate(store: Store, request: Request): UserRecord {
  const [scheme, key] = (request.headers.get('authorization') ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer')
    throw new ApiError(403, { detail: 'Authentication credentials were not provided.' })
  const token = store.records.tokens.find((one) => one.key === key)
  const user = store.records.users.find((one) => one.pk === token?.user)
  if (!user?.is_active) throw new ApiError(403, { detail: 'Token invalid/expired' })
  return user
}

async function readBody(request: Request): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD') return {}
  const text = await request.text()
  if (text === '') return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError(415, { detail: `Unsupported media type "${type}" in request.` })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, {
      detail: `JSON parse error - ${error instanceof Error ? error.message : 'invalid'}`,
    })
  }
}

function originOf(request: Request, url: URL): string {
  const host = request.headers.get('x-forwarded-host') ?? request.headers.get('host') ?? url.host
  return `${request.headers.get('x-forwarded-proto') ?? 'http'}://${host}`
}
