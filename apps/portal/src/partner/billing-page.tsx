import type { PartnerBilling } from '@atrium/core/billing/payouts'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay } from '@atrium/ui/format'
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
        title="Earnings"
        tabTitle={`Earnings of ${partner.name}`}
        description="Your share of what your customers paid, and what becomes of it."
        actions={
          <Button
            component="a"
            href={`/api/partner/${partner.slug}/ledger`}
            download
            variant="default"
            leftSection={<IconDownload size={17} aria-hidden />}
          >
            Ledger as CSV
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
          title="The earnings could not be loaded."
          error={billing.error}
          onRetry={() => void billing.refetch()}
          retrying={billing.isFetching}
        />
      ) : (
        <LoadingRows label="Loading the earnings" />
      )}
    </>
  )
}

function MarginPanel({ billing }: { billing: PartnerBilling }) {
  return (
    <Panel
      title="Margin"
      description="Percent of what customers pay, without tax. The one counts that held on the day of the invoice."
    >
      <DetailList>
        <DetailItem label="Now">{`${billing.marginPct}\u00a0%`}</DetailItem>
        {billing.comingMargins.map(({ marginPct, effectiveFrom }) => (
          <DetailItem
            key={effectiveFrom}
            label={`From ${formatDay(effectiveFrom)}`}
          >{`${marginPct}\u00a0%`}</DetailItem>
        ))}
        <DetailItem label="Can be paid out">
          {billing.holdDays} days after the customer paid
        </DetailItem>
      </DetailList>
    </Panel>
  )
}
