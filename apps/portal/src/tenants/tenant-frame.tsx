import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations, withMessages } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import * as links from '../links.ts'
import { rememberTenant } from '../session/last-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { isMissing, shutOutCode } from './problems.ts'
import { TenantBanners } from './tenant-banners.tsx'

const t = translations('portal.layout')

const ShutOut = lazy(() =>
  withMessages(import('../security-policy/shut-out.tsx'), 'portal.tenant-notices'),
)

/**
 * Around every page of a workplace: fetches it, says when it is missing or suspended, and remembers
 * the visit.
 */
export function TenantFrame() {
  const { slug = '' } = useParams({ strict: false })
  const trpc = useTRPC()
  const tenant = useQuery(trpc.tenants.get.queryOptions({ slug }))
  const found = tenant.data?.slug
  useEffect(() => {
    if (found) rememberTenant(found)
  }, [found])

  // Before what was loaded earlier: a policy may have changed since.
  const shutOut = shutOutCode(tenant.error)
  if (shutOut) {
    return (
      <Suspense fallback={<Loading slug={slug} />}>
        <ShutOut
          code={shutOut}
          error={tenant.error}
          onRetry={() => void tenant.refetch()}
          retrying={tenant.isFetching}
        />
      </Suspense>
    )
  }
  if (tenant.data) {
    return (
      <>
        <TenantBanners tenant={tenant.data} />
        <Outlet />
      </>
    )
  }
  if (tenant.isPending) return <Loading slug={slug} />
  if (isMissing(tenant.error)) return <Missing slug={slug} />
  if (problemOf(tenant.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader title={slug} />
      <ErrorState
        title={t('tenant.loadFailed')}
        error={tenant.error}
        onRetry={() => void tenant.refetch()}
        retrying={tenant.isFetching}
      />
    </>
  )
}

function Loading({ slug }: { slug: string }) {
  return (
    <>
      <PageHeader title={slug} />
      <LoadingRows label={t('tenant.loading')} />
    </>
  )
}

function Missing({ slug }: { slug: string }) {
  return (
    <>
      <PageHeader title={t('tenant.missing.title')} />
      <Text mb="lg" maw="60ch">
        {t.rich('tenant.missing.hint', { slug, strong: (chunks) => <strong>{chunks}</strong> })}
      </Text>
      <LinkButton {...links.home} variant="default">
        {t('tenant.goHome')}
      </LinkButton>
    </>
  )
}

/** For parts of a workplace that are closed to this person. */
export function NoAccess({ slug }: { slug: string }) {
  return (
    <>
      <PageHeader title={t('tenant.noAccess.title')} />
      <Text mb="lg" maw="60ch">
        {t.rich('tenant.noAccess.hint', { slug, strong: (chunks) => <strong>{chunks}</strong> })}
      </Text>
      <LinkButton {...links.home} variant="default">
        {t('tenant.goHome')}
      </LinkButton>
    </>
  )
}
