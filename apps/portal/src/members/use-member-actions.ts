import { useMutation } from '@atrium/ui/use-mutation'
import { useTRPC } from '../trpc.ts'
import type { BulkAction } from './bulk.ts'
import { useMembersCache } from './mutations.ts'

/** The acts that can be done to one member or to several, by name. */
export function useMemberActions(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const suspend = useMutation(trpc.members.suspend.mutationOptions())
  const resume = useMutation(trpc.members.resume.mutationOptions())
  const forceLogout = useMutation(trpc.members.forceLogout.mutationOptions())
  const remove = useMutation(trpc.members.remove.mutationOptions())
  return {
    cache,
    /**
     * Does the act to one member; rejects with the rejection. The caller brings the cache up to
     * date when it has done all.
     */
    run(act: BulkAction, userId: string): Promise<unknown> {
      const path = { slug, userId }
      switch (act) {
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
