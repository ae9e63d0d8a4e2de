import { useMutation } from '@atrium/ui/use-mutation'
import { useTRPC } from '../trpc.ts'
import type { BulkAction } from './bulk.ts'
import { useMembersCache } from './mutations.ts'

/** The actions for one member or for several, by name. */
export function useMemberActions(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const suspend = useMutation(trpc.members.suspend.mutationOptions())
  const resume = useMutation(trpc.members.resume.mutationOptions())
  const forceLogout = useMutation(trpc.members.forceLogout.mutationOptions())
  const remove = useMutation(trpc.members.remove.mutationOptions())
  return {
    cache,
    /** Rejects as the API does. The caller refreshes `cache` after the last member. */
    run(action: BulkAction, userId: string): Promise<unknown> {
      const path = { slug, userId }
      switch (action) {
        case 'suspend':
          return suspend.mutateAsync(path)
        case 'resume':
          return resume.mutateAsync(path)
        case 'forceLogout':
          return forceLogout.mutateAsync(path)
        case 'remove':
          return remove.mutateAsync(path)
      }
    },
  }
}
