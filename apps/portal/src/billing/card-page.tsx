import type { SetupIntent } from '@atrium/core/billing/billing'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows, QueryState } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPCClient } from '../trpc.ts'
import { billingAddress, LocalForm, NoKey } from './card-form.tsx'
import { type OrderTerms, readCardSearch, readOrder } from './search.ts'

const t = translations('portal.billing')

const StripeForm = lazy(() => import('./stripe-form.tsx'))
const ConfirmPayment = lazy(() => import('./confirm-payment.tsx'))

/**
 * The one page that may load the payment processor's form. What was entered is made the default on
 * the billing page, to which it leads.
 */
export function CardPage() {
  const tenant = useTenant()
  const { order, confirm } = readCardSearch(useSearch({ strict: false }))
  const terms = readOrder(order)
  if (!mayChange(tenant)) return <NoAccess slug={tenant.slug} />
  if (confirm && terms) return <Confirmation tenant={tenant} terms={terms} />
  return (
    <>
      <PageHeader
        title={t('cardPage.title')}
        tabTitle={t('cardPage.tabTitle', { tenant: tenant.name })}
        description={t('cardPage.description')}
        actions={
          <LinkButton {...links.billing(tenant.slug, order ? { order } : {})} variant="default">
            {t('cardPage.back')}
          </LinkButton>
        }
      />
      <Panel title={t('card.title')} description={t('cardPage.hint')}>
        <CardEntry slug={tenant.slug} order={order} />
      </Panel>
    </>
  )
}

interface EntryProps {
  slug: string
  /** The order to come back to. */
  order: string | undefined
}

function CardEntry({ slug, order }: EntryProps) {
  const client = useTRPCClient()
  // Begins an entry once per visit: a second one would be left behind at the processor.
  const intent = useQuery({
    queryKey: ['card-entry', slug],
    queryFn: () => client.billing.createSetupIntent.mutate({ slug }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (intent.isPending) return <LoadingRows label={t('cardPage.preparing')} rows={3} />
  if (intent.error) {
    return (
      <ErrorState
        title={t('cardPage.failed')}
        error={intent.error}
        onRetry={() => void intent.refetch()}
        retrying={intent.isFetching}
      />
    )
  }
  return <Form slug={slug} order={order} intent={intent.data} />
}

function Form({ slug, order, intent }: EntryProps & { intent: SetupIntent }) {
  const navigate = useNavigate()
  if (intent.cardFormUrl !== null) return <LocalForm address={intent.cardFormUrl} order={order} />
  if (intent.publishableKey === null) return <NoKey />
  return (
    <Suspense fallback={<LoadingRows label={t('cardPage.loading')} rows={3} />}>
      <StripeForm
        publishableKey={intent.publishableKey}
        clientSecret={intent.clientSecret}
        returnAddress={billingAddress(slug, order)}
        onEntered={(entered) =>
          void navigate({
            ...links.billing(slug, {
              setup_intent: entered,
              redirect_status: 'succeeded',
              ...(order && { order }),
            }),
            replace: true,
          })
        }
      />
    </Suspense>
  )
}

/** The first payment of an order that the bank wants its holder to confirm. */
function Confirmation({ tenant, terms }: { tenant: TenantView; terms: OrderTerms }) {
  const client = useTRPCClient()
  const { slug } = tenant
  // The same order again returns the same payment.
  const started = useQuery({
    queryKey: ['confirm-order', slug, terms],
    queryFn: () => client.subscriptions.start.mutate({ slug, ...terms }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const { clientSecret, publishableKey } = started.data ?? {}
  return (
    <>
      <PageHeader
        title={t('confirm.title')}
        tabTitle={t('cardPage.tabTitle', { tenant: tenant.name })}
        description={t('confirm.hint')}
        actions={
          <LinkButton {...links.billing(slug)} variant="default">
            {t('cardPage.back')}
          </LinkButton>
        }
      />
      <Panel title={t('confirm.title')}>
        <QueryState
          query={started}
          loading={t('cardPage.preparing')}
          failed={t('confirm.failed')}
        />
        {started.data && !publishableKey && <NoKey />}
        {clientSecret && publishableKey && (
          <Suspense fallback={<LoadingRows label={t('cardPage.loading')} rows={3} />}>
            <ConfirmPayment
              slug={slug}
              publishableKey={publishableKey}
              clientSecret={clientSecret}
            />
          </Suspense>
        )}
      </Panel>
    </>
  )
}
