import type { DomainView } from '@atrium/core/mail/domains'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Updates the cached domain from a response; its use in the mail server stays as read before. */
function useKeepDomain(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return (domain: DomainView) => {
    queryClient.setQueryData(
      trpc.domains.get.queryKey({ slug, domain: domain.name }),
      (known) => known && { ...known, ...domain },
    )
    void queryClient.invalidateQueries(trpc.domains.list.queryFilter({ slug }))
    void queryClient.invalidateQueries(trpc.domains.history.pathFilter())
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
  }
}

export function useAddDomain(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.domains.add.mutationOptions({
      onSuccess: async () => {
        void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
        await queryClient.invalidateQueries(trpc.domains.list.queryFilter({ slug }))
      },
    }),
  )
}

/** Compares live DNS with what should be there. */
export function useRecheck(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.domains.recheck.mutationOptions({ onSuccess: useKeepDomain(slug) }))
}

export function useSetDmarc(slug: string) {
  const trpc = useTRPC()
  return useMutation(trpc.domains.setDmarc.mutationOptions({ onSuccess: useKeepDomain(slug) }))
}

/** Sets the domain that new addresses get; the previous one stays a domain of the workplace. */
export function useMakePrimary(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const keep = useKeepDomain(slug)
  return useMutation(
    trpc.domains.makePrimary.mutationOptions({
      onSuccess: (domain) => {
        keep(domain)
        void queryClient.invalidateQueries(trpc.domains.get.pathFilter())
        void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
      },
    }),
  )
}

export function useRemoveDomain(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.domains.remove.mutationOptions({
      onSuccess: async (_, { domain }) => {
        void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
        // Not read again: its page is still there for a moment and would show that the domain is
        // missing.
        void queryClient.invalidateQueries({
          ...trpc.domains.get.queryFilter({ slug, domain }),
          refetchType: 'none',
        })
        await queryClient.invalidateQueries(trpc.domains.list.queryFilter({ slug }))
      },
      // A rejection means that something uses the domain now, so the shown counts are stale.
      onError: (_, { domain }) =>
        void queryClient.invalidateQueries(trpc.domains.get.queryFilter({ slug, domain })),
    }),
  )
}
