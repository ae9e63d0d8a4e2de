import { z } from 'zod'
import { type HttpClient, httpClient, type UpstreamResponse } from '../http-client.ts'

/** The name of our blueprint instance at authentik. */
export const blueprintName = 'Atrium'

export interface SetupAccess {
  /** authentik's address, without `/api/v3`. */
  baseUrl: string
  /** API token of a superuser: objects of others are absent from every other reply. */
  token: string
}

interface SetupRequest<T> {
  method: 'GET' | 'POST' | 'PATCH'
  /** Below `/api/v3/`, its parts encoded. */
  path: string
  query?: Record<string, string>
  body?: unknown
  accept?: readonly number[]
  read: (response: UpstreamResponse) => T
}

/** Calls of an administrator's command; each has its own deadline. */
export interface SetupCalls {
  send<T>(request: SetupRequest<T>): Promise<T>
  /** The first hundred rows: what is looked for is named. */
  list<S extends z.ZodType>(
    path: string,
    query: Record<string, string>,
    row: S,
  ): Promise<z.output<S>[]>
}

/** Every call rejects with `UpstreamError` when authentik does not do it. */
export function setupCalls({ baseUrl, token }: SetupAccess): SetupCalls {
  const client: HttpClient = httpClient('identity', `Bearer ${token}`, {
    baseUrl,
    // A blueprint is checked against the database before it is taken.
    deadlineMs: 60_000,
    operationDeadlineMs: 120_000,
  })
  const send: SetupCalls['send'] = ({ path, accept = [200], ...request }) =>
    client.operation('setup', undefined, (operation) =>
      client.send(operation, {
        ...request,
        label: `${request.method} /${path}`,
        path: `api/v3/${path}`,
        repeatable: request.method === 'GET',
        accept,
      }),
    )
  return {
    send,
    list: async (path, query, row) => {
      const page = z.object({ results: z.array(row) })
      return await send({
        method: 'GET',
        path,
        query: { page_size: '100', ...query },
        read: ({ json }) => page.parse(json).results,
      })
    },
  }
}
