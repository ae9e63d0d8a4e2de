import type { BillingOverview } from '@atrium/core/billing/billing'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { Alert, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { InboxDetails } from '../webhooks/inbox-details.tsx'
import { currencyColumns } from './currency-columns.tsx'
import { DocumentsPanel } from './documents-panel.tsx'
import { pastDueColumns } from './past-due-columns.tsx'
import { ReconciliationPanel } from './reconciliation-panel.tsx'

const t = translations('operator.billing')

export const Route = createLazyRoute('/authenticated/billing')({ component: BillingPage })

const everyMs = 30_000

/** Revenue, debts and payment events of all tenants. */
function BillingPage() {
  const overview = useQuery(
    useTRPC().billing.overview.queryOptions({}, { refetchInterval: everyMs }),
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/webhooks" variant="default">
            {t('events')}
          </LinkButton>
        }
      />
      {overview.isPending && <LoadingRows label={t('loading')} rows={6} />}
      {overview.isError && (
        <ErrorState
          title={t('loadFailed')}
          error={overview.error}
          onRetry={() => void overview.refetch()}
          retrying={overview.isFetching}
        />
      )}
      {overview.data && <Overview overview={overview.data} />}
    </>
  )
}

function Overview({ overview }: { overview: BillingOverview }) {
  const { currencies, pastDue, inbox } = overview
  return (
    <Stack gap="lg">
      <Switches overview={overview} />
      <Panel title={t('revenue.title')} description={t('revenue.hint')}>
        {currencies.length === 0 ? (
          <Text c="dimmed">{t('revenue.empty')}</Text>
        ) : (
          <ResponsiveTable
            caption={t('revenue.caption')}
            columns={currencyColumns()}
            rows={currencies}
            rowKey={({ currency }) => currency}
          />
        )}
      </Panel>
      <Panel title={t('pastDue.title')} description={t('pastDue.hint')}>
        {pastDue.length === 0 ? (
          <Text c="dimmed">{t('pastDue.empty')}</Text>
        ) : (
          <ResponsiveTable
            caption={t('pastDue.title')}
            columns={pastDueColumns()}
            rows={pastDue}
            rowKey={({ slug }) => slug}
          />
        )}
      </Panel>
      <Panel
        title={t('events')}
        actions={
          <LinkButton to="/webhooks" variant="default" size="xs">
            {t('openInbox')}
          </LinkButton>
        }
      >
        <InboxDetails health={inbox} />
      </Panel>
      <DocumentsPanel />
      <ReconciliationPanel overview={overview} />
    </Stack>
  )
}

function Switches({
  overview: { paymentsEnabled, configured, webhooksConfigured },
}: {
  overview: BillingOverview
}) {
  const missing = [
    !paymentsEnabled && t('switches.paymentsOff'),
    !configured && t('switches.keyMissing'),
    !webhooksConfigured && t('switches.webhookSecretMissing'),
  ].filter((one) => one !== false)
  if (missing.length === 0) return null
  return (
    <Alert color="blue" icon={<IconInfoCircle aria-hidden />} title={t('switches.title')}>
      {missing.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Alert>
  )
}
