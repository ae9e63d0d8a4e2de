import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * Registers an application. The response contains its secret, which is kept out of the list in the
 * browser's memory.
 */
export function useCreateSsoApp(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.sso.create.mutationOptions({
      // The secret leaves the browser's memory with the window that shows it.
      gcTime: 0,
      onSuccess: ({ clientSecret: _, ...app }) => {
        queryClient.setQueryData(
          trpc.sso.list.queryKey({ slug }),
          (list) => list && { ...list, items: [app, ...list.items] },
        )
        void queryClient.invalidateQueries(trpc.sso.list.queryFilter({ slug }))
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
}

/** Takes an application away, here and at the identity provider. */
export function useRemoveSsoApp(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.sso.remove.mutationOptions({
      onSettled: () => {
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
        return queryClient.invalidateQueries(trpc.sso.list.queryFilter({ slug }))
      },
    }),
  )
}
