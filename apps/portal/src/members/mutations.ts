import type { MemberView } from '@atrium/core/members/members'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** What the browser knows of the members of a workplace, kept right after a change. */
export function useMembersCache(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return {
    /** Updates a member from a response and reloads the lists that show it. */
    learn(member: MemberView) {
      queryClient.setQueryData(trpc.members.get.queryKey({ slug, userId: member.id }), member)
      void queryClient.invalidateQueries(trpc.tenants.users.pathFilter())
      void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    },
    /** After a change of unknown outcome, or of several members. */
    forget(userId?: string) {
      void queryClient.invalidateQueries(
        userId ? trpc.members.get.queryFilter({ slug, userId }) : trpc.members.get.pathFilter(),
      )
      void queryClient.invalidateQueries(trpc.tenants.users.pathFilter())
      void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      // The record of the workplace contains member count and owner.
      void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
    },
    /** After a seat was bought, or not for the price that was shown. */
    invalidateSeats() {
      void queryClient.invalidateQueries(trpc.subscriptions.pathFilter())
      void queryClient.invalidateQueries(trpc.billing.pathFilter())
    },
    invalidateAliases(userId: string) {
      void queryClient.invalidateQueries(trpc.members.listAliases.queryFilter({ slug, userId }))
    },
  }
}
