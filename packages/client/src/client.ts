import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/openapi.ts'
import { fetchWithRetries, type RetryOptions } from './retries.ts'

/** What the clients of both transports need. */
export interface ConnectionOptions {
  /** Address of the API, such as `https://api.example.com`. */
  url: string
  /** A service token or an access token, or a function that returns one for each request. */
  token?: string | (() => string | Promise<string>)
  /** Sends the requests; the `fetch` of the runtime by default. */
  fetch?: (request: Request) => Promise<Response>
}

/** Options of the REST client. */
export interface ClientOptions extends ConnectionOptions, RetryOptions {}

/** The REST client: `GET`, `POST`, `PUT`, `PATCH` and `DELETE`, typed by path. */
export type AtriumClient = Client<paths>

/**
 * Returns a client of every REST operation, typed from the API's OpenAPI document. Each POST gets
 * an `Idempotency-Key` unless it has one, so that a retry cannot carry it out twice.
 */
export function createAtriumClient(options: ClientOptions): AtriumClient {
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request))
  const client = createClient<paths>({
    baseUrl: options.url.replace(/\/$/, ''),
    fetch: fetchWithRetries(send, options),
  })
  client.use({
    async onRequest({ request }) {
      const token = await readToken(options.token)
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
      if (request.method === 'POST' && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID())
      return request
    },
  })
  return client
}

/** The token for the next request. */
export async function readToken(token: ConnectionOptions['token']): Promise<string | undefined> {
  return typeof token === 'function' ? token() : token
}
