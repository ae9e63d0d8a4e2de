import type { PartnerView } from '@atrium/core/partners/partners'
import { QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert } from '@mantine/core'
import { IconAlertTriangle, IconCircleOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { PageTabs } from '../parts/page-tabs.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { PartnerActions } from './partner-actions.tsx'
import { PartnerAudit } from './partner-audit.tsx'
import { PartnerCustomers } from './partner-customers.tsx'
import { PartnerMargins } from './partner-margins.tsx'
import { PartnerOverview } from './partner-overview.tsx'
import { PartnerStaff } from './partner-staff.tsx'

const t = translations('operator.partners')

const route = getRouteApi('/authenticated/partners/$slug')

export const Route = createLazyRoute('/authenticated/partners/$slug')({ component: PartnerPage })

function PartnerPage() {
  const { slug } = route.useParams()
  const query = useQuery(useTRPC().partners.get.queryOptions({ slug }))
  const { data: partner, error } = query
  if (!partner && error && isMissing(error)) {
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
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.failed')} />
      )}
    </>
  )
}

function PartnerDetail({ partner }: { partner: PartnerView }) {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <StatusNotice partner={partner} />
      <PageTabs
        label={t('page.parts')}
        open={tab}
        onChange={(name) => void navigate({ search: { tab: name } })}
        tabs={[
          {
            name: 'overview',
            label: t('page.tabs.overview'),
            content: <PartnerOverview partner={partner} />,
          },
          {
            name: 'customers',
            label: t('page.tabs.customers'),
            content: <PartnerCustomers slug={partner.slug} />,
          },
          {
            name: 'staff',
            label: t('page.tabs.staff'),
            content: <PartnerStaff partner={partner} />,
          },
          {
            name: 'margins',
            label: t('page.tabs.margins'),
            content: <PartnerMargins partner={partner} />,
          },
          {
            name: 'audit',
            label: t('page.tabs.audit'),
            content: <PartnerAudit slug={partner.slug} />,
          },
        ]}
      />
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
