import type { PartnerPayoutDetail } from '@atrium/core/billing/payouts'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconReceipt2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { usePartner } from './use-partner.ts'

/** One payout with its entries and its statement. */
export default function PayoutDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { slug } = usePartner()
  const {
    data: payout,
    isError,
    error,
    refetch,
  } = useQuery(useTRPC().payouts.partnerGet.queryOptions({ slug, payoutId: id }))
  return (
    <SideDrawer
      opened
      onClose={onClose}
      size="xl"
      title={payout ? `Payout of ${formatMoney(payout.amountMinor, payout.currency)}` : 'Payout'}
    >
      {payout ? (
        <Detail payout={payout} slug={slug} />
      ) : isError ? (
        <ErrorState
          title="The payout could not be loaded."
          error={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <LoadingRows label="Loading the payout" />
      )}
    </SideDrawer>
  )
}

function Detail({ payout, slug }: { payout: PartnerPayoutDetail; slug: string }) {
  const href = `/api/partner/${slug}/payouts/${payout.id}/statement`
  const note =
    payout.status === 'held'
      ? payout.heldReason
      : payout.status === 'failed'
        ? payout.failureReason
        : null
  return (
    <Stack>
      {note && <Alert color="yellow">{note}</Alert>}
      <DetailList>
        <DetailItem label="Status">
          <StatusBadge {...payoutMeta(payout.status)} />
        </DetailItem>
        <DetailItem label="Statement">
          {payout.statementNumber ?? 'Numbered when it is paid'}
        </DetailItem>
        <DetailItem label="Period">
          {payout.periodFrom ? formatDay(payout.periodFrom) : 'From the beginning'} to{' '}
          {formatDay(payout.periodTo)}
        </DetailItem>
        <DetailItem label="Paid">{payout.paidAt && formatDay(payout.paidAt)}</DetailItem>
        <DetailItem label="Reference">{payout.reference}</DetailItem>
      </DetailList>
      {payout.status !== 'canceled' && (
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
      )}
      {payout.entries.length > 0 ? (
        <LedgerTable caption="Entries of the payout" entries={payout.entries} />
      ) : (
        <Text size="sm" c="dimmed">
          The payout was canceled. What it held is free for the next one.
        </Text>
      )}
    </Stack>
  )
}
