import type { TenantView } from '@atrium/core/tenants/tenants'
import { withMessages } from '@atrium/ui/messages'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../session/session.ts'
import { useTRPC } from '../trpc.ts'
import { maySeeSettings } from './roles.ts'

// Most people never see one of them, so they are no part of the first load.
const TenantNotices = lazy(() =>
  withMessages(import('./tenant-notices.tsx'), 'portal.tenant-notices'),
)

const AwaitsOwner = lazy(() =>
  withMessages(
    import('../invitations/awaits-owner.tsx'),
    'portal.tenant-notices',
    'ui.invitations',
  ),
)

/**
 * Says on every page of a workplace that it does not run as usual, who acts in it from outside, in
 * whose name the reader acts, that it awaits its owner, and until when the reader needs a second
 * factor.
 */
export function TenantBanners({ tenant }: { tenant: TenantView }) {
  const trpc = useTRPC()
  const { data: session } = useQuery(sessionQuery)
  const access = useQuery({
    ...trpc.accessGrants.notices.queryOptions({ slug: tenant.slug }),
    enabled: maySeeSettings(tenant.role),
    refetchInterval: 60_000,
  }).data
  const inGrace = tenant.role !== null && session?.secondFactor === false
  const policy = useQuery({
    ...trpc.securityPolicy.get.queryOptions({ slug: tenant.slug }),
    enabled: inGrace,
    staleTime: 300_000,
  }).data
  const secondFactorFrom = (inGrace && policy?.mfaRequiredFrom) || undefined
  const awaitsOwner = tenant.awaitsOwner && (tenant.custodian || maySeeSettings(tenant.role))
  const any =
    tenant.grant ||
    awaitsOwner ||
    tenant.status === 'suspended' ||
    tenant.status === 'deleted' ||
    access?.breakGlass.length ||
    access?.pending ||
    secondFactorFrom
  if (!any) return null
  return (
    <Suspense fallback={null}>
      {awaitsOwner && <AwaitsOwner tenant={tenant} />}
      <TenantNotices tenant={tenant} access={access} secondFactorFrom={secondFactorFrom} />
    </Suspense>
  )
}
