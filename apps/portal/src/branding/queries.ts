import type { PreviewBranding } from '@atrium/core/branding/branding'
import { useMutation } from '@atrium/ui/use-mutation'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '../trpc.ts'

/**
 * A message rendered with sample data. It is asked for again with every input; the last one stays
 * until the next has come.
 */
export function usePreview(input: PreviewBranding) {
  const client = useTRPCClient()
  return useQuery({
    queryKey: ['branding preview', input],
    // A mutation by its method alone, because a draft is too long for an address. It changes
    // nothing.
    queryFn: ({ signal }) => client.branding.preview.mutate(input, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    // Drafts are many and each is looked at once.
    gcTime: 10_000,
  })
}

export function useUpdateBranding(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.branding.update.mutationOptions({
      onSuccess: (branding) => {
        queryClient.setQueryData(trpc.branding.get.queryKey({ slug }), branding)
        void queryClient.invalidateQueries({ queryKey: ['branding preview'] })
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
}
