import type { PayoutDetail } from '@atrium/core/billing/payouts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
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

const t = translations('operator.payouts')

type Act = 'approve' | 'send' | 'pay' | 'fail' | 'reopen' | 'hold' | 'cancel'

/** Buttons for the steps that the payout's status allows, the next step first. */
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
      {may('approved') &&
        button('approve', t('approve.action'), <IconCheck size={17} aria-hidden />, {})}
      {may('in_transit') &&
        button('send', t('send.action'), <IconSend size={17} aria-hidden />, {})}
      {may('paid') &&
        button(
          'pay',
          t('pay.action'),
          <IconCheck size={17} aria-hidden />,
          may('in_transit') ? { variant: 'default' } : {},
        )}
      {may('draft') &&
        button('reopen', t('reopen.action'), <IconArrowBackUp size={17} aria-hidden />, {})}
      {may('held') && button('hold', t('hold.action'), <IconHandStop size={17} aria-hidden />)}
      {may('failed') &&
        button(
          'fail',
          t(payout.status === 'paid' ? 'fail.actionReturned' : 'fail.action'),
          <IconCircleX size={17} aria-hidden />,
        )}
      {may('canceled') &&
        button('cancel', t('cancel.action'), <IconBan size={17} aria-hidden />, {
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
  const { id, version, partnerName } = payout
  const amount = formatMoney(payout.amountMinor, payout.currency)
  const common = { onClose, destructive: false } as const
  return (
    <>
      <ConfirmDialog
        {...common}
        opened={act === 'approve'}
        title={t('approve.title', { amount, partner: partnerName })}
        confirmLabel={t('approve.confirm')}
        onConfirm={async () => {
          await moves.approve.mutateAsync({ id, version })
          done(t('approve.done', { amount, partner: partnerName }))
        }}
      >
        {t('approve.hint')}
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={act === 'send'}
        title={t('send.title')}
        confirmLabel={t('send.confirm')}
        onConfirm={async () => {
          await moves.send.mutateAsync({ id, version })
          done(t('send.done'))
        }}
      >
        {t('send.hint', { amount, partner: partnerName })}
      </ConfirmDialog>
      <PayDialog payout={payout} opened={act === 'pay'} onClose={onClose} />
      <ConfirmDialog
        {...common}
        opened={act === 'reopen'}
        title={t('reopen.title')}
        confirmLabel={t('reopen.confirm')}
        onConfirm={async () => {
          await moves.reopen.mutateAsync({ id, version })
          done(t('reopen.done'))
        }}
      >
        {t('reopen.hint')}
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={act === 'hold'}
        title={t('hold.title', { amount, partner: partnerName })}
        confirmLabel={t('hold.confirm')}
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.hold.mutateAsync({ id, version, reason })
          done(t('hold.done'))
        }}
      >
        {t('hold.hint')}
      </ConfirmDialog>
      <ConfirmDialog
        onClose={onClose}
        opened={act === 'fail'}
        title={t(payout.status === 'paid' ? 'fail.titleReturned' : 'fail.title')}
        confirmLabel={t('fail.confirm')}
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.fail.mutateAsync({ id, version, reason })
          done(t('fail.done'))
        }}
      >
        {payout.status === 'paid'
          ? t('fail.hintReturned', { amount, partner: partnerName })
          : t('fail.hint')}
      </ConfirmDialog>
      <ConfirmDialog
        onClose={onClose}
        opened={act === 'cancel'}
        title={t('cancel.title', { amount, partner: partnerName })}
        confirmLabel={t('cancel.confirm')}
        reason="required"
        onConfirm={async (reason = '') => {
          await moves.cancel.mutateAsync({ id, version, reason })
          done(t('cancel.done'))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('cancel.effects.closed')}</List.Item>
          <List.Item>{t('cancel.effects.entries', { count: payout.entries.length })}</List.Item>
          <List.Item>{t('cancel.effects.monthlyRun')}</List.Item>
          {payout.statementNumber && (
            <List.Item>
              {t('cancel.effects.statement', { number: payout.statementNumber })}
            </List.Item>
          )}
        </List>
      </ConfirmDialog>
    </>
  )
}
