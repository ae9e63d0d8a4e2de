import type { SubscriptionView } from '@atrium/core/billing/subscriptions'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { Button, List, Radio, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useEndSubscription } from './mutations.ts'

/** Now, or with the period that is paid for. */
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
        End
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`End the subscription of ${tenantName}?`}
        confirmLabel={chosen === 'now' ? 'End now' : 'End with the period'}
        reason="optional"
        onConfirm={async (comment) => {
          await end.mutateAsync({ id, when: chosen, ...(comment === undefined ? {} : { comment }) })
          done(
            chosen === 'now'
              ? 'The subscription has ended.'
              : 'The subscription ends with its period.',
          )
        }}
      >
        <Stack gap="sm">
          {waits && (
            <Radio.Group
              label="When"
              value={when}
              onChange={(value) => setWhen(value === 'now' ? 'now' : 'period_end')}
            >
              <Stack gap="xs" mt={6}>
                <Radio
                  value="period_end"
                  label={`With the period, on ${formatDay(currentPeriodEnd)}`}
                />
                <Radio value="now" label="Now" />
              </Stack>
            </Radio.Group>
          )}
          <List size="sm" spacing={4}>
            <List.Item>
              {chosen === 'now'
                ? 'Nothing is given back for the rest of the period.'
                : 'It can be kept until then.'}
            </List.Item>
            <List.Item>The tenant and its data stay. Its history stays in the reports.</List.Item>
          </List>
        </Stack>
      </ConfirmDialog>
    </>
  )
}
