import type { BillingOverview } from '@atrium/core/billing/billing'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
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
import { pastDueColumns } from './past-due-columns.tsx'
import { ReconciliationPanel } from './reconciliation-panel.tsx'

export const Route = createLazyRoute('/authenticated/billing')({ component: BillingPage })

const everyMs = 30_000

/** How money stands over all tenants. */
function BillingPage() {
  const overview = useQuery(
    useTRPC().billing.overview.queryOptions({}, { refetchInterval: everyMs }),
  )
  return (
    <>
      <PageHeader
        title="Billing"
        description="What tenants pay and owe, and whether what the payment processor tells arrives. Amounts of two currencies are never added."
        actions={
          <LinkButton to="/webhooks" variant="default">
            Payment events
          </LinkButton>
        }
      />
      {overview.isPending && <LoadingRows label="Loading the billing overview" rows={6} />}
      {overview.isError && (
        <ErrorState
          title="The billing overview could not be loaded."
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
      <Panel
        title="Revenue and invoices"
        description="Recurring revenue as of now; payments of the last 30 days."
      >
        {currencies.length === 0 ? (
          <Text c="dimmed">
            No tenant has a subscription or an invoice yet. Sell the first one under Subscriptions.
          </Text>
        ) : (
          <ResponsiveTable
            caption="Revenue and invoices by currency"
            columns={currencyColumns}
            rows={currencies}
            rowKey={({ currency }) => currency}
          />
        )}
      </Panel>
      <Panel
        title="Tenants that owe"
        description="The longest first. Reminders and limits come by themselves; suspending is yours to decide."
      >
        {pastDue.length === 0 ? (
          <Text c="dimmed">Everybody has paid.</Text>
        ) : (
          <ResponsiveTable
            caption="Tenants that owe"
            columns={pastDueColumns}
            rows={pastDue}
            rowKey={({ slug }) => slug}
          />
        )}
      </Panel>
      <Panel
        title="Payment events"
        actions={
          <LinkButton to="/webhooks" variant="default" size="xs">
            Open the inbox
          </LinkButton>
        }
      >
        <InboxDetails health={inbox} />
      </Panel>
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
    !paymentsEnabled &&
      'BILLING_PAYMENTS_ENABLED is off, so no call that moves money is carried out for anybody.',
    !configured &&
      'STRIPE_SECRET_KEY is not set, so nothing can be read from or written to the payment processor.',
    !webhooksConfigured &&
      'STRIPE_WEBHOOK_SECRET is not set, so events of the payment processor are refused.',
  ].filter((one) => one !== false)
  if (missing.length === 0) return null
  return (
    <Alert
      color="blue"
      icon={<IconInfoCircle aria-hidden />}
      title="Payments are not fully switched on in this installation"
    >
      {missing.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Alert>
  )
}
