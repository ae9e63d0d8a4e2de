import type { BillingDifference, BillingOverview } from '@atrium/core/billing/billing'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Stack, Text } from '@mantine/core'

/** What the last nightly comparison with the payment processor found. */
export function ReconciliationPanel({
  overview: { reconciliation, differences },
}: {
  overview: BillingOverview
}) {
  return (
    <Panel
      title="Comparison with the payment processor"
      description="Every night subscriptions and invoices are compared, and what differs is repaired."
    >
      {reconciliation === null ? (
        <Text c="dimmed">Nothing was compared yet. The first comparison runs tonight.</Text>
      ) : (
        <Stack>
          {reconciliation.error !== null && (
            <Alert color="yellow">
              <FailureText text={reconciliation.error} /> The rest is compared next time.
            </Alert>
          )}
          <DetailList>
            <DetailItem label="Last one">
              <Time at={reconciliation.startedAt} show="both" />
            </DetailItem>
            <DetailItem label="Tenants compared">
              {reconciliation.tenants.toLocaleString('en')}
            </DetailItem>
            <DetailItem label="Could not be compared">
              {reconciliation.failed === 0 ? 'None' : reconciliation.failed.toLocaleString('en')}
            </DetailItem>
            <DetailItem label="Differences">
              {reconciliation.differences === 0
                ? 'None'
                : `${reconciliation.differences.toLocaleString('en')}, ${reconciliation.repaired.toLocaleString('en')} of them repaired`}
            </DetailItem>
          </DetailList>
          {differences.length > 0 && (
            <ResponsiveTable
              caption="Differences"
              columns={columns}
              rows={differences}
              rowKey={({ id }) => id}
            />
          )}
        </Stack>
      )}
    </Panel>
  )
}

const kinds = {
  missing_here: 'Was missing here',
  missing_there: 'Is missing there',
  differs: 'Differed',
} as const

const columns: readonly Column<BillingDifference>[] = [
  {
    key: 'object',
    header: 'What',
    primary: true,
    cell: ({ objectType, objectId }) => (
      <>
        {objectType === 'invoice' ? 'Invoice' : 'Subscription'}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {objectId}
        </Text>
      </>
    ),
  },
  {
    key: 'tenant',
    header: 'Tenant',
    cell: ({ tenantSlug }) => (
      <LinkAnchor to="/tenants/$slug" params={{ slug: tenantSlug }} fz="inherit">
        {tenantSlug}
      </LinkAnchor>
    ),
  },
  {
    key: 'kind',
    header: 'Found',
    cell: ({ kind, fields }) => (
      <>
        {kinds[kind]}
        {Object.entries(fields).map(([field, [ours, theirs]]) => (
          <Text key={field} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {field}: {String(ours)} here, {String(theirs)} there
          </Text>
        ))}
      </>
    ),
  },
  {
    key: 'repaired',
    header: 'Now',
    cell: ({ repaired }) =>
      repaired ? (
        <StatusBadge label="Repaired" tone="good" />
      ) : (
        <StatusBadge label="Look at it" tone="warning" />
      ),
  },
]
