import type { BillingSummary } from '@atrium/core/billing/billing'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { ApprovalsPanel } from '../approvals/approvals-panel.tsx'
import * as links from '../links.ts'
import { SubscriptionPanel } from '../subscriptions/subscription-panel.tsx'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AmountDuePanel } from './amount-due-panel.tsx'
import { BillingStatusBanner } from './billing-status-banner.tsx'
import { cardName } from './card-labels.ts'
import { CardPanel } from './card-panel.tsx'
import { ComingPrice } from './coming-price.tsx'
import { InvoicesPanel } from './invoices-panel.tsx'
import { type BillingSearch, orderParam, readBillingSearch, readOrder } from './search.ts'
import { useCardReturn } from './use-card-return.ts'

const t = translations('portal.billing')

const everyMs = 4_000

/** A payment is missing: the payment processor reports its result some seconds later. */
function isUnsettled({ subscription }: BillingSummary): boolean {
  return subscription !== null && ['incomplete', 'past_due', 'unpaid'].includes(subscription.status)
}

/** Plan and seats, card and invoices of a workplace. */
export function BillingPage() {
  const tenant = useTenant()
  const search = readBillingSearch(useSearch({ strict: false }))
  const card = useCardReturn(tenant.slug, search)
  const query = useQuery(
    useTRPC().billing.get.queryOptions(
      { slug: tenant.slug },
      {
        refetchInterval: ({ state }) =>
          state.data !== undefined && isUnsettled(state.data) && everyMs,
      },
    ),
  )
  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
      />
      {card.error && <ProblemAlert title={t('card.notSet')} error={card.error} />}
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && <Parts billing={query.data} search={search} />}
    </>
  )
}

function Parts({ billing, search }: { billing: BillingSummary; search: BillingSearch }) {
  const tenant = useTenant()
  const router = useRouter()
  const editable = maySeeSettings(tenant.role) && tenant.status !== 'deleted'
  return (
    <>
      <BillingStatusBanner billing={billing} />
      <Stack gap="lg">
        {billing.subscription === null && (
          <Panel title={t('planNow')}>
            <Text>{billing.entitlements.explanation}</Text>
          </Panel>
        )}
        <ComingPrice slug={tenant.slug} mayDecline={editable} />
        {maySeeSettings(tenant.role) && (
          <ApprovalsPanel slug={tenant.slug} mayDecide={editable && tenant.role === 'owner'} />
        )}
        <SubscriptionPanel
          slug={tenant.slug}
          mayChange={editable}
          order={readOrder(search.order)}
          onOrder={(terms) => {
            const order = terms && orderParam(terms)
            const back = order === undefined
            void router.navigate({ ...links.billing(tenant.slug, { order }), replace: back })
          }}
          card={billing.card && cardName(billing.card)}
        />
        <CardPanel billing={billing} editable={editable} order={search.order} />
        <AmountDuePanel billing={billing} editable={editable} />
        <InvoicesPanel
          search={search}
          live={isUnsettled(billing)}
          expected={
            billing.subscription?.source === 'stripe' && billing.subscription.status === 'active'
          }
          mayPay={editable && billing.gate === 'open' && billing.card !== null}
          onCursorHistory={(cursors) =>
            void router.navigate({ ...links.billing(tenant.slug, { cursors }), resetScroll: false })
          }
        />
      </Stack>
    </>
  )
}
