import type { TenantView } from '@atrium/core/tenants/tenants'
import { useQuery } from '@tanstack/react-query'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'

/** The signed-in person as a member of a workplace; not asked for where they are none. */
export function useOwnMembership(
  tenant: Pick<TenantView, 'slug' | 'role' | 'grant' | 'custodian'>,
) {
  const trpc = useTRPC()
  const { me } = useProfile()
  return useQuery(
    trpc.members.get.queryOptions(
      { slug: tenant.slug, userId: me.id },
      { enabled: tenant.role !== null && tenant.grant === null && !tenant.custodian },
    ),
  )
}
