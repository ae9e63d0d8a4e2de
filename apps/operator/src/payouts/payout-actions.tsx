import type { PayoutDetail } from '@atrium/core/billing/payouts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { Button, type ButtonProps, List } from '@mantine/core'
import {
  IconArrowBackUp,
  IconBan,
  IconCheck,
  IconCircleX,
  IconHandStop,
  IconSend,
} from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { usePayoutMoves } from './mutations.ts'
import { PayDialog } from './pay-dialog.tsx'

type Act = 'approve' | 'send' | 'pay' | 'fail' | 'reopen' | 'hold' | 'cancel'

/** The steps that the payout's state allows; the one that leads on comes first. */
export function PayoutActions({ payout }: { payout: PayoutDetail }) {
  const [act, setAction] = useState<Act>()
  const close = () => setAction(undefined)
  const may = (to: PayoutDetail['moves'][number]) => payout.moves.includes(to)
  const button = (
    name: Act,
    label: string,
    icon: ReactNode,
    props: ButtonProps = { variant: 'default' },
  ) => (
    <Button key={name} leftSection={icon} onClick={() => setAction(name)} {...props}>
      {label}
    </Button>
  )
  return (
    <>
      {may('approved') && button('approve', 'Approve', <IconCheck size={17} aria-hidden />, {})}
      {may('in_transit') && button('send', 'Sent', <IconSend size={17} aria-hidden />, {})}
      {may('paid') &&
        button(
          'pay',
          'Paid',
          <IconCheck size={17} aria-hidden />,
          may('in_transit') ? { variant: 'default' } : {},
        )}
      {may('draft') &&
        button('reopen', 'Make a draft', <IconArrowBackUp size={17} aria-hidden />, {})}
      {may('held') && button('hold', 'Hold', <IconHandStop size={17} aria-hidden />)}
      {may('failed') &&
        button(
          'fail',
          payout.status === 'paid' ? 'Came back' : 'Failed',
          <IconCircleX size={17} aria-hidden />,
        )}
      {may('canceled') &&
        button('cancel', 'Cancel payout', <IconBan size={17} aria-hidden />, {
          variant: 'subtle',
          color: 'red',
        })}
      <Dialogs payout={payout} act={act} onClose={close} />
    </>
  )
}

interface DialogProps {
  payout: PayoutDetail
  act: Act | undefined
  onClose: () => void
}

function Dialogs({ payout, act, onClose }: DialogProps) {
  const moves = usePayoutMoves()
  const { id, version, partnerName, partnerSlug } = payout
  const amount = formatMoney(payout.amountMinor, payout.currency)
  const common = { onClose, destructive: false } as const
  return (
    <>
      <ConfirmDialog
        {...common}
        opened={act === 'approve'}
        title={`Approve ${amount} to ${partnerName}?`}
        confirmLabel="Approve payout"
        onConfirm={async () => {
          await moves.approve.mutateAsync({ id, version })
          done(`${amount} to ${partnerName} are approved.`)
        }}
      >
        The transfer can be made then. Nothing is moved by this: you send the money, and note it
        here.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={act === 'send'}
        title="Is the transfer on its way?"
        confirmLabel="Note it as sent"
        onConfirm={async () => {
          await moves.send.mutateAsync({ id, version })
          done('The transfer is noted.')
        }}
      >
        Say so when the bank has the order for {amount} to {partnerName}. From then on it can be
        paid or fail, and not be canceled.
      </ConfirmDialog>
      <PayDialog payout={payout} opened={act === 'pay'} onClose={onClose} />
      <ConfirmDialog
        {...common}
        opened={act === 'reopen'}
        title="Make it a draft again?"
        confirmLabel="Make a draft"
        onConfirm={async () => {
          await moves.reopen.mutateAsync({ id, version })
          done('The payout is a draft again.')
        }}
      >
        It keeps its entries and has to be approved anew.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={act === 'hold'}
        title={`Hold ${amount} to ${partnerName}?`}
        confirmLabel="Hold payout"
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.hold.mutateAsync({ id, version, reason })
          done('The payout is on hold.')
        }}
      >
        It cannot be approved until somebody makes it a draft again. The partner reads the reason.
      </ConfirmDialog>
      <ConfirmDialog
        onClose={onClose}
        opened={act === 'fail'}
        title={payout.status === 'paid' ? 'Did the money come back?' : 'Did the transfer fail?'}
        confirmLabel="Note it as failed"
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.fail.mutateAsync({ id, version, reason })
          done('The payout is noted as failed.')
        }}
      >
        {payout.status === 'paid'
          ? `The ledger of ${partnerSlug} is given ${amount} back: they are owed again.`
          : 'The entries stay with this payout until it is paid anew or canceled.'}
      </ConfirmDialog>
      <ConfirmDialog
        onClose={onClose}
        opened={act === 'cancel'}
        title={`Cancel ${amount} to ${partnerName}?`}
        confirmLabel="Cancel payout"
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.cancel.mutateAsync({ id, version, reason })
          done('The payout is canceled.')
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>This payout is permanently closed.</List.Item>
          <List.Item>
            Its {payout.entries.length === 1 ? 'entry is' : `${payout.entries.length} entries are`}{' '}
            free for the next one.
          </List.Item>
          <List.Item>
            The monthly run does not make it again this month; the partner may ask for it.
          </List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
