import type { AppRouter } from '@atrium/api/router'
import { readAgainOnConflict } from '@atrium/ui/edit-conflict'
import { isPassing, problemOf } from '@atrium/ui/problem'
import { signInAddress, trpcLinks } from '@atrium/ui/trpc-client'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { createTRPCClient, type TRPCClient } from '@trpc/client'
import {
  createTRPCContext,
  createTRPCOptionsProxy,
  type TRPCOptionsProxy,
} from '@trpc/tanstack-react-query'

/** The API's procedures for components, typed from its router alone. */
export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>()

/** What routes reach before a component renders. */
export interface RouterContext {
  trpc: TRPCOptionsProxy<AppRouter>
  queryClient: QueryClient
}

/**
 * Client, cache and options of the portal; a session that has ended sends the browser to sign in
 * and back.
 */
export function connect(): RouterContext & { client: TRPCClient<AppRouter> } {
  const client = createTRPCClient<AppRouter>({
    links: trpcLinks({ onSignedOut: () => window.location.assign(signInAddress()) }),
  })
  const queryClient: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      onError: (error) => readAgainOnConflict(queryClient, error),
    }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // A rejection stays a rejection; only what may pass by itself is asked again.
        retry: (failures, error) => failures < 2 && isPassing(problemOf(error)),
      },
    },
  })
  return { client, queryClient, trpc: createTRPCOptionsProxy<AppRouter>({ client, queryClient }) }
}
