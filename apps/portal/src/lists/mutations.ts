import type { ListPage, ListView } from '@atrium/core/mail/lists'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Brings what the browser knows up to date with a list as the server has it now. */
function useKeepList(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return (list: ListView) => {
    queryClient.setQueryData(trpc.lists.get.queryKey({ slug, listId: list.id }), list)
    void queryClient.invalidateQueries(trpc.lists.list.queryFilter({ slug }))
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
  }
}

export function useCreateList(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const keep = useKeepList(slug)
  return useMutation(
    trpc.lists.create.mutationOptions({
      onSuccess: (list) => {
        keep(list)
        void queryClient.invalidateQueries(trpc.domains.get.pathFilter())
      },
    }),
  )
}

export function useUpdateList(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.lists.update.mutationOptions({ onSuccess: useKeepList(slug) }))
}

/** Brings the mail server to what the list is to be. */
export function useRetryList(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.lists.retry.mutationOptions({ onSuccess: useKeepList(slug) }))
}

export function useRemoveList(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.lists.remove.mutationOptions({
      onSuccess: async (_, { listId }) => {
        void queryClient.invalidateQueries(trpc.domains.get.pathFilter())
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
        void queryClient.invalidateQueries({
          ...trpc.lists.get.queryFilter({ slug, listId }),
          refetchType: 'none',
        })
        // The page of lists shows what it knew at once, and would show the list once more.
        queryClient.setQueriesData(
          { queryKey: trpc.lists.list.pathKey() },
          (known: ListPage | undefined) =>
            known && { ...known, items: known.items.filter(({ id }) => id !== listId) },
        )
        await queryClient.invalidateQueries(trpc.lists.list.queryFilter({ slug }))
      },
    }),
  )
}
