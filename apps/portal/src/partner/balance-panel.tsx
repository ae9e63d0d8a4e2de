import type { PartnerBalance } from '@atrium/core/billing/payouts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatDay, formatMoney, inSentence } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { explain } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-earnings')

/**
 * One currency: what is there, what waits, and what can be paid out now. Currencies are never added
 * up.
 */
export function BalancePanel({ balance }: { balance: PartnerBalance }) {
  const money = (minor: number) => formatMoney(minor, balance.currency)
  return (
    <Panel
      title={t('balance.title', { currency: balance.currency.toUpperCase() })}
      actions={<RequestPayout balance={balance} />}
    >
      <Text fz={28} fw={620} lh={1.2}>
        {money(balance.payableMinor)}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {payableSentence(balance)}
      </Text>
      <DetailList>
        <DetailItem label={t('balance.balance')}>{money(balance.balanceMinor)}</DetailItem>
        <DetailItem label={t('balance.pending')}>
          {balance.nextAvailableAt
            ? t('balance.pendingUntil', {
                amount: money(balance.pendingMinor),
                day: formatDay(balance.nextAvailableAt),
              })
            : money(balance.pendingMinor)}
        </DetailItem>
        {balance.openPayout && (
          <DetailItem label={t('balance.openPayout')}>
            <OpenPayout
              payout={balance.openPayout}
              amount={money(balance.openPayout.amountMinor)}
            />
          </DetailItem>
        )}
        <DetailItem label={t('balance.earned')}>{money(balance.earnedThisMonthMinor)}</DetailItem>
        <DetailItem label={t('balance.paidOut')}>{money(balance.paidOutMinor)}</DetailItem>
      </DetailList>
    </Panel>
  )
}

function OpenPayout({
  payout: { id, status },
  amount,
}: {
  payout: NonNullable<PartnerBalance['openPayout']>
  amount: string
}) {
  return t.rich('balance.openPayoutStatus', {
    amount,
    status: inSentence(payoutMeta(status).label),
    link: (text) => (
      <LinkAnchor {...links.partnerPayouts({ payout: id })} fz="inherit">
        {text}
      </LinkAnchor>
    ),
  })
}

function payableSentence({
  openPayout,
  payableMinor,
  minimumMinor,
  currency,
  balanceMinor,
}: PartnerBalance): string {
  if (balanceMinor < 0) return t('balance.payable.negative')
  if (openPayout) return t('balance.payable.open')
  if (payableMinor < minimumMinor)
    return t('balance.payable.belowMinimum', { minimum: formatMoney(minimumMinor, currency) })
  return t('balance.payable.ready')
}

/** Owners need not wait for the month to end. */
function RequestPayout({ balance }: { balance: PartnerBalance }) {
  const partner = usePartner()
  const [opened, { open, close }] = useDisclosure(false)
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries(trpc.payouts.pathFilter())
  const request = useMutation(trpc.payouts.request.mutationOptions({ onSettled }))
  const { currency, payableMinor, minimumMinor, openPayout } = balance
  if (!mayDo(partner, 'manageStaff') || openPayout || payableMinor < minimumMinor) return null
  const amount = formatMoney(payableMinor, currency)
  return (
    <>
      <Button size="xs" onClick={open}>
        {t('request.open')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('request.question', { amount })}
        confirmLabel={t('request.submit')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          const payout = await request.mutateAsync({ slug: partner.slug, currency })
          done(t('request.done', { amount: formatMoney(payout.amountMinor, currency) }))
        }}
      >
        {t('request.effects')}
      </ConfirmDialog>
    </>
  )
}
