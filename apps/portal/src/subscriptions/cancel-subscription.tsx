import type { TenantSubscription } from '@atrium/core/billing/subscriptions'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useCancelSubscription } from './mutations.ts'

interface Props {
  slug: string
  subscription: TenantSubscription
}

/** Ends the subscription with its period; one that was never paid or is paused ends at once. */
export function CancelSubscription({ slug, subscription }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const cancel = useCancelSubscription(slug)
  const { status, currentPeriodEnd } = subscription
  const unpaid = status === 'incomplete'
  const paused = status === 'paused'
  const end = currentPeriodEnd && !paused ? formatDay(currentPeriodEnd) : undefined
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        onClick={open}
      >
        Cancel subscription
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Cancel this subscription?"
        confirmLabel="Cancel subscription"
        reason="optional"
        onConfirm={async (comment) => {
          await cancel.mutateAsync({ slug, ...(comment === undefined ? {} : { comment }) })
          done(
            unpaid
              ? 'The subscription is canceled.'
              : paused
                ? 'The subscription has ended.'
                : 'The subscription ends with its period.',
          )
        }}
      >
        <List size="sm" spacing={4}>
          {unpaid ? (
            <List.Item>Nothing was paid, so nothing is charged.</List.Item>
          ) : (
            <>
              <List.Item>
                {end
                  ? `It ends on ${end}. Until then nothing changes, and you can keep it.`
                  : 'It ends at once.'}
              </List.Item>
              {!paused && <List.Item>Nothing is given back for the time until then.</List.Item>}
              <List.Item>
                Afterwards the workplace has the free plan, after some days of grace.
              </List.Item>
            </>
          )}
          <List.Item>Members, mail and files stay.</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
