import { isEnded, type SubscriptionDetail } from '@atrium/core/subscriptions'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { Fact, Facts } from '@atrium/ui/facts'
import { FailureText } from '@atrium/ui/failure-text'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { cycleNames, planNames, seatWords, subscriptionLook } from '@atrium/ui/subscription-looks'
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
import { SubscriptionHistory } from './subscription-history.tsx'
import { pendingWords, sourceNames } from './words.ts'

const route = getRouteApi('/house/subscriptions/$id')

export const Route = createLazyRoute('/house/subscriptions/$id')({ component: SubscriptionPage })

function SubscriptionPage() {
  const { id } = route.useParams()
  const found = useQuery(useTRPC().subscriptions.get.queryOptions({ id }))
  if (found.isError && isMissing(found.error)) {
    return (
      <MissingPage title="Subscription not found" back={<LinkAnchor to="/subscriptions">All subscriptions</LinkAnchor>}>
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
        marks={<StatusBadge {...subscriptionLook(subscription)} />}
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
        <Panel title="History" description="Every state, from when and until when it held. Reports read nothing else.">
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
          {pendingWords(pending)}, on <Time at={pending.effectiveAt} show="both" />
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
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Stripe uses a status that Atrium does not know">
          It is called “{stripeStatus}” and counts as not paying.
        </Alert>
      )}
    </>
  )
}

function TermsPanel({ subscription }: Props) {
  const { plan, cycle, seats, currency, perSeatAmount, periodAmount, totalMinor, arrMinor, source, priceId } = subscription
  return (
    <Panel title="Terms">
      <Facts>
        <Fact label="Plan">{planNames[plan]}</Fact>
        <Fact label="Seats">{seatWords(seats)}</Fact>
        <Fact label="Cycle">{cycleNames[cycle]}</Fact>
        <Fact label="Per seat">
          {formatMoney(perSeatAmount, currency)}
          {periodAmount !== null && ' on average'}
        </Fact>
        <Fact label={`Per ${cycle}, without tax`}>{formatMoney(totalMinor, currency)}</Fact>
        <Fact label="Recurring revenue a year">{formatMoney(arrMinor, currency)}</Fact>
        <Fact label="Price">
          {priceId ? (
            <LinkAnchor to="/prices/$id" params={{ id: priceId }} fz="inherit">
              From the catalog
            </LinkAnchor>
          ) : (
            'Agreed'
          )}
        </Fact>
        <Fact label="Kept by">{sourceNames[source]}</Fact>
        <Fact label="Partner">{subscription.partnerSlug}</Fact>
        {subscription.stripeSubscriptionId && <Fact label="Stripe id">{subscription.stripeSubscriptionId}</Fact>}
      </Facts>
    </Panel>
  )
}

function TimesPanel({ subscription }: Props) {
  const at = (moment: string | null) => moment && <Time at={moment} show="both" />
  return (
    <Panel title="Times">
      <Facts>
        <Fact label="Period began">{at(subscription.currentPeriodStart)}</Fact>
        <Fact label="Period ends">{at(subscription.currentPeriodEnd)}</Fact>
        <Fact label="Trial ends">{at(subscription.trialEnd)}</Fact>
        <Fact label="End asked for">{at(subscription.canceledAt)}</Fact>
        <Fact label="Ends">{at(subscription.cancelAt)}</Fact>
        <Fact label="Ended">{at(subscription.endedAt)}</Fact>
        <Fact label="Why">{subscription.cancelComment}</Fact>
        <Fact label="Changed">{at(subscription.updatedAt)}</Fact>
      </Facts>
    </Panel>
  )
}
