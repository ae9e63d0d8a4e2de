import type { PartnerBalance } from '@atrium/core/billing/payouts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
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

/**
 * One currency: what is there, what waits, and what can be paid out now. Currencies are never added
 * up.
 */
export function BalancePanel({ balance }: { balance: PartnerBalance }) {
  const money = (minor: number) => formatMoney(minor, balance.currency)
  return (
    <Panel
      title={`Balance in ${balance.currency.toUpperCase()}`}
      actions={<RequestPayout balance={balance} />}
    >
      <Text fz={28} fw={620} lh={1.2}>
        {money(balance.payableMinor)}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {payableSentence(balance)}
      </Text>
      <DetailList>
        <DetailItem label="Balance">{money(balance.balanceMinor)}</DetailItem>
        <DetailItem label="Not available yet">
          {money(balance.pendingMinor)}
          {balance.nextAvailableAt && `, the next part on ${formatDay(balance.nextAvailableAt)}`}
        </DetailItem>
        {balance.openPayout && (
          <DetailItem label="In a payout">
            <LinkAnchor {...links.partnerPayouts({ payout: balance.openPayout.id })} fz="inherit">
              {money(balance.openPayout.amountMinor)}
            </LinkAnchor>
            , {payoutMeta(balance.openPayout.status).label.toLowerCase()}
          </DetailItem>
        )}
        <DetailItem label="Earned this month">{money(balance.earnedThisMonthMinor)}</DetailItem>
        <DetailItem label="Paid out so far">{money(balance.paidOutMinor)}</DetailItem>
      </DetailList>
    </Panel>
  )
}

function payableSentence({
  openPayout,
  payableMinor,
  minimumMinor,
  currency,
  balanceMinor,
}: PartnerBalance): string {
  if (balanceMinor < 0)
    return 'More was taken back than you had. What you earn next makes up for it; you are not charged.'
  if (openPayout) return 'can be paid out next, when the payout under way is over.'
  if (payableMinor < minimumMinor)
    return `can be paid out. A payout is made from ${formatMoney(minimumMinor, currency)} on.`
  return 'can be paid out: on the first of next month, or now if an owner asks.'
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
        Ask for a payout
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Ask for ${amount}?`}
        confirmLabel="Ask for the payout"
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          const payout = await request.mutateAsync({ slug: partner.slug, currency })
          done(`A payout of ${formatMoney(payout.amountMinor, currency)} is being checked.`)
        }}
      >
        Everything that is available now goes into one payout. The operator of the platform checks
        and approves it, then the money is sent. What becomes available later waits for the next
        one.
      </ConfirmDialog>
    </>
  )
}
