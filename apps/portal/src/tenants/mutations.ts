import type { TenantView } from '@atrium/core/tenants/tenants'
import { followLanguage } from '@atrium/ui/page-language'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * Writes a changed tenant to the cache. Only `GET /tenants/{slug}` says how the reader may act in
 * it, so that stays as it was.
 */
function useSaveTenant(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return (saved: TenantView) =>
    queryClient.setQueryData(trpc.tenants.get.queryKey({ slug }), (known) =>
      known ? { ...saved, grant: known.grant, custodian: known.custodian } : saved,
    )
}

/** Runs provisioning again. The response contains the updated tenant. */
export function useReconcile(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const save = useSaveTenant(slug)
  return useMutation(
    trpc.tenants.reconcile.mutationOptions({
      onSuccess: ({ tenant }) => {
        save(tenant)
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
      // The run may have done part of its work before it was rejected or lost.
      onError: () => void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug })),
    }),
  )
}

/** Changes the general data of a workplace. */
export function useUpdateTenant(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const save = useSaveTenant(slug)
  return useMutation(
    trpc.tenants.update.mutationOptions({
      onSuccess: async (tenant) => {
        save(tenant)
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
        // The profile has what the switcher shows, and the language.
        await queryClient.invalidateQueries(trpc.users.me.pathFilter())
        const me = queryClient.getQueryData(trpc.users.me.queryKey())
        if (me) followLanguage(me)
      },
    }),
  )
}

/** Deletes a workplace, keeping its record, and drops it from what the browser knows. */
export function useDeleteTenant(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.tenants.delete.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries(trpc.users.me.pathFilter())
        void queryClient.invalidateQueries({
          ...trpc.tenants.get.queryFilter({ slug }),
          refetchType: 'none',
        })
      },
    }),
  )
}

/** What changes with the partner of a workplace, or with its transfer code. */
function usePartnerChanged() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.partnerTransfers.pathFilter()),
      queryClient.invalidateQueries(trpc.partners.support.pathFilter()),
      queryClient.invalidateQueries(trpc.tenants.pathFilter()),
    ])
}

/** Creates the code with which a partner takes the workplace over. It is never cached. */
export function useCreateTransferCode() {
  const onSuccess = usePartnerChanged()
  return useMutation(
    useTRPC().partnerTransfers.createCode.mutationOptions({ gcTime: 0, onSuccess }),
  )
}

export function useRevokeTransferCode() {
  const onSuccess = usePartnerChanged()
  return useMutation(useTRPC().partnerTransfers.revokeCode.mutationOptions({ onSuccess }))
}

export function useLeavePartner() {
  const onSuccess = usePartnerChanged()
  return useMutation(useTRPC().partnerTransfers.leave.mutationOptions({ onSuccess }))
}
