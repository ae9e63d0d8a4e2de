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
    void queryClient.invalidateQueries(trpc.audit.pathFilter())
    return queryClient.invalidateQueries(trpc.serviceTokens.pathFilter())
  }
}

/** The actions on tokens of the platform. A token's text leaves the memory with its window. */
export function useTokenActions() {
  const trpc = useTRPC()
  const options = { gcTime: 0, onSettled: useTokensChanged() }
  const create = useMutation(trpc.serviceTokens.createOfPlatform.mutationOptions(options))
  const rotate = useMutation(trpc.serviceTokens.rotateOfPlatform.mutationOptions(options))
  const revoke = useMutation(trpc.serviceTokens.revokeOfPlatform.mutationOptions(options))
  return {
    create: (token: CreateServiceToken) => create.mutateAsync(token),
    rotate: (rotation: RotateServiceToken) => rotate.mutateAsync(rotation),
    revoke: (id: string) => revoke.mutateAsync({ id }),
  }
}
