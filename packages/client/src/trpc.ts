import { createTRPCClient, httpBatchStreamLink, retryLink, type TRPCClient } from '@trpc/client'
import superjson from 'superjson'
import { type ConnectionOptions, readToken } from './client.ts'
import type { AtriumRouter } from './generated/router.ts'

export type { AtriumRouter } from './generated/router.ts'

/** Options of the tRPC client. */
export interface TrpcOptions extends ConnectionOptions {
  /** Requests after the first when a query fails temporarily; 3 by default. */
  retries?: number
}

/**
 * The tRPC client: every procedure by its name, but the provisioning of a tenant as it happens,
 * which REST sends as server-sent events.
 */
export type AtriumTrpcClient = TRPCClient<AtriumRouter>

/**
 * Returns a tRPC client of the procedures. Calls that begin together are sent as one request.
 * Queries are repeated after a temporary failure, changes never: tRPC carries no `Idempotency-Key`.
 * Use the REST client for changes that must survive a failed connection.
 */
export function createAtriumTrpc(options: TrpcOptions): AtriumTrpcClient {
  const { retries = 3 } = options
  const url = `${options.url.replace(/\/$/, '')}/trpc`
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request))
  return createTRPCClient<AtriumRouter>({
    links: [
      retryLink({
        retry: ({ op, error, attempts }) =>
          op.type === 'query' && attempts <= retries && isTemporary(error.data?.httpStatus),
        retryDelayMs: (attempt) => Math.random() * 250 * 2 ** attempt,
      }),
      // Exports and streams of events arrive in pieces.
      httpBatchStreamLink({
        url,
        transformer: superjson,
        // The most that the API accepts.
        maxItems: 20,
        async headers() {
          const token = await readToken(options.token)
          return token === undefined ? {} : { authorization: `Bearer ${token}` }
        },
        fetch: (address, init) => send(new Request(address, init as RequestInit)),
      }),
    ],
  })
}

/** A failed connection has no status. */
function isTemporary(status: number | undefined): boolean {
  return status === undefined || [429, 502, 503, 504].includes(status)
}
