import { isEnded } from '@atrium/core/billing/subscription-life'
import type { SubscriptionDetail } from '@atrium/core/billing/subscriptions'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import {
  cycleName,
  pendingLabel,
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
import { SubscriptionHistory } from './subscription-history.tsx'

const t = translations('operator.subscriptions')

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
        title={t('missing.title')}
        back={<LinkAnchor to="/subscriptions">{t('all')}</LinkAnchor>}
      >
        {t('missing.hint')}
      </MissingPage>
    )
  }
  if (found.isError) {
    return (
      <ErrorState
        title={t('page.failed')}
        error={found.error}
        onRetry={() => void found.refetch()}
        retrying={found.isFetching}
      />
    )
  }
  if (found.isPending) return <LoadingRows label={t('page.loading')} />
  return <Detail subscription={found.data} />
}

function Detail({ subscription }: { subscription: SubscriptionDetail }) {
  const ended = isEnded(subscription.status)
  return (
    <>
      <PageHeader
        title={subscription.tenantName}
        tabTitle={t('page.of', { tenant: subscription.tenantName })}
        description={t.rich('page.ofTenant', {
          tenant: subscription.tenantSlug,
          link: (chunks) => (
            <LinkAnchor to="/tenants/$slug" params={{ slug: subscription.tenantSlug }} inherit>
              {chunks}
            </LinkAnchor>
          ),
        })}
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
        <Panel title={t('history.title')} description={t('history.description')}>
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
        <Alert icon={<IconClock aria-hidden />} title={t('pending.title')}>
          {t.rich(pending.requestedBy ? 'pending.effectiveBy' : 'pending.effective', {
            change: pendingLabel(pending),
            time: () => <Time at={pending.effectiveAt} show="both" />,
            who: pending.requestedBy ?? '',
          })}
        </Alert>
      )}
      {pendingError && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={t(pending ? 'pending.failed' : 'pending.dropped')}
        >
          <FailureText text={pendingError} />
        </Alert>
      )}
      {pastDueSince && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('notices.pastDue')}>
          {t.rich('notices.pastDueSince', { time: () => <Time at={pastDueSince} show="both" /> })}
        </Alert>
      )}
      {status === 'unknown' && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('notices.unknownStatus')}
        >
          {t('notices.unknownStatusHint', { status: stripeStatus ?? '' })}
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
    <Panel title={t('terms.title')}>
      <DetailList>
        <DetailItem label={t('terms.plan')}>{planName(plan)}</DetailItem>
        <DetailItem label={t('terms.seats')}>{seatsLabel(seats)}</DetailItem>
        <DetailItem label={t('terms.cycle')}>{cycleName(cycle)}</DetailItem>
        <DetailItem label={t('terms.perSeat')}>
          {periodAmount === null
            ? formatMoney(perSeatAmount, currency)
            : t('terms.average', { amount: formatMoney(perSeatAmount, currency) })}
        </DetailItem>
        <DetailItem label={t(`terms.total.${cycle}`, { tax: subscription.taxBehavior })}>
          {formatMoney(totalMinor, currency)}
        </DetailItem>
        <DetailItem label={t('terms.arr')}>{formatMoney(arrMinor, currency)}</DetailItem>
        <DetailItem label={t('terms.price')}>
          {priceId ? (
            <LinkAnchor to="/prices/$id" params={{ id: priceId }} fz="inherit">
              {t('terms.catalog')}
            </LinkAnchor>
          ) : (
            t('terms.agreed')
          )}
        </DetailItem>
        <DetailItem label={t('sources.label')}>{t(`sources.${source}.name`)}</DetailItem>
        <DetailItem label={t('terms.partner')}>{subscription.partnerSlug}</DetailItem>
        {subscription.stripeSubscriptionId && (
          <DetailItem label={t('terms.stripeId')}>{subscription.stripeSubscriptionId}</DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}

function TimesPanel({ subscription }: Props) {
  const at = (moment: string | null) => moment && <Time at={moment} show="both" />
  return (
    <Panel title={t('times.title')}>
      <DetailList>
        <DetailItem label={t('times.periodStart')}>
          {at(subscription.currentPeriodStart)}
        </DetailItem>
        <DetailItem label={t('times.periodEnd')}>{at(subscription.currentPeriodEnd)}</DetailItem>
        <DetailItem label={t('times.trialEnd')}>{at(subscription.trialEnd)}</DetailItem>
        <DetailItem label={t('times.canceled')}>{at(subscription.canceledAt)}</DetailItem>
        <DetailItem label={t('times.ends')}>{at(subscription.cancelAt)}</DetailItem>
        <DetailItem label={t('times.ended')}>{at(subscription.endedAt)}</DetailItem>
        <DetailItem label={t('times.reason')}>{subscription.cancelComment}</DetailItem>
        <DetailItem label={t('times.changed')}>{at(subscription.updatedAt)}</DetailItem>
      </DetailList>
    </Panel>
  )
}
