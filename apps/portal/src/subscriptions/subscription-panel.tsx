import { isEnded } from '@atrium/core/billing/subscription-life'
import type { TenantSubscription } from '@atrium/core/billing/subscriptions'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import {
  cycleName,
  planName,
  seatsLabel,
  subscriptionMeta,
} from '@atrium/ui/subscription-status-meta'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { CancelSubscription } from './cancel-subscription.tsx'
import { pendingLabel, periodSentence, perPeriod } from './labels.ts'
import { useDiscardPending, useKeepSubscription } from './mutations.ts'
import { PlanEditor } from './plan-editor.tsx'
import { SeatsEditor } from './seats-editor.tsx'
import { StartPanel } from './start-panel.tsx'

interface Props {
  slug: string
  /** Admins, operators and the partner's managers. Others only read. */
  mayChange: boolean
  /** Whether plans are offered where there is no subscription. */
  offers?: boolean
}

/**
 * The plan and the seats of a workplace, with what can be done about them; plans to choose from
 * where there is none.
 */
export function SubscriptionPanel({ slug, mayChange, offers = true }: Props) {
  const found = useQuery(useTRPC().subscriptions.getOfTenant.queryOptions({ slug }))
  if (found.isError) {
    return (
      <ErrorState
        title="The subscription could not be loaded."
        error={found.error}
        onRetry={() => void found.refetch()}
        retrying={found.isFetching}
      />
    )
  }
  if (found.isPending) return <LoadingRows label="Loading the subscription" rows={3} />
  const subscription = found.data
  const over = subscription === null || isEnded(subscription.status)
  return (
    <Stack gap="lg">
      {subscription && (
        <CurrentPlan slug={slug} subscription={subscription} mayChange={mayChange} />
      )}
      {over && mayChange && offers && <StartPanel slug={slug} />}
      {over && !mayChange && offers && !subscription && (
        <Panel title="Plan">
          <Text c="dimmed">
            There is no subscription. An admin of this workplace can choose a plan here.
          </Text>
        </Panel>
      )}
    </Stack>
  )
}

interface CurrentProps extends Props {
  subscription: TenantSubscription
}

function CurrentPlan(props: CurrentProps) {
  const { slug, subscription, mayChange } = props
  const [editing, setEditing] = useState<'plan' | 'seats'>()
  const { plan, cycle, seats, assignedSeats, totalMinor, currency, source, status } = subscription
  const changeable =
    mayChange &&
    ['trialing', 'active', 'past_due', 'paused'].includes(status) &&
    !subscription.cancelAtPeriodEnd
  const close = () => setEditing(undefined)
  return (
    <Panel
      title="Plan"
      actions={
        changeable && (
          <>
            <Button variant="default" size="xs" onClick={() => setEditing('seats')}>
              Change seats
            </Button>
            <Button variant="default" size="xs" onClick={() => setEditing('plan')}>
              Change plan
            </Button>
          </>
        )
      }
    >
      <Stack>
        <Notices {...props} />
        <DetailList>
          <DetailItem label="Plan">
            <Group gap="xs">
              {planName(plan)}
              <StatusBadge {...subscriptionMeta(subscription)} />
            </Group>
          </DetailItem>
          <DetailItem label="Seats">
            {seatsLabel(seats)}, {assignedSeats} taken
          </DetailItem>
          <DetailItem label={`${cycleName(cycle)}, without tax`}>
            {perPeriod(totalMinor, currency, cycle)}
          </DetailItem>
          <DetailItem label="Period">
            {isEnded(status)
              ? subscription.endedAt && `Ended on ${formatDay(subscription.endedAt)}`
              : periodSentence(subscription)}
          </DetailItem>
        </DetailList>
        {source === 'manual' && !isEnded(status) && (
          <Text size="sm" c="dimmed">
            Your provider sends the bill. No card is charged.
          </Text>
        )}
        {changeable && <CancelSubscription slug={slug} subscription={subscription} />}
      </Stack>
      <Modal opened={editing === 'seats'} onClose={close} title="Change seats" size="md">
        {editing === 'seats' && (
          <SeatsEditor slug={slug} subscription={subscription} onClose={close} />
        )}
      </Modal>
      <Modal opened={editing === 'plan'} onClose={close} title="Change plan" size="xl">
        {editing === 'plan' && (
          <PlanEditor slug={slug} subscription={subscription} onClose={close} />
        )}
      </Modal>
    </Panel>
  )
}

function Notices(props: CurrentProps) {
  const { subscription } = props
  const { pending, pendingError, cancelAtPeriodEnd, status } = subscription
  return (
    <>
      {pending && !isEnded(status) && <PendingNotice {...props} />}
      {pendingError && !pending && (
        <Alert color="yellow" title="A change could not be made">
          <FailureText text={pendingError} />
        </Alert>
      )}
      {cancelAtPeriodEnd && !isEnded(status) && <EndingNotice {...props} />}
      {status === 'incomplete' && <PaymentNotice {...props} />}
      {status === 'paused' && (
        <Alert color="yellow" title="The subscription is paused">
          Nothing is charged while it is paused. A card resumes it; from then on plan and seats are
          charged as shown here.
        </Alert>
      )}
    </>
  )
}

function PendingNotice({ slug, subscription: { pending }, mayChange }: CurrentProps) {
  const discard = useDiscardPending(slug)
  if (!pending) return null
  return (
    <Alert
      icon={<IconClock aria-hidden />}
      title={`From ${formatDay(pending.effectiveAt)}: ${pendingLabel(pending)}`}
    >
      <Stack gap="xs" align="flex-start">
        <Text inherit>Until then everything stays as it is.</Text>
        {mayChange && (
          <Button
            variant="default"
            size="xs"
            loading={discard.isPending}
            onClick={() => discard.mutate({ slug })}
          >
            Take back
          </Button>
        )}
        {discard.error && <Text inherit>{discard.error.message}</Text>}
      </Stack>
    </Alert>
  )
}

function EndingNotice({ slug, subscription: { currentPeriodEnd }, mayChange }: CurrentProps) {
  const keep = useKeepSubscription(slug)
  return (
    <Alert
      color="yellow"
      icon={<IconClock aria-hidden />}
      title={currentPeriodEnd ? `Ends on ${formatDay(currentPeriodEnd)}` : 'It is ending'}
    >
      <Stack gap="xs" align="flex-start">
        <Text inherit>Until then everything stays as it is. Nothing more is charged.</Text>
        {mayChange && (
          <Button
            variant="default"
            size="xs"
            loading={keep.isPending}
            onClick={() => keep.mutate({ slug })}
          >
            Keep the subscription
          </Button>
        )}
        {keep.error && <Text inherit>{keep.error.message}</Text>}
      </Stack>
    </Alert>
  )
}

function PaymentNotice({ slug, subscription, mayChange }: CurrentProps) {
  return (
    <Alert color="yellow" title="The first payment is not made yet">
      <Stack gap="xs" align="flex-start">
        <Text inherit>
          Pay the open invoice below, with a card or on its own page. The plan applies once it is
          paid; after 23 hours it is canceled.
        </Text>
        {mayChange && <CancelSubscription slug={slug} subscription={subscription} />}
      </Stack>
    </Alert>
  )
}
