import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { ReleaseDomains } from '@atrium/ui/release-domains'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useDeleteTenant } from './mutations.ts'
import { explain } from './problems.ts'

const t = translations('portal.tenants')

/** The domains of a workplace that its owner has deleted, which can be released. */
export function DeletedDomains({ tenant: { slug, name } }: { tenant: TenantView }) {
  const domains = useQuery(useTRPC().domains.list.queryOptions({ slug }))
  const remove = useDeleteTenant(slug)
  if (domains.isError) {
    return (
      <ErrorState
        title={t('domainsLoadFailed')}
        error={domains.error}
        onRetry={() => void domains.refetch()}
        retrying={domains.isFetching}
      />
    )
  }
  if (!domains.data) return null
  return (
    <ReleaseDomains
      name={name}
      slug={slug}
      domains={domains.data.items}
      explain={explain}
      onRelease={async () => {
        await remove.mutateAsync({ slug, releaseDomains: true })
        await domains.refetch()
      }}
    />
  )
}
