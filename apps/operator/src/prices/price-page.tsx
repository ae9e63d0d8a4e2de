import type { PriceView } from '@atrium/core/billing/prices'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatList } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { amountText, priceName, priceStateMeta, tierLines, versionLabel } from './labels.ts'
import { PriceActions } from './price-actions.tsx'
import { priceColumns } from './price-columns.tsx'
import { PriceMigration } from './price-migration.tsx'

const t = translations('operator.prices')

const route = getRouteApi('/authenticated/prices/$id')

export const Route = createLazyRoute('/authenticated/prices/$id')({ component: PricePage })

function PricePage() {
  const { id } = route.useParams()
  const price = useQuery(useTRPC().prices.get.queryOptions({ id }))
  if (price.isError && isMissing(price.error)) {
    return (
      <MissingPage
        title={t('missing.title')}
        back={<LinkAnchor to="/prices">{t('all')}</LinkAnchor>}
      >
        {t('missing.hint')}
      </MissingPage>
    )
  }
  if (price.isError) {
    return (
      <ErrorState
        title={t('page.failed')}
        error={price.error}
        onRetry={() => void price.refetch()}
        retrying={price.isFetching}
      />
    )
  }
  if (price.isPending) return <LoadingRows label={t('page.loading')} />
  return <PriceDetail price={price.data} />
}

function PriceDetail({ price }: { price: PriceView }) {
  const failed = price.amounts.filter(({ error }) => error !== null)
  return (
    <>
      <PageHeader
        title={priceName(price)}
        tabTitle={t('page.tabTitle', { price: priceName(price), version: price.version })}
        description={versionLabel(price)}
        marks={<StatusBadge {...priceStateMeta(price.state)} />}
        actions={<PriceActions price={price} />}
      />
      <Stack gap="lg">
        {failed.length > 0 && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('processor.title')}>
            <Stack gap={4}>
              {failed.map(({ currency, error }) => (
                <Text key={currency} component="div" inherit>
                  {t.rich('processor.problem', {
                    currency: currency.toUpperCase(),
                    failure: () => <FailureText text={error ?? ''} />,
                  })}
                </Text>
              ))}
              <Text inherit>
                {t(price.state === 'draft' ? 'processor.draft' : 'processor.other')}
              </Text>
            </Stack>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <AmountsPanel price={price} />
          <TermsPanel price={price} />
        </SimpleGrid>
        <PriceMigration price={price} />
        <Versions price={price} />
      </Stack>
    </>
  )
}

function AmountsPanel({ price }: { price: PriceView }) {
  return (
    <Panel
      title={t('amounts.title')}
      description={t('amounts.description', {
        scheme: t(`schemes.${price.scheme}.name`),
        hint: t(`schemes.${price.scheme}.hint`),
        tax: t(`taxes.${price.taxBehavior}.name`),
      })}
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
                {amount.stripePriceId ?? t('amounts.notAtProcessor')}
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
    <Panel title={t('terms.title')}>
      <DetailList>
        <DetailItem label={t('terms.seats')}>
          {maxSeats === null
            ? t('terms.seatsFrom', { from: minSeats })
            : t('terms.seatsRange', { from: minSeats, to: maxSeats })}
        </DetailItem>
        <DetailItem label={t('terms.trial')}>
          {trialDays === 0 ? t('terms.noTrial') : t('terms.trialDays', { count: trialDays })}
        </DetailItem>
        <DetailItem label={t('terms.for')}>
          {partnerSlugs === null
            ? t('columns.everyone')
            : t('terms.tenantsOf', { partners: formatList(partnerSlugs) })}
        </DetailItem>
        <DetailItem label={t('terms.offeredFrom')}>
          {visibleFrom && <Time at={visibleFrom} show="both" />}
        </DetailItem>
        <DetailItem label={t('terms.offeredUntil')}>
          {visibleUntil && <Time at={visibleUntil} show="both" />}
        </DetailItem>
        <DetailItem label={t('terms.subscriptions')}>{price.subscriptions}</DetailItem>
        <DetailItem label={t('terms.created')}>
          <Time at={price.createdAt} show="both" />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

const versionColumns = () => priceColumns().filter(({ key }) => key !== 'for')

/** The other versions of the same plan and cycle. */
function Versions({ price }: { price: PriceView }) {
  const { plan, cycle } = price
  const versions = useQuery(useTRPC().prices.list.queryOptions({ plan, cycle, limit: 50 }))
  const others = versions.data?.items.filter(({ id }) => id !== price.id) ?? []
  if (others.length === 0) return null
  return (
    <Panel title={t('versions.title')}>
      <ResponsiveTable
        caption={t('versions.title')}
        columns={versionColumns()}
        rows={others}
        rowKey={({ id }) => id}
      />
    </Panel>
  )
}
