import type { PayoutDetail } from '@atrium/core/billing/payouts'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Button, Grid, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconHandStop, IconReceipt2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { PayoutActions } from './payout-actions.tsx'

const route = getRouteApi('/authenticated/payouts/$id')

export const Route = createLazyRoute('/authenticated/payouts/$id')({ component: PayoutPage })

function PayoutPage() {
  const { id } = route.useParams()
  const {
    data: payout,
    isError,
    error,
    isFetching,
    refetch,
  } = useQuery(useTRPC().payouts.get.queryOptions({ id }))
  if (!payout && isError && isMissing(error)) {
    return (
      <MissingPage
        title="Payout not found"
        back={<LinkAnchor to="/payouts">All payouts</LinkAnchor>}
      >
        There is no payout with this id.
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={
          payout
            ? `${formatMoney(payout.amountMinor, payout.currency)} to ${payout.partnerName}`
            : 'Payout'
        }
        description={payout?.statementNumber}
        marks={payout && <StatusBadge {...payoutMeta(payout.status)} />}
        actions={payout && <PayoutActions payout={payout} />}
      />
      {payout ? (
        <Detail payout={payout} />
      ) : isError ? (
        <ErrorState
          title="The payout could not be loaded."
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <LoadingRows label="Loading the payout" />
      )}
    </>
  )
}

function Detail({ payout }: { payout: PayoutDetail }) {
  return (
    <Stack gap="lg">
      <Notice payout={payout} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel title="What it pays" actions={<LedgerLink slug={payout.partnerSlug} />}>
            <DetailList>
              <DetailItem label="Partner">
                <LinkAnchor to="/partners/$slug" params={{ slug: payout.partnerSlug }} fz="inherit">
                  {payout.partnerName}
                </LinkAnchor>
              </DetailItem>
              <DetailItem label="Amount">
                {formatMoney(payout.amountMinor, payout.currency)}
              </DetailItem>
              <DetailItem label="Period">
                {payout.periodFrom ? formatDay(payout.periodFrom) : 'From the beginning'} to{' '}
                {formatDay(payout.periodTo)}
              </DetailItem>
              <DetailItem label="Self-billing agreed">
                {payout.selfBillingConsentAt ? (
                  <Time at={payout.selfBillingConsentAt} show="both" />
                ) : (
                  'Not yet'
                )}
              </DetailItem>
              <DetailItem label="Reference">
                {payout.reference && (
                  <CopyValue label="Reference" value={payout.reference} hideLabel />
                )}
              </DetailItem>
            </DetailList>
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel
            title="How it went"
            actions={payout.status !== 'canceled' && <StatementLinks id={payout.id} />}
          >
            <DetailList>
              <DetailItem label="Made">
                <Step at={payout.createdAt} by={payout.requestedBy ?? 'monthly run'} />
              </DetailItem>
              <DetailItem label="Approved">
                {payout.approvedAt && <Step at={payout.approvedAt} by={payout.approvedBy} />}
              </DetailItem>
              <DetailItem label="Sent">{payout.sentAt && <Step at={payout.sentAt} />}</DetailItem>
              <DetailItem label="Paid">{payout.paidAt && <Step at={payout.paidAt} />}</DetailItem>
              {payout.canceledAt && (
                <DetailItem label="Canceled">
                  <Step at={payout.canceledAt} />
                </DetailItem>
              )}
            </DetailList>
          </Panel>
        </Grid.Col>
      </Grid>
      <Panel
        title="Entries"
        description="Each with the invoice that it comes from. They sum to the amount."
      >
        {payout.entries.length > 0 ? (
          <LedgerTable caption="Entries of the payout" entries={payout.entries} />
        ) : (
          <Text size="sm" c="dimmed">
            None: the payout was canceled, and what it held is free for the next one.
          </Text>
        )}
      </Panel>
    </Stack>
  )
}

function Step({ at, by = null }: { at: string; by?: string | null }) {
  return (
    <>
      <Time at={at} show="both" />
      {by !== null && `, ${by}`}
    </>
  )
}

/** The whole ledger of the partner, for whoever wants to follow the entries further. */
function LedgerLink({ slug }: { slug: string }) {
  return (
    <Button
      component="a"
      href={`/api/partners/${slug}/ledger`}
      download
      size="xs"
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      Ledger as CSV
    </Button>
  )
}

function StatementLinks({ id }: { id: string }) {
  const href = `/api/payouts/${id}/statement`
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={href}
        download
        size="xs"
        variant="default"
        leftSection={<IconReceipt2 size={16} aria-hidden />}
      >
        Statement
      </Button>
      <Button
        component="a"
        href={`${href}?format=csv`}
        download
        size="xs"
        variant="default"
        aria-label="Statement as CSV"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        CSV
      </Button>
    </Group>
  )
}

function Notice({ payout }: { payout: PayoutDetail }) {
  if (payout.status === 'held') {
    return (
      <Alert color="yellow" icon={<IconHandStop aria-hidden />} title="This payout is held">
        {payout.heldReason} Make it a draft again when that is settled.
      </Alert>
    )
  }
  if (payout.status === 'failed') {
    return (
      <Alert color="red" icon={<IconHandStop aria-hidden />} title="The transfer failed">
        {payout.failureReason} The money is owed again. Make it a draft to pay it anew, or cancel it
        and its entries go into the next payout.
      </Alert>
    )
  }
  return null
}
