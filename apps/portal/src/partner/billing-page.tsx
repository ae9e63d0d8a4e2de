import type { PartnerBilling } from '@atrium/core/billing/payouts'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { Button, SimpleGrid, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { BalancePanel } from './balance-panel.tsx'
import { ConsentPanel } from './consent-panel.tsx'
import { LedgerPanel } from './ledger-panel.tsx'
import { NoPartnerAccess } from './partner-frame.tsx'
import { maySee, usePartner } from './use-partner.ts'

const t = translations('portal.partner-earnings')

/** What the partner earns, has, and can be paid, down to the entry. */
export function PartnerBillingPage() {
  const partner = usePartner()
  const allowed = maySee(partner, 'finance')
  const billing = useQuery({
    ...useTRPC().payouts.partnerBilling.queryOptions({ slug: partner.slug }),
    enabled: allowed,
  })
  if (!allowed) return <NoPartnerAccess />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description')}
        actions={
          <Button
            component="a"
            href={`/api/partner/${partner.slug}/ledger`}
            download
            variant="default"
            leftSection={<IconDownload size={17} aria-hidden />}
          >
            {t('csv')}
          </Button>
        }
      />
      {billing.data ? (
        <Stack gap="lg">
          <ConsentPanel agreedAt={billing.data.selfBillingConsentAt} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            {billing.data.balances.map((balance) => (
              <BalancePanel key={balance.currency} balance={balance} />
            ))}
            <MarginPanel billing={billing.data} />
          </SimpleGrid>
          <LedgerPanel currencies={billing.data.balances.map(({ currency }) => currency)} />
        </Stack>
      ) : billing.isError ? (
        <ErrorState
          title={t('loadFailed')}
          error={billing.error}
          onRetry={() => void billing.refetch()}
          retrying={billing.isFetching}
        />
      ) : (
        <LoadingRows label={t('loading')} />
      )}
    </>
  )
}

function MarginPanel({ billing }: { billing: PartnerBilling }) {
  return (
    <Panel title={t('margin.title')} description={t('margin.description')}>
      <DetailList>
        <DetailItem label={t('margin.now')}>{formatPercent(billing.marginPct)}</DetailItem>
        {billing.comingMargins.map(({ marginPct, effectiveFrom }) => (
          <DetailItem
            key={effectiveFrom}
            label={t('margin.from', { day: formatDay(effectiveFrom) })}
          >
            {formatPercent(marginPct)}
          </DetailItem>
        ))}
        <DetailItem label={t('margin.available')}>
          {t('margin.holdDays', { count: billing.holdDays })}
        </DetailItem>
      </DetailList>
    </Panel>
  )
}
