import { isEnded } from '@atrium/core/billing/subscription-life'
import type { SubscriptionDetail } from '@atrium/core/billing/subscriptions'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import {
  cycleName,
  planName,
  seatsLabel,
  subscriptionMeta,
} from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { IconAlertTriangle, IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { EditSubscription } from './edit-subscription.tsx'
import { EndSubscription } from './end-subscription.tsx'
import { pendingLabel, sourceNames } from './labels.ts'
import { SubscriptionHistory } from './subscription-history.tsx'

const route = getRouteApi('/authenticated/subscriptions/$id')

export const Route = createLazyRoute('/authenticated/subscriptions/$id')({
  component: SubscriptionPage,
})

function SubscriptionPage() {
  const { id } = route.useParams()
  const found = useQuery(useTRPC().subscriptions.get.queryOptions({ id }))
  if (found.isError && isMissing(found.error)) {
    return (
      <MissingPage
        title="Subscription not found"
        back={<LinkAnchor to="/subscriptions">All subscriptions</LinkAnchor>}
      >
        There is no such subscription. Subscriptions are never deleted, so the address is wrong.
      </MissingPage>
    )
  }
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
  if (found.isPending) return <LoadingRows label="Loading the subscription" />
  return <Detail subscription={found.data} />
}

function Detail({ subscription }: { subscription: SubscriptionDetail }) {
  const ended = isEnded(subscription.status)
  return (
    <>
      <PageHeader
        title={subscription.tenantName}
        tabTitle={`Subscription of ${subscription.tenantName}`}
        description={
          <>
            Subscription of{' '}
            <LinkAnchor to="/tenants/$slug" params={{ slug: subscription.tenantSlug }} inherit>
              {subscription.tenantSlug}
            </LinkAnchor>
          </>
        }
        marks={<StatusBadge {...subscriptionMeta(subscription)} />}
        actions={
          !ended && (
            <>
              <EditSubscription subscription={subscription} />
              <EndSubscription subscription={subscription} />
            </>
          )
        }
      />
      <Stack gap="lg">
        <Notices subscription={subscription} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <TermsPanel subscription={subscription} />
          <TimesPanel subscription={subscription} />
        </SimpleGrid>
        <Panel
          title="History"
          description="Every state, from when and until when it held. Reports read nothing else."
        >
          <SubscriptionHistory states={subscription.history} />
        </Panel>
      </Stack>
    </>
  )
}

interface Props {
  subscription: SubscriptionDetail
}

function Notices({ subscription }: Props) {
  const { pending, pendingError, pastDueSince, stripeStatus, status } = subscription
  return (
    <>
      {pending && (
        <Alert icon={<IconClock aria-hidden />} title="A change waits">
          {pendingLabel(pending)}, on <Time at={pending.effectiveAt} show="both" />
          {pending.requestedBy && `, asked for by ${pending.requestedBy}`}.
        </Alert>
      )}
      {pendingError && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={pending ? 'The last try failed' : 'A waiting change was dropped'}
        >
          <FailureText text={pendingError} />
        </Alert>
      )}
      {pastDueSince && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Payment is due">
          Since <Time at={pastDueSince} show="both" />.
        </Alert>
      )}
      {status === 'unknown' && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="Stripe uses a status that Atrium does not know"
        >
          It is called “{stripeStatus}” and counts as not paying.
        </Alert>
      )}
    </>
  )
}

function TermsPanel({ subscription }: Props) {
  const {
    plan,
    cycle,
    seats,
    currency,
    perSeatAmount,
    periodAmount,
    totalMinor,
    arrMinor,
    source,
    priceId,
  } = subscription
  return (
    <Panel title="Terms">
      <DetailList>
        <DetailItem label="Plan">{planName(plan)}</DetailItem>
        <DetailItem label="Seats">{seatsLabel(seats)}</DetailItem>
        <DetailItem label="Cycle">{cycleName(cycle)}</DetailItem>
        <DetailItem label="Per seat">
          {formatMoney(perSeatAmount, currency)}
          {periodAmount !== null && ' on average'}
        </DetailItem>
        <DetailItem label={`Per ${cycle}, without tax`}>
          {formatMoney(totalMinor, currency)}
        </DetailItem>
        <DetailItem label="Recurring revenue a year">{formatMoney(arrMinor, currency)}</DetailItem>
        <DetailItem label="Price">
          {priceId ? (
            <LinkAnchor to="/prices/$id" params={{ id: priceId }} fz="inherit">
              From the catalog
            </LinkAnchor>
          ) : (
            'Agreed'
          )}
        </DetailItem>
        <DetailItem label="Kept by">{sourceNames[source]}</DetailItem>
        <DetailItem label="Partner">{subscription.partnerSlug}</DetailItem>
        {subscription.stripeSubscriptionId && (
          <DetailItem label="Stripe id">{subscription.stripeSubscriptionId}</DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}

function TimesPanel({ subscription }: Props) {
  const at = (moment: string | null) => moment && <Time at={moment} show="both" />
  return (
    <Panel title="Times">
      <DetailList>
        <DetailItem label="Period began">{at(subscription.currentPeriodStart)}</DetailItem>
        <DetailItem label="Period ends">{at(subscription.currentPeriodEnd)}</DetailItem>
        <DetailItem label="Trial ends">{at(subscription.trialEnd)}</DetailItem>
        <DetailItem label="End asked for">{at(subscription.canceledAt)}</DetailItem>
        <DetailItem label="Ends">{at(subscription.cancelAt)}</DetailItem>
        <DetailItem label="Ended">{at(subscription.endedAt)}</DetailItem>
        <DetailItem label="Why">{subscription.cancelComment}</DetailItem>
        <DetailItem label="Changed">{at(subscription.updatedAt)}</DetailItem>
      </DetailList>
    </Panel>
  )
}
