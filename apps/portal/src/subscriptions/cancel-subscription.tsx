import type { TenantSubscription } from '@atrium/core/billing/subscriptions'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useCancelSubscription } from './mutations.ts'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  subscription: TenantSubscription
}

/** Ends the subscription with its period; one that was never paid or is paused ends at once. */
export function CancelSubscription({ slug, subscription }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const cancel = useCancelSubscription(slug)
  const { status, currentPeriodEnd, plan, seats } = subscription
  const unpaid = status === 'incomplete'
  const paused = status === 'paused'
  const end = currentPeriodEnd && !paused && !unpaid ? formatDay(currentPeriodEnd) : undefined
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        onClick={open}
      >
        {t('cancel.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('cancel.title')}
        confirmLabel={t('cancel.submit')}
        reason="optional"
        onConfirm={async (comment) => {
          await cancel.mutateAsync({ slug, ...(comment === undefined ? {} : { comment }) })
          done(unpaid ? t('cancel.doneUnpaid') : paused ? t('cancel.donePaused') : t('cancel.done'))
        }}
      >
        <DetailList>
          <DetailItem label={t('cancel.what')}>
            {t('cancel.whatValue', { plan: planName(plan), seats })}
          </DetailItem>
          <DetailItem label={t('cancel.ends')}>{end ?? t('cancel.endsAtOnce')}</DetailItem>
          {!unpaid && (
            <DetailItem label={t('cancel.confirmation')}>{t('cancel.confirmationHint')}</DetailItem>
          )}
        </DetailList>
        <List size="sm" spacing={4} mt="sm">
          {unpaid ? (
            <List.Item>{t('cancel.nothingPaid')}</List.Item>
          ) : (
            <>
              <List.Item>{end ? t('cancel.endsOn', { day: end }) : t('cancel.atOnce')}</List.Item>
              {!paused && <List.Item>{t('cancel.noRefund')}</List.Item>}
              <List.Item>{t('cancel.freePlan')}</List.Item>
            </>
          )}
          <List.Item>{t('cancel.dataStays')}</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
