import type {
  CreateServiceToken,
  RotateServiceToken,
} from '@atrium/core/service-tokens/service-tokens'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

function useTokensChanged() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    return queryClient.invalidateQueries(trpc.serviceTokens.pathFilter())
  }
}

/** The actions on tokens of a workplace. A token's text leaves the memory with its window. */
export function useTokenActions(slug: string) {
  const trpc = useTRPC()
  const options = { gcTime: 0, onSettled: useTokensChanged() }
  const create = useMutation(trpc.serviceTokens.create.mutationOptions(options))
  const rotate = useMutation(trpc.serviceTokens.rotate.mutationOptions(options))
  const revoke = useMutation(trpc.serviceTokens.revoke.mutationOptions(options))
  return {
    create: (token: CreateServiceToken) => create.mutateAsync({ slug, ...token }),
    rotate: (rotation: RotateServiceToken) => rotate.mutateAsync({ slug, ...rotation }),
    revoke: (id: string) => revoke.mutateAsync({ slug, id }),
  }
}

/** The actions on tokens of a partner. A token's text leaves the memory with its window. */
export function usePartnerTokenActions(slug: string) {
  const trpc = useTRPC()
  const options = { gcTime: 0, onSettled: useTokensChanged() }
  const create = useMutation(trpc.serviceTokens.createOfPartner.mutationOptions(options))
  const rotate = useMutation(trpc.serviceTokens.rotateOfPartner.mutationOptions(options))
  const revoke = useMutation(trpc.serviceTokens.revokeOfPartner.mutationOptions(options))
  return {
    create: (token: CreateServiceToken) => create.mutateAsync({ slug, ...token }),
    rotate: (rotation: RotateServiceToken) => rotate.mutateAsync({ slug, ...rotation }),
    revoke: (id: string) => revoke.mutateAsync({ slug, id }),
  }
}
