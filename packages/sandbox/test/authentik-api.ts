import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { Sandbox } from '../src/start.ts'

export type Row = Record<string, unknown>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON object; empty when the answer has no body or another kind of one. */
  readonly body: Row
  /** `results` of a list. */
  readonly results: readonly Row[]
  readonly text: string
}

export interface AuthentikApi {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  raw(path: string, init: RequestInit): Promise<Answer>
  /** pk of the first row. */
  pk(path: string): Promise<unknown>
}

/** Calls `/api/v3/` with the token of the local workplace. */
export function authentikApi(sandbox: Sandbox): AuthentikApi {
  async function raw(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${sandbox.identityUrl}/api/v3/${path}`, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const body = isJson ? JSON.parse(text) : {}
    return {
      status: response.status,
      headers: response.headers,
      text,
      body,
      results: Array.isArray(body) ? body : (body.results ?? []),
    }
  }
  const send = (method: string) => (path: string, body?: unknown) =>
    raw(path, {
      method,
      headers: {
        authorization: `Bearer ${demoServiceCredentials.identityToken}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const get = send('GET')
  return {
    get,
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
    raw,
    pk: async (path) => (await get(path)).results[0]?.pk,
  }
}
