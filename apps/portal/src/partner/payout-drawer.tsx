import type { PartnerPayoutDetail } from '@atrium/core/billing/payouts'
import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { translations } from '@atrium/ui/messages'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatementLinks } from '@atrium/ui/statement-links'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-payouts')

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
      title={
        payout
          ? t('detail.titleOf', { amount: formatMoney(payout.amountMinor, payout.currency) })
          : t('detail.title')
      }
    >
      {payout ? (
        <Detail payout={payout} slug={slug} />
      ) : isError ? (
        <ErrorState title={t('detail.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingRows label={t('detail.loading')} />
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
      {note && <Alert color="yellow">{splitUpstreamMessage(note).sentence}</Alert>}
      <DetailList>
        <DetailItem label={t('detail.status')}>
          <StatusBadge {...payoutMeta(payout.status)} />
        </DetailItem>
        <DetailItem label={t('detail.statement')}>
          {payout.statementNumber ?? t('detail.noStatement')}
        </DetailItem>
        {payout.cancellationNumber && (
          <DetailItem label={t('detail.cancellation')}>{payout.cancellationNumber}</DetailItem>
        )}
        <DetailItem label={t('detail.period')}>
          {payout.periodFrom
            ? t('detail.range', {
                from: formatDay(payout.periodFrom),
                to: formatDay(payout.periodTo),
              })
            : t('detail.rangeFromStart', { to: formatDay(payout.periodTo) })}
        </DetailItem>
        <DetailItem label={t('detail.paid')}>
          {payout.paidAt && formatDay(payout.paidAt)}
        </DetailItem>
        <DetailItem label={t('detail.reference')}>{payout.reference}</DetailItem>
      </DetailList>
      <StatementLinks href={href} payout={payout} />
      {payout.entries.length > 0 ? (
        <LedgerTable caption={t('detail.entries')} entries={payout.entries} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('detail.canceled')}
        </Text>
      )}
    </Stack>
  )
}
