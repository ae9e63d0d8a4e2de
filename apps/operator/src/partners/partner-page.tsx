import type { PartnerView } from '@atrium/core/partners/partners'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Tabs } from '@mantine/core'
import { IconAlertTriangle, IconCircleOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { PartnerActions } from './partner-actions.tsx'
import { PartnerAudit } from './partner-audit.tsx'
import { PartnerCustomers } from './partner-customers.tsx'
import { PartnerMargins } from './partner-margins.tsx'
import { PartnerOverview } from './partner-overview.tsx'
import { PartnerStaff } from './partner-staff.tsx'
import { partnerTabs } from './search.ts'

const t = translations('operator.partners')

const route = getRouteApi('/authenticated/partners/$slug')

export const Route = createLazyRoute('/authenticated/partners/$slug')({ component: PartnerPage })

function PartnerPage() {
  const { slug } = route.useParams()
  const {
    data: partner,
    isError,
    error,
    isFetching,
    refetch,
  } = useQuery(useTRPC().partners.get.queryOptions({ slug }))
  if (!partner && isError && isMissing(error)) {
    return (
      <MissingPage
        title={t('missing.title')}
        back={<LinkAnchor to="/partners">{t('all')}</LinkAnchor>}
      >
        {t('missing.hint', { slug })}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={partner?.name ?? slug}
        description={
          partner?.domain
            ? t('page.subtitle', { slug: partner.slug, domain: partner.domain })
            : partner?.slug
        }
        marks={partner && <StatusBadge {...partnerStatusMeta(partner.status)} />}
        actions={partner && <PartnerActions partner={partner} />}
      />
      {partner ? (
        <PartnerDetail key={slug} partner={partner} />
      ) : isError ? (
        <ErrorState
          title={t('page.failed')}
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <LoadingRows label={t('page.loading')} />
      )}
    </>
  )
}

function PartnerDetail({ partner }: { partner: PartnerView }) {
  const { tab = 'overview' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <StatusNotice partner={partner} />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: { tab: partnerTabs.find((name) => name !== 'overview' && name === value) },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label={t('page.parts')}>
          {partnerTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`page.tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview">
          <PartnerOverview partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="customers">
          <PartnerCustomers slug={partner.slug} />
        </Tabs.Panel>
        <Tabs.Panel value="staff">
          <PartnerStaff partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="margins">
          <PartnerMargins partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <PartnerAudit slug={partner.slug} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function StatusNotice({ partner }: { partner: PartnerView }) {
  const { terminatedAt } = partner
  if (partner.status === 'suspended') {
    return (
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('notice.suspended')}
        mb="lg"
      >
        {t('notice.suspendedEffect', {
          reason: partner.suspendedReason ?? t('notice.noReason'),
        })}
      </Alert>
    )
  }
  if (partner.status === 'terminated') {
    return (
      <Alert
        color="gray"
        icon={<IconCircleOff aria-hidden />}
        title={t('notice.terminated')}
        mb="lg"
      >
        {terminatedAt
          ? t.rich('notice.terminatedSince', {
              time: () => <Time at={terminatedAt} show="absolute" />,
            })
          : t('notice.terminatedEffect')}
      </Alert>
    )
  }
  return null
}
