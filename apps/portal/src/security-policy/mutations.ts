import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

export function useUpdateSecurityPolicy(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.securityPolicy.update.mutationOptions({
      onSuccess: ({ securityPolicy }) => {
        queryClient.setQueryData(trpc.securityPolicy.get.queryKey({ slug }), securityPolicy)
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
}

/** Whom a policy would affect; changes nothing. */
export function usePreviewSecurityPolicy() {
  return useMutation(useTRPC().securityPolicy.preview.mutationOptions())
}
