import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * What changes with the aliases: their list, the use of the domains, a member's own addresses and
 * the log.
 */
function useInvalidateAliases(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return async () => {
    void queryClient.invalidateQueries(trpc.domains.get.pathFilter())
    void queryClient.invalidateQueries(trpc.members.listAliases.pathFilter())
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    await queryClient.invalidateQueries(trpc.aliases.list.queryFilter({ slug }))
  }
}

export function useAddAlias(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.aliases.add.mutationOptions({ onSuccess: useInvalidateAliases(slug) }))
}

export function useRemoveAlias(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.aliases.remove.mutationOptions({ onSettled: useInvalidateAliases(slug) }))
}
