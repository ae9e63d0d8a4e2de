import type { TenantView } from '@atrium/core/tenants'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { Alert, Tabs } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { tenantTabs } from './search.ts'
import { TenantActions } from './tenant-actions.tsx'
import { TenantAudit } from './tenant-audit.tsx'
import { TenantMembers } from './tenant-members.tsx'
import { TenantOverview } from './tenant-overview.tsx'
import { useTenantEvents } from './use-tenant-events.ts'

const route = getRouteApi('/house/tenants/$slug')

export const Route = createLazyRoute('/house/tenants/$slug')({ component: TenantPage })

function TenantPage() {
  const { slug } = route.useParams()
  const trpc = useTRPC()
  const { data: tenant, isError, error, isFetching, refetch } = useQuery(trpc.tenants.get.queryOptions({ slug }))
  if (!tenant && isError && isMissing(error)) {
    return (
      <MissingPage title="Tenant not found" back={<LinkAnchor to="/tenants">All tenants</LinkAnchor>}>
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
        <ErrorState title="The tenant could not be loaded." error={error} onRetry={() => void refetch()} retrying={isFetching} />
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
        onChange={(value) => void navigate({ search: { tab: tenantTabs.find((name) => name !== 'overview' && name === value) } })}
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
          <TenantAudit slug={tenant.slug} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function StatusNotice({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="This tenant is suspended" mb="lg">
        {tenant.suspendedReason ?? 'No reason was given.'} Members can read; changes, app sign-in set-up and public booking pages are
        refused.
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert color="gray" icon={<IconTrash aria-hidden />} title="This tenant is deleted" mb="lg">
        The record and its slug are kept. Nothing in the outside systems was destroyed.
      </Alert>
    )
  }
  return null
}
