import { isEnded } from '@atrium/core/billing/subscription-life'
import { changeableStatuses, type TenantSubscription } from '@atrium/core/billing/subscriptions'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatTime } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { pendingLabel, planName, subscriptionMeta } from '@atrium/ui/subscription-status-meta'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OrderTerms } from '../billing/search.ts'
import { useTRPC } from '../trpc.ts'
import { CancelSubscription } from './cancel-subscription.tsx'
import { periodSentence, perPeriod } from './labels.ts'
import { useDiscardPending, useKeepSubscription } from './mutations.ts'
import { OrderPanel } from './order-panel.tsx'
import { PaymentNotice } from './payment-notice.tsx'
import { PlanEditor } from './plan-editor.tsx'
import { SeatsEditor } from './seats-editor.tsx'
import { StartPanel } from './start-panel.tsx'

const t = translations('portal.subscriptions')

const unpaidMs = 4_000

interface Props {
  slug: string
  /** Admins, operators and the partner's managers. Others only read. */
  mayChange: boolean
  /** The order that is being looked at. */
  order?: OrderTerms | undefined
  /** Looks at an order; undefined goes back to the plans. */
  onOrder: (order: OrderTerms | undefined) => void
  /** The name of the card on file; undefined where the reader may not see it. */
  card?: string | null | undefined
}

/**
 * The plan and the seats of a workplace, with what can be done about them; plans to choose from
 * where there is none.
 */
export function SubscriptionPanel({ slug, mayChange, order, onOrder, card }: Props) {
  const found = useQuery(
    useTRPC().subscriptions.getOfTenant.queryOptions(
      { slug },
      // The payment processor tells of a payment some seconds later.
      { refetchInterval: ({ state }) => state.data?.status === 'incomplete' && unpaidMs },
    ),
  )
  if (found.isError) {
    return (
      <ErrorState
        title={t('loadFailed')}
        error={found.error}
        onRetry={() => void found.refetch()}
        retrying={found.isFetching}
      />
    )
  }
  if (found.isPending) return <LoadingRows label={t('loading')} rows={3} />
  const subscription = found.data
  const over = subscription === null || isEnded(subscription.status)
  return (
    <Stack gap="lg">
      {subscription && (
        <CurrentPlan slug={slug} subscription={subscription} mayChange={mayChange} card={card} />
      )}
      {over && mayChange && !order && <StartPanel slug={slug} onOrder={onOrder} />}
      {over && mayChange && order && (
        <OrderPanel slug={slug} order={order} card={card} onClose={() => onOrder(undefined)} />
      )}
      {over && !mayChange && !subscription && (
        <Panel title={t('plans.plan')}>
          <Text c="dimmed">{t('current.none')}</Text>
        </Panel>
      )}
    </Stack>
  )
}

interface CurrentProps extends Omit<Props, 'order' | 'onOrder'> {
  subscription: TenantSubscription
}

function CurrentPlan(props: CurrentProps) {
  const { slug, subscription, mayChange } = props
  const [editing, setEditing] = useState<'plan' | 'seats'>()
  const { plan, cycle, seats, assignedSeats, totalMinor, currency, source, status } = subscription
  const running = !isEnded(status) && status !== 'incomplete' && !subscription.cancelAtPeriodEnd
  const changeable =
    mayChange && running && source === 'stripe' && changeableStatuses.includes(status)
  const close = () => setEditing(undefined)
  return (
    <Panel
      title={t('plans.plan')}
      actions={
        changeable && (
          <>
            <Button variant="default" size="xs" onClick={() => setEditing('seats')}>
              {t('current.changeSeats')}
            </Button>
            <Button variant="default" size="xs" onClick={() => setEditing('plan')}>
              {t('current.changePlan')}
            </Button>
          </>
        )
      }
    >
      <Stack>
        <Notices {...props} />
        <DetailList>
          <DetailItem label={t('plans.plan')}>
            <Group gap="xs">
              {planName(plan)}
              <StatusBadge {...subscriptionMeta(subscription)} />
            </Group>
          </DetailItem>
          <DetailItem label={t('seats.label')}>
            {t('current.seats', { seats, taken: assignedSeats })}
          </DetailItem>
          <DetailItem label={t(`current.prices.${cycle}`, { tax: subscription.taxBehavior })}>
            {perPeriod(totalMinor, currency, cycle)}
          </DetailItem>
          <DetailItem label={t('current.period')}>
            {isEnded(status)
              ? subscription.endedAt && t('period.ended', { day: formatDay(subscription.endedAt) })
              : periodSentence(subscription)}
          </DetailItem>
        </DetailList>
        {source === 'manual' && !isEnded(status) && (
          <Text size="sm" c="dimmed">
            {t('current.manual')}
          </Text>
        )}
        {mayChange && running && <CancelSubscription slug={slug} subscription={subscription} />}
      </Stack>
      <Modal
        opened={editing === 'seats'}
        onClose={close}
        title={t('current.changeSeats')}
        size="md"
      >
        {editing === 'seats' && (
          <SeatsEditor slug={slug} subscription={subscription} onClose={close} />
        )}
      </Modal>
      <Modal opened={editing === 'plan'} onClose={close} title={t('current.changePlan')} size="xl">
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
        <Alert color="yellow" title={t('notices.failed')}>
          <FailureText text={pendingError} />
        </Alert>
      )}
      {cancelAtPeriodEnd && !isEnded(status) && <EndingNotice {...props} />}
      {status === 'incomplete' && <PaymentNotice {...props} hasCard={props.card !== null} />}
      {status === 'paused' && (
        <Alert color="yellow" title={t('notices.paused')}>
          {t('notices.pausedHint')}
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
      title={t('pending.title', {
        day: formatDay(pending.effectiveAt),
        change: pendingLabel(pending),
      })}
    >
      <Stack gap="xs" align="flex-start">
        <Text inherit>{t('notices.unchanged')}</Text>
        {mayChange && (
          <Button
            variant="default"
            size="xs"
            loading={discard.isPending}
            onClick={() => discard.mutate({ slug })}
          >
            {t('pending.discard')}
          </Button>
        )}
        {discard.error && <Text inherit>{discard.error.message}</Text>}
      </Stack>
    </Alert>
  )
}

function EndingNotice({ slug, subscription, mayChange }: CurrentProps) {
  const { currentPeriodEnd, canceledAt } = subscription
  const keep = useKeepSubscription(slug)
  return (
    <Alert
      color="yellow"
      icon={<IconClock aria-hidden />}
      title={
        currentPeriodEnd
          ? t('period.ends', { day: formatDay(currentPeriodEnd) })
          : t('notices.ending')
      }
    >
      <Stack gap="xs" align="flex-start">
        <Text inherit>
          {canceledAt && t('cancel.received', { moment: formatTime(canceledAt) })}{' '}
          {t('notices.unchangedNoCharge')}
        </Text>
        {mayChange && (
          <Button
            variant="default"
            size="xs"
            loading={keep.isPending}
            onClick={() => keep.mutate({ slug })}
          >
            {t('notices.keep')}
          </Button>
        )}
        {keep.error && <Text inherit>{keep.error.message}</Text>}
      </Stack>
    </Alert>
  )
}
