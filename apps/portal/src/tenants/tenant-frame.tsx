import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AccessBanners } from '../access-grants/access-banners.tsx'
import * as links from '../links.ts'
import { SecondFactorBanner } from '../security-policy/second-factor-banner.tsx'
import { ShutOut, shutOutCode } from '../security-policy/shut-out.tsx'
import { rememberTenant } from '../session/last-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { isMissing } from './problems.ts'
import { StatusBanner } from './status-banner.tsx'

const t = translations('portal.layout')

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
      <ShutOut
        code={shutOut}
        error={tenant.error}
        onRetry={() => void tenant.refetch()}
        retrying={tenant.isFetching}
      />
    )
  }
  if (tenant.data) {
    return (
      <>
        <AccessBanners tenant={tenant.data} />
        <StatusBanner tenant={tenant.data} />
        {tenant.data.role !== null && <SecondFactorBanner slug={slug} />}
        <Outlet />
      </>
    )
  }
  if (tenant.isPending) {
    return (
      <>
        <PageHeader title={slug} />
        <LoadingRows label={t('tenant.loading')} />
      </>
    )
  }
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
