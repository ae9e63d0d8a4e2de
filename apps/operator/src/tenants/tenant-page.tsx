import type { TenantView } from '@atrium/core/tenants/tenants'
import { LoadingRows, QueryState } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { LinkAnchor } from '@atrium/ui/links'
import { translations, withMessages } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { suspensionLabel } from '@atrium/ui/suspension-labels'
import { Alert, Stack } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { MissingPage } from '../layout/not-found-page.tsx'
import { PageTabs } from '../parts/page-tabs.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { daysLeft } from './restore-tenant.tsx'
import { TenantActions } from './tenant-actions.tsx'
import { TenantMembers } from './tenant-members.tsx'
import { TenantOverview } from './tenant-overview.tsx'
import { useTenantEvents } from './use-tenant-events.ts'

const t = translations('operator.tenants')

// Loads its filters only when the tab is opened.
const TenantAudit = lazyOnInput(() =>
  withMessages(import('./tenant-audit.tsx'), 'operator.audit', 'ui.audit', 'ui.issues'),
)

const TenantGrants = lazyOnInput(() =>
  withMessages(import('./tenant-grants.tsx'), 'operator.access-grants', 'ui.access-grants'),
)

const TenantInvitations = lazyOnInput(() =>
  withMessages(import('../invitations/tenant-invitations.tsx'), 'ui.invitations'),
)

const route = getRouteApi('/authenticated/tenants/$slug')

export const Route = createLazyRoute('/authenticated/tenants/$slug')({ component: TenantPage })

function TenantPage() {
  const { slug } = route.useParams()
  const trpc = useTRPC()
  const query = useQuery(trpc.tenants.get.queryOptions({ slug }))
  const { data: tenant, error } = query
  if (!tenant && error && isMissing(error)) {
    return (
      <MissingPage
        title={t('missing.title')}
        back={<LinkAnchor to="/tenants">{t('back')}</LinkAnchor>}
      >
        {t('missing.hint', { slug })}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={tenant?.name ?? slug}
        description={
          tenant &&
          t('page.subtitle', {
            slug: tenant.slug,
            domain: tenant.primaryDomain ?? t('page.noDomain'),
          })
        }
        marks={tenant && <TenantStatusBadge status={tenant.status} />}
        actions={tenant && <TenantActions tenant={tenant} />}
      />
      {tenant ? (
        <TenantDetail key={slug} tenant={tenant} />
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.failed')} />
      )}
    </>
  )
}

function TenantDetail({ tenant }: { tenant: TenantView }) {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const events = useTenantEvents(tenant.slug, tenant.status !== 'deleted')
  return (
    <>
      <StatusNotice tenant={tenant} />
      <PageTabs
        label={t('page.parts')}
        open={tab}
        onChange={(name) => void navigate({ search: { tab: name } })}
        tabs={[
          {
            name: 'overview',
            label: t('page.tabs.overview'),
            content: <TenantOverview tenant={tenant} events={events} />,
          },
          {
            name: 'members',
            label: t('page.tabs.members'),
            content: (
              <Stack gap="xl">
                <TenantMembers tenant={tenant} />
                <Suspense fallback={<LoadingRows label={t('page.loading')} />}>
                  <TenantInvitations tenant={tenant} />
                </Suspense>
              </Stack>
            ),
          },
          {
            name: 'access',
            label: t('page.tabs.access'),
            content: (
              <Suspense fallback={<LoadingRows label={t('page.loading')} />}>
                <TenantGrants tenant={tenant} />
              </Suspense>
            ),
          },
          {
            name: 'audit',
            label: t('page.tabs.audit'),
            content: (
              <Suspense fallback={<LoadingRows label={t('page.loadingLog')} />}>
                <TenantAudit slug={tenant.slug} />
              </Suspense>
            ),
          },
        ]}
      />
    </>
  )
}

function restoreText(tenant: TenantView): string {
  const days = daysLeft(tenant)
  if (days === undefined) return t('notice.restore.always')
  if (days === 0) return t('notice.restore.over')
  return t('notice.restore.days', { days })
}

function StatusNotice({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('notice.suspended')}
        mb="lg"
      >
        {t('notice.suspendedWhy', {
          reason: tenant.suspendedReason ?? t('notice.noReason'),
          effect: tenant.suspensionMode
            ? suspensionLabel(tenant.suspensionMode).effect
            : t('notice.noMode'),
        })}
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert color="gray" icon={<IconTrash aria-hidden />} title={t('notice.deleted')} mb="lg">
        {t('notice.deletedEffect', { restore: restoreText(tenant) })}
      </Alert>
    )
  }
  return null
}
