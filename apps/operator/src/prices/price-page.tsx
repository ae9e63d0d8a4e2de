import type { PriceView } from '@atrium/core/billing/prices'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import {
  amountText,
  priceName,
  priceStateMeta,
  schemeHints,
  schemeNames,
  tierLines,
} from './labels.ts'
import { PriceActions } from './price-actions.tsx'
import { priceColumns } from './price-columns.tsx'

const route = getRouteApi('/authenticated/prices/$id')

export const Route = createLazyRoute('/authenticated/prices/$id')({ component: PricePage })

function PricePage() {
  const { id } = route.useParams()
  const price = useQuery(useTRPC().prices.get.queryOptions({ id }))
  if (price.isError && isMissing(price.error)) {
    return (
      <MissingPage title="Price not found" back={<LinkAnchor to="/prices">All prices</LinkAnchor>}>
        There is no such price. A deleted draft leaves nothing behind.
      </MissingPage>
    )
  }
  if (price.isError) {
    return (
      <ErrorState
        title="The price could not be loaded."
        error={price.error}
        onRetry={() => void price.refetch()}
        retrying={price.isFetching}
      />
    )
  }
  if (price.isPending) return <LoadingRows label="Loading the price" />
  return <PriceDetail price={price.data} />
}

function PriceDetail({ price }: { price: PriceView }) {
  const failed = price.amounts.filter(({ error }) => error !== null)
  return (
    <>
      <PageHeader
        title={priceName(price)}
        tabTitle={`${priceName(price)}, version ${price.version}`}
        description={`Version ${price.version}${price.note ? ` · ${price.note}` : ''}`}
        marks={<StatusBadge {...priceStateMeta[price.state]} />}
        actions={<PriceActions price={price} />}
      />
      <Stack gap="lg">
        {failed.length > 0 && (
          <Alert
            color="red"
            icon={<IconAlertTriangle aria-hidden />}
            title="The payment processor does not have all of it"
          >
            <Stack gap={4}>
              {failed.map(({ currency, error }) => (
                <Text key={currency} inherit>
                  {currency.toUpperCase()}: {error}
                </Text>
              ))}
              <Text inherit>
                {price.state === 'draft'
                  ? 'Put it on sale again to try the rest.'
                  : 'Nothing is lost; try again when it can be reached.'}
              </Text>
            </Stack>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <AmountsPanel price={price} />
          <TermsPanel price={price} />
        </SimpleGrid>
        <Versions price={price} />
      </Stack>
    </>
  )
}

function AmountsPanel({ price }: { price: PriceView }) {
  return (
    <Panel
      title="Amounts"
      description={`${schemeNames[price.scheme]}. ${schemeHints[price.scheme]} Without tax.`}
    >
      <DetailList>
        {price.amounts.map((amount) => (
          <DetailItem key={amount.currency} label={amount.currency.toUpperCase()}>
            <Stack gap={2}>
              {amount.tiers ? (
                tierLines(amount.tiers, amount.currency).map((line) => (
                  <span key={line}>{line}</span>
                ))
              ) : (
                <span>{amountText(price, amount)}</span>
              )}
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {amount.stripePriceId ?? 'Not at the payment processor'}
              </Text>
            </Stack>
          </DetailItem>
        ))}
      </DetailList>
    </Panel>
  )
}

function TermsPanel({ price }: { price: PriceView }) {
  const { minSeats, maxSeats, trialDays, visibleFrom, visibleUntil, partnerSlugs } = price
  return (
    <Panel title="Terms">
      <DetailList>
        <DetailItem label="Seats">
          {maxSeats === null ? `${minSeats} or more` : `${minSeats} to ${maxSeats}`}
        </DetailItem>
        <DetailItem label="Trial">
          {trialDays === 0 ? 'None' : `${trialDays} days, once per tenant`}
        </DetailItem>
        <DetailItem label="For">
          {partnerSlugs === null ? 'Everybody' : `Tenants of ${partnerSlugs.join(', ')}`}
        </DetailItem>
        <DetailItem label="Offered from">
          {visibleFrom && <Time at={visibleFrom} show="both" />}
        </DetailItem>
        <DetailItem label="Offered until">
          {visibleUntil && <Time at={visibleUntil} show="both" />}
        </DetailItem>
        <DetailItem label="Subscriptions at it">{price.subscriptions}</DetailItem>
        <DetailItem label="Created">
          <Time at={price.createdAt} show="both" />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

const versionColumns: readonly Column<PriceView>[] = priceColumns.filter(({ key }) => key !== 'for')

/** The other versions of the same plan and cycle. */
function Versions({ price }: { price: PriceView }) {
  const { plan, cycle } = price
  const versions = useQuery(useTRPC().prices.list.queryOptions({ plan, cycle, limit: 50 }))
  const others = versions.data?.items.filter(({ id }) => id !== price.id) ?? []
  if (others.length === 0) return null
  return (
    <Panel title="Other versions">
      <ResponsiveTable
        caption="Other versions"
        columns={versionColumns}
        rows={others}
        rowKey={({ id }) => id}
      />
    </Panel>
  )
}
