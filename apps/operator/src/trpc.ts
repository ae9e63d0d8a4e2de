import type { AppRouter } from '@atrium/api/router'
import type { QueryClient } from '@tanstack/react-query'
import { createTRPCContext, type TRPCOptionsProxy } from '@trpc/tanstack-react-query'

/** The API's procedures for components, typed from its router alone. */
export const { TRPCProvider, useTRPC } = createTRPCContext<AppRouter>()

/** What routes reach before a component renders. */
export interface RouterContext {
  trpc: TRPCOptionsProxy<AppRouter>
  queryClient: QueryClient
}
