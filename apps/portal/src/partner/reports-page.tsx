import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { ReportsView } from '@atrium/ui/reports/reports-view'
import { type ReportsSearch, readReportsSearch } from '@atrium/ui/reports/search'
import { Stack } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { NoPartnerAccess } from './partner-frame.tsx'
import { useReportSource } from './report-source.ts'
import { SavedReports, SaveReportButton } from './saved-reports.tsx'
import { maySee, usePartner } from './use-partner.ts'

const t = translations('portal.partner-reports')

/** What the partner's customers bring, what moves it, and who stays. */
export function PartnerReportsPage() {
  const partner = usePartner()
  return maySee(partner, 'reports') ? (
    <Reports slug={partner.slug} name={partner.name} />
  ) : (
    <NoPartnerAccess />
  )
}

function Reports({ slug, name }: { slug: string; name: string }) {
  const router = useRouter()
  const search = readReportsSearch(useSearch({ strict: false }))
  const source = useReportSource(slug)
  const current = source.useMrr({ asOf: search.asOf })
  const go = (change: Partial<ReportsSearch>) =>
    void router.navigate({
      ...links.partnerReports({ ...search, ...change }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: name })}
        description={t('description')}
        actions={<SaveReportButton search={search} />}
      />
      <Stack gap="lg">
        <ReportsView
          source={source}
          search={search}
          onSearch={go}
          currencies={(current.data?.currencies ?? []).map(({ currency }) => currency)}
          topTitle={t('top')}
          nameOf={(customer) => (
            <LinkAnchor
              {...links.partnerCustomers({ customer: customer.slug })}
              size="sm"
              fw={550}
              c="inherit"
              underline="hover"
            >
              {customer.name}
            </LinkAnchor>
          )}
          fileName={slug}
          forPartner
        />
        <SavedReports />
      </Stack>
    </>
  )
}
