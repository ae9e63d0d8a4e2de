import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { ReleaseDomains } from '@atrium/ui/release-domains'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useDeleteTenant } from './mutations.ts'

const t = translations('operator.tenants')

/** The domains of a deleted tenant, which can be released. */
export function DeletedDomains({ tenant: { slug, name } }: { tenant: TenantView }) {
  const domains = useQuery(useTRPC().domains.list.queryOptions({ slug }))
  const remove = useDeleteTenant()
  if (domains.isError) {
    return (
      <ErrorState
        title={t('domains.failed')}
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
      onRelease={() => remove.mutateAsync({ slug, releaseDomains: true })}
    />
  )
}
