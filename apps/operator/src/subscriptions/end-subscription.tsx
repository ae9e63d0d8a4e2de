import type { SubscriptionView } from '@atrium/core/billing/subscriptions'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Button, List, Radio, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useEndSubscription } from './mutations.ts'

const t = translations('operator.subscriptions')

/** Ends a subscription now or with the paid period. */
export function EndSubscription({ subscription }: { subscription: SubscriptionView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { id, tenantName, currentPeriodEnd, cancelAtPeriodEnd, status } = subscription
  const waits = currentPeriodEnd !== null && !cancelAtPeriodEnd && status !== 'incomplete'
  const [when, setWhen] = useState<'now' | 'period_end'>('period_end')
  const end = useEndSubscription()
  const chosen = waits ? when : 'now'
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<IconPlayerStop size={17} aria-hidden />}
        onClick={open}
      >
        {t('end.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('end.question', { tenant: tenantName })}
        confirmLabel={t(`end.submit.${chosen}`)}
        reason="optional"
        onConfirm={async (comment) => {
          await end.mutateAsync({ id, when: chosen, ...(comment === undefined ? {} : { comment }) })
          done(t(`end.done.${chosen}`))
        }}
      >
        <Stack gap="sm">
          {waits && (
            <Radio.Group
              label={t('end.when')}
              value={when}
              onChange={(value) => setWhen(value === 'now' ? 'now' : 'period_end')}
            >
              <Stack gap="xs" mt={6}>
                <Radio
                  value="period_end"
                  label={t('end.periodEnd', { day: formatDay(currentPeriodEnd) })}
                />
                <Radio value="now" label={t('end.now')} />
              </Stack>
            </Radio.Group>
          )}
          <List size="sm" spacing={4}>
            <List.Item>{t(`end.effects.${chosen}`)}</List.Item>
            <List.Item>{t('end.effects.kept')}</List.Item>
          </List>
        </Stack>
      </ConfirmDialog>
    </>
  )
}
