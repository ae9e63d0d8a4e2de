import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { LinkAnchor } from '@atrium/ui/links'
import { withMessages } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { suspensionLabel } from '@atrium/ui/suspension-labels'
import { Alert, Tabs } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { daysLeft } from './restore-tenant.tsx'
import { tenantTabs } from './search.ts'
import { TenantActions } from './tenant-actions.tsx'
import { TenantMembers } from './tenant-members.tsx'
import { TenantOverview } from './tenant-overview.tsx'
import { useTenantEvents } from './use-tenant-events.ts'

// Its filters are for those who open the tab.
const TenantAudit = lazyOnInput(() => withMessages(import('./tenant-audit.tsx'), 'ui.audit'))

const route = getRouteApi('/authenticated/tenants/$slug')

export const Route = createLazyRoute('/authenticated/tenants/$slug')({ component: TenantPage })

function TenantPage() {
  const { slug } = route.useParams()
  const trpc = useTRPC()
  const {
    data: tenant,
    isError,
    error,
    isFetching,
    refetch,
  } = useQuery(trpc.tenants.get.queryOptions({ slug }))
  if (!tenant && isError && isMissing(error)) {
    return (
      <MissingPage
        title="Tenant not found"
        back={<LinkAnchor to="/tenants">All tenants</LinkAnchor>}
      >
        There is no tenant with the slug {slug}.
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={tenant?.name ?? slug}
        description={tenant && `${tenant.slug} · ${tenant.primaryDomain ?? 'no domain'}`}
        marks={tenant && <TenantStatusBadge status={tenant.status} />}
        actions={tenant && <TenantActions tenant={tenant} />}
      />
      {tenant ? (
        <TenantDetail key={slug} tenant={tenant} />
      ) : isError ? (
        <ErrorState
          title="The tenant could not be loaded."
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <LoadingRows label="Loading the tenant" />
      )}
    </>
  )
}

const tabNames = { overview: 'Overview', members: 'Members', audit: 'Audit' } as const

function TenantDetail({ tenant }: { tenant: TenantView }) {
  const { tab = 'overview' } = route.useSearch()
  const navigate = route.useNavigate()
  const events = useTenantEvents(tenant.slug, tenant.status !== 'deleted')
  return (
    <>
      <StatusNotice tenant={tenant} />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: { tab: tenantTabs.find((name) => name !== 'overview' && name === value) },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label="Parts of the tenant">
          {tenantTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {tabNames[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview">
          <TenantOverview tenant={tenant} events={events} />
        </Tabs.Panel>
        <Tabs.Panel value="members">
          <TenantMembers tenant={tenant} />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <Suspense fallback={<LoadingRows label="Loading the log" />}>
            <TenantAudit slug={tenant.slug} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function restoreText(tenant: TenantView): string {
  const days = daysLeft(tenant)
  if (days === undefined) return 'It can be restored at any time.'
  if (days === 0) return 'The time to restore it is over.'
  return days === 1 ? 'It can be restored today only.' : `It can be restored for ${days} more days.`
}

function StatusNotice({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title="This tenant is suspended"
        mb="lg"
      >
        {tenant.suspendedReason ?? 'No reason was given.'}{' '}
        {tenant.suspensionMode
          ? suspensionLabel(tenant.suspensionMode).effect
          : 'It was suspended before there were modes, so mail, files and sign-in are still open. Choose a mode to close them.'}
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert color="gray" icon={<IconTrash aria-hidden />} title="This tenant is deleted" mb="lg">
        Members cannot sign in, and mailboxes and files are closed. {restoreText(tenant)}
      </Alert>
    )
  }
  return null
}
