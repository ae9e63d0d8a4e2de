import type { UserView } from '@atrium/core/users/users'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Who is signed in, and their workplaces that still stand. */
export function useProfile(): { me: UserView; tenants: UserView['tenants'] } {
  const trpc = useTRPC()
  const { data: me } = useSuspenseQuery(trpc.users.me.queryOptions())
  return { me, tenants: me.tenants.filter(({ status }) => status !== 'deleted') }
}
