import type { UserView } from '@atrium/core/users/users'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** The signed-in person and their active workplaces. */
export function useProfile(): { me: UserView; tenants: UserView['tenants'] } {
  const trpc = useTRPC()
  const { data: me } = useSuspenseQuery(trpc.users.me.queryOptions())
  return { me, tenants: me.tenants.filter(({ status }) => status !== 'deleted') }
}
