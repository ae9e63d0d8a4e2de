import { restRoutes } from '@atrium/api/http/rest'
import superjson from 'superjson'
import type { TestApp } from './test-app.ts'

/** The outcome for the caller: `ok` with the result, or the code of the rejection. */
export interface Outcome {
  outcome: string
  status: number
  headers: Headers
  /** The result, or the problem. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
  body: any
}

const routes = new Map(restRoutes().map((route) => [route.name, route]))
export const procedureNames = [...routes.keys()].sort()

export function routeOf(name: string) {
  const route = routes.get(name)
  if (!route) throw new Error(`${name} has no REST path`)
  return route
}

type Input = Readonly<Record<string, unknown>>

/** The REST request of a procedure call: path parameters in the path, the rest as query or body. */
export function restRequest(
  name: string,
  input: Input,
): { method: string; path: string; body: Input | undefined } {
  const { method, path } = routeOf(name)
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = String(rest[parameter])
    delete rest[parameter]
    return encodeURIComponent(value)
  })
  if (method !== 'GET' && method !== 'DELETE') return { method, path: filled, body: rest }
  const query = new URLSearchParams(
    Object.entries(rest).map(([key, value]) => [key, String(value)]),
  ).toString()
  return { method, path: query ? `${filled}?${query}` : filled, body: undefined }
}

/** Calls a procedure over REST. Of a stream only the beginning is read. */
export async function overRest(
  testApp: TestApp,
  name: string,
  input: Input,
  token?: string,
): Promise<Outcome> {
  const { method, path, body } = restRequest(name, input)
  const leave = new AbortController()
  const response = await testApp.app.fetch(
    new Request(`http://api.test${path}`, {
      method,
      signal: leave.signal,
      headers: { ...authorization(token), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
    {},
  )
  const text = await beginning(response, leave)
  const answer =
    /json/.test(response.headers.get('content-type') ?? '') && !isStream(response) && text !== ''
      ? JSON.parse(text)
      : text
  return {
    outcome: response.ok ? 'ok' : String(answer.code),
    status: response.status,
    headers: response.headers,
    body: answer,
  }
}

/** Procedures that answer with a stream, which tRPC sends line by line. */
const exports: ReadonlySet<string> = new Set([
  'audit.export',
  'bookkeeping.export',
  'events.stream',
  'operatorInvoices.export',
  'payouts.exportLedger',
])

/** Calls a procedure over tRPC, one call per request. Of a stream only the beginning is read. */
export async function overTrpc(
  testApp: TestApp,
  name: string,
  input: Input,
  token?: string,
): Promise<Outcome> {
  const { type } = routeOf(name)
  const serialized = JSON.stringify({ json: input })
  const leave = new AbortController()
  const streams = exports.has(name)
  const response = await testApp.app.fetch(
    new Request(
      type === 'mutation'
        ? `http://api.test/trpc/${name}`
        : `http://api.test/trpc/${name}?${streams ? 'batch=1&' : ''}input=${encodeURIComponent(streams ? `{"0":${serialized}}` : serialized)}`,
      {
        method: type === 'mutation' ? 'POST' : 'GET',
        signal: leave.signal,
        headers: {
          ...authorization(token),
          ...(type === 'mutation' ? { 'content-type': 'application/json' } : {}),
          ...(streams ? { 'trpc-accept': 'application/jsonl' } : {}),
        },
        ...(type === 'mutation' ? { body: serialized } : {}),
      },
    ),
    {},
  )
  const text = await beginning(response, leave)
  const { headers } = response
  if (isStream(response)) {
    const error = /"code":"(\w+)","httpStatus":(\d+)/.exec(text)
    const issues = error && /"issues":(\[.*?\])/.exec(text)?.[1]
    return {
      outcome: error?.[1] ?? 'ok',
      status: Number(error?.[2] ?? 200),
      headers,
      body: issues ? { issues: JSON.parse(issues) } : text,
    }
  }
  const parsed = JSON.parse(text)
  // A streamed batch whose token is rejected never begins: the transport responds like REST.
  if (headers.get('content-type') === 'application/problem+json')
    return { outcome: parsed.code, status: response.status, headers, body: parsed }
  if (!parsed.error)
    return {
      outcome: 'ok',
      status: response.status,
      headers,
      body: superjson.deserialize(parsed.result.data),
    }
  const problem = superjson.deserialize<{ data: { code: string } }>(parsed.error)
  return {
    outcome: problem.data.code,
    status: response.status,
    headers,
    body: { ...problem, ...problem.data },
  }
}

function authorization(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

function isStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? ''
  return (
    type.startsWith('text/event-stream') ||
    type.includes('ndjson') ||
    response.headers.get('transfer-encoding') === 'chunked'
  )
}

/** The whole body, or of server-sent events what comes until the first one that says something. */
async function beginning(response: Response, leave: AbortController): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body)
    return response.text()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const telling = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .some((event) => /^\s*(data:|event: serialized-error)/.test(event))
  while (!telling()) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  leave.abort()
  await reader.cancel().catch(() => {})
  return text
}
